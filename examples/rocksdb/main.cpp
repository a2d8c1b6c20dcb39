// RocksDB that scans only the tables which may hold a row: 20 tables, each with rows of its own. Needs
// librocksdb-dev; g++ -std=c++20 main.cpp $(pkg-config --cflags --libs bloomery) -lrocksdb
#include <rocksdb/db.h>

#include <cstdio>
#include <memory>
#include <string>

#include "bloomery/plugins/rocksdb.hpp"

int main(int arguments, char** argument) {
  // Keys are a row, '/', and a column.
  const auto rows = bloomery::rocksdb_filter("ribbon", 0.01, bloomery::key_part::row, '/');
  rocksdb::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;  // to see twenty tables
  options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 100;
  options.table_properties_collector_factories.push_back(rows);
  rocksdb::DB* opened = nullptr;
  const auto status =
      rocksdb::DB::Open(options, arguments > 1 ? argument[1] : "rows.rocksdb", &opened);
  const std::unique_ptr<rocksdb::DB> database(opened);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 2;

  for (int table = 0; table < 20; ++table) {
    for (int i = table; i < 20'000; i += 20) {
      const std::string row = "row " + std::to_string(i);
      if (!database->Put({}, row + "/a", "1").ok() || !database->Put({}, row + "/b", "2").ok())
        return 2;
    }
    if (!database->Flush({}).ok()) return 2;
  }

  int read = 0;
  rocksdb::ReadOptions reading;
  reading.table_filter = [&,
                          holds = rows->holds("row 1234")](const rocksdb::TableProperties& table) {
    const bool may = holds(table);
    read += may ? 1 : 0;
    return may;
  };
  int columns = 0;
  const std::unique_ptr<rocksdb::Iterator> at(database->NewIterator(reading));
  for (at->Seek("row 1234/"); at->Valid() && at->key().starts_with("row 1234/"); at->Next())
    ++columns;
  std::printf("%s: %d columns in %d of 20 tables\n", rows->Name(), columns, read);
  return columns == 2 && read < 20 ? 0 : 1;
}
