#include "proxy/relay/acceptors/finder.h"

namespace entente::relay {
namespace {

constexpr Millis kBelieveBadNews = 1'000;  // then the next player's arrival has the server probed again

}  // namespace

std::string cannot_tell_dialect(const wire::Game& game, const std::string& server) {
  return "cannot tell which dialect of " + std::string(game.name()) + " the server " + server +
         " speaks: nobody is let in; add ?dialect= to its URL";
}

Finder::Finder(WorkerRoute& worker_route, User& user)
    : worker_route_(worker_route),
      user_(user),
      probe_(worker_route, *this),
      state_(worker_route.route.detects_before_sessions() ? State::kUnknown : State::kKnown),
      dialect_(worker_route.route.server_dialect.value_or(0)) {}

void Finder::want(const Limits& limits) {
  if (failed() && worker_route_.loop.now() > good_until_) state_ = State::kUnknown;
  if (state_ != State::kUnknown) return;
  tried_ = true;
  state_ = State::kProbing;
  probe_.start(limits);
}

void Finder::lost() {
  if (known() && worker_route_.route.detects_before_sessions()) state_ = State::kUnknown;
}

void Finder::tick(Millis now, const Limits& limits) {
  if (state_ == State::kProbing) probe_.tick(now);
  if (state_ == State::kUnknown && !tried_) want(limits);  // so that the first player need not wait
}

void Finder::probed(std::size_t dialect) {
  if (!worker_route_.route.bridge && dialect != worker_route_.route.dialect) {
    worker_route_.say_wrong_dialect(dialect);
    return probe_failed(Reason::kDialectMismatch);
  }
  state_ = State::kKnown;
  dialect_ = dialect;
  user_.found_out();
}

void Finder::probe_failed(Reason why) {
  const Route& route = worker_route_.route;
  if (why == Reason::kDialectUnknown)
    worker_route_.say(Line::kDialect, cannot_tell_dialect(route.server_game(), route.server_name));
  if (why == Reason::kServerRefused)
    worker_route_.say(Line::kUnreached, "cannot reach server " + route.server_name + "; is it running?");
  state_ = State::kFailed;
  why_ = why;
  good_until_ = worker_route_.loop.now() + kBelieveBadNews;
  user_.found_out();
}

}  // namespace entente::relay
