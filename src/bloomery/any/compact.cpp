#include "bloomery/any/compact.hpp"

#include <algorithm>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery {
namespace {

constexpr std::uint64_t shortest_run = 8;  // of zeros worth leaving out
constexpr std::uint64_t most_times = 64;   // that cells are longer than what is packed
constexpr std::uint64_t most_more = 4096;

// Seven bits a byte, the lowest first.
void put_number(std::string& out, std::uint64_t value) {
  for (; value >= 128; value /= 128) out.push_back(static_cast<char>(value % 128 + 128));
  out.push_back(static_cast<char>(value));
}

class packed_reader {
 public:
  explicit packed_reader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
    fail(errc::corrupt, "a number is too long");
  }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size()) fail(errc::corrupt, "the filter ends early");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

 private:
  std::string_view rest_;
};

std::string cells_of(const any_filter& filter) {
  std::string cells;
  for (const byte_view part : filter.payload()) {
    cells.append(reinterpret_cast<const char*>(part.data()), part.size());
  }
  return cells;
}

// Bytes that are kept and runs of zeros by turns, each after its length; zeros at the end go without saying.
void put_cells(std::string& out, std::string_view cells) {
  while (!cells.empty()) {
    std::size_t kept = 0;
    std::size_t zeros = 0;
    while (true) {
      kept = std::min(cells.find('\0', kept), cells.size());
      zeros = std::min(cells.find_first_not_of('\0', kept), cells.size()) - kept;
      if (zeros >= shortest_run || kept + zeros == cells.size()) break;
      kept += zeros;
    }
    if (kept == 0 && zeros == cells.size()) return;
    put_number(out, kept);
    out.append(cells.substr(0, kept));
    cells.remove_prefix(kept + zeros);
    if (!cells.empty()) put_number(out, zeros);
  }
}

storage unpacked_cells(packed_reader& in, std::uint64_t bytes) {
  storage cells = storage::allocate(bytes);
  std::span<std::byte> rest = cells.bytes_for_writing();
  while (!in.at_end()) {
    const std::uint64_t kept = in.number();
    if (kept > rest.size()) fail(errc::corrupt, "there are too many cells");
    const std::string_view taken = in.take(kept);
    std::ranges::copy(std::as_bytes(std::span(taken)), rest.begin());
    const std::uint64_t zeros = in.at_end() ? 0 : in.number();
    if (zeros > rest.size() - kept) fail(errc::corrupt, "there are too many zeros");
    rest = rest.subspan(kept + zeros);
  }
  return cells;
}

bool fits_its_bytes(std::uint64_t cells, std::uint64_t packed) {
  return cells <= most_more + most_times * packed;
}

any_filter unpacked(const any_kind& kind, const hash_identity& hash, std::string_view packed) {
  packed_reader in(packed);
  std::uint64_t items = in.number();
  // Later fields are announced by a 0 and their number: whoever does not know them finds no items.
  std::uint64_t later = 0;
  if (items == 0) {
    later = in.number();
    items = in.number();
    if (later == 0) fail(errc::corrupt, "later fields are announced, and none");
  }
  if (items == 0 || items > max_items) fail(errc::corrupt, "it says nothing");
  const std::size_t fewest = fewest_fields(kind.fields);
  if (later > kind.fields.size() - fewest) fail(errc::corrupt, "it has too many fields");
  std::vector<std::uint64_t> stated(fewest + later);
  for (std::uint64_t& value : stated) value = in.number();
  const shape_values shape = decode_shape(kind.fields, stated);
  // Which the shape alone does not tell of kinds that grow with their keys.
  const std::uint64_t lines = in.number();
  if (lines > max_bits / 8 / cache_line_bytes) fail(errc::corrupt, "its cells are too many");
  const std::uint64_t bytes = lines * cache_line_bytes;
  if (!fits_its_bytes(bytes, packed.size())) fail(errc::corrupt, "its cells are too many");
  return kind.restore(shape, {hash, {}, items}, unpacked_cells(in, bytes));
}

}  // namespace

compact_filters::compact_filters(std::string_view kind, double rate)
    : kind_(find_kind(kind)), rate_(rate) {
  math::require_plannable(1, rate);
  const bool misses = kind_.info.false_negatives || kind_.can<forgets>();
  if (!kind_.takes_keys() || !kind_.can<asks>() || misses) {
    refuse(kind_.info.name, "stand before a table",
           misses ? "it may miss keys" : "it is not made of keys alone");
  }
  name_ = "bloomery.1." + std::string(kind_.info.name) + "." + format_value(field_value{rate});
}

std::string compact_filters::pack(digest_span keys) const noexcept try {
  std::vector<digest> distinct(keys.begin(), keys.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const std::uint64_t size = distinct.size();
  const any_filter filter =
      kind_.build(kind_.plan(size, rate_), distinct, hash_.identity(), {size, rate_}, 1);
  std::string packed;
  const shape_values shape = filter.shape();
  const std::size_t stated = stated_fields(kind_.fields, shape);
  if (const std::size_t later = stated - fewest_fields(kind_.fields); later != 0) {
    put_number(packed, 0);
    put_number(packed, later);
  }
  put_number(packed, filter.record().items);
  for (const field_value& value : std::span(shape).first(stated)) {
    put_number(packed, encode_value(value));
  }
  put_number(packed, filter.bytes() / cache_line_bytes);
  put_cells(packed, cells_of(filter));
  // A store would otherwise keep what `open` then refuses.
  if (fits_its_bytes(filter.bytes(), packed.size())) return packed;
  return {'\0'};
} catch (...) {  // no keys, too many, no memory: the short string takes none
  return {'\0'};
}

std::optional<any_filter> compact_filters::open(std::string_view packed) const noexcept try {
  return unpacked(kind_, hash_.identity(), packed);
} catch (...) {
  return std::nullopt;
}

bool compact_filters::may_contain(digest key, std::string_view packed) const noexcept {
  const std::optional<any_filter> filter = open(packed);
  return !filter || filter->as<asks>().may_contain(key);
}

double compact_filters::rate_of(std::string_view packed) const {
  const std::optional<any_filter> filter = open(packed);
  if (!filter) return 1;
  if (const auto* told = filter->can<tells_rate>()) return told->current_rate();
  return kind_.predicted_rate(filter->shape(), filter->record().items);
}

}  // namespace bloomery
