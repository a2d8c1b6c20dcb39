// The kinds on texts, a file of its own since compiling it takes as long as all the rest.
#include "kind_contestant.hpp"

namespace bloomery::bench {

void add_text_kinds(const bench_options& options,
                    std::vector<contestant<std::string_view>>& contestants,
                    std::vector<left_out>& skipped) {
  constexpr std::array<std::byte, keyed_hash::secret_bytes> secret{std::byte{1}, std::byte{2}};
  add_kinds(all_kinds{}, options, xxh3_hash{}, contestants, skipped);
  std::vector<left_out> again;  // the same
  add_kinds(all_kinds{}, options, keyed_hash(secret), contestants, again);
}

}  // namespace bloomery::bench
