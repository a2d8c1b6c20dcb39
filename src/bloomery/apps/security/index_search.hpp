// Searching documents that lie elsewhere: the owner of Goh's secure indexes and the server that has
// them.
//
// Purpose:   the owner makes an index of each document and, to search, the trapdoor of a word; the
//            server asks every index, and learns neither words nor key.
// Cost:      that of filters/secure/secure_index.hpp; a trapdoor of r parts takes some 34·r bytes.
// Guarantee: a trapdoor names the key that it was made with: indexes of other owners are not asked, and
//            one of too few parts throws errc::incompatible. What leaks: docs/threat-model.md.
// Citation:  Goh 2003 (ePrint 2003/216); Tarkoma §III-W.
//
//     const bloomery::index_owner owner(bloomery::index_secret::generate());
//     const std::array<std::string_view, 3> words{"red", "fish", "red"};
//     bloomery::index_server server;
//     server.add(owner.index(7, words, 100, 1e-9));
//     const auto found = server.search(owner.trapdoor("fish", 40));
//     assert(found.size() == 1 && found[0] == 7 && server.search(owner.trapdoor("blue", 40)).empty());
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "bloomery/filters/secure/secure_index.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery {
namespace security {

struct trapdoor_message {
  static constexpr std::string_view name = "secure-index/trapdoor";
  std::uint64_t owner = 0;
  std::vector<byte_view> parts;

  static constexpr std::tuple fields{
      whole_field("owner", "fingerprint of the owner's key", &trapdoor_message::owner, 0,
                  std::numeric_limits<std::uint64_t>::max()),
      wire::bytes_list_field("parts", "PRF(k_i, word)", &trapdoor_message::parts, 1, max_hashes,
                             sizeof(secure::block), sizeof(secure::block)),
  };
};

}  // namespace security

std::vector<std::byte> send(const trapdoor& made);
trapdoor receive_trapdoor(byte_view received);

class index_owner {
 public:
  explicit index_owner(index_secret secret) : secret_(std::move(secret)) {}

  // Sealed. `tokens` bounds the words, repeats and all, and follows from the document's length alone.
  [[nodiscard]] secure_index_filter index(std::uint64_t document,
                                          std::span<const std::string_view> words,
                                          std::uint64_t tokens, double rate) const;
  [[nodiscard]] std::vector<std::byte> trapdoor(std::string_view word, std::uint64_t hashes) const {
    return send(bloomery::trapdoor(secret_, word, hashes));
  }
  [[nodiscard]] const index_secret& secret() const { return secret_; }

 private:
  index_secret secret_;
};

// Has indexes and no key.
class index_server {
 public:
  void add(secure_index_filter index) { indexes_.push_back(std::move(index)); }
  // The numbers of the owner's documents that may have the word.
  [[nodiscard]] std::vector<std::uint64_t> search(byte_view trapdoor_message) const;

 private:
  std::vector<secure_index_filter> indexes_;
};

}  // namespace bloomery
