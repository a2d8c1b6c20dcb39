// The kinds on texts, a file of its own since compiling it takes as long as all the rest.
#include "bloomery/hash/hasher.hpp"
#include "kind_contestant.hpp"

namespace bloomery::bench {
namespace {

// Either hash as one type, so that each kind is compiled once.
struct text_hash {
  const hasher* chosen;

  [[nodiscard]] hash_identity identity() const { return chosen->identity(); }
  [[nodiscard]] digest operator()(std::string_view key) const { return (*chosen)(key); }
  void all(std::span<const std::string_view> keys, digest* digests) const {
    (*chosen)(keys, {digests, keys.size()});
  }
};

}  // namespace

void add_text_kinds(const bench_options& options,
                    std::vector<contestant<std::string_view>>& contestants,
                    std::vector<left_out>& skipped) {
  constexpr std::array<std::byte, keyed_hash::secret_bytes> secret{std::byte{1}, std::byte{2}};
  static const hasher unkeyed{xxh3_hash{}};
  static const hasher keyed{keyed_hash(secret)};
  add_kinds(all_kinds{}, options, text_hash{&unkeyed}, contestants, skipped);
  std::vector<left_out> again;  // the same
  add_kinds(all_kinds{}, options, text_hash{&keyed}, contestants, again);
}

}  // namespace bloomery::bench
