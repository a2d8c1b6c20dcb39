// What everything that forwards packets is written as: a packet comes in at a port, verdicts go out.
//
// Purpose:   the data plane's counterpart of a party. A forwarder looks at a packet, may change it in
//            place (a time to live, a filter in the header), and says which ports it leaves by. Who drives
//            it carries the packet: the laboratory (apps/lab/packet_node.hpp), an interface, a switch.
// Cost:      verdicts are made once and used for every packet: nothing is allocated a packet.
// Guarantee: a port is chosen at most once a packet; verdicts count what became of every packet.
//
//     struct hub {  // a packet leaves by every port but its own
//       void forward(bloomery::apps::time, bloomery::apps::port in, bloomery::apps::packet_view,
//                    bloomery::apps::verdicts& out) {
//         for (std::uint32_t i = 0; i < out.ports(); ++i) {
//           if (bloomery::apps::port{i} != in) out.leave_by(bloomery::apps::port{i});
//         }
//       }
//     };
//     static_assert(bloomery::apps::forwarder<hub>);
//     bloomery::apps::verdicts out(3);
//     out.begin();
//     hub{}.forward({}, bloomery::apps::port{1}, {}, out);
//     out.end();
//     assert(out.chosen().size() == 2 && out.counted().copies == 2);
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <typeinfo>
#include <utility>
#include <vector>

#include "bloomery/apps/party.hpp"

namespace bloomery::apps {

// Ports are numbered from 0; the one after the last is where packets of the node itself come in.
enum class port : std::uint32_t {};

// The bytes of a packet, which a forwarder may change but not lengthen.
using packet_view = std::span<std::byte>;

// Why a packet goes no further.
enum class drop_cause : std::uint8_t { no_route, expired, loop, refused };
inline constexpr std::size_t drop_causes = 4;

class verdicts {
 public:
  explicit verdicts(std::uint32_t ports) : marked_(ports) { chosen_.reserve(ports); }

  // What a forwarder says.
  void leave_by(port out) {
    const auto number = static_cast<std::uint32_t>(out);
    assert(number < ports());
    if (dropped_ || marked_[number]) return;
    marked_[number] = true;
    chosen_.push_back(out);
  }
  // The packet is for this very node, whatever ports it leaves by as well.
  void keep() { kept_ = !dropped_; }
  // The packet leaves by no port and is not kept, whatever else is said; the first cause counts.
  void drop(drop_cause why) {
    if (!dropped_) why_ = why;
    forget();
    dropped_ = true;
  }
  [[nodiscard]] std::uint32_t ports() const { return static_cast<std::uint32_t>(marked_.size()); }

  // What its driver does: begin, let the forwarder speak, end, and carry out.
  void begin() {
    forget();
    dropped_ = false;
    why_ = drop_cause::no_route;
  }
  void end() {
    ++counts_.packets;
    counts_.copies += chosen_.size();
    counts_.kept += kept_ ? 1 : 0;
    if (chosen_.empty() && !kept_) ++counts_.dropped[static_cast<std::size_t>(why_)];
  }
  [[nodiscard]] std::span<const port> chosen() const { return chosen_; }  // in the order of choice
  [[nodiscard]] bool kept() const { return kept_; }

  struct counts {
    std::uint64_t packets = 0;
    std::uint64_t copies = 0;  // over all ports
    std::uint64_t kept = 0;
    std::array<std::uint64_t, drop_causes> dropped{};
    [[nodiscard]] std::uint64_t dropped_for(drop_cause why) const {
      return dropped[static_cast<std::size_t>(why)];
    }
  };
  [[nodiscard]] const counts& counted() const { return counts_; }

 private:
  void forget() {
    for (const port each : chosen_) marked_[static_cast<std::uint32_t>(each)] = false;
    chosen_.clear();
    kept_ = false;
  }

  std::vector<bool> marked_;
  std::vector<port> chosen_;
  bool kept_ = false;
  bool dropped_ = false;
  drop_cause why_ = drop_cause::no_route;
  counts counts_;
};

template <class F>
concept forwarder = requires(F f, time now, port in, packet_view packet, verdicts& out) {
  f.forward(now, in, packet, out);
};

// A forwarder of any type, held.
class any_forwarder {
 public:
  template <forwarder F>
  requires(!std::same_as<F, any_forwarder>) any_forwarder(F held)
      : held_(std::make_unique<model<F>>(std::move(held))) {}

  void forward(time now, port in, packet_view packet, verdicts& out) {
    held_->forward(now, in, packet, out);
  }
  // The forwarder itself, or none if it is of another type.
  template <class F>
  [[nodiscard]] F* get_if() {
    return typeid(F) == held_->type() ? static_cast<F*>(held_->address()) : nullptr;
  }

 private:
  struct base {
    virtual ~base() = default;
    virtual void forward(time now, port in, packet_view packet, verdicts& out) = 0;
    [[nodiscard]] virtual const std::type_info& type() const = 0;
    [[nodiscard]] virtual void* address() = 0;
  };
  template <class F>
  struct model final : base {
    explicit model(F held) : forwarder_(std::move(held)) {}
    void forward(time now, port in, packet_view packet, verdicts& out) override {
      forwarder_.forward(now, in, packet, out);
    }
    [[nodiscard]] const std::type_info& type() const override { return typeid(F); }
    [[nodiscard]] void* address() override { return &forwarder_; }
    F forwarder_;
  };
  std::unique_ptr<base> held_;
};

}  // namespace bloomery::apps

namespace bloomery::lab {
using apps::any_forwarder, apps::drop_cause, apps::forwarder, apps::packet_view, apps::port,
    apps::verdicts;
}
