#include "proxy/relay/probes/server_probes.h"

#include <algorithm>
#include <utility>

#include "proxy/net/socket.h"

namespace entente::relay {
namespace {

constexpr Millis kBelieveBadNews = 1'000;  // after that, the next player causes a new probe
constexpr Millis kWantAgain = 5'000;       // a server among several that was away may be back
constexpr Millis kProbeRetry = 250;        // while players are held, or a checked server is down
constexpr std::size_t kMostKnown = 64;     // addresses of a server

/// Such as "192.0.2.7, 2001:db8::7".
std::string text_of(const std::vector<net::Address>& addresses) {
  std::string text;
  for (const net::Address& one : addresses) text += (text.empty() ? "" : ", ") + one.ip_text();
  return text;
}

}  // namespace

std::string cannot_tell_dialect(const wire::Game& game, const std::string& server) {
  return "cannot tell which dialect of " + std::string(game.name()) + " the server " + server +
         " speaks: nobody is let in; add ?dialect= to its URL";
}

/// What is known of one server.
class ServerProbes::One final : private Check::User {
 public:
  One(ServerProbes& owner, Upstream& server)
      : owner_(owner),
        route_(owner.worker_route_.route),
        server_(server),
        check_(make_check(owner.worker_route_, server, static_cast<Check::User&>(*this))) {
    if (check_ && !by_query() && route_.upstreams.rules().check_ms != 0) server.set_has_checks();
  }

  bool failed() const { return server_.drained() || (why_ && !running_); }
  Reason why() const { return why_.value_or(Reason::kServerUnreachable); }
  bool away() const { return server_.drained() || away_; }
  bool may_be_chosen() const { return server_.dialect() && !server_.drained(); }
  /// It has neither answered nor failed yet.
  bool unasked() const { return !asked_ && !server_.drained(); }

  void want(Millis now) {
    if (server_.dialect() || (why_ && now <= good_until_)) return;
    start(now);
  }
  void tick(Millis now) {
    if (server_.addresses.by_name()) follow_name(now);
    if (!check_) return;
    check_->tick(now);
    if (again_) start(now);
    const Millis every = route_.upstreams.rules().check_ms;
    if (every == 0) return;
    const bool down = server_.state() != Upstream::State::kUp;
    if (now >= checked_at_ + (down ? std::min(every, kProbeRetry) : every)) start(now);
  }
  void close() {
    if (check_) check_->close();
    running_ = again_ = false;
  }

 private:
  /// Looks the server's name up at the start, and logs when it cannot be found, or has other addresses.
  void follow_name(Millis now) {
    ServerAddresses& its = server_.addresses;
    if (!std::exchange(asked_name_, true)) (void)its.look_up(now);
    if (std::exchange(lookups_, its.lookups()) == its.lookups()) return;
    const std::string why = its.why_none();
    const std::vector<net::Address> found = its.all(now);
    if (!why.empty() && found.empty() && server_.state() != Upstream::State::kUp) server_.failed(now, why);
    WorkerRoute& to = owner_.worker_route_;
    if (!why.empty() && why != why_not_found_)
      to.log_warning(LogKind::kName,
                     "no address for server " + server_.name + ": " + why +
                         (found.empty() ? "" : "; goes on with " + text_of(found)),
                     {.server = server_.name});
    const bool first = known_.empty();
    const bool moved = learn(found) && !first;
    if (why.empty() && (moved || !why_not_found_.empty()))
      to.log_info(LogKind::kName, "server " + server_.name + " has the address " + text_of(found) + " now",
                  {.server = server_.name});
    why_not_found_ = why;
  }
  /// Whether one of them is new. Name servers often give a choice of many addresses, which is no news.
  bool learn(const std::vector<net::Address>& found) {
    bool news = false;
    for (const net::Address& one : found) {
      if (std::find(known_.begin(), known_.end(), one) != known_.end()) continue;
      if (known_.size() == kMostKnown) known_.erase(known_.begin());
      known_.push_back(one);
      news = true;
    }
    return news;
  }

  void start(Millis now) {
    if (running_ || !check_) return;
    running_ = true;
    again_ = false;
    checked_at_ = begun_ = now;
    check_->start(owner_.worker_route_.rules->limits);
  }

  void checked(const Check::Result& result) override {
    running_ = false;
    again_ = result.lacks != 0;
    again_ ? note_lack(result.lacks) : note(result);
    if (owner_.user_ != nullptr) owner_.user_->probed();
  }

  /// What was known of the server still holds.
  void note_lack(int error) {
    if (std::exchange(told_lack_, true)) return;
    owner_.worker_route_.log_warning(
        LogKind::kMachine,
        net::machine_error("cannot check server " + server_.name, error, net::hint_for_exhaustion(error)).text,
        {.server = server_.name});
  }

  void note(const Check::Result& result) {
    asked_ = true;
    told_lack_ = false;
    WorkerRoute& worker_route = owner_.worker_route_;
    const bool wrong = !result.failed && result.dialect && !route_.options->bridge && *result.dialect != route_.dialect;
    if (wrong) worker_route.log_wrong_dialect(server_.name, *result.dialect);
    why_ = wrong ? std::optional(Reason::kDialectMismatch) : result.failed;
    checked_at_ = worker_route.loop.now();
    good_until_ = checked_at_ + kBelieveBadNews;
    away_ = why_.has_value();
    why_ ? note_failure(wrong ? "it speaks another dialect" : result.why) : note_success(result);
  }

  void note_success(const Check::Result& result) {
    answered_ = true;
    if (route_.upstreams.rules().check_ms != 0) server_.set_has_checks();
    server_.set_dialect(result.dialect);
    if (server_.succeeded(checked_at_)) owner_.worker_route_.log_up(server_);
  }

  void note_failure(const std::string& why) {
    WorkerRoute& worker_route = owner_.worker_route_;
    // Some servers over ENet do not answer queries, so silence is a failure only if the server has answered before, and
    // no session has connected to it since the check began.
    if (by_query() && (!answered_ || server_.succeeded_since(begun_))) return;
    const bool news = server_.failed(checked_at_, why);
    if (*why_ == Reason::kDialectUnknown && !server_.options.dialect)
      return worker_route.log_warning(LogKind::kDialect, cannot_tell_dialect(route_.server_game(), server_.name),
                                      {.server = server_.name});
    if (*why_ == Reason::kDialectMismatch || (!news && route_.upstreams.rules().check_ms != 0)) return;
    worker_route.log_warning(
        LogKind::kUnreached,
        "cannot reach server " + server_.name + (why.empty() ? "" : ": " + why) + "; is it running?",
        {.server = server_.name});
  }

  /// Whether the check is a query, which some servers do not answer.
  bool by_query() const { return route_.server_game().transport() == wire::Transport::kEnet; }

  ServerProbes& owner_;
  const Route& route_;
  Upstream& server_;
  std::unique_ptr<Check> check_;
  bool running_ = false, asked_ = false, answered_ = false;
  bool again_ = false;         // the last check had no result, and another is due
  bool told_lack_ = false;     // why it had none
  std::optional<Reason> why_;  // of the last failure
  bool away_ = false;          // the last check that ended has failed
  Millis begun_ = 0, checked_at_ = 0, good_until_ = 0;
  // Of the server's name:
  bool asked_name_ = false;
  std::uint64_t lookups_ = 0;
  std::string why_not_found_;
  std::vector<net::Address> known_;  // the addresses that it had lately
};

ServerProbes::ServerProbes(WorkerRoute& worker_route) : worker_route_(worker_route), launcher_(worker_route) {
  for (const auto& server : worker_route.route.upstreams.all()) all_.push_back(std::make_unique<One>(*this, *server));
}

ServerProbes::~ServerProbes() = default;

bool ServerProbes::known() const {
  const UpstreamRules& rules = worker_route_.route.upstreams.rules();
  if (!rules.needs_dialect) return true;
  for (const auto& one : all_) {
    if (one->may_be_chosen()) return true;
    if (rules.policy == Policy::kFirst && one->unasked()) return false;  // the servers below it stand by
  }
  return false;
}

bool ServerProbes::failed() const {
  return !known() && std::all_of(all_.begin(), all_.end(), [](const auto& one) { return one->failed(); });
}

bool ServerProbes::away() const {
  return !known() && std::all_of(all_.begin(), all_.end(), [](const auto& one) { return one->away(); });
}

Reason ServerProbes::why() const { return all_.front()->why(); }

void ServerProbes::want() {
  if (!worker_route_.route.upstreams.rules().needs_dialect) return;
  tried_ = true;
  for (auto& one : all_) one->want(worker_route_.loop.now());
}

void ServerProbes::players_wait() {
  want();
  launcher_.player_waits(worker_route_.loop.now());
}

void ServerProbes::tick(Millis now) {
  for (auto& one : all_) one->tick(now);
  launcher_.tick(now);
  if (!tried_) want();  // so that the first player need not wait
  if (all_.size() == 1 || now < want_at_) return;
  want_at_ = now + kWantAgain;
  want();
}

void ServerProbes::retire() {
  for (auto& one : all_) one->close();
  launcher_.retire();
}

void ServerProbes::close() {
  for (auto& one : all_) one->close();
  launcher_.close();
}

}  // namespace entente::relay
