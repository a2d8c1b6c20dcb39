#include "bloomery/filters/secure/secure_index.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {
namespace {

using secure::block;
using secure::secret_sort;

std::array<std::byte, 8> encoded(std::uint64_t value) {
  std::array<std::byte, 8> bytes{};
  core::store_le(bytes.data(), value);
  return bytes;
}

block labelled(const block& key, char label, std::uint64_t value) {
  std::array<std::byte, 9> input{static_cast<std::byte>(label)};
  std::ranges::copy(encoded(value), input.begin() + 1);
  return secure::prf(key, input);
}

// y_i = PRF(x_i, document), as a bit.
std::uint64_t codeword(const secure_index_shape& shape, const block& part) {
  const block y = secure::prf(part, encoded(shape.document));
  return hash::reduce(core::load_le<std::uint64_t>(y.data()), shape.bits);
}

}  // namespace

void secure_index_shape::check() const {
  if (tokens > bits) {
    fail(errc::invalid,
         "tokens is " + std::to_string(tokens) + "; allowed: 1 to bits, " + std::to_string(bits));
  }
}

index_secret::index_secret(const block& master)
    : master_(master), identity_(secure::identity_of(master)) {
  for (std::uint64_t i = 0; i < max_hashes; ++i) subkeys_[i] = labelled(master, 'k', i);
}

index_secret index_secret::generate() {
  block master;
  secure::fill_random(master);
  return index_secret(master);
}

index_secret index_secret::load(byte_view stored) {
  block master;
  std::ranges::copy(secure::opened(secret_sort::index_secret, stored, master.size(), master.size()),
                    master.begin());
  return index_secret(master);
}

secure::secret_bytes index_secret::save() const {
  return secure::enclosed(secret_sort::index_secret, master_);
}

secure::keystream index_secret::blinding(std::uint64_t document) const {
  return secure::keystream(labelled(master_, 'b', document));
}

trapdoor::trapdoor(const index_secret& secret, std::string_view word, std::uint64_t hashes)
    : identity_(secret.identity()) {
  math::require_whole("hashes", hashes, 1, max_hashes);
  for (std::uint64_t i = 0; i < hashes; ++i) parts_.push_back(secret.trapdoor_part(i, word));
}

secure_index_shape secure_index_rule::sized(const standard_shape& size, std::uint64_t keys,
                                            const index_secret* secret) {
  std::array<std::byte, sizeof(std::uint64_t)> document{};
  if (secret != nullptr) secure::fill_random(document);
  return {size.bits, size.hashes, keys, core::load_le<std::uint64_t>(document.data())};
}

hash::positions secure_index_rule::positions_of(const shape& s, const index_secret& secret,
                                                std::string_view word) {
  hash::positions at;
  for (std::uint64_t i = 0; i < s.hashes; ++i)
    at.push_back(codeword(s, secret.trapdoor_part(i, word)));
  return at;
}

hash::positions secure_index_rule::positions_of(const shape& s, const trapdoor& found) {
  if (found.parts().size() < s.hashes) {
    fail(errc::incompatible, "the trapdoor has " + std::to_string(found.parts().size()) +
                                 " parts, the index needs " + std::to_string(s.hashes));
  }
  hash::positions at;
  for (std::uint64_t i = 0; i < s.hashes; ++i) at.push_back(codeword(s, found.parts()[i]));
  return at;
}

template struct erasure<secure_index_filter>;

}  // namespace bloomery
