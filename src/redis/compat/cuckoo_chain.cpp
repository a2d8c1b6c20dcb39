#include "redis/compat/cuckoo_chain.hpp"

#include <algorithm>
#include <bit>

#include "bloomery/hash/murmur.hpp"
#include "redis/compat/packed.hpp"

namespace bloomery::redis {
namespace {

using bloomery::hash::murmur_64a;

constexpr std::uint64_t factor = 0x5bd1e995;
constexpr std::uint64_t most_links = 65535;
constexpr std::size_t header_bytes = 38;
constexpr std::uint64_t reported_of_chain = 40;
constexpr std::uint64_t reported_of_link = 16;
constexpr double most_deletions = 0.10;  // of the items, before cells are moved together

std::uint64_t other(std::uint64_t bucket, std::uint8_t fingerprint) {
  return bucket ^ fingerprint * factor;
}

[[noreturn]] void refuse(const std::string& why) {
  fail(errc::corrupt, why);
}

}  // namespace

cuckoo_chain::cuckoo_chain(const shape& wanted, budget allowed)
    : buckets_(std::uint64_t{1} << 62),
      bucket_size_(wanted.bucket_size),
      iterations_(wanted.iterations),
      expansion_(wanted.expansion == 0 ? std::uint16_t{0} : std::bit_ceil(wanted.expansion)) {
  const std::uint64_t buckets = std::max<std::uint64_t>(1, wanted.capacity / wanted.bucket_size);
  if (buckets < buckets_) buckets_ = std::bit_ceil(buckets);
  grow(allowed);
}

core::uint128 cuckoo_chain::buckets_of(std::size_t index) const {
  const std::size_t doublings =
      expansion_ == 0 ? 0 : index * static_cast<std::size_t>(std::countr_zero(expansion_));
  return core::uint128{buckets_} << std::min<std::size_t>(doublings, 63);
}

void cuckoo_chain::grow(budget allowed) {
  const core::uint128 buckets = buckets_of(links_.size());
  allowed.require(core::uint128{memory()} + buckets * bucket_size_);
  links_.reserve(links_.size() + 1);
  const auto count = static_cast<std::uint64_t>(buckets);
  links_.push_back({block::zeroed(count * bucket_size_), count});
}

cuckoo_chain::place cuckoo_chain::of(byte_view key) {
  const std::uint64_t hash = murmur_64a(key, 0);
  const auto fingerprint = static_cast<std::uint8_t>(hash % 255 + 1);
  return {hash, other(hash, fingerprint), fingerprint};
}

std::byte* cuckoo_chain::bucket_of(link& in, std::uint64_t index) const {
  return in.cells.writable().data() + (index & (in.buckets - 1)) * bucket_size_;
}

const std::byte* cuckoo_chain::bucket_of(const link& in, std::uint64_t index) const {
  return in.cells.bytes().data() + (index & (in.buckets - 1)) * bucket_size_;
}

std::byte* cuckoo_chain::find(link& in, const place& key, std::uint8_t content) const {
  for (const std::uint64_t index : {key.first, key.second}) {
    std::byte* const bucket = bucket_of(in, index);
    std::byte* const found = std::find(bucket, bucket + bucket_size_, std::byte{content});
    if (found != bucket + bucket_size_) return found;
  }
  return nullptr;
}

void cuckoo_chain::prefetch(const place& key) const {
  __builtin_prefetch(bucket_of(links_.back(), key.first), 1);
  __builtin_prefetch(bucket_of(links_.back(), key.second), 1);
}

bool cuckoo_chain::contains(const place& key) const {
  const std::byte wanted{key.fingerprint};
  return std::any_of(links_.begin(), links_.end(), [&](const link& each) {
    const std::byte* const one = bucket_of(each, key.first);
    const std::byte* const two = bucket_of(each, key.second);
    return std::find(one, one + bucket_size_, wanted) != one + bucket_size_ ||
           std::find(two, two + bucket_size_, wanted) != two + bucket_size_;
  });
}

std::uint64_t cuckoo_chain::count(const place& key) const {
  std::uint64_t sum = 0;
  for (const link& each : links_) {
    for (const std::uint64_t index : {key.first, key.second}) {
      const std::byte* const bucket = bucket_of(each, index);
      sum += static_cast<std::uint64_t>(
          std::count(bucket, bucket + bucket_size_, std::byte{key.fingerprint}));
    }
  }
  return sum;
}

bool cuckoo_chain::add(const place& key, budget allowed) {
  for (;;) {
    for (std::size_t i = links_.size(); i != 0; --i) {
      if (std::byte* const empty = find(links_[i - 1], key, 0)) {
        *empty = std::byte{key.fingerprint};
        ++items_;
        return true;
      }
    }
    if (add_by_moving(key)) {
      ++items_;
      return true;
    }
    if (expansion_ == 0) return false;
    if (links_.size() >= most_links) fail(errc::limit, "Maximum expansions reached");
    grow(allowed);
  }
}

// In the newest filter: each fingerprint displaced displaces another, until one finds an empty cell. If none
// does, all are put back.
bool cuckoo_chain::add_by_moving(const place& key) {
  link& in = links_.back();
  std::byte moving{key.fingerprint};
  const auto next = [&](std::uint64_t from) {
    return other(from, std::to_integer<std::uint8_t>(moving)) & (in.buckets - 1);
  };
  std::uint64_t bucket = key.first & (in.buckets - 1);
  std::size_t victim = 0;
  for (std::uint32_t i = 0; i < iterations_; ++i) {
    std::swap(bucket_of(in, bucket)[victim], moving);
    bucket = next(bucket);
    std::byte* const begin = bucket_of(in, bucket);
    std::byte* const empty = std::find(begin, begin + bucket_size_, std::byte{});
    if (empty != begin + bucket_size_) {
      *empty = moving;
      return true;
    }
    victim = (victim + 1) % bucket_size_;
  }
  for (std::uint32_t i = 0; i < iterations_; ++i) {
    victim = (victim + bucket_size_ - 1) % bucket_size_;
    bucket = next(bucket);
    std::swap(bucket_of(in, bucket)[victim], moving);
  }
  return false;
}

bool cuckoo_chain::remove(const place& key) {
  for (std::size_t i = links_.size(); i != 0; --i) {
    std::byte* const found = find(links_[i - 1], key, key.fingerprint);
    if (found == nullptr) continue;
    *found = std::byte{};
    if (items_ != 0) --items_;
    ++deletions_;
    if (links_.size() > 1 &&
        static_cast<double>(deletions_) > static_cast<double>(items_) * most_deletions) {
      compact(false);
    }
    return true;
  }
  return false;
}

bool cuckoo_chain::moved_to_earlier(std::size_t index, std::uint64_t bucket, std::byte& cell) {
  const auto fingerprint = std::to_integer<std::uint8_t>(cell);
  const place key{bucket, other(bucket, fingerprint), fingerprint};
  for (std::size_t i = 0; i < index; ++i) {
    if (std::byte* const empty = find(links_[i], key, 0)) {
      *empty = cell;
      cell = std::byte{};
      return true;
    }
  }
  return false;
}

bool cuckoo_chain::compact() {
  return compact(true);
}

// Later filters first. Unless all are wanted, it ends with the first that cannot be emptied.
bool cuckoo_chain::compact(bool all) {
  bool changed = deletions_ != 0;
  for (std::size_t i = links_.size(); i-- > 1;) {
    bool emptied = true;
    for (std::uint64_t bucket = 0; bucket < links_[i].buckets; ++bucket) {
      std::byte* const cells = bucket_of(links_[i], bucket);
      for (std::size_t cell = 0; cell < bucket_size_; ++cell) {
        if (cells[cell] == std::byte{}) continue;
        if (moved_to_earlier(i, bucket, cells[cell])) {
          changed = true;
        } else {
          emptied = false;
        }
      }
    }
    if (emptied && i + 1 == links_.size()) {
      links_.pop_back();
      changed = true;
    }
    if (!emptied && !all) break;
  }
  deletions_ = 0;
  return changed;
}

std::uint64_t cuckoo_chain::reported_bytes() const {
  std::uint64_t sum = reported_of_chain;
  for (const link& each : links_) sum += reported_of_link + each.cells.size();
  return sum;
}

std::size_t cuckoo_chain::memory() const {
  std::size_t sum =
      links_.empty() ? 0 : usable_size(links_.data(), links_.capacity() * sizeof(link));
  for (const link& each : links_) sum += each.cells.usable();
  return sum;
}

cuckoo_chain cuckoo_chain::copy() const {
  cuckoo_chain made;
  made.buckets_ = buckets_;
  made.items_ = items_;
  made.deletions_ = deletions_;
  made.bucket_size_ = bucket_size_;
  made.iterations_ = iterations_;
  made.expansion_ = expansion_;
  made.links_.reserve(links_.size());
  for (const link& each : links_) {
    made.links_.push_back({block::copy_of(each.cells.bytes()), each.buckets});
  }
  return made;
}

// Of the fields before the cells: what the cells are then checked by.
void cuckoo_chain::require_sound() const {
  if (!std::has_single_bit(buckets_)) refuse("the number of buckets is no power of two");
  if (bucket_size_ == 0 || bucket_size_ > 255) refuse("buckets of " + std::to_string(bucket_size_));
  if (iterations_ == 0) refuse("no iterations");
  if (expansion_ != 0 && !std::has_single_bit(expansion_))
    refuse("the expansion is no power of two");
}

cuckoo_chain cuckoo_chain::load(reading& from, int written) {
  cuckoo_chain made;
  const std::uint64_t links = from.number(most_links, "the number of filters");
  made.buckets_ = from.number();
  made.items_ = from.number();
  const bool old = written < 4;  // when these were constants
  const shape usual;
  const auto field = [&](const char* what) {
    return static_cast<std::uint16_t>(from.number(UINT16_MAX, what));
  };
  made.deletions_ = old ? 0 : from.number();
  made.bucket_size_ = old ? usual.bucket_size : field("the size of a bucket");
  made.iterations_ = old ? usual.iterations : field("the number of iterations");
  made.expansion_ = old ? usual.expansion : field("the expansion");
  made.require_sound();
  if (links == 0) refuse("there is no filter in the chain");
  if (links > 1 && made.expansion_ == 0) refuse("several filters of one that does not grow");
  for (std::uint64_t i = 0; i < links; ++i) {
    const std::uint64_t buckets = old ? made.buckets_ : from.number();
    block cells = from.bytes();
    // Of no other size than the chain has grown to: a header of chunks has no place for one.
    if (buckets != made.buckets_of(i) ||
        core::uint128{buckets} * made.bucket_size_ != core::uint128{cells.size()}) {
      refuse(std::to_string(buckets) + " buckets in " + std::to_string(cells.size()) + " bytes");
    }
    made.links_.push_back({std::move(cells), buckets});
  }
  return made;
}

void cuckoo_chain::save(writing& to) const {
  to.number(links_.size());
  to.number(buckets_);
  to.number(items_);
  to.number(deletions_);
  to.number(bucket_size_);
  to.number(iterations_);
  to.number(expansion_);
  for (const link& each : links_) {
    to.number(each.buckets);
    to.bytes(each.cells.bytes());
  }
}

std::string cuckoo_chain::header() const {
  packed_writer to;
  to.put(items_);
  to.put(buckets_);
  to.put(deletions_);
  to.put(std::uint64_t{links_.size()});
  to.put(bucket_size_);
  to.put(iterations_);
  to.put(expansion_);
  return to.take();
}

cuckoo_chain cuckoo_chain::from_header(byte_view header, budget allowed) {
  if (header.size() != header_bytes) refuse("the header is of another length");
  packed_reader from(header);
  cuckoo_chain made;
  made.items_ = from.get<std::uint64_t>();
  made.buckets_ = from.get<std::uint64_t>();
  made.deletions_ = from.get<std::uint64_t>();
  const auto links = from.get<std::uint64_t>();
  made.bucket_size_ = from.get<std::uint16_t>();
  made.iterations_ = from.get<std::uint16_t>();
  made.expansion_ = from.get<std::uint16_t>();
  made.require_sound();
  if (links == 0 || links > most_links) refuse("a chain of " + std::to_string(links) + " filters");
  if (links > 1 && made.expansion_ == 0) refuse("several filters of one that does not grow");
  // The sum first, so that a header that lies costs nothing.
  core::uint128 sum = core::uint128{links} * sizeof(link);
  for (std::size_t i = 0; i < links; ++i) {
    sum += made.buckets_of(i) * made.bucket_size_;
    allowed.require(sum);
  }
  made.links_.reserve(links);
  for (std::uint64_t i = 0; i < links; ++i) {
    const auto buckets = static_cast<std::uint64_t>(made.buckets_of(i));
    made.links_.push_back({block::zeroed(buckets * made.bucket_size_), buckets});
  }
  return made;
}

byte_view cuckoo_chain::chunk(std::uint64_t position) const {
  for (const link& each : links_) {
    if (position < each.cells.size()) {
      const byte_view rest = each.cells.bytes().subspan(position);
      return rest.first(std::min<std::uint64_t>(rest.size(), most_bytes_of_chunk));
    }
    position -= each.cells.size();
  }
  return {};
}

void cuckoo_chain::set_chunk(std::uint64_t position, byte_view bytes) {
  for (link& each : links_) {
    if (position < each.cells.size()) {
      const std::span<std::byte> rest = each.cells.writable().subspan(position);
      if (bytes.size() > rest.size()) break;
      std::copy(bytes.begin(), bytes.end(), rest.begin());
      return;
    }
    position -= each.cells.size();
  }
  fail(errc::invalid, "no filter of the chain has these bytes");
}

void cuckoo_chain::rewrite(rewriting& to) const {
  const std::string first = header();
  to.chunk("CF.LOADCHUNK", 1, {reinterpret_cast<const std::byte*>(first.data()), first.size()});
  std::uint64_t position = 0;
  for (byte_view bytes = chunk(0); !bytes.empty(); bytes = chunk(position)) {
    position += bytes.size();
    to.chunk("CF.LOADCHUNK", position + 1, bytes);
  }
}

}  // namespace bloomery::redis
