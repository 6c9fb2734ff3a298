// A take-over, seen from the process that runs: it passes its listening sockets to a new one, and serves its sessions
// to their end. take_over.h says how the two talk.
// Invariant: if the new process fails, leaves or is silent before it has taken over, everything is as before.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/net/local_acceptor.h"
#include "proxy/net/process/own_program.h"
#include "proxy/net/take_over/talk.h"
#include "proxy/relay/base/link_info.h"

namespace entente {

/// The command `upgrade` of the control socket, answered only when the new process has taken over or failed. Older
/// programs refuse it.
constexpr const char* kUpgradeAndWait = "upgrade --wait";

/// At the end of an error: a process that is being replaced carries out no orders.
inline constexpr std::string_view kTryAgain = "; try again in a moment";

class HandOver {
 public:
  /// What the hand-over asks of the program. Called on a thread of the hand-over.
  class User {
   public:
    virtual ~User() = default;
    /// All sockets that another process needs.
    virtual Outcome<std::vector<net::NamedFd>> offer() = 0;
    /// From now on the program accepts no clients. Returns the highest number of its sessions.
    virtual Outcome<relay::LinkId> release_newcomers() = 0;
    /// The program accepts newcomers again. Also called if release_newcomers() has failed, or was not called.
    virtual void take_back() = 0;
    /// The process `pid` takes over everything: gives up what only one process may use. `own`: this process has started
    /// it.
    virtual void give(std::int32_t pid, bool own) = 0;
    /// After give(): whether the other process can ask this one at a socket of its own. Otherwise the connection stays
    /// open until stop(), so that the other process knows that this one is there.
    virtual bool can_be_asked() const { return true; }
    /// Whether the program is about to stop: nobody takes over any more. From any thread.
    virtual bool is_stopping() const { return false; }
    /// A take-over or an upgrade has failed.
    virtual void take_over_failed(const std::string& /*why*/) {}
  };

  /// How long to wait for the process that `upgrade` has started.
  struct Patience {
    /// Before `upgrade` is answered, unless it is to wait; less than `entente ctl` waits. From then on, another
    /// `upgrade` ends the process that has not taken over yet, and starts a new one.
    Millis answer = 4'500;
    Millis begin = 30'000;  ///< until it asks for the take-over
    Millis open = 120'000;  ///< then, until everything is open: it may have names to resolve, and arenas to build
    Millis end = 5'000;     ///< until it has ended, after it has failed or was told to end
  };
  /// `socket`: the path of the control socket. `command`: what `upgrade` starts, by default this program with its
  /// arguments and --take-over.
  HandOver(User& user, std::string socket, const Patience& patience, std::vector<std::string> command = {})
      : user_(user), socket_(std::move(socket)), patience_(patience), command_(std::move(command)) {}
  HandOver(User& user, std::string socket) : HandOver(user, std::move(socket), Patience{}) {}
  ~HandOver() { stop(); }
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;

  /// Another process with our arguments can take over.
  void allow_upgrades() { can_upgrade_ = true; }
  /// Ends a take-over that is in progress, and prevents others.
  void stop();
  /// Takes the connection away if `line` asks for a take-over, or (`upgrade`, or kUpgradeAndWait to be answered only
  /// when it is over) to start a process that takes over. As process 1 of a container, this process starts none, and
  /// gives nothing to one in that container.
  void adopt(std::string_view line, const net::LocalPeer& by, net::Fd& client);
  /// Why nothing may be changed now; "" if it may.
  std::string objection() const;
  bool given() const { return state_ == State::kGiven; }
  /// Whether a process that `upgrade` has started is still watched.
  bool upgrades() const { return upgrades_; }
  /// The process that the last upgrade has started; -1: none.
  std::int32_t own() const { return own_; }
  /// Upgrades and take-overs that failed.
  std::uint64_t failures() const { return failures_; }
  /// Why the last take-over or upgrade failed; "": it did not, or there was none. From any thread.
  std::string last_failure() const;

 private:
  enum class State : std::uint8_t { kNone, kGoingOn, kGiven };
  /// What the process that this one has started does, as long as it has not taken over.
  enum class OwnStep : std::uint8_t { kStarts, kTakesOver, kFailed };
  struct Ending;
  void run(const net::LocalPeer& by);
  Outcome<Done> talk(const net::LocalPeer& by);
  Outcome<Done> talk_to_the_end(const net::LocalPeer& by);
  void upgrade(const net::LocalPeer& by, net::Talk client, bool waits);
  std::string run_anew(const net::Talk& client, bool waits);
  void end_if_stuck(net::OwnProgram& program, Ending& ending);
  bool end_late_upgrade();
  void set_last_failure(const std::string& why);
  Outcome<std::int32_t> start_own(net::OwnProgram& program);
  std::string own_failure();
  bool given_to_own() const { return given() && successor_ == own_; }
  /// Whether the process that this one has started may still say that it has taken over.
  bool own_takes_over() const { return state_ == State::kGoingOn && successor_ == own_; }
  bool stops();

  User& user_;
  const std::string socket_;
  const Patience patience_;
  const std::vector<std::string> command_;
  bool can_upgrade_ = false;
  std::atomic<State> state_{State::kNone};
  std::atomic<std::uint64_t> failures_{0};
  std::mutex joining_;        // held while threads are joined
  mutable std::mutex mutex_;  // of the next four
  bool ends_ = false;
  std::string last_failure_;
  std::string own_failure_;  // why the process that this one started has failed, as that one says
  std::optional<net::Talk> talk_;
  std::thread thread_;  // of the last take-over
  std::thread upgrade_;
  bool releases_ = false;               // the process that takes over is about to get the newcomers
  std::atomic<bool> gives_up_{false};   // another upgrade replaces the one that is in progress
  std::atomic<Millis> upgraded_at_{0};  // when the last upgrade began
  std::atomic<bool> upgrades_{false};
  std::atomic<std::int32_t> own_{-1};  // the process that this one has started; -1: none (0: outside our container)
  std::atomic<OwnStep> own_step_{OwnStep::kStarts};
  std::atomic<std::int32_t> successor_{-1};  // the process that takes over, or has done so; -1: there was none
};

}  // namespace entente
