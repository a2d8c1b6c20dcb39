#include "bloomery/core/error.hpp"

namespace bloomery {

void fail(errc code, const std::string& message) {
  throw error(code, message);
}

}  // namespace bloomery
