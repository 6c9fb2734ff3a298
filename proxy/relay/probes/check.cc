#include "proxy/relay/probes/check.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "proxy/net/socket.h"
#include "proxy/net/udp.h"
#include "proxy/net/web/web_link.h"
#include "proxy/relay/ends/outgoing.h"
#include "proxy/relay/ends/relay_link.h"

namespace entente::relay {
namespace {

constexpr std::uint32_t kQueryMs = 1'000;  // for the answer to one query
constexpr int kQueries = 3;                // datagrams get lost
constexpr Millis kAtOnce = 300;            // a server that greets first has greeted by then

/// The common part of all checks: the addresses, one result for each start(), given after it has returned, and a time
/// limit for each address.
class Look : public Check, private net::Later {
 public:
  Look(WorkerRoute& worker_route, Upstream& server, Check::User& user)
      : worker_route_(worker_route), server_(server), user_(user) {}
  ~Look() override { worker_route_.loop.cancel_later(*this); }

  void start(const Limits& limits) override {
    result_ = {};
    running_ = true;
    most_said_ = limits.held_bytes;
    patience_ = limits.detect_ms;
    look_up();
  }
  void tick(Millis now) final {
    if (!running_) return;
    looks_up_ ? look_up() : watch(now);
  }
  void close() override {
    running_ = false;
    hang_up();
  }

 protected:
  /// Connects to this address. An errno if that cannot even begin.
  virtual int reach(const net::Address& server) = 0;
  virtual void hang_up() = 0;
  /// Part of tick(), while an address is tried.
  virtual void watch(Millis now) = 0;

  /// The server does not answer at this address.
  void refused(int error) {
    if (net::is_exhaustion(error)) return conclude({.lacks = error});
    not_reached(Reason::kServerUnreachable, std::strerror(error));
  }
  void not_reached(Reason reason, const std::string& why) {
    server_.addresses.not_reached(addresses_[next_ - 1], now());
    if (next_ == addresses_.size()) return fail(reason, why);
    hang_up();
    try_next();
  }
  void fail(Reason reason, const std::string& why) { conclude({reason, std::nullopt, why}); }
  void conclude(const Check::Result& result) {
    if (!running_) return;
    if (!result.failed && result.lacks == 0) server_.addresses.reached(addresses_[next_ - 1]);
    hang_up();
    result_ = result;
    worker_route_.loop.later(*this);  // the user may have called start()
  }
  /// Whether the server's time at this address is over. The time for which its data waited for us does not count.
  template <class Link>
  bool is_late(Millis now, const Link& link) const {
    return late(now, began_, patience_, link);
  }
  Millis now() const { return worker_route_.loop.now(); }
  /// What a connection begins with.
  Buffer first(const net::Address& server) const { return first_bytes(worker_route_.route, std::nullopt, server); }

  WorkerRoute& worker_route_;
  Upstream& server_;
  bool running_ = false;
  std::size_t most_said_ = 0;

 private:
  void look_up() {
    looks_up_ = !server_.addresses.look_up(now());
    if (looks_up_) return;
    addresses_ = server_.addresses.all(now());
    next_ = 0;
    if (addresses_.empty()) return fail(Reason::kServerUnreachable, server_.addresses.why_none());
    try_next();
  }
  void try_next() {
    const net::Address at = addresses_[next_++];
    began_ = now();
    if (const int error = reach(at); error != 0) refused(error);
  }
  void at_turn_end() override {
    if (std::exchange(running_, false)) user_.checked(result_);
  }

  Check::User& user_;
  Check::Result result_;
  std::vector<net::Address> addresses_;
  std::size_t next_ = 0;  // after the one that is tried
  bool looks_up_ = false;
  Millis began_ = 0;            // to try it
  std::uint32_t patience_ = 0;  // milliseconds for each address; 0: no limit
};

/// By a TCP connection. A server that greets first shows its dialect, too. One that waits for its client's greeting
/// shows it only after a while (bzfs 2.4: 2.5 s). If such a server went away and is back, it is believed to speak the
/// same, so that players need not wait; the next check is a thorough one again.
class StreamCheck final : public Look, private net::TcpUser {
 public:
  StreamCheck(WorkerRoute& worker_route, Upstream& server, Check::User& user)
      : Look(worker_route, server, user),
        game_(worker_route.route.server_game()),
        greets_(game_.probe() == wire::Probe::kSilentConnection),
        link_(worker_route.loop, static_cast<net::TcpUser&>(*this)) {}

  void watch(Millis now) override {
    if (!link_.is_open() || link_.is_unserved()) return;
    if (reached_ && is_back() && said_.empty() && now > reached_at_ + kAtOnce)
      return conclude({std::nullopt, server_.last_dialect(), {}});
    if (!is_late(now, link_)) return;
    if (!reached_) return not_reached(Reason::kServerUnreachable, "timed out");
    hung_ = true;
    fail_to_greet("it did not greet");
  }

 private:
  int reach(const net::Address& server) override {
    said_.clear();
    reached_ = false;
    auto made = net::stream_towards(server);
    if (!made) return made.error().code;
    link_.set_party(worker_route_.loop.server_party(server));
    return link_.connect(std::move(made->tcp), server, first(server));
  }
  void hang_up() override { link_.hang_up(); }

  void connected(net::Tcp&) override {
    reached_ = true;
    reached_at_ = now();
    if (!greets_) return conclude({});
    link_.set_reading(true);
  }
  void received(net::Tcp&, wire::Lane, Bytes bytes) override {
    append(said_, bytes);
    const wire::Detected detected = game_.detect(said_);
    if (detected.state == wire::Detected::State::kFound) return conclude({std::nullopt, detected.dialect, {}});
    if (detected.state == wire::Detected::State::kUnknown || said_.size() > most_said_)
      fail(Reason::kDialectUnknown, "its greeting is not that of " + std::string(game_.name()));
  }
  void wrote(net::Tcp&) override {}
  void ended(net::Tcp&) override { fail_to_greet("it closed the connection"); }
  void broken(net::Tcp&, int error) override {
    hung_ = false;  // the server that comes next is another process
    said_.empty() ? refused(error) : fail_to_greet("it closed the connection");
  }

  void fail_to_greet(const char* why) {
    fail(server_.last_dialect() ? Reason::kServerUnreachable : Reason::kDialectUnknown, why);
  }
  /// Whether the server was down, and speaks a dialect in which the client greets first.
  bool is_back() const {
    const auto dialect = server_.last_dialect();
    return dialect && game_.client_greeting_size(*dialect) != 0 && server_.state() == Upstream::State::kDown && !hung_;
  }

  const wire::Game& game_;
  const bool greets_;
  net::Tcp link_;
  Buffer said_;
  bool reached_ = false, hung_ = false;
  Millis reached_at_ = 0;
};

/// By a WebSocket's upgrade. Where the client must speak first, by a plain HTTP request: when an upgraded connection
/// closes without a hello, OgarII removes another player from the chat. A server that has never answered such a request
/// need not answer it.
class WebCheck final : public Look, private net::WebUser {
 public:
  WebCheck(WorkerRoute& worker_route, Upstream& server, Check::User& user)
      : Look(worker_route, server, user), upgrades_(worker_route.route.server_game().probe() != wire::Probe::kNever) {}

  /// Uses a new link, because one that was upgraded can only read messages.
  void start(const Limits& limits) override {
    renew();
    Look::start(limits);
  }
  void watch(Millis now) override {
    if (!link_->is_open() || !is_late(now, *link_)) return;
    if (!upgrades_ && link_->asked() && !has_answered_) return conclude({});
    renew();
    not_reached(Reason::kServerUnreachable, "timed out");
  }

 private:
  int reach(const net::Address& server) override {
    auto made = net::stream_towards(server);
    if (!made) return made.error().code;
    const WebOptions& web = worker_route_.route.options->web;
    net::UpgradeRequest request{server_.name, web.server_path.empty() ? "/" : web.server_path,
                                upgrades_ ? net::make_upgrade_key() : "", net::forwarded_headers({})};
    // MultiOgarII's HTTP server has no handler. It answers only this header, with 417.
    if (!upgrades_) request.headers.push_back({"Expect", "an-answer"});
    link_->set_party(worker_route_.loop.server_party(server));
    const int error = link_->connect(std::move(made->tcp), server, web.server_tls.get(), server_.options.host,
                                     std::move(request), first(server));
    if (error == 0) link_->set_reading(true);
    return error;
  }
  void hang_up() override {
    if (link_) link_->hang_up();
  }

  void upgraded(net::WebLink&, const net::HttpHead&) override { conclude({}); }
  void declined(net::WebLink&, const net::HttpHead& response, std::string_view) override {
    has_answered_ = true;
    if (!upgrades_ && response.status < 500) return conclude({});  // 502 to 504: from a balancer whose server is down
    fail(Reason::kServerDeclined, "it answered " + std::to_string(response.status) + " to the request of a check");
  }
  void protocol_error(net::WebLink&, const Fault& fault, const std::string& detail) override {
    fail(Reason::kServerProtocolError, std::string(fault.what) + (detail.empty() ? "" : ": " + detail));
  }
  void ended(net::WebLink&) override { fail(Reason::kServerDeclined, "it closed the connection"); }
  void broken(net::WebLink&, int error) override { refused(error); }
  void received(net::WebLink&, net::Opcode, Bytes) override {}
  void close_frame(net::WebLink&, const net::CloseFrame&) override {}
  void wrote(net::WebLink&) override {}

  void renew() {
    link_.emplace(worker_route_.loop, net::WebSocket::Role::kClient, worker_route_.route.server_game().largest_frame(),
                  static_cast<net::WebUser&>(*this));
  }

  const bool upgrades_;
  bool has_answered_ = false;
  std::optional<net::WebLink> link_;
};

/// By a query that the game's servers answer to anybody.
class QueryCheck final : public Look, private net::UdpReader::User {
 public:
  QueryCheck(WorkerRoute& worker_route, Upstream& server, Check::User& user)
      : Look(worker_route, server, user), reader_(worker_route.loop, static_cast<net::UdpReader::User&>(*this)) {}

  void watch(Millis now) override {
    if (!socket_ || now < ask_again_) return;
    if (asked_ == kQueries) return not_reached(Reason::kServerTimeout, "it did not answer");
    ask();
  }

 private:
  int reach(const net::Address& server) override {
    auto made = net::datagrams_towards(server);
    if (!made) return made.error().code;
    reader_.set_party(worker_route_.loop.server_party(server));
    if (!reader_.open_connected(made->udp.get())) return errno;
    socket_ = std::move(made->udp);
    asked_ = 0;
    ask();
    return 0;
  }
  void hang_up() override {
    reader_.close();
    socket_.reset();
  }
  void ask() {
    ++asked_;
    ask_again_ = now() + kQueryMs;
    const auto queries = worker_route_.route.server_game().queries();
    (void)net::udp_send(socket_.get(), as_bytes(queries.front().question));
  }
  void datagram(const net::Address&, Bytes) override { conclude({}); }

  net::UdpReader reader_;
  net::Fd socket_;
  int asked_ = 0;
  Millis ask_again_ = 0;
};

}  // namespace

std::unique_ptr<Check> make_check(WorkerRoute& worker_route, Upstream& server, Check::User& user) {
  const wire::Game& game = worker_route.route.server_game();
  if (game.transport() == wire::Transport::kEnet)
    return game.queries().empty() ? nullptr : std::make_unique<QueryCheck>(worker_route, server, user);
  if (game.probe() == wire::Probe::kFirstSession) return nullptr;
  if (game.transport() == wire::Transport::kWebSocket) return std::make_unique<WebCheck>(worker_route, server, user);
  return std::make_unique<StreamCheck>(worker_route, server, user);
}

}  // namespace entente::relay
