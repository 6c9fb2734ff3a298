// Players that nobody sits at, on a server that entente has a back for: what `bot` and `record` have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "proxy/program/config/endpoint.h"
#include "proxy/program/serve/bot_crowd.h"
#include "proxy/relay/tap/tap.h"
#include "schema/config.pb.h"

namespace entente {

struct Play {
  Endpoint to;
  std::uint32_t count = 1;
  std::uint32_t seconds = 0;  ///< they leave after so long; 0: when stopped, or none is left
  bool reconnect = false;     ///< as in BotCrowd::Options
  core::BotOptions each;
  std::string record;  ///< as in recording_path; empty: nothing is recorded
};

struct Played {
  BotCrowd::Sum sum;
  relay::TapTotals taped;
};

/// Told each second, on a thread of its own: how many have passed, and what the tap has seen.
using EachSecond = std::function<void(std::uint32_t, const relay::TapTotals&)>;

/// Plays until all that was asked for is over, or a signal comes. An error: it could not begin, or the recording could
/// not be made whole.
Outcome<Played> play(const Play& play, const config::Config& config, const EachSecond& each_second = {});

/// Why nobody can play there; nothing if somebody can.
std::optional<Error> objection_to_playing(const Endpoint& to);

}  // namespace entente
