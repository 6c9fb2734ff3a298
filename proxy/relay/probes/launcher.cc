#include "proxy/relay/probes/launcher.h"

#include <algorithm>

namespace entente::relay {
namespace {

// If a player still waits after this time, the start command runs again. After a success, the servers get more time.
constexpr Millis kAfterSuccess = 30'000, kAfterFailure = 5'000;

std::string quoted(const std::string& command) { return "\"" + command + "\""; }

}  // namespace

Launcher::Launcher(WorkerRoute& worker_route)
    : worker_route_(worker_route),
      rules_(worker_route.route.upstreams.rules().launch),
      starting_(worker_route.loop, static_cast<net::ChildProcess::User&>(*this)),
      stopping_(worker_route.loop, static_cast<net::ChildProcess::User&>(*this)),
      starts_(worker_route.route.upstreams.starts()),
      stops_(worker_route.route.upstreams.stops()) {}

void Launcher::tick(Millis now) {
  if (closed_) return;
  if (!rules_.start.empty()) start(now);
  if (!rules_.stop.empty()) stop(now);
}

bool Launcher::is_wanted(Millis now) const {
  return worker_route_.route.upstreams.waiting() != 0 || now < wanted_until_;
}

/// Who only asks who plays starts no server: only a player who joins makes a session wait.
void Launcher::start(Millis now) {
  const Upstreams& upstreams = worker_route_.route.upstreams;
  if (upstreams.any_up(now)) up_at_ = now;
  if (upstreams.any_up(now) || upstreams.all_drained() || !is_wanted(now)) return;
  if (stops_.runs || starts_.runs.exchange(true)) return;
  const bool pauses = now < starts_.again_at && up_at_ <= starts_.ended_at;
  if (pauses) {
    starts_.runs = false;
  } else if (!run(starting_, rules_.start, "a player waits, and no server is up")) {
    starts_.end(now, now + kAfterFailure);
  }
}

void Launcher::stop(Millis now) {
  const auto& servers = worker_route_.route.upstreams.all();
  const bool up =
      std::any_of(servers.begin(), servers.end(), [](const auto& one) { return one->state() == Upstream::State::kUp; });
  const bool empty = !is_wanted(now) && std::all_of(servers.begin(), servers.end(),
                                                    [](const auto& one) { return one->sessions() == one->askers(); });
  if (!up || !empty) {
    empty_since_ = 0;
    stopped_ = false;
    return;
  }
  if (empty_since_ == 0) empty_since_ = now;
  if (stopped_ || stops_.runs || now < empty_since_ + rules_.stop_after_ms) return;
  if (rules_.may_stop && !rules_.may_stop()) {
    empty_since_ = now;
    return;
  }
  if (stops_.runs.exchange(true)) return;
  stopped_ = true;
  if (!run(stopping_, rules_.stop, "nobody plays")) stops_.end(now, now);
}

bool Launcher::run(net::ChildProcess& child, const std::string& command, const std::string& why) {
  const auto begun = child.start(command);
  const std::string what = worker_route_.route.server_name + ": " + why + ": ";
  if (!begun) {
    worker_route_.log_warning(LogKind::kCommand, what + quoted(command) + " cannot be run: " + begun.error().text);
    return false;
  }
  worker_route_.log_info(LogKind::kCommand, what + "running " + quoted(command));
  return true;
}

void Launcher::exited(net::ChildProcess& child, std::int64_t code, int signal) {
  const bool starts = &child == &starting_;
  const bool well = code == 0 && signal == 0;
  const std::string ended = quoted(starts ? rules_.start : rules_.stop) + " ended " +
                            (signal != 0 ? "by signal " + std::to_string(signal) : "with code " + std::to_string(code));
  well ? worker_route_.log_info(LogKind::kCommandEnd, ended) : worker_route_.log_warning(LogKind::kCommandEnd, ended);
  const Millis now = worker_route_.loop.now();
  (starts ? starts_ : stops_).end(now, now + (well ? kAfterSuccess : kAfterFailure));
}

void Launcher::close() {
  closed_ = true;
  starting_.detach();
  stopping_.detach();
}

}  // namespace entente::relay
