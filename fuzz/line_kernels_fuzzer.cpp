// Every back end against the plain one: the same keys leave the same bits and get the same answers.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bloomery/bits/batch/line_probing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  constexpr std::size_t header = 2;
  if (size < header) return 0;
  const std::uint64_t k = 1 + data[0] % hash::line_pattern::most_hashes;
  const std::uint64_t blocks = 1 + data[1] % 8;
  std::vector<digest> keys((size - header) / sizeof(digest));
  if (!keys.empty()) std::memcpy(keys.data(), data + header, keys.size() * sizeof(digest));
  const digest_span inserted = digest_span(keys).first(keys.size() / 2);

  const hash::blocked_probes probes(blocks, k);
  std::vector<std::byte> first_bits;
  std::vector<bool> first_answers;
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    const bits::probing run(probes);
    bits::bit_array bits(probes.range());
    run.set_all(bits, inserted);
    for (const digest key : inserted) {
      if (!run.test(bits, key)) std::abort();
    }
    const auto answers = std::make_unique<bool[]>(keys.size());
    run.test_all(bits, digest_span(keys), {answers.get(), keys.size()});
    const std::vector<std::byte> bytes(bits.bytes().begin(), bits.bytes().end());
    const std::vector<bool> answered(answers.get(), answers.get() + keys.size());
    if (first_bits.empty()) {
      first_bits = bytes;
      first_answers = answered;
    } else if (bytes != first_bits || answered != first_answers) {
      std::abort();
    }
  }
  return 0;
}
