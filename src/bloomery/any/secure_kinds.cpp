#include "bloomery/any/secure_kinds.hpp"

#include "bloomery/any/registry.hpp"

namespace bloomery {

void register_secure_kinds() {
  []<class... Kinds>(kind_list<Kinds...> /*kinds*/) {
    (register_kind<Kinds>(), ...);
  }(secure_kinds{});
}

}  // namespace bloomery
