// An endpoint as a person writes it: bzflag://127.0.0.1:5154?dialect=2.4
// Law: what is not understood is an error that says what could have been meant; nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"

namespace entente {

struct Endpoint {
  const wire::Game* game = nullptr;
  std::optional<std::size_t> dialect;  ///< index into game->dialects(); none if the URL names none
  std::string host;                    ///< an address or a name, without the brackets of IPv6
  std::uint16_t port = 0;              ///< the game's own if the URL names none
};

/// What `url` says, in terms of the games in `known`.
Outcome<Endpoint> parse_endpoint(std::string_view url, std::span<const wire::Game* const> known);

}  // namespace entente
