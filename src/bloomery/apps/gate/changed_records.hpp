// A large file that is left alone, a small one with what has changed, and a filter that says which to read.
//
// Purpose:   updates go to the differential file. A read goes there only if the filter says that the record
//            has changed, and to the main file otherwise; a batch merges the differential file into the main
//            one and leaves it, and the filter, empty. Where the records lie is the business of `record_file`.
// Cost:      an insertion an update, a question a read; a false positive costs one read of the differential
//            file in vain. The filter is sized for as many changes as are expected between merges.
// Guarantee: what was written last is read, whatever the filter answers wrongly. Each merge changes the hash,
//            so that no record is unlucky for ever.
// Citation:  Severance and Lohman 1976; Gremillion 1982; Broder–Mitzenmacher §3.2; Tarkoma §IV-F.
//
//     bloomery::apps::records_in_memory main, differential;
//     main.write(7, "old");
//     bloomery::apps::changed_records records(main, differential, 100, 0.01);
//     assert(records.read(7) == "old");
//     records.update(7, "new");
//     assert(records.read(7) == "new" && main.read(7) == "old");
//     records.merge();
//     assert(records.read(7) == "new" && main.read(7) == "new" && differential.all().empty());
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/apps/ledger.hpp"
#include "bloomery/filters/set/standard.hpp"

namespace bloomery::apps {

// Records by number. What goes wrong in one is errc::io.
class record_file {
 public:
  record_file() = default;
  record_file(const record_file&) = delete;
  record_file& operator=(const record_file&) = delete;
  virtual ~record_file() = default;

  virtual std::optional<std::string> read(std::uint64_t number) = 0;  // nothing if it has none
  virtual void write(std::uint64_t number, std::string value) = 0;
  virtual std::vector<std::pair<std::uint64_t, std::string>> all() = 0;
  virtual void clear() = 0;
};

class records_in_memory : public record_file {
 public:
  std::optional<std::string> read(std::uint64_t number) override;
  void write(std::uint64_t number, std::string value) override;
  std::vector<std::pair<std::uint64_t, std::string>> all() override;
  void clear() override { records_.clear(); }

 private:
  std::map<std::uint64_t, std::string> records_;
};

class changed_records {
 public:
  // Both files must live on; what the differential one holds already counts as changed.
  changed_records(record_file& main, record_file& differential, std::uint64_t expected_changes,
                  double rate, std::uint64_t seed = 0);

  // As it was last written; nothing if neither file has it.
  std::optional<std::string> read(std::uint64_t number);
  void update(std::uint64_t number, std::string value);
  // A batch: the main file has all changes then. If it fails half-way, nothing is lost: the differential
  // file is emptied last.
  void merge();

  // The share of unchanged records that are looked for in the differential file, as the filter stands.
  [[nodiscard]] double current_rate() const { return changed_.current_rate(); }
  // Each read: whether the filter sent it to the differential file, and whether the record was there.
  [[nodiscard]] const ledger& book() const { return book_; }

 private:
  [[nodiscard]] digest digest_of(std::uint64_t number) const;
  [[nodiscard]] standard_filter empty_filter() const;

  record_file* main_;
  record_file* differential_;
  promise planned_;
  std::uint64_t seed_;
  standard_filter changed_;
  ledger book_;
};

}  // namespace bloomery::apps
