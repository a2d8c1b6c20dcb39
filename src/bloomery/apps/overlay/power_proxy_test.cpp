#include "bloomery/apps/overlay/power_proxy.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bloomery/apps/lab/world.hpp"
#include "hostile.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

using namespace std::chrono_literals;
using testing::throws_error;

byte_view raw_name(std::string_view text) {
  return std::as_bytes(std::span(text));
}
std::string text_in(byte_view bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What was answered to it: files that are said to be there, those that are not, and contents that came.
struct listener {
  void start(time /*now*/, outbox& /*out*/) {}
  void receive(time /*now*/, peer from, byte_view message, outbox& out) {
    if (from == self) {  // posted: to the proxy
      out.send(peer{1}, message);
    } else if (wire::message_name(message) == proxy_message::answer::name) {
      const auto told = wire::read<proxy_message::answer>(message);
      (told.has != 0 ? there : absent).insert(text_in(told.file));
    } else {
      const auto told = wire::read<proxy_message::delivered>(message);
      if (told.has != 0) contents[text_in(told.file)] = text_in(told.content);
      if (told.has == 0) refused.insert(text_in(told.file));
    }
  }
  void tick(time /*now*/, std::uint64_t /*token*/, outbox& /*out*/) {}
  peer self{2};
  std::set<std::string> there, absent, refused;
  std::map<std::string, std::string> contents;
};

struct neighbourhood {
  explicit neighbourhood(const sleep_plan& plan = {}) {
    sleeping_host sleeper(peer{1}, {}, plan);
    for (const std::string file : {"a", "b", "c"}) sleeper.share(file, "content of " + file);
    world.add(std::move(sleeper));
    world.add(power_proxy(peer{0}, {}));
    world.add(listener{});
    world.connect(peer{0}, peer{1}, {.delay = 1ms});
    world.connect(peer{1}, peer{2}, {.delay = 1ms});
  }
  sleeping_host& host() { return world.get<sleeping_host>(peer{0}); }
  power_proxy& proxy() { return world.get<power_proxy>(peer{1}); }
  listener& asker() { return world.get<listener>(peer{2}); }
  template <class Message>
  void ask(time at, std::string_view file) {
    world.post(peer{2}, at, wire::write(Message{raw_name(file)}));
  }
  lab::world world{1};
};

TEST(power_proxy, queries_are_answered_while_the_host_sleeps) {
  neighbourhood three({.bits_a_file = 100});
  for (const char* file : {"a", "b", "c", "d", "e"})
    three.ask<proxy_message::query>(time(1s), file);
  three.world.run();
  EXPECT_EQ(three.asker().there, (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(three.asker().absent, (std::set<std::string>{"d", "e"}));
  EXPECT_EQ(three.host().wakes(), 0U);
  EXPECT_TRUE(three.host().asleep());
}

TEST(power_proxy, a_download_wakes_the_host_until_it_has_been_idle) {
  neighbourhood three({.bits_a_file = 100, .linger = 30s});
  three.ask<proxy_message::fetch>(time(1s), "a");
  three.ask<proxy_message::fetch>(time(20s), "b");   // still awake
  three.ask<proxy_message::fetch>(time(100s), "c");  // asleep again
  three.ask<proxy_message::fetch>(time(200s), "d");  // denied by the proxy
  three.world.run_until(time(45s));  // 30 s after the first download, not after the second
  EXPECT_FALSE(three.host().asleep());
  three.world.run_until(time(60s));
  EXPECT_TRUE(three.host().asleep());
  three.world.run();
  EXPECT_EQ(three.host().wakes(), 2U);
  EXPECT_EQ(three.asker().contents,
            (std::map<std::string, std::string>{
                {"a", "content of a"}, {"b", "content of b"}, {"c", "content of c"}}));
  EXPECT_EQ(three.asker().refused, (std::set<std::string>{"d"}));
}

// One bit a file and one hash: half of all strangers pass, which wake the host and come back empty.
TEST(power_proxy, what_passes_by_mistake_is_refused_by_the_host) {
  neighbourhood three({.bits_a_file = 2, .hashes = 1, .seeds = 1, .linger = 1ms});
  std::uint64_t claimed = 0;
  three.world.run();
  for (int i = 0; i < 64; ++i) {
    const std::string file = "stranger " + std::to_string(i);
    claimed += std::uint64_t{three.proxy().may_have(file)};
    three.ask<proxy_message::fetch>(time(1s * (i + 1)), file);
  }
  three.world.run();
  EXPECT_GT(claimed, 0U);
  EXPECT_EQ(three.host().wakes(), claimed);
  EXPECT_EQ(three.asker().refused.size(), 64U);
  EXPECT_TRUE(three.asker().contents.empty());
}

TEST(power_proxy, a_file_is_found_from_when_the_host_next_sleeps) {
  neighbourhood three({.bits_a_file = 100});
  three.world.run();
  three.host().share("d", "late");
  EXPECT_FALSE(three.proxy().may_have("d"));
  three.world.wake(peer{0}, time(5s), 0);
  three.world.run();
  for (const char* file : {"a", "b", "c", "d"}) EXPECT_TRUE(three.proxy().may_have(file));
  three.ask<proxy_message::fetch>(time(6s), "d");
  three.world.run();
  EXPECT_EQ(three.asker().contents["d"], "late");
}

// Who does not know yet what the host has must not deny anything.
TEST(power_proxy, without_a_filter_everything_may_be_there) {
  EXPECT_TRUE(power_proxy(peer{0}, {}).may_have("anything"));
}

struct nowhere final : outbox {
  void do_send(peer /*to*/, byte_view /*message*/) override {}
  void do_wake(time /*at*/, std::uint64_t /*token*/) override {}
  void do_tell(const event& /*happened*/) override {}
};

TEST(power_proxy, only_its_host_gives_it_a_filter_and_a_useful_one) {
  const std::vector<digest> keys{hasher()("a")};
  nowhere out;
  power_proxy proxy(peer{0}, {});
  const auto give = [&](peer from, const best_of_n_filter& filter) {
    const std::vector<std::byte> stored = wire::save(filter);
    proxy.receive({}, from, wire::write(proxy_message::shared{wire::carried_filter(stored)}), out);
  };
  const auto good = best_of_n_filter::build({100, 7, 4}, keys);
  EXPECT_TRUE(throws_error(errc::incompatible, "another", [&] { give(peer{5}, good); }));
  EXPECT_TRUE(proxy.may_have("b")) << "the stranger's filter was not taken";
  give(peer{0}, good);
  EXPECT_TRUE(proxy.may_have("a"));
  EXPECT_FALSE(proxy.may_have("b"));
  // One that claims everything, and one of another hash.
  EXPECT_TRUE(throws_error(errc::limit, "fill", [&] {
    give(peer{0}, best_of_n_filter::build({1, 1, 1}, keys));
  }));
  EXPECT_TRUE(throws_error(errc::incompatible, "", [&] {
    give(peer{0}, best_of_n_filter::build({100, 7, 4}, keys, {hash_id::integer, 0}));
  }));
  EXPECT_FALSE(proxy.may_have("b")) << "the last good filter stays";
  sleeping_host host(peer{1}, {}, {});
  EXPECT_TRUE(throws_error(errc::incompatible, "another", [&] {
    host.receive({}, peer{2}, wire::write(proxy_message::wake{raw_name("a"), 7}), out);
  }));
  EXPECT_TRUE(throws_error(errc::limit, "allowed", [&] {
    host.share("a", std::string(proxy_message::most_file_bytes + 1, 'x'));
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "no name", [&] { host.share("", "x"); }));
}

TEST(power_proxy, refuses_hostile_messages) {
  nowhere out;
  const std::vector<digest> keys{hasher()("a")};
  const std::vector<std::byte> stored = wire::save(best_of_n_filter::build({100, 7, 4}, keys));
  power_proxy proxy(peer{0}, {});
  const auto at_proxy = [&](byte_view bytes) { proxy.receive({}, peer{0}, bytes, out); };
  testing::expect_hostile_message_refused(
      wire::write(proxy_message::shared{wire::carried_filter(stored)}), at_proxy);
  testing::expect_hostile_message_refused(wire::write(proxy_message::query{raw_name("a")}),
                                          at_proxy);
  testing::expect_hostile_message_refused(wire::write(proxy_message::fetch{raw_name("a")}),
                                          at_proxy);
  testing::expect_hostile_message_refused(
      wire::write(proxy_message::served{raw_name("a"), 3, 1, raw_name("content")}), at_proxy);
  sleeping_host host(peer{1}, {}, {});
  testing::expect_hostile_message_refused(
      wire::write(proxy_message::wake{raw_name("a"), 3}),
      [&](byte_view bytes) { host.receive({}, peer{1}, bytes, out); });
}

}  // namespace
}  // namespace bloomery::apps
