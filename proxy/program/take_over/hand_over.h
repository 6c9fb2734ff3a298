// A take-over, seen from the process that runs: it passes its listening sockets to a new one, and serves its sessions
// to their end. take_over.h says how the two talk.
// Law: if the new process fails, leaves or is silent before it has taken over, everything is as before.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proxy/net/local_acceptor.h"
#include "proxy/net/take_over/talk.h"
#include "proxy/relay/link_info.h"

namespace entente {

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
  };

  /// `socket`: the path of the control socket.
  HandOver(User& user, std::string socket) : user_(user), socket_(std::move(socket)) {}
  ~HandOver() { stop(); }
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;

  /// Another process with our arguments can take over.
  void allow_upgrades() { can_upgrade_ = true; }
  /// Ends a take-over that is in progress, and prevents others.
  void stop();
  /// Takes the connection away if `line` asks for a take-over, or (`upgrade`) to start a process that takes over.
  void adopt(std::string_view line, const net::LocalPeer& by, net::Fd& client);
  /// Why nothing may be changed now; "" if it may.
  std::string objection() const;
  bool given() const { return state_ == State::kGiven; }
  /// Take-overs that began and failed.
  std::uint64_t failures() const { return failures_; }

 private:
  enum class State : std::uint8_t { kNone, kGoingOn, kGiven };
  void run(const net::LocalPeer& by);
  Outcome<Done> talk(const net::LocalPeer& by);
  Outcome<Done> talk_to_the_end(const net::LocalPeer& by);
  void upgrade(const net::LocalPeer& by, net::Talk client);
  std::string run_anew(const net::Talk& client);
  std::string own_failure();
  bool stops();

  User& user_;
  const std::string socket_;
  bool can_upgrade_ = false;
  std::atomic<State> state_{State::kNone};
  std::atomic<std::uint64_t> failures_{0};
  std::mutex mutex_;  // of the next three
  bool ends_ = false;
  std::string own_failure_;  // why the process that this one started has failed, as that one says
  std::optional<net::Talk> talk_;
  std::thread thread_;  // of the last take-over
  std::thread upgrade_;
  std::atomic<bool> upgrades_{false};
  std::atomic<std::int32_t> own_{0};  // the process that this one has started
};

}  // namespace entente
