// What a node that runs hears beside the messages of its overlay: who a neighbour is, what a visitor asks.
//
// Guarantee: as wire/message.hpp. A hello comes first on a connection between neighbours, and again at every pulse, as
//            a sign of life. An enquiry has 1 to 64 words of at most 1 KiB each.
//
//     namespace overlay = bloomery::overlay;
//     const auto sent = bloomery::wire::write(overlay::hello{.as = overlay::station_number("tree"), .number = 7});
//     assert(bloomery::wire::read<overlay::hello>(sent).number == 7);
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <vector>

#include "bloomery/apps/overlay/messages.hpp"

namespace bloomery::overlay {

// What a node is to its neighbours.
inline constexpr std::array<std::string_view, 4> station_names{"peer", "tree", "leaf", "ultrapeer"};
// Its place in the list; that of the end if there is no such station.
constexpr std::uint64_t station_number(std::string_view name) {
  return static_cast<std::uint64_t>(std::ranges::find(station_names, name) - station_names.begin());
}

// Nodes have numbers up to this one, links of a node the others.
inline constexpr std::uint64_t most_number = (std::uint64_t{1} << 31) - 1;
inline constexpr std::uint64_t not_counted = any_number;

struct hello {
  static constexpr std::string_view name = "overlay/hello";
  std::uint64_t as = 0;
  std::uint64_t number = 0;
  std::uint64_t size = 0;
  std::uint64_t hashes = 0;
  std::uint64_t peers = 0;

  static constexpr std::tuple fields{
      whole_field("as", "the sender's station", &hello::as, 0, station_names.size() - 1),
      whole_field("number", "the sender's own", &hello::number, 0, most_number),
      whole_field("size", "bits of its filters, slots of its tables", &hello::size, 0, any_number),
      whole_field("hashes", "of its filters; 1 of a table", &hello::hashes, 0, any_number),
      whole_field("peers", "of its network, if all know all", &hello::peers, 0, any_number),
  };
};

struct enquiry {
  static constexpr std::string_view name = "overlay/enquiry";
  std::uint64_t id = 0;
  std::uint64_t patience = 1000;
  std::vector<byte_view> words;

  static constexpr std::tuple fields{
      whole_field("id", "the visitor's", &enquiry::id, 0, any_number),
      whole_field("patience", "milliseconds until what was found is told", &enquiry::patience, 1,
                  60'000),
      wire::bytes_list_field("words", "that one holder has, all of them", &enquiry::words, 1,
                             most_words, 1, 1024),
  };
};

struct findings {
  static constexpr std::string_view name = "overlay/findings";
  static constexpr std::uint64_t most = 4096;
  std::uint64_t id = 0;
  std::uint64_t over = 0;
  std::uint64_t asked = 0;
  std::uint64_t lost = 0;
  std::uint64_t steps = 0;
  byte_view holders{};
  std::vector<byte_view> places{};

  static constexpr std::tuple fields{
      whole_field("id", "the enquiry's", &findings::id, 0, any_number),
      whole_field("over", "whether all have answered who were asked", &findings::over, 0, 1),
      whole_field("asked", "nodes, by this one; the greatest number: not counted", &findings::asked,
                  0, any_number),
      whole_field("lost", "nodes that may hold it and cannot be asked", &findings::lost, 0,
                  any_number),
      whole_field("steps", "from node to node; as above", &findings::steps, 0, any_number),
      wire::bytes_field("holders", "8 bytes each", &findings::holders, 0, 8 * most),
      wire::bytes_list_field("places", "the address of each holder, or nothing", &findings::places,
                             0, most, 0, 1024),
  };
  void check() const {
    if (holders.size() != 8 * places.size()) {
      fail(errc::invalid, "holders has " + std::to_string(holders.size()) + " bytes for " +
                              std::to_string(places.size()) + " places; allowed: 8 each");
    }
  }
};

}  // namespace bloomery::overlay
