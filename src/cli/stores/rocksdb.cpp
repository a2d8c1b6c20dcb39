// RocksDB whose scans leave out tables by filters of any kind, counted.
#include "bloomery/plugins/rocksdb.hpp"

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/table.h>

#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "store_module.hpp"

namespace {

using bloomery::apps::joined;
using bloomery::apps::table_cell;
using bloomery::lab::store_counts;
using bloomery::lab::store_plan;
using factory = std::shared_ptr<bloomery::rocksdb_filter_factory>;

void require(const rocksdb::Status& done) {
  if (!done.ok()) bloomery::fail(bloomery::errc::io, "RocksDB: " + done.ToString());
}

class rocksdb_store : public bloomery::lab::store {
 public:
  rocksdb_store(const std::string& folder, const store_plan& plan) {
    rocksdb::BlockBasedTableOptions tables;
    tables.no_block_cache = true;
    rocksdb::Options options;
    if (plan.built_in()) {
      constexpr std::uint64_t many = 1'000'000;
      const auto textbook = bloomery::math::plan_standard(many, plan.rate).bits;
      tables.filter_policy.reset(
          rocksdb::NewBloomFilterPolicy(static_cast<double>(textbook) / many));
    } else {
      rows_ = bloomery::rocksdb_filter(plan.kind, plan.rate, bloomery::key_part::row);
      pairs_ = bloomery::rocksdb_filter(plan.kind, plan.rate);
      options.table_properties_collector_factories = {rows_, pairs_};
    }
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1 << 20;
    options.write_buffer_size = std::size_t{256} << 20;
    options.compression = rocksdb::kNoCompression;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(tables));
    rocksdb::DB* opened = nullptr;
    require(rocksdb::DB::Open(options, folder, &opened));
    database_.reset(opened);
    rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  }

  void write(const std::vector<table_cell>& cells) override {
    rocksdb::WriteBatch batch;
    for (const table_cell& each : cells) {
      require(batch.Put(joined(each.row, each.column), each.value));
    }
    require(database_->Write({}, &batch));
    require(database_->Flush({}));
  }

  std::optional<std::string> read(const std::string& row, const std::string& column) override {
    const std::string key = joined(row, column);
    if (pairs_ == nullptr) return get(key);
    std::optional<std::string> value;
    search(pairs_, key, key, [&](rocksdb::Iterator& at) {
      if (at.key() == key) value = at.value().ToString();
      return false;
    });
    return value;
  }
  [[nodiscard]] bool scans() const override { return rows_ != nullptr; }
  std::map<std::string, std::string> scan(const std::string& row) override {
    const std::string start = joined(row, "");
    std::map<std::string, std::string> columns;
    search(rows_, row, start, [&](rocksdb::Iterator& at) {
      if (!at.key().starts_with(start)) return false;
      columns[at.key().ToString().substr(start.size())] = at.value().ToString();
      return true;
    });
    return columns;
  }

  store_counts take_counts() override { return std::exchange(counts_, {}); }
  double bits_a_key() override {
    rocksdb::TablePropertiesCollection tables;
    require(database_->GetPropertiesOfAllTables(&tables));
    double bytes = 0;
    double keys = 0;
    for (const auto& [name, table] : tables) {
      keys += static_cast<double>(table->num_entries);
      if (pairs_ == nullptr) {
        bytes += static_cast<double>(table->filter_size);
      } else {
        bytes += static_cast<double>(table->user_collected_properties.at(pairs_->Name()).size());
      }
    }
    return 8 * bytes / keys;
  }

 private:
  // With its own filters, which only Get asks.
  std::optional<std::string> get(const std::string& key) {
    const auto* const context = rocksdb::get_perf_context();
    const std::uint64_t passed = context->bloom_sst_hit_count;
    const std::uint64_t stopped = context->bloom_sst_miss_count;
    std::string value;
    const rocksdb::Status done = database_->Get({}, key, &value);
    counts_.passed += context->bloom_sst_hit_count - passed;
    counts_.asked +=
        context->bloom_sst_hit_count - passed + context->bloom_sst_miss_count - stopped;
    if (done.IsNotFound()) return std::nullopt;
    require(done);
    return value;
  }

  // Calls visit(iterator) from `start` on as long as it says so, in tables that may hold `wanted`.
  template <class Visit>
  void search(const factory& filter, const std::string& wanted, const std::string& start,
              Visit visit) {
    store_counts mine;
    rocksdb::ReadOptions reading;
    reading.table_filter = [&,
                            holds = filter->holds(wanted)](const rocksdb::TableProperties& table) {
      const bool passed = holds(table);
      ++mine.asked;
      mine.passed += std::uint64_t{passed};
      const auto packed = table.user_collected_properties.find(filter->Name());
      mine.expected_passed += packed == table.user_collected_properties.end()
                                  ? 1
                                  : rate_of(filter->filters(), table, packed->second);
      return passed;
    };
    const std::uint64_t blocks = rocksdb::get_perf_context()->block_read_count;
    const std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator(reading));
    at->Seek(start);
    while (at->Valid() && visit(*at)) at->Next();
    require(at->status());
    // A table is read in one block or two. A block of a table that was left out would be one too many.
    const std::uint64_t read = rocksdb::get_perf_context()->block_read_count - blocks;
    counts_.read += mine.passed == 0 ? read : mine.passed;
    counts_.asked += mine.asked;
    counts_.passed += mine.passed;
    counts_.expected_passed += mine.expected_passed;
  }

  // Unpacking a filter each time would take longer than all else.
  double rate_of(const bloomery::compact_filters& filters, const rocksdb::TableProperties& table,
                 const std::string& packed) {
    const auto [known, fresh] = rates_.try_emplace({&filters, table.orig_file_number}, 0.0);
    if (fresh) known->second = filters.rate_of(packed);
    return known->second;
  }

  factory rows_;
  factory pairs_;
  store_counts counts_;
  std::map<std::pair<const void*, std::uint64_t>, double> rates_;
  std::unique_ptr<rocksdb::DB> database_;
};

}  // namespace

bloomery::lab::store* bloomery_open_store(const std::string& folder, const store_plan& plan) {
  return new rocksdb_store(folder, plan);
}
