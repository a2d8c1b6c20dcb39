// The world of ns-3: a node a party, two point-to-point devices a link. C++17, as ns-3's headers are.
#include <ns3/double.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/enum.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/pointer.h>
#include <ns3/random-walk-2d-mobility-model.h>
#include <ns3/rectangle.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ns3/world_abi.h"

namespace {

// The devices carry what claims to be IPv4, the one protocol besides IPv6 that they know.
constexpr std::uint16_t protocol = 0x0800;
// Sending takes less than a nanosecond.
constexpr std::uint64_t fastest = 1'000'000'000'000'000'000;
constexpr std::size_t length_bytes = 4;

bool is_open = false;  // the simulator is the process's

// One direction of a link. Messages go with their length in front, in as many packets as they take.
struct line {
  bloomery_ns3_world* world;
  std::uint32_t from;
  std::uint32_t to;
  ns3::Ptr<ns3::NetDevice> sender;
  std::vector<std::uint8_t> arrived;
};

}  // namespace

struct bloomery_ns3_world {
  struct member {
    bloomery_ns3_party party;
    ns3::Ptr<ns3::Node> node;
    ns3::Ptr<ns3::MobilityModel> moves;
  };
  std::vector<member> members;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<line>> lines;
};

namespace {

std::int64_t time_now() {
  return ns3::Simulator::Now().GetNanoSeconds();
}
ns3::Time from_now(std::int64_t at) {
  return ns3::NanoSeconds(std::max(at, time_now()) - time_now());
}

// A party that does not return 0 ends the run.
void end_run_unless_zero(int status) {
  if (status != 0) ns3::Simulator::Stop();
}

void start_party(bloomery_ns3_world* world, std::uint32_t who) {
  const bloomery_ns3_party& party = world->members[who].party;
  end_run_unless_zero(party.start(party.context, time_now()));
}

void tick_party(bloomery_ns3_world* world, std::uint32_t who, std::uint64_t token) {
  const bloomery_ns3_party& party = world->members[who].party;
  end_run_unless_zero(party.tick(party.context, time_now(), token));
}

bool packet_arrives(line* on, ns3::Ptr<ns3::NetDevice> /*device*/,
                    ns3::Ptr<const ns3::Packet> packet, std::uint16_t /*protocol*/,
                    const ns3::Address& /*sender*/) {
  std::vector<std::uint8_t>& arrived = on->arrived;
  const std::size_t before = arrived.size();
  arrived.resize(before + packet->GetSize());
  packet->CopyData(arrived.data() + before, packet->GetSize());
  if (arrived.size() < length_bytes) return true;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{arrived[i]} << (8 * i);
  if (arrived.size() < length_bytes + length)
    return true;  // a packet has bytes of one message only
  const std::vector<std::uint8_t> whole = std::exchange(arrived, {});
  const bloomery_ns3_party& party = on->world->members[on->to].party;
  end_run_unless_zero(
      party.receive(party.context, time_now(), on->from, whole.data() + length_bytes, length));
  return true;
}

bloomery_ns3_world* open_world(std::uint64_t seed) {
  if (std::exchange(is_open, true)) return nullptr;
  ns3::RngSeedManager::SetSeed(1);
  ns3::RngSeedManager::SetRun(seed);
  return new bloomery_ns3_world;
}

void close_world(bloomery_ns3_world* world) {
  ns3::Simulator::Destroy();
  delete world;
  is_open = false;
}

const char* add_party(bloomery_ns3_world* world, const bloomery_ns3_party* party,
                      std::int64_t start) {
  if (world->members.size() == std::numeric_limits<std::uint32_t>::max()) {
    return "a world of ns-3 holds at most 2^32 - 1 parties";
  }
  const auto who = static_cast<std::uint32_t>(world->members.size());
  world->members.push_back({*party, ns3::CreateObject<ns3::Node>(), nullptr});
  ns3::Simulator::Schedule(from_now(start), &start_party, world, who);
  return nullptr;
}

ns3::Ptr<ns3::PointToPointNetDevice> device_of(const bloomery_ns3_world::member& owner,
                                               std::uint64_t bits_per_second) {
  auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
  auto queue = ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>();
  queue->SetMaxSize(ns3::QueueSize(ns3::QueueSizeUnit::PACKETS,
                                   std::numeric_limits<std::uint32_t>::max()));  // none is dropped
  device->SetQueue(queue);
  device->SetDataRate(ns3::DataRate(bits_per_second == 0 ? fastest : bits_per_second));
  device->SetAddress(ns3::Mac48Address::Allocate());
  owner.node->AddDevice(device);
  return device;
}

const char* connect_parties(bloomery_ns3_world* world, std::uint32_t a, std::uint32_t b,
                            std::int64_t delay, std::uint64_t bits_per_second) {
  if (a >= world->members.size() || b >= world->members.size()) return "a link needs two parties";
  if (a == b) return "a party cannot have a link to itself";
  if (delay < 0) return "the delay of a link is not negative";
  if (world->lines.count({a, b}) != 0) return "these parties already have a link";
  const auto at_a = device_of(world->members[a], bits_per_second);
  const auto at_b = device_of(world->members[b], bits_per_second);
  auto channel = ns3::CreateObject<ns3::PointToPointChannel>();
  channel->SetAttribute("Delay", ns3::TimeValue(ns3::NanoSeconds(delay)));
  at_a->Attach(channel);
  at_b->Attach(channel);
  auto& there = world->lines[{a, b}];
  there = std::make_unique<line>(line{world, a, b, at_a, {}});
  auto& back = world->lines[{b, a}];
  back = std::make_unique<line>(line{world, b, a, at_b, {}});
  at_b->SetReceiveCallback(ns3::MakeBoundCallback(&packet_arrives, there.get()));
  at_a->SetReceiveCallback(ns3::MakeBoundCallback(&packet_arrives, back.get()));
  return nullptr;
}

const char* send_message(bloomery_ns3_world* world, std::uint32_t from, std::uint32_t to,
                         const unsigned char* message, std::size_t size) {
  const auto found = world->lines.find({from, to});
  if (found == world->lines.end()) return "there is no link to that party";
  if (size > std::numeric_limits<std::uint32_t>::max()) return "a message has less than 4 GiB";
  std::vector<std::uint8_t> bytes(length_bytes + size);
  for (std::size_t i = 0; i < length_bytes; ++i) {
    bytes[i] = static_cast<std::uint8_t>(size >> (8 * i));
  }
  std::copy_n(message, size, bytes.begin() + length_bytes);
  const ns3::Ptr<ns3::NetDevice> sender = found->second->sender;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t some = std::min<std::size_t>(sender->GetMtu(), bytes.size() - at);
    const auto packet =
        ns3::Create<ns3::Packet>(bytes.data() + at, static_cast<std::uint32_t>(some));
    if (!sender->Send(packet, sender->GetBroadcast(), protocol)) {
      return "a device of ns-3 did not take a packet";
    }
    at += some;
  }
  return nullptr;
}

const char* wake_party(bloomery_ns3_world* world, std::uint32_t who, std::int64_t at,
                       std::uint64_t token) {
  if (who >= world->members.size()) return "there is no such party";
  ns3::Simulator::Schedule(from_now(at), &tick_party, world, who, token);
  return nullptr;
}

void run_world(bloomery_ns3_world* /*world*/) {
  ns3::Simulator::Run();
}

void stop_running() {
  ns3::Simulator::Stop();
}

void run_world_until(bloomery_ns3_world* /*world*/, std::int64_t then) {
  const ns3::EventId stop = ns3::Simulator::Schedule(from_now(then), &stop_running);
  ns3::Simulator::Run();
  ns3::Simulator::Cancel(stop);  // of a run that a party ended
}

std::int64_t now_in_world(const bloomery_ns3_world* /*world*/) {
  return time_now();
}

const char* walk_party(bloomery_ns3_world* world, std::uint32_t who, const bloomery_ns3_walk* how) {
  if (who >= world->members.size()) return "there is no such party";
  if (world->members[who].moves) return "that party already walks";
  const bool sane = how->side > 0 && how->x >= 0 && how->x <= how->side && how->y >= 0 &&
                    how->y <= how->side && how->slowest > 0 && how->slowest <= how->fastest &&
                    how->fastest <= 1e9 && how->side <= 1e9 && how->straight > 0;
  if (!sane) {
    return "a walk begins within its square, of 1e9 m at most, at more than 0 and at most 1e9 m/s";
  }
  auto moves = ns3::CreateObject<ns3::RandomWalk2dMobilityModel>();
  moves->SetAttribute("Bounds", ns3::RectangleValue(ns3::Rectangle(0, how->side, 0, how->side)));
  moves->SetAttribute("Mode", ns3::EnumValue(ns3::RandomWalk2dMobilityModel::MODE_TIME));
  moves->SetAttribute("Time", ns3::TimeValue(ns3::NanoSeconds(how->straight)));
  auto speed = ns3::CreateObject<ns3::UniformRandomVariable>();
  speed->SetAttribute("Min", ns3::DoubleValue(how->slowest));
  speed->SetAttribute("Max", ns3::DoubleValue(how->fastest));
  moves->SetAttribute("Speed", ns3::PointerValue(speed));
  moves->AssignStreams(2 * std::int64_t{who});  // a speed's and a direction's
  moves->SetPosition({how->x, how->y, 0});
  world->members[who].moves = moves;
  world->members[who].node->AggregateObject(moves);
  moves->Initialize();
  return nullptr;
}

const char* position_of(const bloomery_ns3_world* world, std::uint32_t who,
                        bloomery_ns3_position* where) {
  if (who >= world->members.size()) return "there is no such party";
  if (!world->members[who].moves) return "that party does not walk";
  const ns3::Vector at = world->members[who].moves->GetPosition();
  *where = {at.x, at.y};
  return nullptr;
}

}  // namespace

const bloomery_ns3_api* bloomery_ns3(void) {
  static const bloomery_ns3_api api{open_world,   close_world, add_party,  connect_parties,
                                    send_message, wake_party,  run_world,  run_world_until,
                                    now_in_world, walk_party,  position_of};
  return &api;
}
