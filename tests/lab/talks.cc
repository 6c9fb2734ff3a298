#include "tests/lab/talks.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "proxy/base/hash.h"
#include "proxy/net/fd.h"
#include "proxy/net/socket.h"
#include "proxy/relay/proxy_server.h"
#include "tests/lab/kernel/network.h"
#include "tests/support/toy_game.h"

namespace entente::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kHello = "TOY!", kWelcome = "toy\x07", kGarbage = "GET / HTTP/1.0\r\n\r\n";
constexpr std::uint32_t kFewPlaces = 3;             // for clients of one /64
constexpr auto kPatience = 300s;                    // by then, every peer has been told of its end
constexpr std::uint32_t kFirstClient = 0x7f010001;  // 127.1.0.1

Nanos now() { return static_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch().count()); }

Talk& talk_of(Talks& talks, const net::Address& client) { return *talks.at(host_at(place(client)) - kFirstClient); }

/// Keeps what the relay tells its tap.
class Tapped final : public relay::Tap, private relay::TapSink {
 public:
  explicit Tapped(Talks& talks) : talks_(talks) {}
  relay::TapSink& sink(std::size_t) override { return *this; }
  /// All clients with IPv6 are of one /64.
  std::size_t most_open_of_six() const { return most_of_six_; }
  /// Waits until each session has a reason.
  void await_ends() {
    std::unique_lock lock(mutex_);
    one_ended_.wait_for(lock, kPatience, [this] { return open_ == 0; });
  }

 private:
  void opened(const relay::LinkInfo& session, WallTime) override {
    by_link_[session.link] = &talk_of(talks_, session.client);
    const std::lock_guard lock(mutex_);
    ++open_;
    if (session.client.v6()) of_six_.insert(session.link);
    most_of_six_ = std::max(most_of_six_, of_six_.size());
  }
  void bytes(relay::LinkId link, wire::Way way, wire::Lane, Bytes bytes, WallTime) override {
    Talk& talk = *by_link_.at(link);
    append(way == wire::Way::kToServer ? talk.tapped_up : talk.tapped_down, bytes);
  }
  void closed(relay::LinkId link, std::string_view reason, WallTime) override {
    by_link_.at(link)->reason = reason;
    const std::lock_guard lock(mutex_);
    --open_;
    of_six_.erase(link);
    one_ended_.notify_one();
  }

  Talks& talks_;
  std::map<relay::LinkId, Talk*> by_link_;
  std::mutex mutex_;
  std::condition_variable one_ended_;
  int open_ = 0;  // sessions
  std::set<relay::LinkId> of_six_;
  std::size_t most_of_six_ = 0;
};

/// Keeps why clients were refused that had no session.
class Operator final : public Told {
 public:
  Operator(const Plan& plan, Talks& talks) : Told(plan, "relay"), talks_(talks) {}

 private:
  void refused(const std::string& route, const relay::LinkInfo& session, relay::Reason reason, const Fault& fault,
               std::uint64_t at, std::uint64_t more) override {
    Told::refused(route, session, reason, fault, at, more);
    Talk& talk = talk_of(talks_, session.client);
    if (talk.reason.empty()) talk.reason = text(reason);
  }

  Talks& talks_;
};

// -- The peers --------------------------------------------------------------------------------------------------------

Habits habits(Plan& plan, const std::string& peer) {
  Draw draw = plan.draw(peer);
  Habits one;
  if (plan.has(peer + " talks", 0.95)) one.frames = draw.number(1, 60);
  if (plan.has(peer + " pauses", 0.25)) one.pause = plan.calm ? draw.time(0, 5) : draw.time(0, 2'000);
  one.breaks_off = !plan.calm && plan.has(peer + " breaks off", 0.1);
  one.words = plan.draw("words of " + peer);
  return one;
}

Buffer frame(Draw& words) {
  Buffer all{static_cast<std::uint8_t>(words.number(0, 120)), 3};
  for (std::size_t i = all[0]; i > 0; --i) all.push_back(static_cast<std::uint8_t>(words.number(0, 255)));
  return all;
}

/// False: the connection is gone.
bool send_all(int fd, Bytes bytes, Buffer& said) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    append(said, bytes.first(static_cast<std::size_t>(sent)));
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Reads exactly so many bytes. False: the connection is gone.
bool read_exactly(int fd, std::size_t size, Buffer& heard) {
  while (size != 0) {
    Buffer room(size);
    const ssize_t got = ::recv(fd, room.data(), room.size(), 0);
    if (got <= 0) return false;
    append(heard, Bytes(room).first(static_cast<std::size_t>(got)));
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void read_until_end(int fd, Buffer& heard, bool& cut, Talk::Times& times) {
  for (;;) {
    Buffer room(4096);
    const ssize_t got = ::recv(fd, room.data(), room.size(), 0);
    if (got < 0) cut = true;
    (got > 0 ? times.last : times.end) = now();
    if (got <= 0) return;
    append(heard, Bytes(room).first(static_cast<std::size_t>(got)));
  }
}

/// Sends frames on one thread while another reads until the end. Sets `cut` if the connection broke.
void converse(int fd, Habits& its, Buffer& said, Buffer& heard, bool& cut, Talk::Times& times) {
  bool broke = false;
  std::thread reader([&] { read_until_end(fd, heard, broke, times); });
  bool there = true;
  for (std::size_t i = 0; i < its.frames && there; ++i) {
    there = send_all(fd, frame(its.words), said);
    if (its.pause != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(its.pause));
  }
  if (its.manner == Manner::kTooLarge && there) {
    there = send_all(fd, as_bytes(std::string(250, '\xFF')), said);
  } else {
    if (its.breaks_off) cut = true;
    if (::shutdown(fd, its.breaks_off ? SHUT_RDWR : SHUT_WR) != 0) cut = true;  // a reset that nobody has read about
  }
  if (!there) cut = true;
  times.done = now();
  reader.join();
  if (broke) cut = true;
}

/// Says what it begins with. False: it goes no further.
bool begin(int fd, std::uint8_t number, Talk& talk) {
  const std::uint8_t name[] = {1, 3, number};  // its first frame
  return send_all(fd, as_bytes(kHello), talk.said_by_client) &&
         read_exactly(fd, kWelcome.size(), talk.heard_by_client) && send_all(fd, name, talk.said_by_client);
}

void play_client(const net::Address& relay, std::uint8_t number, Talk& talk) {
  net::Fd fd(::socket(relay.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const net::Address here = address({(kFirstClient + number) | (relay.v6() ? kSix : 0), 0});
  if (!fd || ::bind(fd.get(), here.raw(), here.size()) != 0 || ::connect(fd.get(), relay.raw(), relay.size()) != 0) {
    talk.client_cut = true;
  } else if (talk.client.manner == Manner::kSilent || talk.client.manner == Manner::kGarbage) {
    if (talk.client.manner == Manner::kGarbage) send_all(fd.get(), as_bytes(kGarbage), talk.said_by_client);
    read_until_end(fd.get(), talk.heard_by_client, talk.client_cut, talk.client_times);
  } else if (begin(fd.get(), number, talk)) {
    converse(fd.get(), talk.client, talk.said_by_client, talk.heard_by_client, talk.client_cut, talk.client_times);
  } else {
    talk.client_cut = true;
  }
  talk.client_ended = true;
}

/// False: the connection broke before its client had said which one it is.
bool play_server(const net::Fd& fd, Talks& talks) {
  Buffer heard, said;
  if (!read_exactly(fd.get(), kHello.size(), heard) || !send_all(fd.get(), as_bytes(kWelcome), said) ||
      !read_exactly(fd.get(), 3, heard))
    return false;
  Talk& talk = *talks.at(heard.back());
  talk.heard_by_server = std::move(heard);
  talk.said_by_server = std::move(said);
  talk.reached_server = true;
  converse(fd.get(), talk.server, talk.said_by_server, talk.heard_by_server, talk.server_cut, talk.server_times);
  talk.server_ended = true;
  return true;
}

/// Accepts connections until `over`, each on a thread of its own.
std::size_t serve(const net::Sockets& listening, Talks& talks, const std::atomic<bool>& over) {
  std::vector<std::thread> served;
  std::atomic<std::size_t> unnamed = 0;
  ::fcntl(listening.tcp.get(), F_SETFL, 0);  // accept() waits
  net::limit_waiting(listening.tcp.get(), 100);
  while (!over) {
    net::Fd fd(::accept(listening.tcp.get(), nullptr, nullptr));
    if (fd) served.emplace_back([&, taken = std::move(fd)] { unnamed += play_server(taken, talks) ? 0 : 1; });
  }
  for (std::thread& one : served) one.join();
  return unnamed;
}

Talk make_talk(Plan& plan, const std::string& client) {
  Talk talk;
  talk.client = habits(plan, client);
  talk.server = habits(plan, "server of " + client);
  talk.comes_after = plan.draw("arrival of " + client).time(0, plan.calm ? 100 : 3'000);
  for (const auto& [manner, name] : {std::pair(Manner::kSilent, " is silent"),
                                     {Manner::kGarbage, " sends garbage"},
                                     {Manner::kTooLarge, " sends too large a frame"}})
    if (talk.client.manner == Manner::kTalks && plan.has(client + name, 0.05)) talk.client.manner = manner;
  return talk;
}

// -- What must hold ---------------------------------------------------------------------------------------------------

bool begins_with(Bytes whole, Bytes part) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// Without the relay's own last words to its client, which it says unless the client has left.
Bytes without_goodbye(const Talk& talk) {
  const Bytes goodbye = toy::stream().goodbye(0), heard = talk.heard_by_client;
  const bool said = talk.reason != text(relay::Reason::kClientLeft) && heard.size() >= goodbye.size() &&
                    same(heard.last(goodbye.size()), goodbye);
  return said ? heard.first(heard.size() - goodbye.size()) : heard;
}

std::string missing(const char* whose, Bytes said, Bytes heard) {
  return std::to_string(said.size() - heard.size()) + " of " + std::to_string(said.size()) + " bytes of the " + whose +
         " are missing";
}

/// Whether a peer heard of the other's end long after it could.
bool is_late(const Talk::Times& said, const Talk::Times& heard, Nanos most_flight) {
  return heard.end > std::max(said.done, heard.last) + 4 * most_flight + 1'000 * kMilli;
}

/// Whether the relay ended the session for what its client did, if it saw it.
bool is_refused_rightly(const Talk& talk) {
  if (talk.is_polite() || talk.left() || talk.reason.empty()) return true;
  const auto is = [&talk](relay::Reason reason) { return talk.reason.starts_with(text(reason)); };
  if (is(relay::Reason::kClientReset) || is(relay::Reason::kServerReset) || is(relay::Reason::kServerUnreachable) ||
      is(relay::Reason::kServerTimeout) || is(relay::Reason::kTooManyFromAddress))
    return true;
  return is(talk.client.manner == Manner::kSilent ? relay::Reason::kGreetTimeout : relay::Reason::kBadFrame);
}

/// `any_unnamed`: the server lost a client before it knew which one. What must hold for one session: each peer heard
/// the beginning of what the other said, both were told of the end, and nothing is missing unless something was cut.
void check(const Talk& talk, const std::string& name, bool any_unnamed, Nanos most_flight,
           std::vector<std::string>& faults) {
  const Bytes heard_by_client = without_goodbye(talk);
  const auto fails = [&](const std::string& what) {
    faults.push_back(name + " (" + (talk.reason.empty() ? "no session" : talk.reason) + "): " + what);
  };
  if (!talk.client_ended) fails("the client was not told of the end");
  if (!begins_with(talk.said_by_client, talk.tapped_up)) fails("the tap has what the client did not say");
  if (!is_refused_rightly(talk)) fails("it ended for something else");
  if (!talk.reached_server) {
    if (talk.client.manner == Manner::kTalks && !talk.cut() && !any_unnamed)
      fails("the client heard of no failure, and the server was not reached");
    return;
  }
  if (talk.reason.empty()) fails("the session has no reason");
  if (!talk.server_ended) fails("the server was not told of the end");
  if (!begins_with(talk.said_by_client, talk.heard_by_server)) fails("the server heard what the client did not say");
  if (!begins_with(talk.said_by_server, heard_by_client)) fails("the client heard what the server did not say");
  if (!begins_with(talk.said_by_server, talk.tapped_down)) fails("the tap has what the server did not say");
  if (!begins_with(talk.tapped_up, talk.heard_by_server)) fails("the tap lacks what the server heard");
  if (!begins_with(talk.tapped_down, heard_by_client)) fails("the tap lacks what the client heard");
  if (talk.cut()) return;
  if (talk.heard_by_server.size() != talk.said_by_client.size())
    fails(missing("client", talk.said_by_client, talk.heard_by_server));
  if (is_late(talk.client_times, talk.server_times, most_flight)) fails("the server was told late of the client's end");
  if (is_late(talk.server_times, talk.client_times, most_flight)) fails("the client was told late of the server's end");
  if (heard_by_client.size() != talk.said_by_server.size())
    fails(missing("server", talk.said_by_server, heard_by_client));
}

std::string name_of(std::size_t number) { return "client " + std::to_string(number); }

std::string bytes_of(Bytes bytes) { return std::to_string(bytes.size()) + " bytes " + hex_of(fnv1a(bytes)); }

}  // namespace

bool Talk::left() const {
  return reason == text(relay::Reason::kClientLeft) || reason == text(relay::Reason::kServerLeft);
}

std::size_t hold_talks(Plan& plan, Talks& talks, Verdict& verdict) {
  Tapped tapped(talks);
  Operator events(plan, talks);
  const Place here{INADDR_LOOPBACK, 0};
  const bool simulated = Kernel::current() != nullptr && !plan.calm;  // else there may be no IPv6
  const bool six = simulated && plan.has("clients by IPv6", 0.5), both = six && plan.has("some by IPv4", 0.5);
  const bool six_server = simulated && plan.has("server by IPv6", 0.3);
  const net::Sockets listening = std::move(*net::listen(address(six_server ? in_six(here) : here), false));
  relay::ProxyServer server(1, events);
  relay::RouteOptions options;
  options.game = &toy::stream();
  options.listen = address(both ? Place{kSix, 0} : six ? in_six(here) : here);
  options.servers[0].host = listening.address.ip_text();
  options.servers[0].port = listening.address.port();
  options.servers[0].dialect = 0;
  options.tap = &tapped;
  if (plan.calm) options.limits.greet_ms = 10'000;  // honest clients keep to it on a busy machine, too
  if (six && plan.has("few places", 0.5)) options.limits.sessions_per_address = kFewPlaces;
  const auto route = server.add(options);
  if (!route) return verdict.wrong.push_back("the route does not start: " + route.error().text), 0;
  std::thread serving([&] { server.run(); });

  for (std::size_t i = 0, clients = plan.draw("clients").number(1, 12); i < clients; ++i)
    if (plan.has(name_of(i))) talks.push_back(std::make_unique<Talk>(make_talk(plan, name_of(i))));
  std::mutex mutex;
  std::condition_variable one_ended;
  std::size_t ended = 0;
  std::vector<std::thread> peers;
  for (std::size_t i = 0; i < talks.size(); ++i)
    peers.emplace_back([&, i] {
      std::this_thread::sleep_for(std::chrono::nanoseconds(talks[i]->comes_after));
      const bool by_six = six && !(both && plan.draw("family of " + name_of(i)).chance(0.5));
      const Place relay{INADDR_LOOPBACK, route->address.port()};
      play_client(address(by_six ? in_six(relay) : relay), static_cast<std::uint8_t>(i), *talks[i]);
      const std::lock_guard lock(mutex);
      ++ended;
      one_ended.notify_one();
    });
  std::atomic<bool> over = false;
  std::size_t unnamed = 0;
  std::thread accepting([&] { unnamed = serve(listening, talks, over); });
  {
    std::unique_lock lock(mutex);
    one_ended.wait_for(lock, kPatience, [&] { return ended == talks.size(); });
  }
  tapped.await_ends();
  if (tapped.most_open_of_six() > options.limits.sessions_per_address)
    verdict.wrong.push_back(std::to_string(tapped.most_open_of_six()) + " sessions of one /64 were open at once");
  server.stop();
  serving.join();
  over = true;
  accepting.join();
  for (std::thread& one : peers) one.join();
  return unnamed;
}

void check_talks(const Talks& talks, std::size_t unnamed, Nanos most_flight, Verdict& verdict) {
  for (std::size_t i = 0; i < talks.size(); ++i) {
    check(*talks[i], name_of(i), unnamed != 0, most_flight, verdict.wrong);
    verdict.cut += talks[i]->cut() ? 1 : 0;
  }
  verdict.sessions = talks.size();
}

void tell_outcome(const Talks& talks, Verdict& verdict) {
  for (std::size_t i = 0; i < talks.size(); ++i) {
    const Talk& talk = *talks[i];
    std::string line = name_of(i) + ": " + (talk.left() ? "left" : talk.reason.empty() ? "no session" : talk.reason);
    line += "; the server heard " + bytes_of(talk.heard_by_server);
    if (talk.is_polite()) line += ", the client " + bytes_of(without_goodbye(talk));  // else it may miss the end
    verdict.outcome.push_back(line);
  }
}

}  // namespace entente::lab
