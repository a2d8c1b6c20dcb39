#include "bloomery/apps/lab/request.hpp"

#include <algorithm>

#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::lab {
namespace {

[[noreturn]] void not_given(std::string_view what) {
  fail(errc::unsupported, "this laboratory has no " + std::string(what));
}

template <class Parse>
auto parsed(const request& asked, std::string_view name, Parse parse) {
  try {
    return parse(asked.text(name));
  } catch (const error& problem) {
    fail(problem.code(), "the setting " + std::string(name) + ": " + problem.what());
  }
}

}  // namespace

std::string host::read(const std::string& /*path*/) {
  not_given("files");
}
std::vector<std::string> host::files(const std::string& /*folder*/) {
  not_given("folders");
}
std::string host::scratch() {
  not_given("folders");
}
std::string host::run(const std::vector<std::string>& /*command*/, std::string_view /*input*/) {
  not_given("programs");
}
library_flags host::library() {
  not_given("library");
}
std::unique_ptr<store> host::open_store(const std::string& name, const store_plan& /*plan*/) {
  not_given("store " + in_quotes(name));
}
std::vector<std::vector<point>> host::walks(const std::string& world, const walk_plan& /*plan*/,
                                            std::uint64_t /*seed*/) {
  not_given("world " + in_quotes(world));
}
void host::phase(std::string_view /*what*/) {}

request::request(std::span<const setting> settings, values given, std::uint64_t seed, host& outside)
    : seed_(seed), outside_(&outside) {
  for (const setting& each : settings) values_.emplace_back(each.name, each.standard);
  for (auto& [name, value] : given) {
    const auto known = std::ranges::find(values_, name, &values::value_type::first);
    if (known == values_.end()) {
      std::vector<std::string_view> names;
      for (const setting& each : settings) names.push_back(each.name);
      fail(errc::invalid, "there is no setting " + in_quotes(name) + did_you_mean(name, names));
    }
    known->second = std::move(value);
  }
}

const std::string& request::text(std::string_view name) const {
  const auto found = std::ranges::find(values_, name, &values::value_type::first);
  if (found == values_.end()) fail(errc::invalid, "there is no setting " + in_quotes(name));
  return found->second;
}

std::uint64_t request::count(std::string_view name) const {
  return parsed(*this, name, parse_count);
}
std::uint64_t request::size(std::string_view name) const {
  return parsed(*this, name, parse_size);
}
double request::ratio(std::string_view name) const {
  return parsed(*this, name, parse_ratio);
}

std::vector<std::string> request::lines(std::string_view name) const {
  return lines_of(outside_->read(text(name)));
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

digest numbered(std::uint64_t seed, std::uint64_t stream, std::uint64_t i) {
  // The low halves of one stream are distinct, since mix is a bijection.
  const std::uint64_t of_stream = hash::mix(hash::mix(seed) + stream);
  const std::uint64_t lo = hash::mix(i + of_stream);
  return {lo, hash::mix(hash::mix(lo ^ hash::golden) + of_stream)};
}

}  // namespace bloomery::lab
