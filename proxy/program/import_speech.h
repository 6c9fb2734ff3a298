// Which game and dialect a recorded file is in: what the person said, what the file says, or what its first bytes show.
#pragma once

#include <optional>
#include <string>

#include "adapters/wire/game.h"
#include "proxy/program/import.h"

namespace entente {

struct Speech {
  const wire::Game* game = nullptr;
  std::size_t dialect = 0;  ///< index into game->dialects()
};

/// What a person asked for: "" = find out.
struct AskedSpeech {
  std::string game;
  std::string dialect;
};

/// How a file is to be read: the speech of connections of which the file itself says none.
struct FileSpeech {
  std::optional<Speech> speech;  ///< none: nothing in the file shows it, and nobody said
  bool says_games = false;       ///< it is a recording: each of its connections says what it speaks
  bool guessed_dialect = false;  ///< the game's documented default, because nothing shows which it is
};

/// Fails for names that we do not know, with what was meant.
Outcome<Done> check(const AskedSpeech& asked);

/// Reads as much of the file as it takes. REQUIRES: check(asked).
Outcome<FileSpeech> find_speech(const std::string& path, std::uint16_t port, const AskedSpeech& asked);

/// What one connection speaks: as asked, else as the file says of it, else `file`'s. REQUIRES: check(asked).
std::optional<Speech> speech_of(const ImportedConnection& connection, const AskedSpeech& asked, const FileSpeech& file);

/// import_file, with the transport of `file`'s game taken apart too.
Outcome<Done> import_messages(const std::string& path, std::uint16_t port, const FileSpeech& file, ImportSink& sink);

}  // namespace entente
