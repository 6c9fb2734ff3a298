// Sends the events of one hook to its receiver, one after another: by HTTP, or by running a command.
// Invariant: lives on the thread of hooks. Events are sent in order. An event stays in its queue until the receiver has
// taken it, or it is given up. A receiver that fails is left alone for longer and longer.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "proxy/net/names/host_names.h"
#include "proxy/net/process/child_process.h"
#include "proxy/net/web/http_client.h"
#include "proxy/program/hooks/hook_line.h"

namespace entente {

/// How often receivers that fail are tried again.
struct HookPatience {
  Millis first = 1'000;    ///< after the first failure; twice as long after each further one, less up to a half
  Millis most = 60'000;    ///< but not longer than this
  Millis asked = 300'000;  ///< the longest time that a receiver may ask for (Retry-After)
  Millis at_end = 5'000;   ///< for all that waits when the program stops
};

class HookRunner final : private net::HttpClient::User, private net::ChildProcess::User {
 public:
  static constexpr Millis kNever = std::numeric_limits<Millis>::max();

  class Owner {
   public:
    virtual ~Owner() = default;
    /// Whether one more command may run.
    virtual bool may_run() = 0;
    /// Something has ended: look() soon.
    virtual void ended() = 0;
  };

  /// All of them outlive it.
  HookRunner(std::shared_ptr<HookLine> line, const HookPatience& patience, net::Loop& loop, net::HttpClient& client,
             net::HostNames& names, Owner& owner);

  HookLine& line() const { return *line_; }
  /// Does what is due. Returns when to call it again at the latest.
  Millis look(Millis now);
  /// The program stops: what waits is sent without pauses, until a try fails.
  void hurry() { hurries_ = true; }
  /// Nothing is left to be done.
  bool is_idle() const { return !is_busy() && line_->front().event == nullptr; }
  bool runs_command() const { return child_.runs(); }

 private:
  enum class Result : std::uint8_t { kDelivered, kRetry, kRefused };

  bool is_busy() const { return request_ != nullptr || child_.runs(); }
  void begin(Millis now);
  bool finds_addresses(Millis now);
  void send();
  void run(Millis now);
  void answered(const net::HttpOutcome& outcome) override;
  void exited(net::ChildProcess& child, std::int64_t code, int signal) override;
  void end(Result result, const std::string& error, std::optional<Millis> rest = {});
  void give_up(Millis now, const std::string& error);
  Millis backoff();
  HookView view();

  const std::shared_ptr<HookLine> line_;
  const HookPatience patience_;
  net::HttpClient& client_;
  Owner& owner_;
  std::shared_ptr<net::HostNames::Host> host_;  // null: the URL has an address
  std::unique_ptr<net::HttpClient::Request> request_;
  net::ChildProcess child_;
  HookLine::Waiting current_;    // what is being sent
  std::uint64_t told_lost_ = 0;  // by it
  unsigned failures_ = 0;        // in a row
  Millis due_ = 0;               // not to be tried before
  Millis ends_ = 0;              // of the command that runs
  Millis told_at_ = 0;           // when the log was told of events that were given up
  std::uint64_t untold_ = 0;     // events that were given up since
  bool hurries_ = false;
  std::minstd_rand dice_;
};

}  // namespace entente
