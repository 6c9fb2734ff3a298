// A game is known to the program by its one line here; nothing registers itself.
#include "adapters/registry.h"

#include <array>

#include "adapters/aos/aos.h"
#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/ogar/ogar.h"
#include "adapters/panic/panic.h"

namespace entente {

std::span<const wire::Game* const> games() {
  static const std::array all{
      &aos::game(), &bzdraft::game(), &bzflag::game(), &ogar::game(), &panic::game(),
  };
  return all;
}

const wire::Game* find_game(std::string_view name) {
  for (const wire::Game* game : games())
    if (game->name() == name) return game;
  return nullptr;
}

}  // namespace entente
