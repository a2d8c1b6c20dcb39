#include "bloomery/wire/foreign/dcso_bloom.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::foreign {
namespace {

constexpr std::uint64_t dcso_flags = 1;
constexpr std::uint64_t fnv_start = 0xcbf29ce484222325;
constexpr std::uint64_t fnv_prime = 0x100000001b3;

}  // namespace

// The flags, and a rate: a number that is a probability is not often met with in its place.
bool dcso_bloom::recognises(byte_view start, std::uint64_t length) {
  if (length < head_bytes || start.size() < head_bytes) return false;
  const auto rate = std::bit_cast<double>(core::load_le<std::uint64_t>(&start[16]));
  return core::load_le<std::uint64_t>(start.data()) == dcso_flags && rate > 0 && rate < 1;
}

found_bits<dcso_bloom> dcso_bloom::read(byte_view file) {
  if (!recognises(file, file.size())) fail(errc::corrupt, "the bytes are no file of DCSO's bloom");
  dcso_bloom made;
  made.capacity = core::load_le<std::uint64_t>(&file[8]);
  made.rate = std::bit_cast<double>(core::load_le<std::uint64_t>(&file[16]));
  made.probes = core::load_le<std::uint64_t>(&file[24]);
  made.size = core::load_le<std::uint64_t>(&file[32]);
  made.items = core::load_le<std::uint64_t>(&file[40]);
  if (made.probes < 1 || made.probes > max_hashes) {
    fail(errc::corrupt,
         "the file states " + std::to_string(made.probes) + " hashes; allowed: 1 to 64");
  }
  if (made.size < 1 || made.size > max_bits) {
    fail(errc::corrupt, "the file states " + std::to_string(made.size) + " bits; allowed: 1 to " +
                            std::to_string(max_bits));
  }
  const byte_view rest = file.subspan(head_bytes);
  if (rest.size() < made.bytes()) {
    fail(errc::corrupt, "the file states " + std::to_string(made.bytes()) +
                            " bytes of bits and has " + std::to_string(rest.size()));
  }
  const byte_view data = rest.subspan(made.bytes());
  made.data.assign(data.begin(), data.end());
  const byte_view bits = rest.first(made.bytes());
  return {std::move(made), bits};
}

dcso_bloom dcso_bloom::plan(std::uint64_t keys, std::optional<double> rate) {
  dcso_bloom made;
  made.capacity = std::max<std::uint64_t>(1, keys);
  made.rate = rate.value_or(usual_rate);
  const math::standard_size planned = math::plan_standard(made.capacity, made.rate);
  made.size = planned.bits;
  made.probes = planned.hashes;
  return made;
}

std::uint64_t dcso_bloom::fnv1(std::string_view key) {
  std::uint64_t hash = fnv_start;
  for (const char c : key) hash = hash * fnv_prime ^ static_cast<unsigned char>(c);
  return hash;
}

double dcso_bloom::current_rate(const filter& of, byte_view /*bits*/) const {
  return math::instance_rate(of.fill(), probes);
}

std::vector<fact> dcso_bloom::facts() const {
  return {{"capacity", capacity},
          {"promised_rate", rate},
          {"keys", items},
          {"data_bytes", std::uint64_t{data.size()}}};
}

std::vector<std::byte> dcso_bloom::head() const {
  std::vector<std::byte> head(head_bytes);
  core::store_le(head.data(), dcso_flags);
  core::store_le(&head[8], capacity);
  core::store_le(&head[16], std::bit_cast<std::uint64_t>(rate));
  core::store_le(&head[24], probes);
  core::store_le(&head[32], size);
  core::store_le(&head[40], items);
  return head;
}

}  // namespace bloomery::foreign
