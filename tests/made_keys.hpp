// Keys that are made as they are asked for, and gone before the next comes: what a view that transforms gives.
#pragma once

#include <cstddef>
#include <string>

namespace bloomery::testing {

class made_keys {
 public:
  using make = std::string (*)(int);
  made_keys(int count, make made) : count_(count), make_(made) {}

  struct iterator {
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    int number = 0;
    make made = nullptr;
    std::string operator*() const { return made(number); }
    iterator& operator++() { return ++number, *this; }
    iterator operator++(int) { return {number++, made}; }
    bool operator==(const iterator&) const = default;
  };
  [[nodiscard]] iterator begin() const { return {0, make_}; }
  [[nodiscard]] iterator end() const { return {count_, make_}; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count_); }

 private:
  int count_;
  make make_;
};

}  // namespace bloomery::testing
