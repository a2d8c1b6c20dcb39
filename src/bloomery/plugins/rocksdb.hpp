// A filter of any kind by name in RocksDB: one for each table, among its properties; scans skip tables by it.
//
// Purpose:   a TablePropertiesCollectorFactory for rocksdb::Options, which stores a filter with each new table,
//            and a table_filter for rocksdb::ReadOptions, by which an iterator leaves out tables that hold
//            nothing of a key, a row or a (row, column). RocksDB 7.8 has no way to ask it in Get: what a
//            FilterPolicy would return, FilterBitsBuilder, is an incomplete type in its headers. Seek instead.
//            Link with bloomery and rocksdb; this header is the only part that knows RocksDB.
// Cost:      16 bytes a key while a table is written. Filters of up to 1024 tables are kept unpacked.
// Guarantee: no table is left out that holds the key, row or pair, be it only to delete it; tables with
//            deletions of ranges, damaged filters or none are always read. An iterator that was opened for one
//            row must be asked for that row only: what it says of others may be old or missing. Nothing throws
//            into RocksDB. May be used by several threads.
// Citation:  Chang et al. 2006 (Bigtable), §6: rows and columns.
//
//     const auto rows = bloomery::rocksdb_filter("ribbon", 0.01, bloomery::key_part::row);
//     rocksdb::Options options;
//     options.table_properties_collector_factories.push_back(rows);
//     rocksdb::ReadOptions reading;
//     reading.table_filter = rows->holds("ant");  // then Seek("ant")
#pragma once

#include <rocksdb/table_properties.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/any/compact.hpp"

namespace bloomery {

// What of a key goes into the filter: all of it, or what stands before its first or second separator.
enum class key_part { whole, row, row_and_column };

constexpr std::string_view part_of(std::string_view key, key_part part, char separator) {
  if (part == key_part::whole) return key;
  std::size_t end = key.find(separator);
  if (part == key_part::row_and_column && end != std::string_view::npos) {
    end = key.find(separator, end + 1);
  }
  return key.substr(0, end);
}

class rocksdb_filter_factory : public rocksdb::TablePropertiesCollectorFactory,
                               public std::enable_shared_from_this<rocksdb_filter_factory> {
 public:
  static constexpr std::size_t most_open = 1024;

  rocksdb_filter_factory(std::string_view kind, double rate, key_part part, char separator)
      : filters_(kind, rate), part_(part), separator_(separator) {
    constexpr const char* parts[] = {"", ".row", ".row-column"};
    name_ = filters_.name() + parts[static_cast<std::size_t>(part)];
    if (part != key_part::whole) {
      name_ += "." + std::to_string(static_cast<unsigned>(static_cast<unsigned char>(separator)));
    }
  }

  const char* Name() const override { return name_.c_str(); }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context /*of*/) override {
    return new collector(shared_from_this());
  }

  // For ReadOptions::table_filter, and iterators that look for this key, row, or row and column, which is given
  // as keys begin with it, without the separator behind. The factory lives on with it.
  [[nodiscard]] std::function<bool(const rocksdb::TableProperties&)> holds(
      std::string_view wanted) const {
    return [self = shared_from_this(), key = filters_.digest_of(wanted)](
               const rocksdb::TableProperties& table) { return self->may_hold(key, table); };
  }

  [[nodiscard]] const compact_filters& filters() const { return filters_; }
  // What of a key goes into the filter.
  [[nodiscard]] std::string_view part(std::string_view key) const {
    return part_of(key, part_, separator_);
  }

 private:
  class collector : public rocksdb::TablePropertiesCollector {
   public:
    explicit collector(std::shared_ptr<const rocksdb_filter_factory> made_by)
        : made_by_(std::move(made_by)) {}

    const char* Name() const override { return made_by_->Name(); }
    rocksdb::Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice& /*value*/,
                               rocksdb::EntryType /*type*/, rocksdb::SequenceNumber /*number*/,
                               std::uint64_t /*file_size*/) override {
      const digest part = made_by_->filters_.digest_of(made_by_->part({key.data(), key.size()}));
      try {
        if (keys_.empty() || keys_.back() != part) keys_.push_back(part);
      } catch (...) {
        whole_ = false;
      }
      return rocksdb::Status::OK();
    }
    rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override try {
      if (whole_) properties->emplace(made_by_->name_, made_by_->filters_.pack(keys_));
      return rocksdb::Status::OK();
    } catch (...) {
      return rocksdb::Status::MemoryLimit("no filter");
    }
    rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }

   private:
    std::shared_ptr<const rocksdb_filter_factory> made_by_;
    std::vector<digest> keys_;
    bool whole_ = true;  // no key is missing
  };

  using opened = std::shared_ptr<const std::optional<any_filter>>;

  [[nodiscard]] bool may_hold(digest key, const rocksdb::TableProperties& table) const noexcept
      try {
    const auto stored = table.user_collected_properties.find(name_);
    if (table.num_range_deletions > 0 || stored == table.user_collected_properties.end())
      return true;
    const opened filter = open(table, stored->second);
    return !*filter || (*filter)->as<asks>().may_contain(key);
  } catch (...) {
    return true;
  }

  // A session never gives a file number twice. Tables without these are unpacked each time.
  opened open(const rocksdb::TableProperties& table, const std::string& packed) const {
    const std::pair id(table.db_session_id, table.orig_file_number);
    const bool known = !id.first.empty() && id.second != 0;
    if (known) {
      const std::lock_guard lock(mutex_);
      const auto found = open_.find(id);
      if (found != open_.end()) return found->second;
    }
    auto filter = std::make_shared<const std::optional<any_filter>>(filters_.open(packed));
    if (known) {
      const std::lock_guard lock(mutex_);
      if (open_.size() >= most_open) open_.clear();
      open_.emplace(id, filter);
    }
    return filter;
  }

  compact_filters filters_;
  key_part part_;
  char separator_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, std::uint64_t>, opened> open_;
};

// errc::invalid or errc::unsupported, as compact_filters, for a kind or rate that will not do.
inline std::shared_ptr<rocksdb_filter_factory> rocksdb_filter(std::string_view kind, double rate,
                                                              key_part part = key_part::whole,
                                                              char separator = '\0') {
  return std::make_shared<rocksdb_filter_factory>(kind, rate, part, separator);
}

}  // namespace bloomery
