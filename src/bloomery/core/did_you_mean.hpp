// The name that somebody who mistyped it was after.
//
//     const std::array<std::string_view, 2> names{"blocked", "standard"};
//     assert(bloomery::did_you_mean("blokced", names) == "; did you mean 'blocked'?");
//     assert(bloomery::did_you_mean("cuckoo", names).empty());
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bloomery {

// To end a message with: the name that is nearest by letters added, left out, replaced or swapped
// (Damerau 1964), one for each three that it has, or the only one that begins so; nothing if none does.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);

}  // namespace bloomery
