// LevelDB with ribbon filters: 100,000 words go in, and as many that are not there are asked for. Needs
// libleveldb-dev; g++ -std=c++20 main.cpp $(pkg-config --cflags --libs bloomery) -lleveldb
#include <leveldb/db.h>

#include <cstdio>
#include <memory>
#include <string>

#include "bloomery/plugins/leveldb.hpp"

int main(int arguments, char** argument) {
  const auto policy = bloomery::leveldb_policy("ribbon", 0.01);
  leveldb::Options options;
  options.create_if_missing = true;
  options.block_size = 256 * 1024;  // some thousand small records to a filter
  options.filter_policy = policy.get();
  leveldb::DB* opened = nullptr;
  const auto status =
      leveldb::DB::Open(options, arguments > 1 ? argument[1] : "words.leveldb", &opened);
  const std::unique_ptr<leveldb::DB> database(opened);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 2;

  for (int i = 0; i < 100'000; ++i) {
    if (!database->Put({}, "word " + std::to_string(i), "known").ok()) return 2;
  }
  database->CompactRange(nullptr, nullptr);
  int found = 0;
  std::string value;
  for (int i = 0; i < 200'000; ++i) {
    found += database->Get({}, "word " + std::to_string(i), &value).ok() ? 1 : 0;
  }
  std::printf("%s: %d found\n", policy->Name(), found);
  return found == 100'000 ? 0 : 1;
}
