#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "proxy/net/fd.h"
#include "tests/lab/kernel/disk.h"
#include "tests/lab/town.h"

namespace entente::lab {
namespace {

constexpr std::uint32_t kStrangerHost = 0x0a000401;
constexpr const char* kRestarts[] = {"kill the server", "stop the server",           "kill the proxy",
                                     "stop the proxy",  "crash the proxy's machine", "crash the server's machine"};
constexpr const char* kHampers[] = {"freeze the server",   "freeze the players",    "freeze the proxy",
                                    "cut the server off",  "cut the players off",   "fill the disk",
                                    "step the wall clock", "run out of descriptors"};
constexpr const char* kOrders[] = {"kick", "move", "announce", "drain", "end the sessions", "rotate", "replace"};
constexpr Nanos kWritesWithin = 1'200 * kSecond;  // what is to be recorded, to a slow disk
constexpr std::size_t kMostActs = 8;

}  // namespace

/// What happens, and when.
std::vector<Town::Act> Town::acts() {
  std::vector<Act> all;
  for (std::size_t i = 0; i < kMostActs; ++i) {
    Act act{"act " + std::to_string(i), "", 0, 0};
    Draw draw = plan_.draw(act.name);
    switch (draw.number(0, 5)) {
      case 0:
        act.kind = draw.chance(0.7) ? "a stranger" : "the server lies";
        break;
      case 1:
      case 2:
        act.kind = draw.one_of(kOrders);
        break;
      case 3:
        act.kind = draw.one_of(kHampers);
        break;
      default:
        act.kind = draw.one_of(kRestarts);
    }
    act.at = draw.time(500, 60'000);
    act.lasts = draw.time(0, 20'000);
    act.name += ": " + act.kind;
    if (plan_.has(act.name, 0.5)) all.push_back(act);
  }
  return all;
}

void Town::carry_out(const Act& act) {
  sleep(act.at);
  if (over_) return;
  plan_.tell(act.name + ", for " + std::to_string(act.lasts / kMilli) + " ms");
  if (act.kind == "a stranger") return intrude(act);
  if (act.kind == "the server lies") return lie(act);
  const auto is_one_of = [&](const auto& kinds) {
    return std::find(std::begin(kinds), std::end(kinds), act.kind) != std::end(kinds);
  };
  if (is_one_of(kOrders)) return order(act);
  is_one_of(kRestarts) ? restart(act) : hamper(act);
}

/// A program ends, and begins again. It may be killed while it stops.
void Town::restart(const Act& act) {
  const bool of_proxy = act.kind.find("proxy") != std::string::npos;
  Program& its = of_proxy ? proxy_ : server_;
  if (!its.runs()) return;  // it is down already
  const bool stops = act.kind.starts_with("stop"), begins = restarting_.insert(&its).second;
  if (stops && !begins) return;
  if (stops) {
    const Nanos writes = of_proxy && kernel().disk().faults.slow != 0 ? kWritesWithin : 0;
    if (!its.stop(act.lasts + 40 * kSecond + writes)) return wrong("the " + its.name() + " does not stop");
  } else if (act.kind.starts_with("crash")) {
    its.vanish();
    if (of_proxy && records_) recorded_.die(true);
    return crashed(its, act, begins);
  } else {
    its.kill();
    if (of_proxy && records_) recorded_.die(false);
  }
  if (!begins) return;
  sleep(act.lasts);
  start_again(its);
}

void Town::start_again(Program& its) {
  if (!its.start()) wrong("the " + its.name() + " does not start again");
  restarting_.erase(&its);
}

/// The program's machine is down. Its peers are told nothing, until it is up again.
void Town::crashed(Program& its, const Act& act, bool begins) {
  const Nanos at = kernel().now();
  const bool long_down = plan_.draw("crash of " + act.name).chance(0.5);
  sleep(long_down ? kNoticesLoss + kToldWithin : act.lasts);
  if (long_down && begins && &its == &server_) check_told(at);
  if (begins) start_again(its);
  if (!long_down) sleep(kNoticesSilence - act.lasts);  // those who say nothing notice it no sooner
}

/// Nobody is still on the server that vanished at that time.
void Town::check_told(Nanos vanished) {
  if (hampered_until_ >= vanished || !proxy_.runs()) return;
  std::vector<std::uint64_t> held(ways_.size());
  proxy_.call([&](relay::ProxyServer& its) {
    for (std::size_t i = 0; i < ways_.size(); ++i) held[i] = its.totals(ways_[i].routes).held_now();
  });
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (ways_[i].into_arena || ways_[i].moved) continue;
    const auto is_left = [&](const auto& one) { return one->group == i && one->in() && one->in_at < vanished; };
    const auto left =
        static_cast<std::uint64_t>(std::count_if(crowd_.people().begin(), crowd_.people().end(), is_left));
    if (left > held[i])
      wrong(ways_[i].name + ": the server's machine is down, and " + std::to_string(left - held[i]) +
            " players do not know after " + std::to_string((kernel().now() - vanished) / kSecond) + " s");
  }
}

void Town::hamper(const Act& act) {
  const Nanos until = kernel().now() + act.lasts;
  hampered_until_ = std::max(hampered_until_, until);
  if (act.kind == "freeze the server" && server_.runs()) kernel().freeze(server_.number(), until);
  if (act.kind == "freeze the proxy" && proxy_.runs()) kernel().freeze(proxy_.number(), until);
  if (act.kind == "freeze the players") kernel().freeze(players_.number(), until);
  if (act.kind == "cut the server off") kernel().cut(kProxyHost, kServerHost, until);
  if (act.kind == "cut the players off") kernel().cut(kPlayerHost, kProxyHost, until);
  if (act.kind == "fill the disk") kernel().disk().faults.room = kernel().disk().used();
  if (act.kind == "step the wall clock") {
    Draw draw = plan_.draw("step of " + act.name);
    const auto by = static_cast<std::int64_t>(draw.time(1, 50ULL * 86'400'000));
    kernel().step_wall(draw.chance(0.5) ? by : -by);
  }
  const std::size_t proxy = proxy_.number();
  // A proxy that cannot listen does not start.
  const bool starves = act.kind == "run out of descriptors" && !restarting_.contains(&proxy_);
  if (starves) kernel().limit_files(proxy, kernel().open_files(proxy));
  sleep(act.lasts);
  if (act.kind == "fill the disk") kernel().disk().faults.room = UINT64_MAX;
  if (starves) kernel().limit_files(proxy, Kernel::kMost);
}

/// What the server says to the proxy has false bytes. Those who heard it come anew afterwards.
void Town::lie(const Act& act) {
  Draw draw = plan_.draw("lies of " + act.name);
  Faults& faults = kernel().faults;
  faults.liar = kServerHost;
  faults.fooled = kProxyHost;
  faults.lie = draw.share(0.3);
  lied_ = true;
  sleep(act.lasts);
  faults.lie = 0;
  sleep(2 * kSecond);  // what is on its way has arrived
  proxy_.call([&](relay::ProxyServer& its) {
    for (const Way& way : ways_)
      for (const std::size_t route : way.routes) its.end_sessions(route, "you were told lies");
  });
}

void Town::order(const Act& act) {
  if (ways_.empty()) return;
  Draw draw = plan_.draw("order of " + act.name);
  Way& way = ways_[draw.number(0, ways_.size() - 1)];
  const std::size_t place = draw.number(0, 100);
  if (act.kind == "drain") return drain(act, way);
  proxy_.call([&](relay::ProxyServer& its) {
    const std::size_t route = way.routes.back();
    if (act.kind == "rotate") return recorded_.rotate();
    if (act.kind == "replace") return replace(its, way);
    if (act.kind == "announce") return (void)its.announce(route, "hear ye");
    if (act.kind == "end the sessions") return (void)its.end_sessions(route, "go home");
    const auto sessions = its.sessions();
    if (sessions.empty()) return;
    const relay::SessionReport& one = sessions[place % sessions.size()];
    const relay::LinkId link = one.info.link;
    if (act.kind == "kick") return (void)its.kick(link, "you are too good");
    way_of(one.route).moved = true;
    const auto moved = its.move(link, route, 10'000);
    plan_.tell("moved to " + way.name + ": " + moved.text);
  });
}

void Town::drain(const Act& act, Way& way) {
  proxy_.call([&](relay::ProxyServer& its) { its.set_draining(way.routes.back(), true); });
  sleep(act.lasts);
  proxy_.call([&](relay::ProxyServer& its) {
    for (const std::size_t route : way.routes) its.set_draining(route, false);  // it may have been replaced
  });
}

/// As a reload does: another route takes over the listener, and the sessions go on.
void Town::replace(relay::ProxyServer& proxy, Way& way) {
  relay::RouteChanges changes;
  changes.added.push_back({through(way), way.routes.back()});
  const auto changed = proxy.change(changes);
  if (!changed) {
    if (!proxy.stopping()) wrong(way.name + " cannot be replaced: " + changed.error().text);
    return;
  }
  way.routes.push_back(changed->front().route);
  if (way.plays_meanwhile) proxy.set_while_down_room(way.routes.back(), lobby_);
}

/// A client that keeps no rule.
void Town::intrude(const Act& act) {
  if (ways_.empty()) return;
  Draw draw = plan_.draw("stranger of " + act.name);
  const Way& way = draw.one_of(ways_);
  const wire::Transport transport = way.clients.game->transport();
  const bool datagrams =
      transport == wire::Transport::kEnet || (transport == wire::Transport::kTcpAndUdp && draw.chance(0.3));
  const net::Address there = address(way.listen);
  net::Fd fd(::socket(there.family(), (datagrams ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0));
  const net::Address here = address({kStrangerHost | (way.listen.first & kSix), 0});
  if (!fd || ::bind(fd.get(), here.raw(), here.size()) != 0 || ::connect(fd.get(), there.raw(), there.size()) != 0)
    return;
  if (way.clients.tls && draw.chance(0.7)) {
    const auto context = net::TlsContext::client(kAuthority, true);
    net::Tls tls(**context, there.ip_text());
    Buffer greeting;
    tls.start(greeting);
    if (draw.chance(0.3)) greeting.resize(draw.number(1, greeting.size()));
    (void)::send(fd.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
  }
  const std::size_t pieces = draw.number(0, 40);
  for (std::size_t i = 0; i < pieces; ++i) {
    Buffer piece(draw.number(1, 400));
    for (auto& byte : piece) byte = static_cast<std::uint8_t>(draw.number(0, draw.chance(0.5) ? 255 : 4));
    if (::send(fd.get(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0) break;
    if (draw.chance(0.2)) sleep(draw.time(0, 2'000));
  }
  sleep(act.lasts);
}

}  // namespace entente::lab
