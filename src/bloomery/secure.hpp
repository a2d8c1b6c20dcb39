// The kinds that keep their keys secret, and the parties that ask and answer: link bloomery::secure,
// and call register_secure_kinds() once before such files are opened by name.
//
//     bloomery::register_secure_kinds();
//     assert(bloomery::find_kind("encrypted").can<bloomery::guards>());
#pragma once

#include "bloomery/any/secure_kinds.hpp"
#include "bloomery/apps/security/index_search.hpp"
#include "bloomery/apps/security/oblivious_query.hpp"
#include "bloomery/apps/security/query_conversion.hpp"
#include "bloomery/bloomery.hpp"
