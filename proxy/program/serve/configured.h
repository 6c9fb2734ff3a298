// Makes what a Service serves from the routes and arenas of a checked configuration.
#pragma once

#include <string>

#include "proxy/core/arena/arena.h"
#include "proxy/program/serve/service.h"
#include "proxy/program/settings/route.h"

namespace entente {

/// A route of the configuration, made ready.
struct ConfiguredRoute {
  ListenEnd listen;
  RouteServers to;
  RouteKind kind = RouteKind::kRelay;
  Service::NewRoute made;  ///< without a tap
};

/// Reads certificates. `record_secrets`: as recording.secrets. REQUIRES: checked.
Outcome<ConfiguredRoute> configured(const config::Route& route, bool record_secrets);

/// How players of bridges join this arena.
relay::BridgeOptions::ArenaPlace place_in(const std::string& arena);

/// An arena of the configuration, made ready.
struct ConfiguredArena {
  core::Arena place;
  relay::SharedRoomOptions room;  ///< its back is a referee in that place
};

/// Reads the recording that the arena begins with. `tap` is its tap.
Outcome<ConfiguredArena> configured(const config::Arena& arena, bool record_secrets, relay::TapThread* tap);

/// Logs how a route's dialects were chosen.
void log_dialects(const config::Route& settings, const ConfiguredRoute& route);

}  // namespace entente
