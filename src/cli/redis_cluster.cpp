#include "redis_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

using form = redis_reply::form;
using namespace std::chrono_literals;

constexpr std::size_t most_commands_sent = 32;  // commands that a server has not answered
constexpr std::size_t most_bytes_sent = 8 << 20;
constexpr unsigned most_hops = 64;  // of one command, without a pause between them
constexpr std::size_t most_servers = 4096;
constexpr std::uint64_t most_of_slots = 256 << 20;
constexpr std::size_t most_items_of_slots = 1 << 20;  // each slot may be a range of its own
constexpr auto first_pause = 20ms;
constexpr auto longest_pause = 500ms;
constexpr std::uint64_t wait_for = 500;  // ms, that WAIT is asked for at a time
// Of a server that was reached by its socket, and does not know its own.
constexpr std::string_view own_host = "127.0.0.1";

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts,
                             [&](std::string_view start) { return text.starts_with(start); });
}

// The server is not able to do it now, and has not done it.
bool passes(const redis_reply& answer) {
  return answer.is == form::problem &&
         starts_with_any(answer.text,
                         {"TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY"});
}

// "MOVED 3999 127.0.0.1:6381", and ASK likewise.
struct redirection {
  std::uint64_t slot = 0;
  std::string host;  // empty: of the server that says so
  std::uint64_t port = 0;
};
std::optional<redirection> redirection_in(const redis_reply& answer, std::string_view word) {
  if (answer.is != form::problem || !answer.text.starts_with(word)) return std::nullopt;
  const std::string_view text = std::string_view(answer.text).substr(word.size());
  const std::size_t space = text.find(' ');
  const std::size_t colon = text.rfind(':');
  if (space == std::string_view::npos || colon == std::string_view::npos || colon < space) {
    return std::nullopt;
  }
  redirection made;
  made.host = text.substr(space + 1, colon - space - 1);
  const auto number = [&](std::string_view digits, std::uint64_t& value) {
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return problem == std::errc{} && end == digits.data() + digits.size();
  };
  if (!number(text.substr(0, space), made.slot) || !number(text.substr(colon + 1), made.port) ||
      made.slot >= net::redis_slots || made.port == 0 || made.port > 65535 ||
      made.host.size() > 255 || made.host.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  return made;
}

std::size_t bytes_of_words(const redis_cluster::command& each) {
  std::size_t bytes = 0;
  for (const std::string& word : each.words) bytes += word.size();
  return bytes;
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

// What is done of the commands of one call.
struct redis_cluster::round {
  std::span<const command> all;
  const acknowledgement& by;
  std::vector<redis_reply> answers;
  jobs next;                // to be sent
  bool in_trouble = false;  // somebody could not do it now
  std::string trouble{};
  clock::time_point progress = clock::now();

  [[nodiscard]] bool patient() const { return clock::now() - progress < by.patience; }
};

namespace {

// Of the server that a redirection names, in the eyes of the one that said so.
redis_address redirected(redis_address from, const redirection& to) {
  if (!to.host.empty()) from.host = to.host;
  if (from.host.empty()) from.host = own_host;
  from.port = static_cast<std::uint16_t>(to.port);
  from.socket.clear();
  return from;
}

redis_reply type_at(const redis_address& where, bool asking) {
  redis_client server(where);
  if (asking) (void)server.ask({"ASKING"});
  server.send(std::array<std::string_view, 2>{"TYPE", where.key});
  return server.receive_any();
}

// None if those who should know cannot tell now: one has died, and its heir is not known yet.
std::optional<located_key> try_located(redis_address where, bool last) {
  constexpr int most = 5;
  const auto found = [](redis_address there, const redis_reply& told) {
    return located_key{std::move(there), told.is == form::status ? told.text : ""};
  };
  bool answered = false;
  for (int hops = 0;; ++hops) {
    try {
      const redis_reply told = type_at(where, false);
      answered = true;
      // The key is on its way from here to there; this server still has the slot.
      if (const auto ask = redirection_in(told, "ASK ")) {
        const redis_reply there = type_at(redirected(where, *ask), true);
        return found(std::move(where), there);
      }
      if (passes(told) && !last) return std::nullopt;
      const auto moved = redirection_in(told, "MOVED ");
      if (!moved || hops == most) return found(std::move(where), told);
      where = redirected(where, *moved);
    } catch (const error& problem) {
      if (!answered || last || problem.code() != errc::io) throw;
      return std::nullopt;
    }
  }
}

}  // namespace

located_key located(const redis_address& where, std::chrono::milliseconds patience) {
  const auto began = std::chrono::steady_clock::now();
  for (auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(first_pause);;
       pause = std::min<std::chrono::milliseconds>(2 * pause, longest_pause)) {
    const bool last = std::chrono::steady_clock::now() - began >= patience;
    if (auto found = try_located(where, last)) return std::move(*found);
    std::this_thread::sleep_for(pause);
  }
}

redis_cluster::redis_cluster(redis_address seed)
    : seed_(std::move(seed)), owner_(net::redis_slots) {
  servers_.emplace("", seed_);
  (void)connected("");  // or it says why not
  learn_slots();
}

std::string redis_cluster::server_of(std::uint16_t slot) const {
  const std::string& owner = owner_[slot];
  if (!owner.empty()) return owner;
  return seed_.socket.empty() ? fmt::format("{}:{}", seed_.host, seed_.port) : seed_.socket;
}

redis_client& redis_cluster::connected(const std::string& server) {
  auto& held = connections_[server];
  if (held != nullptr && held->ended()) held.reset();
  if (held == nullptr) held = std::make_unique<redis_client>(servers_.at(server));
  return *held;
}

void redis_cluster::forget(const std::string& server) {
  connections_.erase(server);
}

std::string redis_cluster::server_at(const std::string& told, std::uint64_t port) {
  const std::string host(told.empty() ? own_host : told);
  if (port == 0 || port > 65535 || host.size() > 255 || host.find('\0') != std::string::npos) {
    fail(errc::corrupt, seed_.name + ": the cluster names a server that is none");
  }
  std::string name = fmt::format("{}:{}", host, port);
  if (servers_.contains(name)) return name;
  if (servers_.size() == most_servers) {
    fail(errc::limit,
         fmt::format("{}: the cluster names more than {} servers", seed_.name, most_servers));
  }
  redis_address where = seed_;
  where.socket.clear();
  where.host = host;
  where.port = static_cast<std::uint16_t>(port);
  where.name = "redis://" + printable(name) + "/" + seed_.key;
  servers_.emplace(name, std::move(where));
  return name;
}

void redis_cluster::take_slots(const redis_reply& told, const std::string& from) {
  std::vector<std::string> owners(net::redis_slots);
  const redis_address asked = servers_.at(from);
  for (const redis_reply& range : told.list) {
    if (range.is != form::list || range.list.size() < 3 || range.list[0].is != form::number ||
        range.list[1].is != form::number || range.list[2].is != form::list ||
        range.list[2].list.size() < 2 || range.list[2].list[1].is != form::number) {
      refuse_form(seed_.key);
    }
    const std::int64_t first = range.list[0].number;
    const std::int64_t last = range.list[1].number;
    const std::int64_t port = range.list[2].list[1].number;
    if (first < 0 || last < first || last >= net::redis_slots || port < 0) refuse_form(seed_.key);
    const std::string& host = range.list[2].list[0].text;  // nothing, or "?", if it does not know
    const std::string owner = server_at(host.empty() || host == "?" ? asked.host : host,
                                        static_cast<std::uint64_t>(port));
    for (std::int64_t slot = first; slot <= last; ++slot) {
      owners[static_cast<std::size_t>(slot)] = owner;
    }
  }
  owner_ = std::move(owners);
}

bool redis_cluster::learn_slots_from(const std::string& server) {
  try {
    redis_client& asked = connected(server);
    asked.send(std::array<std::string_view, 2>{"CLUSTER", "SLOTS"});
    const redis_reply told = asked.receive_any(most_of_slots, most_items_of_slots);
    // One server says that it is no cluster, by these words or as an unknown command.
    if (told.is == form::problem && !passes(told)) return server.empty();
    if (told.is != form::list) return false;
    take_slots(told, server);
    return true;
  } catch (const error& problem) {
    if (problem.code() != errc::io) throw;
    forget(server);
    return false;
  }
}

// From the first that answers: of those that have slots, and then of all that were ever named.
void redis_cluster::learn_slots() {
  std::vector<std::string> to_ask(owner_.begin(), owner_.end());
  std::ranges::sort(to_ask);
  to_ask.erase(std::unique(to_ask.begin(), to_ask.end()), to_ask.end());
  for (const auto& [server, where] : servers_) to_ask.push_back(server);
  for (const std::string& server : to_ask) {
    if (learn_slots_from(server)) return;
  }
}

void redis_cluster::lost(round& now, const std::string& server, const jobs& batch, std::size_t from,
                         const std::string& why) {
  forget(server);
  now.in_trouble = true;
  now.trouble = why;
  for (std::size_t i = from; i < batch.size(); ++i) {
    if (!now.all[batch[i].index].repeatable) {
      fail(errc::io, why +
                         "; whether it has done what it was sent last is not known, and to send "
                         "it again could count twice");
    }
    now.next.push_back({batch[i].index, "", 0});
  }
}

void redis_cluster::send(round& now, const std::string& server, const jobs& batch) {
  redis_client& to = connected(server);
  for (const job& each : batch) {
    if (!each.asked_at.empty()) to.send(std::array<std::string_view, 1>{"ASKING"});
    to.send(views(now.all[each.index].words));
  }
  if (now.by.replicas != 0) {
    to.send(std::array<std::string_view, 3>{"WAIT", std::to_string(now.by.replicas),
                                            std::to_string(wait_for)});
  }
  to.flush();
}

void redis_cluster::take_answer(round& now, const job& each, redis_reply answer) {
  const auto again = [&](job next) {
    if (++next.hops > most_hops) {
      fail(errc::io, fmt::format("{}: after {} redirections nobody has slot {}", seed_.name,
                                 most_hops, now.all[each.index].slot));
    }
    now.next.push_back(std::move(next));
  };
  if (const auto moved = redirection_in(answer, "MOVED ")) {
    const std::string& host = moved->host.empty() ? seed_.host : moved->host;
    owner_[moved->slot] = server_at(host, moved->port);
    again({each.index, "", each.hops});
  } else if (const auto ask = redirection_in(answer, "ASK ")) {
    const std::string& host = ask->host.empty() ? seed_.host : ask->host;
    again({each.index, server_at(host, ask->port), each.hops});
  } else if (passes(answer)) {
    now.in_trouble = true;
    now.trouble = seed_.name + ": the server says: " + printable(answer.text, 300);
    now.next.push_back({each.index, "", 0});
  } else {
    now.answers[each.index] = std::move(answer);
    now.progress = clock::now();
  }
}

// On this connection, whose writes they are.
void redis_cluster::await_replicas(round& now, redis_client& server) {
  redis_reply told = server.receive();
  const auto began = clock::now();
  for (;;) {
    if (told.is != form::number) refuse_form(seed_.key);
    if (std::cmp_greater_equal(told.number, now.by.replicas)) return;
    if (clock::now() - began >= now.by.patience) {
      fail(errc::io,
           fmt::format("{}: of {} {} asked for, {} had the last keys after {} s", seed_.name,
                       now.by.replicas, now.by.replicas == 1 ? "replica" : "replicas", told.number,
                       static_cast<double>(now.by.patience.count()) / 1000));
    }
    told = server.ask({"WAIT", std::to_string(now.by.replicas), std::to_string(wait_for)});
  }
}

// Not done before its replicas have it: until then it counts as lost with the conversation.
void redis_cluster::receive(round& now, const std::string& server, const jobs& batch) {
  redis_client& from = *connections_.at(server);
  std::vector<redis_reply> answers;
  std::size_t certain = 0;
  try {
    for (const job& each : batch) {
      if (!each.asked_at.empty()) (void)from.receive_any();
      answers.push_back(from.receive_any(now.all[each.index].most));
    }
    if (now.by.replicas != 0) await_replicas(now, from);
    certain = batch.size();
  } catch (const error& problem) {
    if (problem.code() != errc::io || connections_.at(server)->alive()) throw;
    if (now.by.replicas == 0) certain = answers.size();
    lost(now, server, batch, certain, problem.what());
  }
  for (std::size_t i = 0; i < certain; ++i) take_answer(now, batch[i], std::move(answers[i]));
}

std::vector<redis_reply> redis_cluster::ask(std::span<const command> all,
                                            const acknowledgement& by) {
  const std::scoped_lock lock(one_at_a_time_);
  try {
    return ask_locked(all, by);
  } catch (...) {
    connections_.clear();  // of some of them answers are still to come
    throw;
  }
}

std::vector<redis_reply> redis_cluster::ask_locked(std::span<const command> all,
                                                   const acknowledgement& by) {
  round now{.all = all, .by = by, .answers = std::vector<redis_reply>(all.size()), .next = {}};
  for (std::size_t i = 0; i < all.size(); ++i) now.next.push_back({i, "", 0});
  auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(first_pause);
  while (!now.next.empty()) {
    std::map<std::string, jobs> batches;
    std::map<std::string, std::size_t> bytes;
    jobs later;
    for (job& each : std::exchange(now.next, {})) {
      const std::string server =
          each.asked_at.empty() ? owner_[all[each.index].slot] : each.asked_at;
      jobs& batch = batches[server];
      std::size_t& size = bytes[server];
      if (batch.size() == most_commands_sent || size > most_bytes_sent) {
        later.push_back(std::move(each));
        continue;
      }
      size += bytes_of_words(all[each.index]);
      batch.push_back(std::move(each));
    }
    now.in_trouble = false;
    std::vector<std::string> sent;
    for (const auto& [server, batch] : batches) {
      try {
        (void)connected(server);
      } catch (const error& problem) {  // nothing was sent
        if (problem.code() != errc::io) throw;
        now.in_trouble = true;
        now.trouble = problem.what();
        for (const job& each : batch) now.next.push_back({each.index, "", 0});
        continue;
      }
      try {
        send(now, server, batch);
        sent.push_back(server);
      } catch (const error& problem) {
        if (problem.code() != errc::io) throw;
        lost(now, server, batch, 0, problem.what());
      }
    }
    for (const std::string& server : sent) receive(now, server, batches.at(server));
    std::ranges::move(later, std::back_inserter(now.next));
    if (!now.in_trouble) {
      pause = first_pause;
      continue;
    }
    if (!now.patient()) fail(errc::io, now.trouble);
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::milliseconds>(2 * pause, longest_pause);
    learn_slots();
  }
  return std::move(now.answers);
}

redis_reply redis_cluster::ask(const command& one, const acknowledgement& by) {
  return std::move(ask(std::span(&one, 1), by).front());
}

redis_cluster::command redis_cluster::on_key(const std::string& key,
                                             std::vector<std::string> words) {
  return {.slot = net::redis_slot(key), .words = std::move(words)};
}

// None if the server could not, or if it is not known whether it did.
std::optional<bool> redis_cluster::try_replace(const std::string& key,
                                               const std::optional<std::string>& from,
                                               const std::optional<std::string>& to,
                                               const acknowledgement& by) {
  const std::scoped_lock lock(one_at_a_time_);
  const std::string server = owner_[net::redis_slot(key)];
  const auto again = [&](const redis_reply& answer) {
    if (answer.is != form::problem) return false;
    if (const auto moved = redirection_in(answer, "MOVED ")) {
      owner_[moved->slot] = server_at(moved->host.empty() ? seed_.host : moved->host, moved->port);
      return true;
    }
    if (passes(answer) || answer.text.starts_with("ASK ") || answer.text.starts_with("EXECABORT")) {
      return true;
    }
    refuse(answer);
  };
  try {
    redis_client& on = connected(server);
    const auto told = [&](std::initializer_list<std::string_view> words) {
      on.send({words.begin(), words.size()});
      return on.receive_any();
    };
    if (again(told({"WATCH", key}))) return std::nullopt;
    const redis_reply held = told({"GET", key});
    if (again(held)) return std::nullopt;
    const bool same = held.is == form::nothing ? !from : from && held.text == *from;
    if (!same) {
      (void)told({"UNWATCH"});
      // What was to be written may be there, by a try whose answer was lost.
      return held.is == form::nothing ? !to : to && held.text == *to;
    }
    (void)told({"MULTI"});
    const redis_reply queued = to ? told({"SET", key, *to}) : told({"DEL", key});
    if (again(queued)) {
      (void)told({"DISCARD"});
      return std::nullopt;
    }
    const redis_reply done = told({"EXEC"});
    if (again(done)) return std::nullopt;
    if (done.is == form::nothing) return false;
    if (by.replicas != 0) {
      round now{.all = {}, .by = by, .answers = {}, .next = {}};
      on.send(std::array<std::string_view, 3>{"WAIT", std::to_string(by.replicas),
                                              std::to_string(wait_for)});
      await_replicas(now, on);
    }
    return true;
  } catch (const error& problem) {
    const auto held = connections_.find(server);
    const bool alive =
        held != connections_.end() && held->second != nullptr && held->second->alive();
    if (problem.code() != errc::io || alive) throw;
    forget(server);
    return std::nullopt;
  }
}

bool redis_cluster::replace(const std::string& key, const std::optional<std::string>& from,
                            const std::optional<std::string>& to, const acknowledgement& by) {
  const auto began = clock::now();
  for (;;) {
    if (const auto done = try_replace(key, from, to, by)) return *done;
    if (clock::now() - began >= by.patience) {
      fail(errc::io, seed_.name + ": the server that has the key does not take a change of it");
    }
    std::this_thread::sleep_for(first_pause);
    learn_slots();
  }
}

void redis_cluster::refuse(const redis_reply& problem) const {
  cli::refuse(seed_.name, problem);
}

void redis_cluster::refuse_form(const std::string& key) const {
  fail(errc::corrupt, seed_.name + ": an answer about " + in_quotes(key) +
                          " is not of the form that it should have");
}

}  // namespace bloomery::cli
