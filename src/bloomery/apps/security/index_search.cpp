#include "bloomery/apps/security/index_search.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "bloomery/core/error.hpp"

namespace bloomery {

std::vector<std::byte> send(const trapdoor& made) {
  return wire::write(
      security::trapdoor_message{made.identity().tag, {made.parts().begin(), made.parts().end()}});
}

trapdoor receive_trapdoor(byte_view received) {
  const auto message = wire::read<security::trapdoor_message>(received);
  std::vector<secure::block> parts(message.parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::ranges::copy(message.parts[i], parts[i].begin());
  }
  return {{hash_id::guarded, message.owner}, std::move(parts)};
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
  const trapdoor asked = receive_trapdoor(trapdoor_message);
  std::vector<std::uint64_t> found;
  for (const secure_index_filter& index : indexes_) {
    const bool owned = index.record().hash == asked.identity();
    if (owned && index.may_match(asked)) found.push_back(index.shape().document);
  }
  return found;
}

}  // namespace bloomery
