// 128-bit arithmetic: a compiler extension that every supported compiler has.
#pragma once

namespace bloomery::core {

__extension__ using uint128 = unsigned __int128;

}  // namespace bloomery::core
