#include "bloomery/filters/secure/stored_secret.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::secure {
namespace {

constexpr std::string_view mark = "bloomsc";
constexpr std::size_t head_bytes = mark.size() + 1;
constexpr std::size_t checksum_bytes = 8;

block checksum_of(byte_view head_and_body) {
  return sha256(std::array{head_and_body});
}

}  // namespace

std::string_view name_of(secret_sort sort) {
  switch (sort) {
    case secret_sort::index_secret:
      return "a secure-index key";
    case secret_sort::cipher_key:
      return "a cipher key";
    case secret_sort::oblivious_secret:
      return "an oblivious secret";
  }
  return {};
}

secret_bytes joined(std::initializer_list<byte_view> parts) {
  secret_bytes result;
  for (const byte_view part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

secret_bytes enclosed(secret_sort sort, byte_view body) {
  const std::array sort_byte{static_cast<std::byte>(sort)};
  secret_bytes result = joined({bytes_of(mark), sort_byte, body});
  const block check = checksum_of(result);
  result.insert(result.end(), check.begin(), check.begin() + checksum_bytes);
  return result;
}

bool is_stored_secret(byte_view bytes) {
  return bytes.size() >= mark.size() &&
         std::ranges::equal(bytes.first(mark.size()), bytes_of(mark));
}

secret_sort sort_of(byte_view bytes) {
  if (bytes.size() < head_bytes + checksum_bytes || bytes.size() > longest_stored_secret ||
      !is_stored_secret(bytes)) {
    fail(errc::corrupt, "this is no secret of Bloomery");
  }
  const block check = checksum_of(bytes.first(bytes.size() - checksum_bytes));
  if (!same_bytes(byte_view(check).first(checksum_bytes), bytes.last(checksum_bytes))) {
    fail(errc::corrupt, "a secret is damaged: its checksum does not fit");
  }
  const auto sort = static_cast<secret_sort>(bytes[mark.size()]);
  if (name_of(sort).empty()) {
    fail(errc::corrupt,
         "a secret is of the unknown sort " + std::to_string(static_cast<unsigned>(sort)));
  }
  return sort;
}

byte_view opened(secret_sort sort, byte_view bytes, std::size_t least, std::size_t most) {
  const secret_sort found = sort_of(bytes);
  if (found != sort) {
    fail(errc::corrupt,
         "this is " + std::string(name_of(found)) + ", not " + std::string(name_of(sort)));
  }
  const byte_view body = bytes.subspan(head_bytes, bytes.size() - head_bytes - checksum_bytes);
  if (body.size() < least || body.size() > most) {
    fail(errc::corrupt, std::string(name_of(sort)) + " has " + std::to_string(body.size()) +
                            " bytes; allowed: " + std::to_string(least) + " to " +
                            std::to_string(most));
  }
  return body;
}

hash_identity identity_of(byte_view key) {
  const block mark_of_key = prf(key, bytes_of("fingerprint"));
  return {hash_id::guarded, core::load_le<std::uint64_t>(mark_of_key.data())};
}

}  // namespace bloomery::secure
