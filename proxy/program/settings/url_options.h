// The options after the '?' of an endpoint's URL. One table lists each option with its role, games, uses, values and
// effect; parsing, error messages and help read it. The settings that a game adds for its front or back are in
// core::Faces.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "proxy/core/faces.h"
#include "proxy/program/settings/endpoint.h"
#include "proxy/program/settings/route.h"

namespace entente {

/// What a listener does with its clients.
enum class ListenerKind : std::uint8_t { kRelay = 1, kBridge = 2, kRoom = 4 };

struct UrlOption {
  const char* name;
  std::optional<EndpointRole> role;  ///< the URL that may have it; none: both
  bool (*fits)(const wire::Game&);   ///< whether the game has it; the game's transport is the URL's
  core::Setting::Values values;      ///< the allowed values
  bool many;                         ///< may be repeated
  const char* about;                 ///< help text: what "&name=…" does; empty: documented elsewhere
  Outcome<Done> (*set)(std::string_view value, Endpoint& to);
  unsigned kinds;                     ///< sum of ListenerKind: the kinds that it affects
  bool (*is_used)(const ListenEnd&);  ///< whether a listener has a value that is only for `kinds`; null: never
  const char* shown;                  ///< that value, for the error message: "mode=datagrams"
};

/// All options, in the order in which they are listed.
std::span<const UrlOption> url_options();

/// The option with this name, if the game has it; otherwise null.
const UrlOption* find_url_option(std::string_view name, const wire::Game& game);

/// Whether URLs of this role may have the option. No `role`: the role is not known.
bool belongs(const UrlOption& option, std::optional<EndpointRole> role);

/// The error if the listener has an option that is not for this use.
std::optional<Error> misplaced_option(const ListenEnd& listen, ListenerKind kind);

/// The help for the options of this role, each on a line of its own: "\n&strict=yes: …\n&mode=datagrams …"
std::string help_of_url_options(EndpointRole role);

}  // namespace entente
