// The first look at a recorded file: whether it has connections, and which game and dialect they speak, by their
// first bytes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/program/import/import.h"

namespace entente {

struct GameDialect {
  const wire::Game* game = nullptr;
  std::size_t dialect = 0;  ///< index into game->dialects()
};

/// Reads a file into a sink, as far as the sink wants.
using ImportFile = std::function<Outcome<Done>(ImportSink&)>;

/// Games that can be distinguished by their bytes.
std::vector<const wire::Game*> games_that_show();

struct DetectedDialects {
  bool anybody = false;                        ///< there is a connection
  std::optional<GameDialect> game_dialect;     ///< of the first connection that shows one
  std::map<std::string, GameDialect> servers;  ///< of each server that shows one, if the file distinguishes servers
  std::optional<Error> wrong;                  ///< an error in the part that was read
  std::vector<std::string> notes;              ///< remarks before the first connection
};

/// Reads until a connection speaks one of these games, or the whole file if there may be other servers. None: until
/// there is a connection.
DetectedDialects detect_dialects(std::vector<const wire::Game*> games, const ImportFile& read);

}  // namespace entente
