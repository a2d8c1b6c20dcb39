#include "redis/native/value.hpp"

#include <algorithm>
#include <utility>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::redis {
namespace {

wire::load_options within(budget allowance) {
  return {.max_payload_bytes = allowance.most, .max_memory = allowance.most};
}

}  // namespace

stored_bytes::stored_bytes(const any_filter& filter, std::uint64_t position) {
  const wire::envelope head = wire::make_envelope(filter.kind().info.name, filter.record(),
                                                  filter.kind().fields, filter.shape());
  parts_ = wire::parts_of(head, {});
  std::vector<byte_view> cells = filter.payload();
  if (position < parts_.header.size()) {
    parts_ = wire::parts_of(head, std::move(cells));
  } else {
    parts_.all.insert(parts_.all.begin() + 1, cells.begin(), cells.end());
  }
}

std::vector<std::byte> stored_bytes::piece(std::uint64_t position) const {
  std::vector<std::byte> made;
  std::uint64_t begin = 0;
  for (const byte_view part : parts_.all) {
    const std::uint64_t end = begin + part.size();
    const std::uint64_t from = std::max(position + made.size(), begin);
    const std::uint64_t to = std::min(position + piece_bytes, end);
    if (from < to) {
      const byte_view taken = part.subspan(from - begin, to - from);
      made.insert(made.end(), taken.begin(), taken.end());
    }
    begin = end;
  }
  return made;
}

any_filter& bloom_value::filter() {
  return const_cast<any_filter&>(std::as_const(*this).filter());
}

const any_filter& bloom_value::filter() const {
  if (filter_) return *filter_;
  fail(errc::invalid, "the filter is still arriving: of " + format_count(total_) + " bytes " +
                          format_count(size_) + " are here");
}

void bloom_value::take(std::uint64_t position, byte_view piece, budget allowance) {
  if (filter_) {
    fail(errc::invalid,
         "the key has a filter: load it under another name, and rename that to this one");
  }
  if (position == 0) {
    const std::uint64_t total = wire::stated_bytes(piece);
    if (total == 0) fail(errc::corrupt, "the first piece is not the start of a stored filter");
    allowance.require(total);
    arrived_.clear();
    size_ = 0;
    total_ = total;
  } else if (position != size_) {
    fail(errc::invalid, "the next piece begins at byte " + std::to_string(size_) + ", and not at " +
                            std::to_string(position));
  }
  if (piece.empty() || piece.size() > total_ - size_) {
    fail(errc::corrupt, "the piece has " + format_count(piece.size()) +
                            " bytes; allowed: from 1 to " + format_count(total_ - size_) +
                            ", which are missing");
  }
  arrived_.push_back(block::copy_of(piece));
  size_ += piece.size();
  if (size_ == total_) finish(allowance);
}

void bloom_value::finish(budget allowance) {
  std::vector<block> pieces = std::exchange(arrived_, {});
  if (pieces.size() == 1) {
    filter_ = bloomery::load(pieces.front().bytes(), within(allowance));
    return;
  }
  block all = block::zeroed(total_);
  std::byte* to = all.writable().data();
  for (block& each : pieces) {
    to = std::ranges::copy(each.bytes(), to).out;
    each = block();
  }
  filter_ = bloomery::load(all.bytes(), within(allowance));
}

// Runs of at most a piece, where they lie: nothing is copied, since what the server calls to save may not fail.
template <class Use>
void bloom_value::each_run(const stored_bytes* all, const Use& use) const {
  std::uint64_t at = 0;
  const auto give = [&](byte_view part) {
    for (std::size_t i = 0; i < part.size(); i += piece_bytes) {
      const byte_view run = part.subspan(i, std::min<std::size_t>(piece_bytes, part.size() - i));
      use(at, run);
      at += run.size();
    }
  };
  if (all != nullptr) {
    for (const byte_view part : all->parts()) give(part);
  } else {
    for (const block& each : arrived_) give(each.bytes());
  }
}

std::optional<stored_bytes> bloom_value::all() const {
  return filter_ ? std::optional<stored_bytes>(*filter_) : std::nullopt;
}

// What it is a part of, how many bytes come, and how many the whole filter has; then the runs.
void bloom_value::save(writing& to) const {
  const auto whole = all();
  to.number(part_of_.family);
  to.number(part_of_.epoch);
  to.number(whole ? whole->size() : size_);
  to.number(whole ? whole->size() : total_);
  each_run(whole ? &*whole : nullptr, [&](std::uint64_t /*at*/, byte_view run) { to.bytes(run); });
}

bloom_value bloom_value::load(reading& from, int written_as) {
  membership of;
  if (written_as > 0) {
    of.family = from.number();
    of.epoch = from.number();
    if (of.family == 0 && of.epoch != 0) fail(errc::corrupt, "an epoch of no family");
  }
  const std::uint64_t coming = from.number();
  const std::uint64_t total = from.number();
  if (coming == 0) fail(errc::corrupt, "no byte of a filter");
  if (coming > total) fail(errc::corrupt, "more bytes of a filter than it has");
  bloom_value made;
  made.join(of);
  // What is saved is not compressed, so that a few bytes cannot become a large filter.
  const budget as_stored{std::min(total, memory_of_machine())};
  while (made.size_ < coming) {
    const block piece = from.bytes();
    if (piece.size() > coming - made.size_) fail(errc::corrupt, "a piece is too long");
    if (made.size_ == 0 && wire::stated_bytes(piece.bytes()) != total) {
      fail(errc::corrupt, "the filter has another length than stated");
    }
    made.take(made.size_, piece.bytes(), as_stored);
  }
  if ((coming == total) != made.whole()) fail(errc::corrupt, "a filter without a byte");
  return made;
}

void bloom_value::rewrite(rewriting& to) const {
  const auto whole = all();
  each_run(whole ? &*whole : nullptr,
           [&](std::uint64_t at, byte_view run) { to.chunk("BLOOM.LOAD", at, run); });
  if (whole && part_of_.family != 0) {
    to.numbers("BLOOM.FENCE", part_of_.family, part_of_.epoch);
  }
}

std::size_t bloom_value::memory() const {
  if (filter_) return filter_->bytes();
  std::size_t bytes = 0;
  for (const block& each : arrived_) bytes += each.usable();
  return bytes;
}

bloom_value bloom_value::copy() const {
  bloom_value made = filter_ ? bloom_value(filter_->copy()) : bloom_value();
  made.join(part_of_);
  for (const block& each : arrived_) made.arrived_.push_back(block::copy_of(each.bytes()));
  made.size_ = size_;
  made.total_ = total_;
  return made;
}

}  // namespace bloomery::redis
