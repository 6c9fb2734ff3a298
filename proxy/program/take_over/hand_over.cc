#include "proxy/program/take_over/hand_over.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "proxy/base/text.h"
#include "proxy/net/named_thread.h"
#include "proxy/net/process/own_program.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/log/say.h"
#include "proxy/program/take_over/take_over.h"

namespace entente {
namespace {

constexpr Millis kHandOverPatience = 10'000;  // with each step
constexpr const char* kStopping = "the program is stopping";
// The kernel ends all processes of a container with its process 1.
constexpr const char* kIsProcess1 =
    "this process is process 1 of a container, and its end would end the new process too; start another container";
constexpr const char* kReplaced = "had not taken over, and was ended for another upgrade";

/// "ended with 1", "was ended by signal 11 (Segmentation fault)". `code`: as OwnProgram::ended().
std::string ended_text(int code) {
  if (code < 128) return "ended with " + std::to_string(code);
  return "was ended by signal " + std::to_string(code - 128) + " (" + ::strsignal(code - 128) + ")";
}

/// Why no process can take over from this one; "": one can.
std::string objection_to_successors() { return net::own_pid() == 1 ? kIsProcess1 : ""; }

}  // namespace

void HandOver::stop() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    if (talk_) talk_->hang_up();
  }
  const std::lock_guard alone(joining_);  // another upgrade may be ending the one before it
  if (upgrade_.joinable()) upgrade_.join();
  if (thread_.joinable()) thread_.join();
}

// -- A take-over ------------------------------------------------------------------------------------------------------

void HandOver::adopt(std::string_view line, const net::LocalPeer& by, net::Fd& client) {
  if (can_upgrade_ && (line == "upgrade" || line == kUpgradeAndWait))
    return upgrade(by, net::Talk(std::move(client)), line == kUpgradeAndWait);
  if (!line.starts_with("take over ")) return;
  if (line.starts_with(kTakeOverFailed)) {
    const std::lock_guard lock(mutex_);
    if (by.pid != own_) return;
    own_failure_ = screen_text(line.substr(std::string_view(kTakeOverFailed).size()));
    return;
  }
  net::Talk talk(std::move(client));
  const auto refuse = [&](const std::string& why) {
    if (by.pid != own_) ++failures_;  // run_anew() counts its process's
    log_warn("a take-over by pid {} was refused: {}", by.pid, why);
    (void)talk.say("error: " + why, kHandOverPatience);
  };
  if (!talk.is_with_own_user()) return refuse("only a process of the same user may take over");
  if (line != kTakeOver) return refuse("this program knows only '" + std::string(kTakeOver) + "'");
  const bool is_outside = by.pid == 0;  // our container, where it has no process id
  if (const std::string why = is_outside ? "" : objection_to_successors(); !why.empty()) return refuse(why);
  const std::lock_guard lock(mutex_);
  if (ends_ || user_.is_stopping()) return refuse(kStopping);
  State none = State::kNone;
  if (!state_.compare_exchange_strong(none, State::kGoingOn)) return refuse(objection());
  if (thread_.joinable()) thread_.join();  // of one that failed
  successor_ = by.pid;
  if (by.pid == own_) own_step_ = OwnStep::kTakesOver;
  talk_.emplace(std::move(talk));
  auto started = net::start_thread("hand-over", [this, by] { run(by); });
  if (started) {
    thread_ = std::move(*started);
    return;
  }
  talk = std::move(*talk_);
  talk_.reset();
  if (by.pid == own_) own_step_ = OwnStep::kFailed;
  state_ = State::kNone;
  refuse(started.error().text);
}

std::string HandOver::objection() const {
  if (state_ == State::kNone) return "";
  return given() ? "another process has taken over" : "another process takes over" + std::string(kTryAgain);
}

void HandOver::run(const net::LocalPeer& by) {
  log_info("process {} takes over", by.pid);
  const auto done = talk(by);
  if (done && !user_.can_be_asked()) return;
  {
    const std::lock_guard lock(mutex_);
    talk_.reset();
  }
  if (done) return;
  log_error("process {} did not take over, and this one goes on: {}", by.pid, done.error().text);
  if (by.pid == own_) {
    own_step_ = OwnStep::kFailed;  // run_anew() counts it
  } else {
    ++failures_;
    set_last_failure(done.error().text);
  }
  state_ = State::kNone;
}

Outcome<Done> HandOver::talk(const net::LocalPeer& by) {
  auto done = talk_to_the_end(by);
  {
    const std::lock_guard lock(mutex_);
    releases_ = false;
  }
  if (!done) user_.take_back();
  return done;
}

Outcome<Done> HandOver::talk_to_the_end(const net::LocalPeer& by) {
  auto sockets = user_.offer();
  if (!sockets) {
    (void)talk_->say("error: " + sockets.error().text, kHandOverPatience);
    return sockets.error();
  }
  if (auto said = talk_->say("sockets", kHandOverPatience); !said) return said;
  if (auto sent = talk_->send(*sockets, kHandOverPatience); !sent) return sent;
  sockets->clear();
  const auto ready = talk_->hear(patience_.open);
  if (!ready) return ready.error();
  if (*ready != "ready") return Error{"it sent '" + std::string(whole_characters(*ready, 80)) + "' instead of 'ready'"};
  {
    const std::lock_guard lock(mutex_);
    if (gives_up_) return Error{kReplaced};
    releases_ = true;
  }
  const auto last = user_.release_newcomers();
  if (!last) {
    (void)talk_->say("error: " + last.error().text, kHandOverPatience);
    return last.error();
  }
  if (auto said = talk_->say("given " + std::to_string(*last), kHandOverPatience); !said) return said;
  auto taken = talk_->hear(kHandOverPatience);
  if (!taken) {
    // After this it can say nothing more. What it has said before counts: both know the same.
    talk_->hang_up();
    taken = talk_->hear(kHandOverPatience);
  }
  if (!taken) return taken.error();
  if (*taken != "taken") return Error{"it sent '" + std::string(whole_characters(*taken, 80)) + "' instead of 'taken'"};
  state_ = State::kGiven;
  user_.give(by.pid, by.pid == own_);
  return Done{};
}

// -- A process of our own that takes over -----------------------------------------------------------------------------

struct HandOver::Ending {
  Millis begin_by;                       // the process must ask for the take-over until then
  std::optional<Millis> failed_at = {};  // its take-over has failed
  std::optional<Millis> told_at = {};    // when it was told to end
  bool killed = false;
  std::string why = {};  // why it was told to end
};

/// Ends the process of an upgrade that is still in progress although it has been answered: it may hang. False: there is
/// none, or it is about to take over.
bool HandOver::end_late_upgrade() {
  {
    const std::lock_guard lock(mutex_);
    const bool late = upgrades_ && !given() && !releases_ && steady_now() >= upgraded_at_ + patience_.answer;
    if (!late) return false;
    gives_up_ = true;
    if (talk_ && own_step_ == OwnStep::kTakesOver) talk_->hang_up();
  }
  const std::lock_guard alone(joining_);
  if (upgrade_.joinable()) upgrade_.join();
  if (own_step_ != OwnStep::kStarts && thread_.joinable()) thread_.join();
  gives_up_ = false;
  return true;
}

void HandOver::upgrade(const net::LocalPeer& by, net::Talk client, bool waits) {
  const bool stops = user_.is_stopping();
  if (!stops) (void)end_late_upgrade();
  std::string why = stops ? kStopping : upgrades_ ? "an upgrade is in progress" : objection();
  if (why.empty()) why = objection_to_successors();
  if (!why.empty()) {
    (void)client.say("error: " + why, kHandOverPatience);
    return;
  }
  const auto asked = std::make_shared<const net::Talk>(std::move(client));
  {
    const std::lock_guard lock(mutex_);
    if (ends_) return;
    if (upgrade_.joinable()) upgrade_.join();
    upgrades_ = true;
    upgraded_at_ = steady_now();
    last_failure_.clear();
    log_info("control: upgrade (by uid {}, pid {})", by.uid, by.pid);
    auto started = net::start_thread("upgrade", [this, waits, asked] {
      const std::string over = run_anew(*asked, waits);
      if (!over.empty()) log_error("upgrade: {}", over);
      upgrades_ = false;
    });
    if (started) {
      upgrade_ = std::move(*started);
      return;
    }
    upgrades_ = false;
    why = started.error().text;
  }
  ++failures_;
  set_last_failure(why);
  log_error("upgrade: {}", why);
  (void)asked->say("error: " + why, kHandOverPatience);
}

/// Answers `client` once the result is known, or, if it does not wait, after a while. Returns when the new process has
/// ended, or this one stops: the reason why there was no take-over, or "".
std::string HandOver::run_anew(const net::Talk& client, bool waits) {
  net::OwnProgram program;
  const auto process = start_own(program);
  bool answered = false;
  const auto answer = [&](const std::string& text) {
    if (std::exchange(answered, true)) return;
    (void)client.say(text, kHandOverPatience);
    client.hang_up();
  };
  const auto fail = [&](const std::string& why) {
    set_last_failure(why);
    answer("error: " + why);
    return why;
  };
  const auto fail_counted = [&](const std::string& why) {
    ++failures_;
    return fail(why);
  };
  if (!process) return fail_counted(process.error().text + ". This process goes on.");
  const std::string name = "process " + std::to_string(*process);
  const auto why_not = [&] {
    return name + " did not take over, because process " + std::to_string(successor_) + " did";
  };
  const auto tell_if_given = [&] {
    if (given()) answer(given_to_own() ? "ok\n" + name + " has taken over" : "error: " + why_not());
  };
  const Millis begun = steady_now();
  for (Ending ending{begun + patience_.begin}; !stops();) {
    const auto code = program.ended();
    if (!code) tell_if_given();
    if (code && !own_takes_over()) {
      if (given_to_own())
        return answered ? ""
                        : fail_counted(name + " has taken over, but " + ended_text(*code) + ". Start another one.");
      if (given()) return fail_counted(why_not());
      const std::string said = own_failure(), how = ending.why.empty() ? ended_text(*code) : ending.why;
      const std::string why = !said.empty() ? ": " + said : ending.why.empty() ? "; its log says why" : "";
      return fail_counted(name + " " + how + why + ". This one goes on.");
    }
    end_if_stuck(program, ending);
    if (!waits && steady_now() >= begun + patience_.answer)
      answer("ok\n" + name + " is starting; the log says when it has taken over");
    std::this_thread::sleep_for(std::chrono::milliseconds(answered ? 100 : 20));
  }
  tell_if_given();
  return given() ? "" : fail(kStopping);
}

/// Ends a process that does not take over, and does not end by itself.
void HandOver::end_if_stuck(net::OwnProgram& program, Ending& ending) {
  if (given_to_own()) return;
  if (gives_up_ && !ending.killed) {
    ending.killed = true;
    ending.why = kReplaced;
    program.signal(SIGKILL);
  }
  const Millis now = steady_now();
  const OwnStep step = own_step_;
  if (step == OwnStep::kFailed && !ending.failed_at) ending.failed_at = now;
  const bool late = (step == OwnStep::kStarts && now >= ending.begin_by) ||
                    (ending.failed_at && now >= *ending.failed_at + patience_.end);
  if (!ending.told_at && late) {
    ending.told_at = now;
    ending.why = ending.failed_at ? "did not open everything in time, and was ended"
                                  : "did not begin to take over within " + std::to_string(patience_.begin / 1000) +
                                        " s, and was ended";
    program.signal(SIGTERM);
  }
  if (ending.told_at && !ending.killed && now >= *ending.told_at + patience_.end) {
    ending.killed = true;
    program.signal(SIGKILL);
  }
}

void HandOver::set_last_failure(const std::string& why) {
  if (!why.empty()) user_.take_over_failed(why);
  const std::lock_guard lock(mutex_);
  last_failure_ = why;
}

std::string HandOver::last_failure() const {
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

/// What is said late by a process that this one has started is not taken for the reason of the next one. However early
/// the new one asks for the take-over, it is known by then.
Outcome<std::int32_t> HandOver::start_own(net::OwnProgram& program) {
  const std::lock_guard lock(mutex_);
  own_step_ = OwnStep::kStarts;
  own_ = -1;
  own_failure_.clear();
  auto process = command_.empty() ? program.start(net::OwnProgram::arguments_with("--take-over", socket_))
                                  : program.start(command_, command_.front());
  if (process) own_ = *process;
  return process;
}

std::string HandOver::own_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(own_failure_, "");
}

bool HandOver::stops() {
  const std::lock_guard lock(mutex_);
  return ends_;
}

}  // namespace entente
