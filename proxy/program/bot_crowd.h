// The bots of one command, and what became of each. Law: a bot plays on a worker's thread; what it lived through is
// told to the crowd once, when it is gone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "proxy/core/bot.h"

namespace entente {

class BotCrowd {
 public:
  BotCrowd(std::uint32_t count, const core::BotOptions& each) : expected_(count), each_(each) {}

  /// The next one; it must be gone before the crowd is. From any thread.
  std::unique_ptr<core::Front> next();

  /// At most so long: true when the last one is gone, or nobody waits any longer.
  bool wait(std::chrono::milliseconds most);
  /// From any thread: nobody waits any longer.
  void give_up();

  struct Sum {
    std::uint32_t came = 0;    ///< bots that were let in
    std::uint32_t turned = 0;  ///< refused or kicked
    std::uint64_t spawns = 0, deaths = 0, kills = 0, shots = 0;
    std::string refused;  ///< by which words, of one of them
  };
  /// Of those that are gone.
  Sum sum() const;

 private:
  class Member;
  void gone(const core::BotTally& tally);

  const std::uint32_t expected_;
  const core::BotOptions each_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t made_ = 0, gone_ = 0;
  bool given_up_ = false;
  Sum sum_;
};

}  // namespace entente
