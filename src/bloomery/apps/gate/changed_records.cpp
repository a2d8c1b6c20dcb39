#include "bloomery/apps/gate/changed_records.hpp"

#include "bloomery/hash/mix.hpp"
#include "bloomery/hash/policies.hpp"

namespace bloomery::apps {

std::optional<std::string> records_in_memory::read(std::uint64_t number) {
  const auto found = records_.find(number);
  return found == records_.end() ? std::nullopt : std::optional(found->second);
}

void records_in_memory::write(std::uint64_t number, std::string value) {
  records_[number] = std::move(value);
}

std::vector<std::pair<std::uint64_t, std::string>> records_in_memory::all() {
  return {records_.begin(), records_.end()};
}

changed_records::changed_records(record_file& main, record_file& differential,
                                 std::uint64_t expected_changes, double rate, std::uint64_t seed)
    : main_(&main),
      differential_(&differential),
      planned_{expected_changes, rate},
      seed_(seed),
      changed_(empty_filter()) {
  for (const auto& record : differential.all()) changed_.insert(digest_of(record.first));
}

digest changed_records::digest_of(std::uint64_t number) const {
  return integer_hash(seed_)(number);
}

standard_filter changed_records::empty_filter() const {
  return standard_filter::for_keys(planned_.keys, planned_.rate, integer_hash(seed_).identity());
}

std::optional<std::string> changed_records::read(std::uint64_t number) {
  if (!changed_.may_contain(digest_of(number))) {
    book_.record(false, false);
    return main_->read(number);
  }
  std::optional<std::string> latest = differential_->read(number);
  book_.record(true, latest.has_value());
  return latest ? latest : main_->read(number);
}

// The filter first: a record that it has and the file lacks costs a read, the opposite would be stale.
void changed_records::update(std::uint64_t number, std::string value) {
  changed_.insert(digest_of(number));
  differential_->write(number, std::move(value));
}

void changed_records::merge() {
  for (auto& [number, value] : differential_->all()) main_->write(number, std::move(value));
  differential_->clear();
  seed_ = hash::mix(seed_ + 1);
  changed_ = empty_filter();
}

}  // namespace bloomery::apps
