// Values of the type TDIS-TYPE, quantile sketches of RedisBloom: there are no commands on them here, but a
// server that did not know the type would refuse all data beside them. They are kept as they came.
#include <vector>

#include "redis/groups.hpp"

namespace bloomery::redis {
namespace {

class carried_digest : public stored<carried_digest> {
 public:
  static constexpr const char* type_name = "TDIS-TYPE";
  static constexpr int encoding = 0;

  static carried_digest load(reading& from, int) {
    carried_digest made;
    for (double& each : made.extent_) each = from.real();
    for (std::uint64_t& each : made.sizes_) each = from.number();
    for (double& each : made.weights_) each = from.real();
    const std::uint64_t nodes = made.sizes_[1];
    if (nodes > made.sizes_[0] || nodes > UINT32_MAX) {
      fail(errc::corrupt,
           std::to_string(nodes) + " nodes where " + std::to_string(made.sizes_[0]) + " have room");
    }
    for (std::uint64_t i = 0; i < 2 * nodes; ++i) made.nodes_.push_back(from.real());
    return made;
  }

  void save(writing& to) const {
    for (const double each : extent_) to.real(each);
    for (const std::uint64_t each : sizes_) to.number(each);
    for (const double each : weights_) to.real(each);
    for (const double each : nodes_) to.real(each);
  }

  void rewrite(rewriting& to) { to.whole(type, type_name, encoding, this); }

  [[nodiscard]] std::size_t memory() const {
    return nodes_.empty() ? 0 : usable_size(nodes_.data(), nodes_.capacity() * sizeof(double));
  }

  [[nodiscard]] carried_digest copy() const { return *this; }

  template <class Move>
  void relocate(const Move&) {}

 private:
  double extent_[3]{};                            // compression, least, greatest
  std::uint64_t sizes_[4]{};                      // room, nodes, nodes to merge, merges
  double weights_[2]{};                           // of nodes, of nodes to merge
  std::vector<double, allocator<double>> nodes_;  // means, then weights
};

}  // namespace

const group tdigest_group{
    "tdigest", register_type<carried_digest>, &carried_digest::counts, {"tdigest", {}}};

}  // namespace bloomery::redis
