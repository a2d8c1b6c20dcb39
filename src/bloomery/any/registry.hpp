// The kinds by name.
//
// Purpose:   kinds.hpp lists those of this library; a program may register kinds of its own, which the
//            planner, the doctor and stored files then know as well.
//
//     const bloomery::any_kind& kind = bloomery::find_kind("standard");
//     const std::array<bloomery::field_value, 2> shape{std::uint64_t{1000}, std::uint64_t{7}};
//     const bloomery::any_filter filter = kind.create(shape, {}, {});
//     assert(filter.kind().info.name == "standard");
//     assert(kind.can<bloomery::merges>() && !kind.can<bloomery::erases>());
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "bloomery/filters/any_kind.hpp"

namespace bloomery {

using kind_ref = std::reference_wrapper<const any_kind>;

// In the order in which people are shown them.
std::span<const kind_ref> kinds();
const any_kind& find_kind(std::string_view name);  // errc::invalid, listing the names
const any_kind& default_kind();                    // the first

// Adds a kind; errc::invalid if the name is taken by another. Not while other threads use the registry.
void register_kind(const any_kind& kind);
template <filter_type F>
void register_kind() {
  register_kind(erasure<F>::kind());
}

}  // namespace bloomery
