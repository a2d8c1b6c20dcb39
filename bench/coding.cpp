// How small and how fast filters are coded for travel, next to zstd on the same bits.
//
//     cmake --build build/test --target coding_bench && build/test/bench/coding_bench [MiB]
//
// Bits are independent, as those of a filter, at the fills of the published tables and others. Each
// figure is the least processor time of the repeats, which the coders take in turns; one thread. zstd
// is optional (libzstd-dev).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "bloomery/bits/code/byte_scan.hpp"
#include "bloomery/bits/code/entropy_coder.hpp"
#include "bloomery/math/laws/compression.hpp"
#include "contestant.hpp"
#include "harness.hpp"

#if BLOOMERY_HAS_ZSTD
#include <zstd.h>
#endif

namespace {

using namespace bloomery;
using bytes = std::vector<std::byte>;

constexpr int repeats = 15;

bytes random_bits(std::size_t size, double p) {
  std::mt19937_64 random(1);
  std::geometric_distribution<std::uint64_t> gap(p);
  bytes raw(size);
  for (std::uint64_t at = gap(random); at < 8 * size; at += 1 + gap(random)) {
    raw[at / 8] |= std::byte{1} << (at % 8);
  }
  return raw;
}

// A coder, and its best so far.
struct contender {
  const char* name;
  std::function<bytes(const bytes&)> encode;
  std::function<void(const bytes&, bytes&)> decode;
  std::size_t size = 0;
  double encoding = 1e300;  // nanoseconds
  double decoding = 1e300;

  void run(const bytes& raw) {
    bytes coded;
    bytes again(raw.size());
    encoding = std::min(encoding, bench::time_ns([&] { coded = encode(raw); }));
    decoding = std::min(decoding, bench::time_ns([&] { decode(coded, again); }));
    if (again != raw) std::abort();
    size = coded.size();
  }
};

void print(const contender& now, std::size_t raw, double entropy, const contender& ours) {
  const auto speed = [&](double ns) { return static_cast<double>(raw) / ns * 1000; };
  std::printf(
      "  %-10s %9zu bytes, %+8.3f %% over the entropy; encode %6.0f MB/s, decode %6.0f MB/s",
      now.name, now.size, 100 * (static_cast<double>(now.size) / entropy - 1), speed(now.encoding),
      speed(now.decoding));
  if (&now != &ours) {
    std::printf("; ours / this: size %.3f, encode %.2f, decode %.2f",
                static_cast<double>(ours.size) / static_cast<double>(now.size),
                ours.encoding / now.encoding, ours.decoding / now.decoding);
  }
  std::printf("\n");
}

std::vector<contender> contenders() {
  std::vector<contender> all;
  all.push_back({"bloomery", [](const bytes& from) { return bits::entropy_encode(from); },
                 [](const bytes& coded, bytes& to) { bits::entropy_decode(coded, to); }});
#if BLOOMERY_HAS_ZSTD
  for (const int level : {1, 3}) {
    all.push_back(
        {level == 1 ? "zstd -1" : "zstd -3",
         [level](const bytes& from) {
           bytes coded(ZSTD_compressBound(from.size()));
           coded.resize(ZSTD_compress(coded.data(), coded.size(), from.data(), from.size(), level));
           return coded;
         },
         [](const bytes& coded, bytes& to) {
           ZSTD_decompress(to.data(), to.size(), coded.data(), coded.size());
         }});
  }
#endif
  return all;
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::size_t mebibytes = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4;
  for (const double p : {1e-4, 0.00586, 0.0108, 0.034, 0.0606, 0.1331, 0.3, 0.5}) {
    const bytes raw = random_bits(mebibytes << 20, p);
    const double bits = 8 * static_cast<double>(raw.size());
    const double entropy =
        math::entropy(static_cast<double>(bits::count_ones(raw)) / bits) * bits / 8;
    std::printf("%zu MiB, bits set with probability %g: entropy %.0f bytes\n", mebibytes, p,
                entropy);
    std::vector<contender> all = contenders();
    for (int i = 0; i < repeats; ++i) {
      for (contender& one : all) one.run(raw);
    }
    for (const contender& one : all) print(one, raw.size(), entropy, all.front());
  }
  return 0;
}
