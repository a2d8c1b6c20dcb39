#include "bloomery/any/registry.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/any/kinds.hpp"
#include "bloomery/core/did_you_mean.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery {
namespace {

template <class... Kinds>
std::vector<kind_ref> listed(kind_list<Kinds...> /*kinds*/) {
  static_assert(((Kinds::kind.name.size() <= wire::max_kind_name) && ...));
  static_assert(((Kinds::shape_type::fields.size() <= wire::max_fields) && ...));
  return {erasure<Kinds>::kind()...};
}

std::vector<kind_ref>& registered() {
  static std::vector<kind_ref> all = listed(all_kinds{});
  return all;
}

const any_kind* known(std::string_view name) {
  const auto& all = registered();
  const auto found =
      std::ranges::find(all, name, [](const any_kind& kind) { return kind.info.name; });
  return found == all.end() ? nullptr : &found->get();
}

}  // namespace

std::span<const kind_ref> kinds() {
  return registered();
}

const any_kind& default_kind() {
  return kinds().front();
}

const any_kind& find_kind(std::string_view name) {
  if (const any_kind* kind = known(name)) return *kind;
  std::vector<std::string_view> names;
  for (const any_kind& kind : kinds()) names.push_back(kind.info.name);
  std::string near = did_you_mean(name, names);
  if (near.empty()) {
    for (const std::string_view one : names) (near += near.empty() ? "; known: " : ", ") += one;
  }
  fail(errc::invalid, in_quotes(name) + " is not a kind of filter" + near);
}

void register_kind(const any_kind& kind) {
  const any_kind* same = known(kind.info.name);
  if (same == &kind) return;
  if (same != nullptr || kind.info.name.empty() || kind.info.name.size() > wire::max_kind_name ||
      kind.fields.size() > wire::max_fields) {
    fail(errc::invalid, "the kind '" + std::string(kind.info.name) +
                            "' cannot be registered: its name is taken, empty or longer than " +
                            std::to_string(wire::max_kind_name) + " bytes, or it has over " +
                            std::to_string(wire::max_fields) + " fields");
  }
  registered().emplace_back(kind);
}

}  // namespace bloomery
