#include "bloomery/any/secure_kinds.hpp"

#include "bloomery/any/registry.hpp"

namespace bloomery {
namespace {

template <class... Kinds>
void register_all(kind_list<Kinds...> /*kinds*/) {
  (register_kind<Kinds>(), ...);
}

}  // namespace

void register_secure_kinds() {
  register_all(secure_kinds{});
}

}  // namespace bloomery
