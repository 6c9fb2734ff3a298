// Bots on a server: shared by `bot` and `record`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "proxy/program/serve/bot_crowd.h"
#include "proxy/program/settings/endpoint.h"
#include "proxy/relay/tap/tap.h"
#include "schema/config.pb.h"

namespace entente {

struct BotRun {
  Endpoint to;
  std::uint32_t count = 1;
  std::uint32_t seconds = 0;  ///< time after which they leave; 0: when stopped, or none is left
  bool reconnect = false;     ///< as in BotCrowd::Options
  core::BotOptions each;
  std::string record = {};                      ///< as in recording_path; empty: no recording
  decltype(BotCrowd::Options::make) make = {};  ///< as there
};

struct BotRunResult {
  BotCrowd::Sum sum;
  relay::TapTotals tap;
  std::optional<Error> lacks;  ///< set if the recording lacks something
};

/// Called each second, on a thread of its own: the seconds so far, and what the tap has seen.
using EachSecond = std::function<void(std::uint32_t, const relay::TapTotals&)>;

/// Plays until the request is completed, or a signal comes. An error: it could not start, or the recording could not
/// be completed.
Outcome<BotRunResult> play(const BotRun& run, const config::Config& config, const EachSecond& each_second = {});

/// Limits::ready_ms of bots, in milliseconds: no player waits for them. It is longer than fronts wait for a late map
/// (core::WorldWait), so that a server which is another Entente says first why nobody can join.
inline constexpr std::uint32_t kServerPatience = 90'000;

}  // namespace entente
