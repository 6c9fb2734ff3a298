#include "proxy/relay/finder.h"

namespace entente::relay {
namespace {

constexpr Millis kBelieveBadNews = 1'000;  // then the next player's arrival has the server probed again

}  // namespace

std::string cannot_tell_dialect(const wire::Game& game, const std::string& server) {
  return "cannot tell which dialect of " + std::string(game.name()) + " the server " + server +
         " speaks: nobody is let in; add ?dialect= to its URL";
}

Finder::Finder(Branch& branch, User& user)
    : branch_(branch),
      user_(user),
      probe_(branch, *this),
      state_(branch.route.detects_before_sessions() ? State::kUnknown : State::kKnown),
      dialect_(branch.route.server_dialect.value_or(0)) {}

void Finder::want(const Limits& limits) {
  if (failed() && branch_.loop.now() > good_until_) state_ = State::kUnknown;
  if (state_ != State::kUnknown) return;
  tried_ = true;
  state_ = State::kProbing;
  probe_.start(limits);
}

void Finder::lost() {
  if (known() && branch_.route.detects_before_sessions()) state_ = State::kUnknown;
}

void Finder::tick(Millis now, const Limits& limits) {
  if (state_ == State::kProbing) probe_.tick(now);
  if (state_ == State::kUnknown && !tried_) want(limits);  // so that the first player need not wait
}

void Finder::probed(std::size_t dialect) {
  if (!branch_.route.bridge && dialect != branch_.route.dialect) {
    branch_.say_wrong_dialect(dialect);
    return probe_failed(Reason::kDialectMismatch);
  }
  state_ = State::kKnown;
  dialect_ = dialect;
  user_.found_out();
}

void Finder::probe_failed(Reason why) {
  const Route& route = branch_.route;
  if (why == Reason::kDialectUnknown)
    branch_.say(Line::kDialect, cannot_tell_dialect(route.server_game(), route.server_name));
  if (why == Reason::kServerRefused)
    branch_.say(Line::kUnreached, "cannot reach server " + route.server_name + "; is it running?");
  state_ = State::kFailed;
  why_ = why;
  good_until_ = branch_.loop.now() + kBelieveBadNews;
  user_.found_out();
}

}  // namespace entente::relay
