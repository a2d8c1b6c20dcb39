// Remembers the words on standard input and prints each the first time it is seen; now and then, at
// the rate asked for, a new word is taken for an old one and dropped.
#include <iostream>
#include <string>

#include "bloomery/bloomery.hpp"

int main() {
  bloomery::bloom<bloomery::standard_filter> seen(1'000'000, 0.001);
  for (std::string word; std::cin >> word;) {
    if (seen.insert(word)) std::cout << word << '\n';
  }
}
