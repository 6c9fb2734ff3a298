#include "proxy/program/import_speech.h"

#include <map>
#include <vector>

#include "adapters/registry.h"
#include "proxy/program/import_enet.h"
#include "proxy/program/suggest.h"

namespace entente {
namespace {

using wire::Detected, wire::Game, wire::Way;

constexpr std::size_t kListened = 4096;      // bytes of each direction that are looked at
constexpr std::size_t kMostListenedTo = 64;  // connections

std::vector<std::string_view> game_names() {
  std::vector<std::string_view> names;
  for (const Game* game : games()) names.push_back(game->name());
  return names;
}

std::vector<std::string_view> dialect_names(const Game& game) {
  std::vector<std::string_view> names;
  for (const auto& dialect : game.dialects()) names.push_back(dialect.name);
  return names;
}

/// Games that can be told from others: those that find a dialect in no bytes at all have only one, and do not look.
std::vector<const Game*> games_that_show() {
  std::vector<const Game*> all;
  for (const Game* game : games())
    if (game->detect({}).state != Detected::State::kFound) all.push_back(game);
  return all;
}

/// Listens to the first bytes of each connection until one shows what it speaks.
class Listener final : public ImportSink {
 public:
  explicit Listener(std::vector<const Game*> candidates) : candidates_(std::move(candidates)) {}

  std::optional<Speech> found;

  void opened(ConnectionId, const ImportedConnection& connection, WallTime) override {
    const Game* game = find_game(connection.game);
    if (game == nullptr || found) return;
    if (const auto dialect = find_dialect(*game, connection.dialect)) found = Speech{game, *dialect};
  }
  void bytes(const Imported& piece) override {
    if (found || piece.lane != wire::Lane::kStream) return;
    Heard* heard = heard_of(piece.connection);
    if (heard == nullptr) return;
    if (piece.way == Way::kToServer && !std::exchange(heard->client_spoke, true)) ask_client(piece.bytes);
    if (piece.way != Way::kToClient || heard->said.size() >= kListened) return;
    append(heard->said, piece.bytes);
    ask_server(heard->said);
  }
  void lost(ConnectionId, Way, std::uint64_t, WallTime) override {}
  void ended(ConnectionId, const ImportedEnd&) override {}
  void gone(ConnectionId) override {}
  void remark(std::string_view) override {}
  bool enough() const override { return found.has_value(); }

 private:
  struct Heard {
    Buffer said;  // by the server
    bool client_spoke = false;
  };

  Heard* heard_of(ConnectionId id) {
    if (heard_.size() >= kMostListenedTo && !heard_.contains(id)) return nullptr;
    return &heard_[id];
  }
  void ask_client(Bytes first) {
    for (const Game* game : candidates_)
      if (const auto dialect = game->named_by_client(first)) found = Speech{game, *dialect};
  }
  void ask_server(Bytes said) {
    for (const Game* game : candidates_) {
      const Detected detected = game->detect(said);
      if (detected.state == Detected::State::kFound) found = Speech{game, detected.dialect};
    }
  }

  std::vector<const Game*> candidates_;
  std::map<ConnectionId, Heard> heard_;
};

}  // namespace

Outcome<Done> check(const AskedSpeech& asked) {
  if (asked.game.empty()) {
    if (asked.dialect.empty()) return Done{};
    return Error{"--dialect " + asked.dialect + " needs --game: dialects of different games may have one name"};
  }
  const Game* game = find_game(asked.game);
  const auto names = game_names();
  if (game == nullptr)
    return Error{"no game '" + asked.game + "'" + did_you_mean(asked.game, names) + "; there are " + joined(names)};
  if (asked.dialect.empty() || find_dialect(*game, asked.dialect)) return Done{};
  const auto dialects = dialect_names(*game);
  return Error{"no dialect '" + asked.dialect + "' of " + asked.game + did_you_mean(asked.dialect, dialects) +
               "; there are " + joined(dialects)};
}

Outcome<FileSpeech> find_speech(const std::string& path, std::uint16_t port, const AskedSpeech& asked) {
  const auto format = import_format(path);
  if (!format) return format.error();
  const Game* game = asked.game.empty() ? nullptr : find_game(asked.game);
  if (game != nullptr && !asked.dialect.empty()) return FileSpeech{Speech{game, *find_dialect(*game, asked.dialect)}};
  Listener listener(game != nullptr ? std::vector<const Game*>{game} : games_that_show());
  FileSpeech file;
  file.says_games = *format == ImportFormat::kMcap;
  if (game != nullptr) file.speech = Speech{game, 0};
  const auto read = import_messages(path, port, file, listener);
  if (listener.found && (game == nullptr || listener.found->game == game))
    file.speech = listener.found;
  else
    file.guessed_dialect = game != nullptr;
  // Otherwise what is wrong within the file is told by whoever reads it next.
  if (!read && !file.speech && !file.says_games) return read.error();
  return file;
}

std::optional<Speech> speech_of(const ImportedConnection& connection, const AskedSpeech& asked,
                                const FileSpeech& file) {
  const Game* said = find_game(connection.game);
  if (!asked.game.empty() || said == nullptr) return file.speech;
  if (const auto dialect = find_dialect(*said, connection.dialect)) return Speech{said, *dialect};
  const bool same_game = file.speech && file.speech->game == said;
  return Speech{said, same_game ? file.speech->dialect : 0};
}

Outcome<Done> import_messages(const std::string& path, std::uint16_t port, const FileSpeech& file, ImportSink& sink) {
  const ImportOptions options{port, file.speech ? file.speech->game->default_port() : std::uint16_t{0}};
  if (!file.speech || file.speech->game->transport() != wire::Transport::kEnet) return import_file(path, options, sink);
  EnetImport packets(sink);
  return import_file(path, options, packets);
}

}  // namespace entente
