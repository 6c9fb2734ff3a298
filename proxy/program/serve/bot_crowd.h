// The bots of one command, and what became of each.
// Invariant: a bot plays on a worker's thread; its results are reported once, when it is gone. A bot that reconnects is
// the same bot, with its number and name.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "proxy/core/bot/bot.h"

namespace entente {

class BotCrowd {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    std::uint32_t count = 1;
    core::BotOptions each = {};
    /// Makes a bot. `number`: from 0. Null: a core::Bot.
    std::function<std::unique_ptr<core::BotFront>(std::uint32_t number, const core::BotOptions&)> make = {};
    bool reconnect = false;  ///< a bot that was refused, kicked or disconnected joins again
    /// Called when a bot will reconnect: "bot 2 was kicked: be nice; it reconnects in 4 s". On any thread.
    std::function<void(const std::string&)> said = {};
    /// Formats the reason why a bot was refused or kicked.
    std::function<std::string(const std::string&)> plain = [](const std::string& why) { return why; };
    std::function<Clock::time_point()> now = &Clock::now;  ///< from any thread
  };

  explicit BotCrowd(Options options);

  /// The next bot; it must be gone before the crowd is. From any thread.
  std::unique_ptr<core::Front> next();

  /// How many bots must reconnect now. The caller must seat that many; each bot is counted once.
  std::uint32_t take_due();

  /// Waits up to a time. True when the last bot has gone for good, or waiting was ended.
  bool wait(std::chrono::milliseconds most);
  /// From any thread: ends waiting, and no bot reconnects.
  void give_up();

  /// Why a bot did not leave by itself, or was not let in, and how many others had the same reason.
  struct BotFailure {
    std::uint32_t bot = 0;  ///< from 1
    std::string what;  ///< "could not join: why", "was kicked: why", "lost its connection: why", "was stopped before …"
    std::uint32_t more = 0;
  };
  static constexpr std::size_t kMostFailures = 8;

  struct Sum {
    std::uint32_t came = 0;        ///< bots that were admitted, each counted once
    std::uint32_t turned = 0;      ///< number of refusals and kicks
    std::uint32_t lost = 0;        ///< number of connections lost
    std::uint32_t reconnects = 0;  ///< number of reconnections
    std::uint64_t spawns = 0, deaths = 0, kills = 0, shots = 0;
    std::string refused;               ///< why the last was refused or kicked
    std::vector<BotFailure> failures;  ///< the first kMostFailures that differ
  };
  /// The results of the bots that are gone.
  Sum sum() const;

  /// The delay before a bot reconnects, by the number of tries in a row that did not last: 1 s, doubled each time up
  /// to 60 s.
  static std::chrono::seconds pause_after(std::uint32_t tries);
  /// A bot that has played this long starts with the shortest delay again.
  static constexpr std::chrono::seconds kLasting{60};

 private:
  class Member;
  struct Bot {
    bool came = false;        // at least once
    std::uint32_t tries = 0;  // in a row that did not last
    Clock::time_point since, again;
  };
  void gone(std::uint32_t number, const core::BotTally& tally, const std::string& parted);
  void complain(std::uint32_t number, const std::string& what);
  std::string come_again(std::uint32_t number);

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Bot> bots_;  // by number, from 0
  std::uint32_t made_ = 0, gone_ = 0;
  std::vector<std::uint32_t> away_;   // numbers of the bots that wait to reconnect
  std::deque<std::uint32_t> called_;  // bots that reconnect now; next() returns them first
  bool given_up_ = false;
  Sum sum_;
};

}  // namespace entente
