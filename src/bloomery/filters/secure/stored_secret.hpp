// The envelope of everything that secure filters exchange or keep apart: secrets and messages.
//
// Purpose:   eight bytes that say what it is, the body, eight bytes of checksum.
// Guarantee: `opened` throws errc::corrupt, saying what it found, unless the bytes are such a thing of
//            a size that is allowed. The checksum (of SHA-256) finds accidents; it proves no origin.
//
//     using namespace bloomery::secure;
//     const std::array<std::byte, 3> body{};
//     const auto sealed = enclosed(content::trapdoor, body);
//     assert(content_of(sealed) == content::trapdoor);
//     assert(opened(content::trapdoor, sealed, 1, 3).size() == 3);
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/filters/secure/crypto.hpp"
#include "bloomery/hash/identity.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::secure {

using message = std::vector<std::byte>;

enum class content : std::uint8_t {
  index_secret = 1,
  trapdoor,
  cipher_secret,
  cipher_query,
  converted_query,
  asker_share,
  owner_share,
  conversion,
  oblivious_secret,
  oblivious_public,
  oblivious_question,
  oblivious_request,
  oblivious_reply,
};
inline constexpr std::array<std::string_view, 13> content_names{"a secure-index key",
                                                                "a trapdoor",
                                                                "a cipher key",
                                                                "an encrypted query",
                                                                "a converted query",
                                                                "an asker's share",
                                                                "an owner's share",
                                                                "a conversion",
                                                                "an oblivious secret",
                                                                "an oblivious public key",
                                                                "an open question",
                                                                "a blinded request",
                                                                "a reply to a blinded request"};

inline constexpr std::string_view message_magic = "bloomsc";
inline constexpr std::size_t message_head = message_magic.size() + 1;
inline constexpr std::size_t message_checksum = 8;
inline constexpr std::size_t longest_message = std::size_t{1} << 20;

inline block checksum_of(byte_view head_and_body) {
  return sha256(std::array{head_and_body});
}

inline std::string_view name_of(content what) {
  return content_names[static_cast<std::size_t>(what) - 1];
}

// `Bytes` is secret_bytes for what must be wiped.
template <class Bytes = message>
Bytes enclosed(content what, byte_view body) {
  Bytes result;
  result.reserve(message_head + body.size() + message_checksum);
  const byte_view magic = bytes_of(message_magic);
  result.insert(result.end(), magic.begin(), magic.end());
  result.push_back(static_cast<std::byte>(what));
  result.insert(result.end(), body.begin(), body.end());
  const block check = checksum_of(result);
  result.insert(result.end(), check.begin(), check.begin() + message_checksum);
  return result;
}

// A key as messages name it: what was made with another is refused, instead of never matching.
using key_mark = std::array<std::byte, 8>;
inline key_mark mark_of(hash_identity key) {
  key_mark mark;
  store_le(mark.data(), key.tag);
  return mark;
}
inline hash_identity marked(byte_view mark) {
  return {hash_id::guarded, load_le<std::uint64_t>(mark.data())};
}

inline secret_bytes joined(std::initializer_list<byte_view> parts) {
  secret_bytes result;
  for (const byte_view part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

inline content content_of(byte_view bytes) {
  const byte_view magic = bytes_of(message_magic);
  if (bytes.size() < message_head + message_checksum || bytes.size() > longest_message ||
      !std::equal(magic.begin(), magic.end(), bytes.begin())) {
    fail(errc::corrupt, "this is no secret or message of Bloomery");
  }
  const byte_view covered = bytes.first(bytes.size() - message_checksum);
  const block check = checksum_of(covered);
  if (!same_bytes(byte_view(check).first(message_checksum), bytes.last(message_checksum))) {
    fail(errc::corrupt, "a secret or message is damaged: its checksum does not fit");
  }
  const auto what = static_cast<std::size_t>(bytes[message_magic.size()]);
  if (what < 1 || what > content_names.size()) {
    fail(errc::corrupt, "a secret or message is of the unknown sort " + std::to_string(what));
  }
  return static_cast<content>(what);
}

// The body, which has `least` to `most` bytes.
inline byte_view opened(content what, byte_view bytes, std::size_t least, std::size_t most) {
  const content found = content_of(bytes);
  if (found != what) {
    fail(errc::corrupt,
         "this is " + std::string(name_of(found)) + ", not " + std::string(name_of(what)));
  }
  const byte_view body =
      bytes.subspan(message_head, bytes.size() - message_head - message_checksum);
  if (body.size() < least || body.size() > most) {
    fail(errc::corrupt, std::string(name_of(what)) + " has " + std::to_string(body.size()) +
                            " bytes; allowed: " + std::to_string(least) + " to " +
                            std::to_string(most));
  }
  return body;
}

// How a filter knows its secret again.
inline hash_identity identity_of(byte_view key) {
  const block mark = prf(key, bytes_of("fingerprint"));
  return {hash_id::guarded, load_le<std::uint64_t>(mark.data())};
}

}  // namespace bloomery::secure
