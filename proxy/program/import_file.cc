#include "proxy/program/import_file.h"

#include <vector>

#include "adapters/registry.h"
#include "proxy/program/import_enet.h"
#include "proxy/program/import_websocket.h"
#include "proxy/program/suggest.h"

namespace entente {
namespace {

using wire::Game;

Error unknown(const char* what, const std::string& name, std::span<const std::string_view> known) {
  return {std::string("no ") + what + " '" + name + "'" + did_you_mean(name, known) + "; there are " + joined(known)};
}

Outcome<Done> check(const FileOptions& asked) {
  if (asked.game.empty() && asked.dialect.empty()) return Done{};
  if (asked.game.empty()) return Error{"--dialect needs --game: dialects of different games may have one name"};
  std::vector<std::string_view> names;
  for (const Game* game : games()) names.push_back(game->name());
  const Game* game = find_game(asked.game);
  if (game == nullptr) return unknown("game", asked.game, names);
  if (asked.dialect.empty() || find_dialect(*game, asked.dialect)) return Done{};
  std::vector<std::string_view> dialects;
  for (const auto& dialect : game->dialects()) dialects.push_back(dialect.name);
  return unknown("dialect", asked.dialect, dialects);
}

}  // namespace

void declare_file(CLI::App& app, FileOptions& options) {
  app.add_option("FILE", options.file, "A recording (MCAP, or a bzfs's .rec), a packet capture (pcap) or JSON lines")
      ->required();
  app.add_option("--game", options.game, "Its game; default: what the file says or shows");
  app.add_option("--dialect", options.dialect, "Its dialect; default likewise");
  app.add_option("--port", options.port, "The server's port in a packet capture; default: where clients connected to");
}

Expected<RecordedFile, int> RecordedFile::open(const FileOptions& options, std::string_view command,
                                               std::ostream& err) {
  const auto misuse = [&](const Error& error) {
    err << command << ": " << error.text << "\nRun `" << command << " --help` for what it takes.\n";
    return int{kUsage};
  };
  if (const auto right = check(options); !right) return misuse(right.error());
  const auto format = import_format(options.file);
  if (!format) {
    err << command << ": " << format.error().text << '\n';
    return int{kFailed};
  }
  RecordedFile file(options, *format);
  if (const auto settled = file.settle(err); !settled) return misuse(settled.error());
  return file;
}

Outcome<Done> RecordedFile::settle(std::ostream& err) {
  const Game* game = find_game(options_.game);
  if (game != nullptr) speech_ = Speech{game, find_dialect(*game, options_.dialect).value_or(0)};
  if (!options_.dialect.empty()) return Done{};
  const auto shown = shown_speech(game, [this](ImportSink& sink) { return read(sink); });
  if (shown && (game == nullptr || shown->game == game))
    speech_ = shown;
  else if (game != nullptr)
    err << options_.file << ": nothing in it shows the dialect; read as " << game->dialects()[0].name
        << " (--dialect says otherwise)\n";
  else if (format_ != ImportFormat::kMcap)
    return Error{options_.file + ": nothing in it shows which game it is; say --game and --dialect"};
  return Done{};
}

Outcome<Done> RecordedFile::read(ImportSink& sink) const {
  const Game* game = speech_ ? speech_->game : nullptr;
  const ImportOptions options{options_.port, game != nullptr ? game->default_port() : std::uint16_t{0}};
  // Recordings and JSON lines hold messages already.
  const bool packed = format_ == ImportFormat::kPcap && game != nullptr;
  if (packed && game->transport() == wire::Transport::kEnet) {
    EnetImport packets(sink);
    return import_file(options_.file, options, packets);
  }
  if (packed && game->transport() == wire::Transport::kWebSocket) {
    WebSocketImport messages(sink);
    return import_file(options_.file, options, messages);
  }
  return import_file(options_.file, options, sink);
}

std::optional<Speech> RecordedFile::speech_of(const ImportedConnection& connection) const {
  const Game* said = find_game(connection.game);
  if (!options_.game.empty() || connection.game.empty()) return speech_;
  if (said == nullptr) return std::nullopt;
  if (const auto dialect = find_dialect(*said, connection.dialect)) return Speech{said, *dialect};
  const bool same_game = speech_ && speech_->game == said;
  return Speech{said, same_game ? speech_->dialect : 0};
}

Speech as_named(const Speech& speech, Bytes first) {
  return {speech.game, speech.game->named_by_client(first).value_or(speech.dialect)};
}

wire::Codec& Codecs::of(const Speech& speech) {
  auto& codec = codecs_[{speech.game, speech.dialect}];
  if (!codec) codec = speech.game->codec(speech.dialect);
  return *codec;
}

}  // namespace entente
