// Every system of the papers that is here, one entry each: what it does, where it is described, how it is
// run. `bloomery systems`, `bloomery lab`, the pages' check and the tests follow.
//
// Purpose:   a system is an experiment with its entry in a file beside this, a line in registry.cpp, a test,
//            and a paragraph in docs/systems/<pattern>.md.
//
//     const auto& wake_up = bloomery::systems::find_system("O1");
//     assert(wake_up.where == bloomery::systems::pattern::gate);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/apps/lab/request.hpp"
#include "bloomery/apps/lab/result.hpp"

namespace bloomery::systems {

// Where the filter stands: all that a reader needs to know of a system to place it.
enum class pattern : std::uint8_t { gate, shelf, exchange, overlay, header, table, meter, scan };
std::string_view name_of(pattern where);
std::string_view sentence_of(pattern where);  // "before a slow or costly truth"

inline constexpr std::size_t most_settings = 10;

struct system_info {
  std::string_view id;
  std::string_view name;
  std::string_view source;  // who, and where in the surveys
  pattern where;
  std::string_view does;    // a sentence or two
  std::string_view figure;  // what it must never do, and what it should reach
  std::string_view verb;    // a command that uses it; empty if only `lab` does
  std::string_view needs;   // Debian packages of its experiment beyond those of the tool
  std::array<lab::setting, most_settings> settings_or_none;
  lab::result (*run)(const lab::request&);

  [[nodiscard]] std::span<const lab::setting> settings() const;
};

std::span<const system_info> all_systems();
// errc::invalid, with what may have been meant, if there is none.
const system_info& find_system(std::string_view id);

}  // namespace bloomery::systems
