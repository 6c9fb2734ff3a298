// Carries commands to the sessions of all workers of a ProxyServer, and collects their reports, for a thread that is
// not a worker.
// Invariant: the caller waits until each worker has answered or is gone. Workers never wait.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/relay/base/lab_fault.h"
#include "proxy/relay/base/link_info.h"
#include "proxy/relay/base/move_order.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay {

/// Whether the operator's message was sent to a player, and if not, why.
enum class AnnounceResult : std::uint8_t {
  kYes,
  kNotAsked,
  kNotIn,   ///< the player has not entered yet
  kNoChat,  ///< the game has no chat
  kOff,     ///< in a relay, and Route::announce is off
  kSlow,    ///< in a relay: too much waits for the client already
  kCannot,  ///< a relay of a game or of datagrams that cannot insert messages
};

/// Why the message was not sent, such as "the game has no chat".
const char* why_not(AnnounceResult result);

/// The state of a session.
struct SessionReport {
  std::size_t route = 0;  ///< as ProxyServer::add numbered it
  LinkInfo info;
  Millis age = 0;           ///< since it was accepted
  std::uint64_t bytes = 0;  ///< of messages, both ways
  net::Address source;      ///< the address that the server sees, if it is not ours; else a wildcard
  std::string player;       ///< the name in its room; "" if there is no room, as in a relay: a tap may know it
  std::string arena = {};   ///< the arena in which a bridge's player plays now; "": none
  std::optional<std::size_t> moved_to = {};         ///< the route to whose server or arena the player was moved
  AnnounceResult told = AnnounceResult::kNotAsked;  ///< of SessionCommand::Action::kSay
  std::optional<LabReport> lab = {};                ///< what the lab of its route did to it; nothing: it was in none
};

class Inquiry {
 public:
  /// One worker's part of the answer. It is complete when it is destroyed.
  class Part {
   public:
    explicit Part(Inquiry& of) : of_(&of) { of.open(); }
    Part(Part&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    Part& operator=(Part&&) = delete;
    ~Part() {
      if (of_ != nullptr) of_->close();
    }
    void found(SessionReport report) { of_->found(std::move(report)); }

   private:
    Inquiry* of_;
  };

  /// Waits for all parts, and returns what they found. REQUIRES: all parts were made.
  std::vector<SessionReport> wait() {
    std::unique_lock lock(mutex_);
    closed_.wait(lock, [this] { return parts_ == 0; });
    return std::move(found_);
  }

 private:
  void open() {
    const std::lock_guard lock(mutex_);
    ++parts_;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    --parts_;
    closed_.notify_all();  // under the lock, because wait() may return, and destroy us, as soon as it is free
  }
  void found(SessionReport report) {
    const std::lock_guard lock(mutex_);
    found_.push_back(std::move(report));
  }

  std::mutex mutex_;
  std::condition_variable closed_;
  std::size_t parts_ = 0;
  std::vector<SessionReport> found_;
};

/// Which sessions are meant: all, none, or these; and what is to be done to them.
struct SessionCommand {
  enum class Action : std::uint8_t { kNothing, kKick, kBan, kEndDrained, kLeaveServer, kSay, kMove, kRefer };

  bool means(LinkId its_link, std::size_t its_route) const {
    return (!link || *link == its_link) && (!route || *route == its_route);
  }

  bool none = false;
  std::optional<LinkId> link = {};
  std::optional<std::size_t> route = {};
  Action action = Action::kNothing;
  std::string text = {};                 ///< for the players
  std::shared_ptr<MoveOrder> move = {};  ///< of kMove
  std::string server = {};               ///< of kLeaveServer
};

/// Why a command of this kind ends the sessions that it means; nothing: it does not, or not all of them.
constexpr std::optional<Reason> reason_to_end(SessionCommand::Action action) {
  switch (action) {
    case SessionCommand::Action::kKick:
      return Reason::kKicked;
    case SessionCommand::Action::kBan:
      return Reason::kBannedNow;
    case SessionCommand::Action::kRefer:
      return Reason::kReferred;
    case SessionCommand::Action::kEndDrained:
      return Reason::kDrained;
    default:
      return std::nullopt;
  }
}

/// Carries out a command to the sessions of a map by link, and reports them. They have `report()`, `listed()`,
/// `send_away(reason, why)`, `end_drained(why)`, `leave_server(server, why)`, `say(text)` and `move(order)`. A session
/// that is not on the server of kLeaveServer is not reported. A session that is not listed is left out: a health
/// check, or one that has ended and only waits for its links to close.
template <class Sessions>
void carry_out(const SessionCommand& command, Inquiry::Part& part, Sessions& sessions) {
  if (command.none) return;
  for (auto& [link, session] : sessions) {
    if (!session->listed()) continue;
    SessionReport report = session->report();
    if (!command.means(link, report.route)) continue;
    const auto why = reason_to_end(command.action);
    if (why && is_sent_away(*why)) session->send_away(*why, command.text);
    if (why == Reason::kDrained) session->end_drained(command.text);
    if (command.action == SessionCommand::Action::kLeaveServer && !session->leave_server(command.server, command.text))
      continue;
    if (command.action == SessionCommand::Action::kMove) session->move(command.move);
    if (command.action == SessionCommand::Action::kSay) report.told = session->say(command.text);
    part.found(std::move(report));
  }
}

}  // namespace entente::relay
