#include "bloomery/filters/set/golomb.hpp"

#include <algorithm>
#include <bit>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/batch/dealing.hpp"
#include "bloomery/bits/memory/scratch.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/zeros.hpp"
#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

unsigned offset_bits(const golomb_shape& s) {
  return static_cast<unsigned>(std::bit_width(s.code_bits));
}

std::uint64_t index_bytes(const golomb_shape& s) {
  return bits::bit_array_bytes((s.sections + 1) * offset_bits(s));
}

std::uint64_t code_bytes(const golomb_shape& s) {
  return bits::bit_array_bytes(s.code_bits + 8 * bits::rice_code::spare_bytes);
}

}  // namespace

golomb_cells::golomb_cells(const shape& s)
    : shape_(s),
      code_{s.rice_bits, s.size().count_bits()},
      ends_(s.sections + 1, offset_bits(s)),
      codes_(storage::allocate(code_bytes(s))) {}

golomb_cells::golomb_cells(const shape& s, storage stored)
    : shape_(s),
      code_{s.rice_bits, s.size().count_bits()},
      ends_(s.sections + 1, offset_bits(s), stored.take_stored(index_bytes(s))),
      codes_(std::move(stored)) {
  if (codes_.size() != code_bytes(s)) {
    fail(errc::corrupt, "the codes take " + std::to_string(code_bytes(s)) + " bytes, there are " +
                            std::to_string(codes_.size()));
  }
  if (ends_.get(0) != 0 || coded_bits() > s.code_bits) {
    fail(errc::corrupt, "the index begins or ends outside the codes");
  }
  for (std::uint64_t section = 0; section < s.sections; ++section) {
    values_ += check_section(section);
  }
  if (!core::zero_from_bit(codes_.bytes(), coded_bits())) {
    fail(errc::corrupt, "bits are set behind the last code");
  }
}

// Codes must be the ones that would be written, end where the index says, and stay in the section.
std::uint64_t golomb_cells::check_section(std::uint64_t section) const {
  std::uint64_t at = ends_.get(section);
  const std::uint64_t end = ends_.get(section + 1);
  if (end < at || end > coded_bits()) fail(errc::corrupt, "the index runs backwards");
  std::uint64_t next = 0;
  std::uint64_t values = 0;
  for (; at < end; ++values) {
    const std::uint64_t start = at;
    const std::uint64_t gap = code_.read(codes_.bytes().data(), at);
    if (at > end || gap >= shape_.width - next || at - start != code_.length(gap)) {
      fail(errc::corrupt, "section " + std::to_string(section) + " holds what is no gap");
    }
    next += gap + 1;
  }
  return values;
}

golomb_cells golomb_cells::build(const shape& s, std::span<const digest> keys, unsigned threads) {
  golomb_cells cells(s);
  const unsigned parts = bits::threads_for(keys.size(), threads);
  const bits::scratch<std::uint64_t> values(keys.size());
  const std::vector<std::uint64_t> starts = bits::deal(
      keys.size(), s.sections, parts, [&](std::uint64_t i) { return cells.locate(keys[i]); },
      [](const place& at) { return at.section; },
      [&](std::uint64_t to, const place& at, std::uint64_t) { values.all()[to] = at.value; });
  core::in_parallel(s.sections, parts, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      std::ranges::sort(values.all().subspan(starts[i], starts[i + 1] - starts[i]));
    }
  });
  cells.write(values.all(), starts);
  return cells;
}

void golomb_cells::write(std::span<std::uint64_t> values, std::span<const std::uint64_t> starts) {
  std::byte* bits = codes_.bytes_for_writing().data();
  std::uint64_t end = 0;
  for (std::uint64_t section = 0; section < shape_.sections; ++section) {
    std::uint64_t next = 0;
    for (std::uint64_t i = starts[section]; i < starts[section + 1]; ++i) {
      if (values[i] < next) continue;  // a repeat
      const std::uint64_t gap = values[i] - next;
      if (code_.length(gap) > shape_.code_bits - end) {
        fail(errc::limit, "the codes of " + format_count(values.size()) + " keys do not fit into " +
                              format_count(shape_.code_bits) + " bits");
      }
      end = code_.write(bits, end, gap);
      next = values[i] + 1;
      ++values_;
    }
    ends_.set(section + 1, end);
  }
}

bool golomb_cells::contains(const place& at) const {
  std::uint64_t bit = ends_.get(at.section);
  const std::uint64_t end = ends_.get(at.section + 1);
  const std::byte* bits = codes_.bytes().data();
  for (std::uint64_t next = 0; bit < end; ++next) {
    next += code_.read(bits, bit);
    if (next >= at.value) return next == at.value;
  }
  return false;
}

golomb_shape golomb_cells::plan(std::uint64_t keys, double rate) {
  const math::golomb_size size = math::plan_golomb(keys, rate);
  return {size.sections, size.width, size.rice_bits, size.code_bits};
}

// Keys whose codes are not expected to fit cannot be held, as if every key were found.
double golomb_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  const double needed = math::golomb_code_bits(s.size(), keys);
  return needed > static_cast<double>(s.code_bits) ? 1 : math::golomb_rate(s.size(), keys);
}

void golomb_cells::require_record(const filter_record& record) const {
  if (values_ <= record.items && (values_ == 0) == (record.items == 0)) return;
  fail(errc::corrupt, "there are " + format_count(values_) + " values of " +
                          format_count(record.items) + " keys on record");
}

std::uint64_t golomb_cells::payload_bytes(const shape& s) {
  return index_bytes(s) + code_bytes(s);
}

template struct erasure<golomb_filter>;

}  // namespace bloomery
