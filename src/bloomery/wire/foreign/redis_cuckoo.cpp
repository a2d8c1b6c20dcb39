#include "bloomery/wire/foreign/redis_cuckoo.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/math/laws/look_ups.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/wire/foreign/bit_filter.hpp"

namespace bloomery::foreign {
namespace {

constexpr double one_fingerprint = 1.0 / redis_cuckoo::fingerprints;
// Of buckets of two, below which few keys have to move far.
constexpr double roomy_load = 0.8;

[[noreturn]] void refuse(const std::string& why) {
  fail(errc::corrupt, why);
}

bool occupied(std::byte cell) {
  return cell != std::byte{};
}

// Where in a bucket, or nullptr.
template <class Cells>
auto* found(Cells bucket, std::byte content) {
  const auto at = std::ranges::find(bucket, content);
  return at == bucket.end() ? nullptr : &*at;
}

}  // namespace

std::span<const std::byte> redis_cuckoo::bucket_of(const link& in, std::uint64_t index) const {
  return byte_view(in.cells).subspan((index & (in.buckets - 1)) * bucket_size_, bucket_size_);
}

std::span<std::byte> redis_cuckoo::bucket_of(link& in, std::uint64_t index) const {
  return std::span(in.cells).subspan((index & (in.buckets - 1)) * bucket_size_, bucket_size_);
}

// Of the fields before the cells: what the cells are then checked by.
void redis_cuckoo::require_sound() const {
  if (!std::has_single_bit(buckets_)) refuse("the number of buckets is no power of two");
  if (bucket_size_ == 0 || bucket_size_ > 255) refuse("buckets of " + std::to_string(bucket_size_));
  if (iterations_ == 0) refuse("no iterations");
  if (expansion_ != 0 && !std::has_single_bit(expansion_)) {
    refuse("the expansion is no power of two");
  }
}

std::unique_ptr<filter> redis_cuckoo::read(byte_view payload, const wire::load_options& options) {
  redis_dump dump = read_redis_value(payload, type, encoding, options);
  redis_fields from(dump);
  auto made = std::make_unique<redis_cuckoo>();
  const bool old = dump.version < encoding;  // when some fields were constants
  const std::uint64_t links = from.number(most_links, "the number of filters");
  made->buckets_ = from.number();
  made->items_ = from.number();
  if (!old) {
    made->deletions_ = from.number();
    made->bucket_size_ = from.number(UINT16_MAX, "the size of a bucket");
    made->iterations_ = from.number(UINT16_MAX, "the number of iterations");
    made->expansion_ = from.number(UINT16_MAX, "the expansion");
  }
  made->require_sound();
  if (links == 0) refuse("there is no filter in the chain");
  if (links > 1 && made->expansion_ == 0) refuse("several filters of one that does not grow");
  for (std::uint64_t i = 0; i < links; ++i) {
    const std::uint64_t buckets = old ? made->buckets_ : from.number();
    redis_bytes cells = from.bytes();
    if (buckets != made->buckets_of(i) ||
        core::uint128{buckets} * made->bucket_size_ != core::uint128{cells.size()}) {
      refuse(std::to_string(buckets) + " buckets in " + std::to_string(cells.size()) + " bytes");
    }
    made->links_.push_back({buckets, std::move(cells)});
  }
  from.require_end();
  made->came_as(payload);
  return made;
}

std::unique_ptr<filter> redis_cuckoo::make(std::uint64_t keys, std::optional<double> rate) {
  const std::uint64_t capacity = std::max<std::uint64_t>(1, keys);
  auto wanted = static_cast<double>(capacity);
  if (rate) {
    math::require_plannable(capacity, *rate);
    // A stranger meets the keys of two buckets, 2·load·bucket of them, each with one chance in 255.
    const double load = std::min(roomy_load, *rate / (2 * usual_bucket * one_fingerprint));
    wanted = std::ceil(wanted / load);
  }
  auto made = std::make_unique<redis_cuckoo>();
  constexpr double most = 0x1p60;
  made->buckets_ = std::bit_ceil(std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::min(wanted, most)) / usual_bucket));
  made->grow();
  return made;
}

core::uint128 redis_cuckoo::buckets_of(std::size_t index) const {
  const std::size_t doublings =
      expansion_ == 0 ? 0 : index * static_cast<std::size_t>(std::countr_zero(expansion_));
  return core::uint128{buckets_} << std::min<std::size_t>(doublings, 63);
}

void redis_cuckoo::grow() {
  if (links_.size() == most_links) fail(errc::limit, "the filter is full, and cannot grow further");
  const core::uint128 buckets = buckets_of(links_.size());
  const core::uint128 bytes = buckets * bucket_size_;
  require_room(
      bytes > UINT64_MAX - cells() ? UINT64_MAX : cells() + static_cast<std::uint64_t>(bytes), {});
  links_.push_back(
      {static_cast<std::uint64_t>(buckets), redis_bytes(static_cast<std::uint64_t>(bytes))});
}

std::uint64_t redis_cuckoo::cells() const {
  std::uint64_t sum = 0;
  for (const link& each : links_) sum += each.cells.size();
  return sum;
}

std::uint64_t redis_cuckoo::ones() const {
  std::uint64_t sum = 0;
  for (const link& each : links_) {
    for (const std::byte cell : each.cells) {
      sum += static_cast<std::uint64_t>(std::popcount(std::to_integer<std::uint8_t>(cell)));
    }
  }
  return sum;
}

double redis_cuckoo::fill() const {
  std::uint64_t sum = 0;
  for (const link& each : links_) {
    sum += static_cast<std::uint64_t>(std::ranges::count_if(each.cells, occupied));
  }
  return static_cast<double>(sum) / static_cast<double>(cells());
}

// Of the fingerprints that a stranger's buckets have, as many as buckets have in the mean, one is its own.
double redis_cuckoo::current_rate() const {
  double met = 0;
  for (const link& each : links_) {
    const auto load = static_cast<double>(std::ranges::count_if(each.cells, occupied)) /
                      static_cast<double>(each.cells.size());
    met += 2 * load * static_cast<double>(bucket_size_);
  }
  return math::any_of_expected(one_fingerprint, met);
}

std::vector<fact> redis_cuckoo::facts() const {
  return {{"keys", items_},
          {"deleted", deletions_},
          {"filters", std::uint64_t{links_.size()}},
          {"cells", cells()},
          {"bucket_size", bucket_size_},
          {"iterations", iterations_},
          {"expansion", expansion_}};
}

bool redis_cuckoo::has(byte_view key) const {
  const place at = place_of(key);
  const std::byte wanted{at.fingerprint};
  return std::ranges::any_of(links_, [&](const link& each) {
    return found(bucket_of(each, at.first), wanted) != nullptr ||
           found(bucket_of(each, at.second), wanted) != nullptr;
  });
}

bool redis_cuckoo::put(link& into, const place& key) const {
  for (const std::uint64_t index : {key.first, key.second}) {
    if (std::byte* const empty = found(bucket_of(into, index), std::byte{})) {
      *empty = std::byte{key.fingerprint};
      return true;
    }
  }
  return false;
}

// Each fingerprint displaced displaces another, until one finds an empty cell. If none does, all are put back.
bool redis_cuckoo::put_by_moving(link& into, const place& key) const {
  struct move {
    std::uint64_t bucket;
    std::size_t cell;
  };
  std::vector<move> moves;
  std::byte moving{key.fingerprint};
  std::uint64_t bucket = key.first;
  std::size_t victim = 0;
  for (std::uint64_t i = 0; i < iterations_; ++i) {
    moves.push_back({bucket, victim});
    std::swap(bucket_of(into, bucket)[victim], moving);
    bucket = other(bucket, std::to_integer<std::uint8_t>(moving)) & (into.buckets - 1);
    if (std::byte* const empty = found(bucket_of(into, bucket), std::byte{})) {
      *empty = moving;
      return true;
    }
    victim = (victim + 1) % bucket_size_;
  }
  for (; !moves.empty(); moves.pop_back()) {
    std::swap(bucket_of(into, moves.back().bucket)[moves.back().cell], moving);
  }
  return false;
}

void redis_cuckoo::add(byte_view key) {
  const place at = place_of(key);
  for (;;) {
    if (std::any_of(links_.rbegin(), links_.rend(), [&](link& each) { return put(each, at); }) ||
        put_by_moving(links_.back(), at)) {
      ++items_;
      return;
    }
    if (expansion_ == 0) fail(errc::limit, "the filter is full, and does not grow");
    grow();
  }
}

redis_dump redis_cuckoo::encoded() const {
  redis_dump made{std::string(type),
                  encoding,
                  {std::uint64_t{links_.size()}, buckets_, items_, deletions_, bucket_size_,
                   iterations_, expansion_}};
  for (const link& each : links_) {
    made.fields.insert(made.fields.end(), {each.buckets, each.cells});
  }
  return made;
}

}  // namespace bloomery::foreign
