#include "bloomery/filters/secure/secure_index.hpp"

#include <set>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {
namespace {

using secure::block;
using secure::content;

std::array<std::byte, 8> encoded(std::uint64_t value) {
  std::array<std::byte, 8> bytes{};
  store_le(bytes.data(), value);
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
  return reduce(load_le<std::uint64_t>(y.data()), shape.bits);
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
  std::ranges::copy(secure::opened(content::index_secret, stored, master.size(), master.size()),
                    master.begin());
  return index_secret(master);
}

secure::secret_bytes index_secret::save() const {
  return secure::enclosed<secure::secret_bytes>(content::index_secret, master_);
}

block index_secret::trapdoor_part(std::uint64_t i, std::string_view word) const {
  return secure::prf(subkeys_[i], bytes_of(word));
}

secure::keystream index_secret::blinding(std::uint64_t document) const {
  return secure::keystream(labelled(master_, 'b', document));
}

trapdoor::trapdoor(const index_secret& secret, std::string_view word, std::uint64_t hashes)
    : identity_(secret.identity()) {
  math::require_whole("hashes", hashes, 1, max_hashes);
  for (std::uint64_t i = 0; i < hashes; ++i) parts_.push_back(secret.trapdoor_part(i, word));
}

trapdoor::trapdoor(byte_view received) {
  constexpr std::size_t each = sizeof(block);
  constexpr std::size_t mark = sizeof(secure::key_mark);
  const byte_view all = secure::opened(content::trapdoor, received, mark + each,
                                       mark + each * std::size_t{max_hashes});
  identity_ = secure::marked(all);
  const byte_view body = all.subspan(mark);
  if (body.size() % each != 0) fail(errc::corrupt, "a trapdoor is cut");
  parts_.resize(body.size() / each);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::ranges::copy(body.subspan(i * each, each), parts_[i].begin());
  }
}

secure::message trapdoor::send() const {
  secure::secret_bytes body = secure::joined({secure::mark_of(identity_)});
  for (const block& part : parts_) body.insert(body.end(), part.begin(), part.end());
  return secure::enclosed(content::trapdoor, body);
}

secure_index_shape secure_index_rule::sized(const standard_shape& size, std::uint64_t keys,
                                            const index_secret* secret) {
  std::array<std::byte, sizeof(std::uint64_t)> document{};
  if (secret != nullptr) secure::fill_random(document);
  return {size.bits, size.hashes, keys, load_le<std::uint64_t>(document.data())};
}

positions secure_index_rule::positions_of(const shape& s, const index_secret& secret,
                                          std::string_view word) {
  positions at;
  for (std::uint64_t i = 0; i < s.hashes; ++i)
    at.push_back(codeword(s, secret.trapdoor_part(i, word)));
  return at;
}

positions secure_index_rule::positions_of(const shape& s, const trapdoor& found) {
  if (found.parts().size() < s.hashes) {
    fail(errc::incompatible, "the trapdoor has " + std::to_string(found.parts().size()) +
                                 " parts, the index needs " + std::to_string(s.hashes));
  }
  positions at;
  for (std::uint64_t i = 0; i < s.hashes; ++i) at.push_back(codeword(s, found.parts()[i]));
  return at;
}

secure_index_filter index_owner::index(std::uint64_t document,
                                       std::span<const std::string_view> words,
                                       std::uint64_t tokens, double rate) const {
  if (words.size() > tokens) {
    fail(errc::limit, "the document has " + std::to_string(words.size()) + " words, over its " +
                          std::to_string(tokens) + " tokens");
  }
  secure_index_shape shape = secure_index_filter::plan(tokens, rate);
  shape.document = document;
  secure_index_filter made(shape, {}, {tokens, rate});
  const std::set<std::string_view> distinct(words.begin(), words.end());
  for (const std::string_view word : distinct) made.insert_text(secret_, word);
  made.seal(secret_, distinct.size());
  return made;
}

std::vector<std::uint64_t> index_server::search(byte_view trapdoor_message) const {
  const bloomery::trapdoor asked(trapdoor_message);
  std::vector<std::uint64_t> found;
  for (const secure_index_filter& index : indexes_) {
    const bool owned = index.record().hash == asked.identity();
    if (owned && index.may_match(asked)) found.push_back(index.shape().document);
  }
  return found;
}

template struct erasure<secure_index_filter>;

}  // namespace bloomery
