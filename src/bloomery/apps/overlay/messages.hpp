// What nodes of an overlay say to each other: summaries one way, questions the other, replies back.
//
// Guarantee: as wire/message.hpp. A question has 1 to 64 words, and no more steps than it may take.
//
//     const bloomery::digest word = bloomery::xxh3_hash{}("blue");
//     const auto packed = bloomery::overlay::packed_words({&word, 1});
//     const auto sent = bloomery::wire::write(bloomery::overlay::question{.id = 7, .words = packed});
//     const auto asked = bloomery::wire::read<bloomery::overlay::question>(sent);
//     assert(asked.id == 7 && bloomery::overlay::words_of(asked.words) == std::vector{word});
#pragma once

#include <array>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::overlay {

inline constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t most_words = 64;
inline constexpr std::uint64_t most_steps = 1'000'000;

// How a question finds its way.
enum class walk : std::uint64_t {
  matching,   // by all links that claim what is looked for
  flooding,   // by all links
  best,       // by the link that claims it most, then the next; back where none is left
  gradient,   // the same, and links that claim nothing after those that do, by chance
  wandering,  // by any link, by chance, never back
};
inline constexpr std::array<std::string_view, 5> walk_names{"matching", "flooding", "best",
                                                            "gradient", "wandering"};

// What lies behind the sender.
struct advert {
  static constexpr std::string_view name = "overlay/advert";
  std::uint64_t version = 0;  // the sender's later ones have higher numbers
  std::vector<byte_view> filters;

  static constexpr std::tuple fields{
      whole_field("version", "later ones are higher", &advert::version, 0, any_number),
      wire::bytes_list_field("filters", "as stored", &advert::filters, 1, 16, 1,
                             std::uint64_t{1} << 20),
  };
};

struct question {
  static constexpr std::string_view name = "overlay/question";
  std::uint64_t id = 0;
  std::uint64_t how = 0;
  std::uint64_t steps = 0;  // behind it
  std::uint64_t most = most_steps;
  byte_view words;

  static constexpr std::tuple fields{
      whole_field("id", "the asker's", &question::id, 0, any_number),
      whole_field("how", "the walk", &question::how, 0, walk_names.size() - 1),
      whole_field("steps", "from node to node", &question::steps, 0, most_steps),
      whole_field("most", "steps that it may take", &question::most, 0, most_steps),
      wire::bytes_field("words", "16 bytes each", &question::words, sizeof(digest),
                        most_words * sizeof(digest)),
  };
  void check() const {
    if (words.size() % sizeof(digest) != 0) {
      fail(errc::invalid, "words has " + std::to_string(words.size()) +
                              " bytes; allowed: a multiple of " + std::to_string(sizeof(digest)));
    }
  }
};

// Somebody has it; or nobody that way, and the next is to be tried.
struct reply {
  static constexpr std::string_view name = "overlay/reply";
  std::uint64_t id = 0;
  std::uint64_t found = 0;
  std::uint64_t holder = 0;  // by its number
  std::uint64_t steps = 0;   // of the question, all told

  static constexpr std::tuple fields{
      whole_field("id", "the question's", &reply::id, 0, any_number),
      whole_field("found", "whether the holder has it", &reply::found, 0, 1),
      whole_field("holder", "by its number", &reply::holder, 0, any_number),
      whole_field("steps", "of the question so far", &reply::steps, 0, most_steps),
  };
};

inline std::vector<std::byte> packed_words(digest_span words) {
  std::vector<std::byte> packed(words.size() * sizeof(digest));
  for (std::size_t i = 0; i < words.size(); ++i) {
    core::store_le(&packed[i * sizeof(digest)], words[i].lo);
    core::store_le(&packed[i * sizeof(digest) + sizeof(std::uint64_t)], words[i].hi);
  }
  return packed;
}

inline std::vector<digest> words_of(byte_view packed) {
  std::vector<digest> words;
  for (std::size_t at = 0; at + sizeof(digest) <= packed.size(); at += sizeof(digest)) {
    words.push_back({core::load_le<std::uint64_t>(&packed[at]),
                     core::load_le<std::uint64_t>(&packed[at + sizeof(std::uint64_t)])});
  }
  return words;
}

}  // namespace bloomery::overlay
