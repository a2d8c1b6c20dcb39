#include "bloomery/net/loop.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/net/child.hpp"

namespace bloomery::net {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds to_connect{10'000};
constexpr milliseconds to_part{1000};  // for what waits when a run is stopped, if nobody takes any
constexpr milliseconds to_part_in_all{10'000};
constexpr milliseconds to_rest{10};       // of doors, where the system can open no more
constexpr std::size_t pipe_piece = 4096;  // PIPE_BUF: a ready pipe takes as much without blocking
constexpr std::size_t largest_datagram = 65'507;
constexpr std::uint64_t least_pace = 1024;  // bytes a second

bool is_socket(const descriptor& open) {
  struct stat about {};
  return ::fstat(open.number(), &about) == 0 && S_ISSOCK(about.st_mode);
}

// Nothing is wrong but that there is no room: it may be there later.
bool is_crowded(int problem) {
  return problem == EMFILE || problem == ENFILE || problem == ENOBUFS || problem == ENOMEM;
}

bool try_again(int problem) {
  return problem == EAGAIN || problem == EWOULDBLOCK || problem == EINTR;
}

// What the network says of a connection that has already gone is no fault of the socket that listens.
bool is_of_one_connection(int problem) {
  constexpr std::array all{ECONNABORTED, EPROTO,     ENETDOWN,    ENOPROTOOPT, EHOSTDOWN, ENONET,
                           EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM,       ETIMEDOUT};
  return std::ranges::find(all, problem) != all.end();
}

descriptor new_socket(const address& of, transport how) {
  const int type = how == transport::stream ? SOCK_STREAM : SOCK_DGRAM;
  return descriptor(::socket(of.family(), type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Small messages are answered at once.
void hurry(const descriptor& socket) {
  const int on = 1;
  ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Null, or what went wrong.
const char* begin_connecting(const descriptor& socket, const address& to) {
  if (!socket) return std::strerror(errno);
  if (::connect(socket.number(), to.get(), to.size) == 0) return nullptr;
  return errno == EINPROGRESS ? nullptr : std::strerror(errno);
}

// The same, once the socket is ready.
const char* end_connecting(const descriptor& socket) {
  int problem = 0;
  socklen_t size = sizeof problem;
  ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &problem, &size);
  return problem == 0 ? nullptr : std::strerror(problem);
}

const char* try_connect(const descriptor& socket, const address& to) {
  if (const char* const failed = begin_connecting(socket, to)) return failed;
  pollfd one{.fd = socket.number(), .events = POLLOUT, .revents = 0};
  if (::poll(&one, 1, static_cast<int>(to_connect.count())) <= 0) return "no answer";
  return end_connecting(socket);
}

endpoint bound_to(const descriptor& socket) {
  address found;
  found.size = sizeof found.bytes;
  if (::getsockname(socket.number(), found.get(), &found.size) != 0) fail_system("a socket");
  return found.where();
}

// Bound to the first address that can be.
descriptor bound_socket(const endpoint& at, transport how) {
  for (const address& each : resolve(at, how, true)) {
    descriptor socket = new_socket(each, how);
    if (!socket) continue;
    const int on = 1;
    if (how == transport::stream) {
      ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    if (::bind(socket.number(), each.get(), each.size) != 0) continue;
    if (how == transport::stream && ::listen(socket.number(), SOMAXCONN) != 0) continue;
    return socket;
  }
  fail_system(at.text());
}

}  // namespace

// One peer: a stream, or an address of datagrams.
struct loop::link {
  std::string name;
  peer who{};
  descriptor in{};
  descriptor out{};  // none if `in` is for both
  std::optional<child> program{};
  bool socket = false;
  bool ours = true;  // descriptors do not block
  std::optional<address> datagrams{};
  bool stranger = false;           // came by a datagram
  bool dialed = false;             // and has not answered yet
  std::vector<address> untried{};  // if it does not, the next one last
  bool framed = true;
  frame_reader reader{{}, 0};
  std::vector<std::byte> waiting{};
  std::size_t begun = 0;  // of what waits, already sent
  apps::time active{};
  std::uint64_t moved = 0;  // of messages under way, since
  std::uint64_t said = 0;
  apps::time heard{};  // when it came, or last said a whole message
  bool guest = false;  // came by itself
  bool spoke = false;
  bool ended = false;  // between two messages
  bool deaf = false;   // takes nothing any more, and may still have something to say
  bool closing = false;
  bool gone = false;

  [[nodiscard]] int input() const { return program ? program->from().number() : in.number(); }
  [[nodiscard]] int output() const {
    return program ? program->to().number() : out ? out.number() : in.number();
  }
  [[nodiscard]] std::size_t queued() const { return waiting.size() - begun; }
};

struct loop::door {
  descriptor socket;
  splitter split;
};

struct loop::datagram_socket {
  descriptor socket;
  int family;
  std::vector<std::byte> arriving;
};

// What the party is given for one call.
class loop::loop_outbox final : public outbox {
 public:
  explicit loop_outbox(loop& owner) : owner_(owner) {}

 private:
  void do_send(peer to, byte_view message) override { owner_.transmit(to, message); }
  void do_wake(apps::time at, std::uint64_t token) override {
    owner_.alarms_.push_back({at, owner_.caused_++, token});
    std::push_heap(owner_.alarms_.begin(), owner_.alarms_.end(), later);
  }
  void do_tell(const apps::event& happened) override {
    owner_.told_[std::string(happened.name)] += happened.amount;
    if (owner_.happened_) owner_.happened_(happened);
  }
  loop& owner_;
};

bool loop::later(const alarm& a, const alarm& b) {
  return a.at != b.at ? a.at > b.at : a.number > b.number;
}

loop::loop(any_party held, const loop_limits& limits)
    : held_(std::move(held)), limits_(limits), began_(std::chrono::steady_clock::now()) {}
loop::~loop() = default;

apps::time loop::now() const {
  return apps::time(std::chrono::steady_clock::now() - began_);
}

std::uint64_t loop::told(std::string_view name) const {
  const auto found = told_.find(name);
  return found == told_.end() ? 0 : found->second;
}

peer loop::add(std::unique_ptr<link> made, std::optional<peer> as) {
  if (links_.size() >= limits_.peers) {
    fail(errc::limit, "a loop of at most " + std::to_string(limits_.peers) +
                          " peers has no room for " + made->name);
  }
  const std::uint32_t number = as ? static_cast<std::uint32_t>(*as) : next_;
  if (links_.contains(number) || number == std::numeric_limits<std::uint32_t>::max()) {
    fail(errc::invalid, "the loop cannot have a second peer " + std::to_string(number));
  }
  next_ = std::max(next_, number + 1);
  made->who = peer{number};
  made->active = now();
  made->heard = made->active;
  links_.emplace(number, std::move(made));
  return peer{number};
}

peer loop::add_stream(descriptor socket, std::string name, splitter split, std::optional<peer> as) {
  return add_stream(std::move(socket), {}, std::move(name), std::move(split), as);
}

peer loop::add_stream(descriptor in, descriptor out, std::string name, splitter split,
                      std::optional<peer> as) {
  auto made = std::make_unique<link>();
  made->name = std::move(name);
  made->in = std::move(in);
  made->out = std::move(out);
  made->socket = is_socket(made->out ? made->out : made->in);
  made->ours = false;  // a flag on them would be seen by others who have them
  made->framed = split == nullptr;
  made->reader = frame_reader(std::move(split), limits_.message_bytes);
  return add(std::move(made), as);
}

peer loop::add_child(const std::string& command, splitter split) {
  auto made = std::make_unique<link>();
  made->name = in_quotes(command);
  made->program.emplace(command);
  made->framed = split == nullptr;
  made->reader = frame_reader(std::move(split), limits_.message_bytes);
  return add(std::move(made), {});
}

peer loop::connect(const endpoint& to, splitter split) {
  std::string problem;
  for (const address& each : resolve(to, transport::stream, false)) {
    descriptor socket = new_socket(each, transport::stream);
    const char* const failed = try_connect(socket, each);
    if (failed == nullptr) {
      hurry(socket);
      return add_stream(std::move(socket), to.text(), std::move(split));
    }
    problem = failed;
  }
  fail(errc::io, to.text() + ": " + problem);
}

peer loop::dial(const endpoint& to, splitter split) {
  auto made = std::make_unique<link>();
  made->name = to.text();
  made->socket = true;
  made->framed = split == nullptr;
  made->reader = frame_reader(std::move(split), limits_.message_bytes);
  made->untried = resolve(to, transport::stream, false);
  std::ranges::reverse(made->untried);
  if (const char* const failed = dial_next(*made)) {
    fail(errc::io, to.text() + ": " + failed);
  }
  return add(std::move(made), {});
}

// Null, or why none of the addresses can be called.
const char* loop::dial_next(link& to) {
  const char* failed = "no answer";
  while (!to.untried.empty()) {
    const address next = to.untried.back();
    to.untried.pop_back();
    to.in = new_socket(next, transport::stream);
    failed = begin_connecting(to.in, next);
    to.dialed = failed == nullptr;
    if (to.dialed) break;
  }
  return failed;
}

// The call has an answer, or there is nobody: then the next address is called, and at last it is gone.
void loop::answered(link& to) const {
  const char* failed = end_connecting(to.in);
  to.dialed = false;
  to.active = now();
  if (failed != nullptr && !to.untried.empty()) failed = dial_next(to);
  if (failed != nullptr) fail(errc::io, to.name + ": " + failed);
  if (!to.dialed) hurry(to.in);
}

endpoint loop::listen(const endpoint& at, splitter split) {
  descriptor socket = bound_socket(at, transport::stream);
  endpoint where = bound_to(socket);
  doors_.push_back(std::make_unique<door>(door{std::move(socket), std::move(split)}));
  return where;
}

endpoint loop::bind_datagrams(const endpoint& at) {
  if (datagrams_) fail(errc::invalid, "the loop already receives datagrams");
  descriptor socket = bound_socket(at, transport::datagram);
  endpoint where = bound_to(socket);
  address own;
  own.size = sizeof own.bytes;
  ::getsockname(socket.number(), own.get(), &own.size);
  datagrams_ = std::make_unique<datagram_socket>(datagram_socket{
      std::move(socket), own.family(), std::vector<std::byte>(largest_datagram + 1)});
  return where;
}

peer loop::add_datagram_peer(const endpoint& where) {
  if (!datagrams_)
    fail(errc::invalid, "a loop that sends datagrams needs an address of its own first");
  for (const address& each : resolve(where, transport::datagram, false)) {
    if (each.family() != datagrams_->family) continue;
    auto made = std::make_unique<link>();
    made->name = where.text();
    made->datagrams = each;
    return add(std::move(made), {});
  }
  fail(errc::io, where.text() + " has no address of the family that this loop sends from");
}

loop::link* loop::find(peer who) {
  const auto found = links_.find(static_cast<std::uint32_t>(who));
  return found == links_.end() || found->second->gone ? nullptr : found->second.get();
}

void loop::close(peer who) {
  if (link* const found = find(who)) {
    found->closing = true;
    if (found->queued() == 0) found->gone = true;
  }
}

void loop::drop(peer who) {
  if (link* const found = find(who)) found->gone = true;
}

void loop::call(const std::function<void(outbox&)>& act) {
  loop_outbox out(*this);
  act(out);
  sent_ += out.sent();
}

void loop::send(peer to, byte_view message) {
  call([&](outbox& out) { out.send(to, message); });
}

void loop::transmit(peer to, byte_view message) {
  link* const found = find(to);
  if (found == nullptr || found->closing || found->deaf) {
    if (static_cast<std::uint32_t>(to) >= next_) {
      fail(errc::invalid, "the party sends to peer " +
                              std::to_string(static_cast<std::uint32_t>(to)) +
                              ", which it never had");
    }
    ++dropped_;
    return;
  }
  if (found->datagrams) {
    if (message.size() > largest_datagram) {
      fail(errc::limit, "a message of " + format_size(message.size()) +
                            " does not fit a datagram; allowed: at most 65,507 bytes");
    }
    const ssize_t sent =
        ::sendto(datagrams_->socket.number(), message.data(), message.size(),
                 MSG_DONTWAIT | MSG_NOSIGNAL, found->datagrams->get(), found->datagrams->size);
    if (sent < 0) ++dropped_;
    return;
  }
  if (found->queued() == 0) {  // its time to take this begins here
    found->active = now();
    found->moved = 0;
  }
  if (found->begun > found->waiting.size() / 2) {
    found->waiting.erase(found->waiting.begin(),
                         found->waiting.begin() + static_cast<std::ptrdiff_t>(found->begun));
    found->begun = 0;
  }
  if (found->framed) {
    append_frame(found->waiting, message);
  } else {
    found->waiting.insert(found->waiting.end(), message.begin(), message.end());
  }
}

// The peer is gone; who is told of it may not mind.
void loop::lose(link& from, const error* reason) {
  if (from.gone) return;
  part(from);
  from.gone = true;
  if (left_) {
    call([&](outbox& out) { left_(from.who, reason, out); });
    return;
  }
  if (from.datagrams || from.closing) return;
  if (reason != nullptr) fail(reason->code(), from.name + ": " + reason->what());
  std::string how = "ended the connection";
  if (from.program) {
    from.program->hang_up();
    how = from.program->wait();
  }
  fail(errc::io, from.name + " " + how + " before the work was done");
}

// Says what was still to be said, as far as that is done at once: it may be why, or an answer to one who has only
// ended to speak.
void loop::part(link& with) {
  if (with.datagrams || with.dialed) return;
  pollfd output{.fd = with.output(), .events = POLLOUT, .revents = 0};
  try {
    while (with.queued() > 0 && ::poll(&output, 1, 0) > 0 && send_some(with)) {
    }
  } catch (const error&) {
    with.waiting.clear();
    with.begun = 0;
  }
}

// Whether one who has ended to speak still listens to what there is to say.
bool loop::owes(const link& to) const {
  return owed_ && !to.deaf && (to.queued() > 0 || owed_(to.who));
}

// Does `act`; an error in it costs the peer.
bool loop::guarded(link& of, const std::function<bool()>& act) {
  std::optional<error> problem;
  bool any = true;
  try {
    any = act();
  } catch (const error& caught) {
    problem = caught;
  }
  if (problem || (of.ended && !owes(of))) lose(of, problem ? &*problem : nullptr);
  return any;
}

// All messages that are whole, unless the peer leaves too many answers unread.
bool loop::deliver(link& from) {
  bool any = false;
  while (!from.gone && !from.closing && from.queued() <= limits_.unread_bytes) {
    const std::optional<byte_view> message = from.reader.next();
    if (!message) break;
    any = true;
    from.heard = now();
    from.spoke = true;
    received_ += {1, message->size()};
    if (heard_) heard_(from.who, *message);
    call([&](outbox& out) { held_.receive(now(), from.who, *message, out); });
    from.active = now();  // however long that took
    from.moved = 0;
    if (from.queued() > limits_.queued_bytes) {
      fail(errc::limit,
           "more than " + format_size(limits_.queued_bytes) + " wait to be sent to it");
    }
  }
  return any;
}

bool loop::receive_some(link& from) {
  const std::span<std::byte> room = from.reader.room();
  const ssize_t got = ::read(from.input(), room.data(), room.size());
  if (got < 0) {
    if (try_again(errno)) return false;
    if (errno != ECONNRESET) fail_system("reading from it");
  }
  if (got <= 0) {
    if (!from.reader.between()) fail(errc::corrupt, "the connection ended within a message");
    if (got < 0) fail(errc::io, "the connection was reset");
    from.ended = true;
    return true;
  }
  bytes_in_ += static_cast<std::uint64_t>(got);
  from.said += static_cast<std::uint64_t>(got);
  if (limits_.said_bytes != 0 && from.said > limits_.said_bytes) {
    fail(errc::limit,
         "it has said more than " + format_size(limits_.said_bytes) + "; allowed: at most that");
  }
  note_progress(from, static_cast<std::size_t>(got));
  from.reader.filled(static_cast<std::size_t>(got));
  deliver(from);
  return true;
}

// Some bytes of a message are worth waiting for the rest only if the end is in sight.
void loop::note_progress(link& of, std::size_t bytes) const {
  of.moved += bytes;
  if (1000 * of.moved < least_pace * static_cast<std::uint64_t>(limits_.idle.count())) return;
  of.active = now();
  of.moved = 0;
}

bool loop::send_some(link& to) {
  const std::byte* const start = to.waiting.data() + to.begun;
  ssize_t sent = 0;
  if (to.socket) {
    sent = ::send(to.output(), start, to.queued(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } else {
    const std::size_t most = to.ours ? to.queued() : std::min(to.queued(), pipe_piece);
    sent = ::write(to.output(), start, most);
  }
  if (sent < 0) {
    if (try_again(errno)) return false;
    // What it said before it went is still to be read, in its turn: it may be all that was wanted.
    if (errno == EPIPE || errno == ECONNRESET) {
      to.waiting.clear();
      to.begun = 0;
      to.deaf = true;
      to.gone = to.gone || to.closing;
      return true;
    }
    fail_system("writing to it");
  }
  bytes_out_ += static_cast<std::uint64_t>(sent);
  to.begun += static_cast<std::size_t>(sent);
  note_progress(to, static_cast<std::size_t>(sent));
  if (to.queued() == 0) {
    to.active = now();
    to.moved = 0;
    to.begun = 0;
    to.waiting.clear();
    if (to.waiting.capacity() > limits_.unread_bytes) to.waiting.shrink_to_fit();
    if (to.closing) to.gone = true;
  }
  return true;
}

// Of those that the limits let go for a newcomer, the one to go; none if all stay.
loop::link* loop::who_makes_room() const {
  link* chosen = nullptr;
  const auto before = [](const link& a, const link& b) {
    return std::pair(a.queued() > 0, a.heard) < std::pair(b.queued() > 0, b.heard);
  };
  for (const auto& [number, each] : links_) {
    if (limits_.full == crowding::wait || !each->guest || each->gone) continue;
    if (limits_.full == crowding::drop_silent && each->spoke) continue;
    if (chosen == nullptr || before(*each, *chosen)) chosen = each.get();
  }
  return chosen;
}

void loop::make_room(const char* why) {
  if (link* const chosen = who_makes_room()) {
    const error crowded(errc::limit, why);
    lose(*chosen, &crowded);
    bury();
  }
}

bool loop::accepts() const {
  return now() >= doors_rest_ && (links_.size() < limits_.peers || who_makes_room() != nullptr);
}

bool loop::accept_some(door& at) {
  address from;
  from.size = sizeof from.bytes;
  descriptor socket(
      ::accept4(at.socket.number(), from.get(), &from.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    if (try_again(errno) || is_of_one_connection(errno)) return false;
    if (!is_crowded(errno)) fail_system("a connection cannot be accepted");
    doors_rest_ = now() + to_rest;
    make_room("this machine has no room for more");
    return true;
  }
  hurry(socket);
  if (links_.size() >= limits_.peers) make_room("others came, and it was silent for longest");
  const std::string name = from.where().text();
  const peer who = add_stream(std::move(socket), name, at.split);
  find(who)->guest = true;
  if (joined_) call([&](outbox& out) { joined_(who, name, out); });
  return true;
}

bool loop::receive_datagrams() {
  constexpr int at_once = 64;  // so that a flood delays nobody for long
  bool any = false;
  for (int i = 0; i < at_once; ++i) {
    address from;
    from.size = sizeof from.bytes;
    const ssize_t got =
        ::recvfrom(datagrams_->socket.number(), datagrams_->arriving.data(),
                   datagrams_->arriving.size(), MSG_DONTWAIT, from.get(), &from.size);
    if (got < 0) break;  // none, or a complaint about one that was sent
    any = true;
    link* known = nullptr;
    for (const auto& [number, each] : links_) {
      if (each->datagrams && !each->gone && *each->datagrams == from) known = each.get();
    }
    const auto size = static_cast<std::size_t>(got);
    if ((known == nullptr && links_.size() >= limits_.peers) || size > limits_.message_bytes) {
      ++dropped_;
      continue;
    }
    if (known == nullptr) {
      auto made = std::make_unique<link>();
      made->name = from.where().text();
      made->datagrams = from;
      made->stranger = true;
      const peer who = add(std::move(made), {});
      known = find(who);
      if (joined_) call([&](outbox& out) { joined_(who, known->name, out); });
    }
    known->active = now();
    const byte_view message(datagrams_->arriving.data(), size);
    received_ += {1, size};
    if (heard_) heard_(known->who, message);
    guarded(*known, [&] {
      call([&](outbox& out) { held_.receive(now(), known->who, message, out); });
      return true;
    });
  }
  return any;
}

bool loop::ring() {
  bool any = false;
  const apps::time present = now();
  while (!alarms_.empty() && alarms_.front().at <= present) {
    std::pop_heap(alarms_.begin(), alarms_.end(), later);
    const alarm due = alarms_.back();
    alarms_.pop_back();
    any = true;
    call([&](outbox& out) { held_.tick(now(), due.token, out); });
  }
  return any;
}

bool loop::silence() {
  bool any = false;
  for (const auto& [number, each] : links_) {
    if (each->dialed && !each->gone && now() - each->active >= to_connect) {
      any = true;
      const error unanswered(errc::io, each->name + ": no answer");
      lose(*each, &unanswered);
    }
    if (limits_.idle.count() == 0 || each->gone || each->dialed ||
        (each->datagrams && !each->stranger) || now() - each->active < limits_.idle) {
      continue;
    }
    any = true;
    const error silent(errc::io, "nothing was heard of it, nor taken by it, for " +
                                     format_real(static_cast<double>(limits_.idle.count()) / 1000) +
                                     " s");
    lose(*each, each->datagrams ? nullptr : &silent);
  }
  return any;
}

// Until the next thing that time brings, in poll's milliseconds.
int loop::patience(milliseconds at_most) const {
  using std::chrono::ceil;
  milliseconds least =
      at_most.count() < 0 ? milliseconds(std::numeric_limits<int>::max()) : at_most;
  const auto until = [&](apps::time then) {
    least = std::clamp(ceil<milliseconds>(then - now()), milliseconds(0), least);
  };
  if (!alarms_.empty()) until(alarms_.front().at);
  if (doors_rest_ > now()) until(doors_rest_);
  for (const auto& [number, each] : links_) {
    if (each->dialed) until(each->active + to_connect);
  }
  if (limits_.idle.count() != 0) {
    for (const auto& [number, each] : links_) {
      if (!each->datagrams || each->stranger) until(each->active + limits_.idle);
    }
  }
  return static_cast<int>(least.count());
}

void loop::begin() {
  if (started_) return;
  started_ = true;
  for (const auto& [number, each] : links_) each->active = now();
  call([&](outbox& out) { held_.start(now(), out); });
}

void loop::bury() {
  std::erase_if(links_, [](const auto& each) { return each.second->gone; });
}

bool loop::step(milliseconds at_most) {
  const no_pipe_signal quiet;
  const bool first = !started_;
  begin();
  bool any = first;
  std::vector<pollfd> watched;
  std::vector<link*> owners;
  const auto watch = [&](int file, short events, link* owner) {
    watched.push_back({.fd = file, .events = events, .revents = 0});
    owners.push_back(owner);
  };
  for (const auto& [number, each] : links_) {
    link& one = *each;
    if (one.datagrams || one.gone) continue;
    if (one.dialed) {
      watch(one.input(), POLLOUT, &one);
      continue;
    }
    any |= guarded(one, [&] { return deliver(one); });  // what was left when it was congested
    if (one.gone) continue;
    // One message is read ahead: else two who have much to say to each other would wait forever.
    const bool congested = one.queued() > limits_.unread_bytes;
    const bool listens =
        !one.closing && !one.ended && (!congested || one.reader.held() <= limits_.message_bytes);
    if (listens) watch(one.input(), POLLIN, &one);
    if (one.queued() > 0) watch(one.output(), POLLOUT, &one);
  }
  const std::size_t streams = watched.size();
  const bool has_room = accepts();
  for (const auto& each : doors_) watch(has_room ? each->socket.number() : -1, POLLIN, nullptr);
  if (datagrams_) watch(datagrams_->socket.number(), POLLIN, nullptr);
  if (stop_on_ != nullptr) watch(stop_on_->readable(), POLLIN, nullptr);

  if (::poll(watched.data(), watched.size(), any ? 0 : patience(at_most)) < 0 && errno != EINTR) {
    fail_system("poll");
  }
  for (std::size_t i = 0; i < streams; ++i) {
    if (watched[i].revents == 0 || owners[i]->gone) continue;
    link& one = *owners[i];
    if (one.dialed) {
      any |= guarded(one, [&] {
        answered(one);
        return true;
      });
      continue;
    }
    const bool writes = watched[i].events == POLLOUT;
    any |= guarded(one, [&] {
      if (!writes) return receive_some(one);
      if (one.queued() == 0 || !send_some(one)) return false;
      if (one.queued() == 0 && !one.closing && !one.deaf && taken_) {
        call([&](outbox& out) { taken_(one.who, out); });
      }
      return true;
    });
  }
  std::size_t at = streams;
  for (const auto& each : doors_) {
    if (watched[at++].revents != 0 && accepts()) any |= accept_some(*each);
  }
  if (datagrams_ && watched[at++].revents != 0) any |= receive_datagrams();
  if (stop_on_ != nullptr && watched[at].revents != 0) stopped_ = true;
  any |= ring();
  any |= silence();
  bury();
  return any;
}

bool loop::pending() const {
  return !alarms_.empty() ||
         std::ranges::any_of(links_, [](const auto& each) { return each.second->queued() > 0; });
}

// Gives what waits to those who take it, to all at once. Who does not any more has missed nothing that it wanted; one who
// takes it drop by drop does not keep a run that was stopped from ending.
void loop::flush() {
  const no_pipe_signal quiet;
  const auto longest = stopped_ ? to_part : std::max(limits_.idle, to_part);
  const auto end = stopped_ ? now() + to_part_in_all : apps::time::max();
  for (auto last = now();;) {
    std::vector<pollfd> watched;
    std::vector<link*> owners;
    for (const auto& [number, each] : links_) {
      link& one = *each;
      if (one.gone || one.datagrams || one.dialed || one.queued() == 0) continue;
      watched.push_back({.fd = one.output(), .events = POLLOUT, .revents = 0});
      owners.push_back(&one);
    }
    const auto left =
        std::chrono::ceil<milliseconds>(std::min<apps::time>(last + longest, end) - now());
    if (watched.empty() || left.count() <= 0) break;
    if (::poll(watched.data(), watched.size(), static_cast<int>(left.count())) < 0 &&
        errno != EINTR) {
      break;
    }
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (watched[i].revents == 0) continue;
      try {
        if (send_some(*owners[i])) last = now();
      } catch (const error&) {
        owners[i]->gone = true;
      }
    }
  }
}

ending loop::run(const std::function<bool()>& done) {
  {
    const no_pipe_signal quiet;
    begin();
  }
  while (true) {
    if (done && done()) {
      flush();
      return ending::done;
    }
    if (stopped_) {
      flush();
      return ending::stopped;
    }
    if (links_.empty() && doors_.empty() && !datagrams_ && alarms_.empty()) {
      return ending::deserted;
    }
    step(milliseconds(-1));
  }
}

}  // namespace bloomery::net
