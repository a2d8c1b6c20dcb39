// The kinds that keep their keys secret, which the target bloomery::secure adds to the registry.
//
//     bloomery::register_secure_kinds();
//     assert(bloomery::find_kind("oblivious").can<bloomery::guards>());
#pragma once

#include "bloomery/any/kinds.hpp"
#include "bloomery/filters/secure/encrypted.hpp"
#include "bloomery/filters/secure/oblivious.hpp"
#include "bloomery/filters/secure/secure_index.hpp"

namespace bloomery {

using secure_kinds = kind_list<  //
    secure_index_filter,         //
    encrypted_filter,            //
    oblivious_filter>;

// Once, before files of these kinds are opened by name; more often does nothing.
void register_secure_kinds();

}  // namespace bloomery
