// What a first look at a recorded file finds: whether anybody is in it, and what they speak, told from their first
// bytes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/program/import/import.h"

namespace entente {

struct Speech {
  const wire::Game* game = nullptr;
  std::size_t dialect = 0;  ///< index into game->dialects()
};

/// Reads a file into a sink, as far as the sink wants it.
using ImportFile = std::function<Outcome<Done>(ImportSink&)>;

/// Games that can be told from others.
std::vector<const wire::Game*> games_that_show();

struct FirstLook {
  bool anybody = false;                   ///< a connection
  std::optional<Speech> speech;           ///< of the first connection that shows it
  std::map<std::string, Speech> servers;  ///< of each server that shows it, if the file tells them apart
  std::optional<Error> wrong;             ///< with the file, as far as was looked
  std::vector<std::string> notes;         ///< what was remarked while there was nobody
};

/// Reads until somebody speaks one of these games, and all of it if there may be other servers. None: until there is
/// anybody.
FirstLook first_look(std::vector<const wire::Game*> games, const ImportFile& read);

}  // namespace entente
