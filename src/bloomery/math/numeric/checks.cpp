#include "bloomery/math/numeric/checks.hpp"

#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/core/limits.hpp"

namespace bloomery::math {
namespace {

[[noreturn]] void refuse(std::string_view name, double value, const char* allowed) {
  fail(errc::invalid, std::string(name) + " is " + format_value(value) + "; allowed: " + allowed);
}

}  // namespace

void require_whole(std::string_view name, std::uint64_t value, std::uint64_t low,
                   std::uint64_t high) {
  require_in_range({name, {}, low, high}, value);
}

void require_filter(std::uint64_t bits, std::uint64_t hashes) {
  require_whole("bits", bits, 1, max_bits);
  require_whole("hashes", hashes, 1, max_hashes);
}

void require_share(std::string_view name, double value) {
  if (!(value > 0 && value < 1)) refuse(name, value, "above 0 and below 1");
}

void require_part(std::string_view name, double value) {
  if (!(value >= 0 && value <= 1)) refuse(name, value, "0 to 1");
}

void require_positive(std::string_view name, double value) {
  if (!(value > 0 && std::isfinite(value))) refuse(name, value, "above 0 and finite");
}

}  // namespace bloomery::math
