// What may stand behind the '?' of a route's URL, for all games: each option once, with whose URL it belongs to, which
// games and which routes it is for, what it may be and what it does. Parsing, refusals and help read this table. What a
// game adds for its front or back is in its faces (core::Faces).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "proxy/core/faces.h"
#include "proxy/program/config/endpoint.h"
#include "proxy/program/config/route.h"

namespace entente {

/// What becomes of those who come to a listener.
enum class Use : std::uint8_t { kRelay = 1, kBridge = 2, kRoom = 4 };

struct UrlOption {
  const char* name;
  std::optional<Side> side;         ///< whose URL has it; none: either
  bool (*fits)(const wire::Game&);  ///< whether such a game has it; its transport is that of the URL
  core::Setting::Values values;     ///< what it may be, as a game's setting
  bool many;                        ///< may be repeated
  const char* about;                ///< for help: what "&name=…" does; empty: said elsewhere
  Outcome<Done> (*set)(std::string_view value, Endpoint& to);
  unsigned uses;                      ///< sum of Use: where it does something
  bool (*is_used)(const ListenEnd&);  ///< whether a listener has it so that only these may; null: never
  const char* shown;                  ///< what it then looks like
};

/// All of them, in the order in which they are listed.
std::span<const UrlOption> url_options();

/// The one of that name that such a game has. Null: none.
const UrlOption* find_url_option(std::string_view name, const wire::Game& game);

/// Whether the URL of that side has it. `side`: none, if it is not known which it is.
bool belongs(const UrlOption& option, std::optional<Side> side);

/// An option of this listener that is not for such a use.
std::optional<Error> misplaced_option(const ListenEnd& listen, Use use);

/// What the options of that side's URL do: "&strict=yes …; &mode=datagrams …"
std::string help_of_url_options(Side side);

}  // namespace entente
