#include "proxy/program/import/file.h"

#include <vector>

#include "adapters/registry.h"
#include "adapters/wire/print.h"
#include "proxy/net/enet/enet_wire.h"
#include "proxy/program/import/enet.h"
#include "proxy/program/import/websocket.h"
#include "proxy/program/screen_text.h"
#include "proxy/program/suggest.h"

namespace entente {
namespace {

using wire::Game;

Error unknown(const char* what, const std::string& name, std::span<const std::string_view> known) {
  return {std::string("no ") + what + " '" + name + "'" + did_you_mean(name, known) + "; known: " + joined(known)};
}

Error unknown_dialect(const Game& game, const std::string& name) {
  std::vector<std::string_view> known;
  for (const auto& dialect : game.dialects()) known.push_back(dialect.name);
  return unknown((std::string(game.name()) + " dialect").c_str(), name, known);
}

Outcome<Done> check(const FileOptions& asked) {
  if (asked.game.empty()) return Done{};  // whose dialect it is, the file shows
  std::vector<std::string_view> names;
  for (const Game* game : games()) names.push_back(game->name());
  const Game* game = find_game(asked.game);
  if (game == nullptr) return unknown("game", asked.game, names);
  if (asked.dialect.empty() || find_dialect(*game, asked.dialect)) return Done{};
  return unknown_dialect(*game, asked.dialect);
}

void say(std::ostream& err, std::string_view note) {
  std::string line;
  wire::escape(note, line);
  err << line << '\n';
}

}  // namespace

void declare_file(CLI::App& app, FileOptions& options) {
  app.add_option("FILE", options.file, "Recording (MCAP, or .rec of bzfs), packet capture (pcap) or JSON lines")
      ->required();
  app.add_option("--game", options.game, "Game of the file (default: detected)");
  app.add_option("--dialect", options.dialect, "Dialect of the file (default: detected)");
  app.add_option("--port", options.port,
                 "Port of the server in a packet capture (default: the port that clients connected to)")
      ->check(CLI::Range(1, 65535));
}

Expected<RecordedFile, int> RecordedFile::open(const FileOptions& options, std::string_view command,
                                               std::ostream& err) {
  const auto refused = [&](int exit, const std::string& why) {
    err << command << ": " << screen_text(why) << '\n';
    if (exit == kUsage) err << "Run `" << command << " --help` for usage.\n";
    return exit;
  };
  if (const auto right = check(options); !right) return refused(kUsage, right.error().text);
  const auto format = import_format(options.file);
  if (!format) return refused(kFailed, format.error().text);
  RecordedFile file(options, *format);
  if (const auto refusal = file.settle(err)) return refused(refusal->exit, refusal->why);
  return file;
}

std::optional<RecordedFile::Refusal> RecordedFile::settle(std::ostream& err) {
  const Game* game = find_game(options_.game);
  if (game != nullptr) speech_ = Speech{game, find_dialect(*game, options_.dialect).value_or(0)};
  const bool told = game != nullptr && !options_.dialect.empty();
  std::vector<const Game*> candidates;
  if (!told) candidates = game != nullptr ? std::vector{game} : games_that_show();
  const ImportFile reads = [this](ImportSink& sink) { return read(sink); };
  FirstLook look = first_look(std::move(candidates), reads);
  if (game == nullptr && !look.speech && format_ == ImportFormat::kPcap) look_closer(look, reads);
  if (auto refusal = check_look(look, err)) return refusal;
  if (told) return std::nullopt;
  if (options_.dialect.empty()) servers_ = std::move(look.servers);
  if (look.speech && (game == nullptr || look.speech->game == game))
    speech_ = look.speech;
  else if (game != nullptr)
    err << options_.file << ": cannot detect the dialect; reading it as " << game->dialects()[0].name
        << " (use --dialect to change that)\n";
  return take_dialect();
}

/// A game over ENet or WebSocket shows only once its transport is taken apart, for which it has to be supposed.
void RecordedFile::look_closer(FirstLook& look, const ImportFile& reads) {
  for (const Game* supposed : games()) {
    if (look.speech || !keeps_messages(supposed->transport())) continue;
    speech_ = Speech{supposed, 0};
    if (FirstLook closer = first_look({supposed}, reads); closer.speech) look = std::move(closer);
  }
  speech_.reset();
}

/// A file that is broken, or holds nothing of what was asked for, is no misuse.
std::optional<RecordedFile::Refusal> RecordedFile::check_look(const FirstLook& look, std::ostream& err) const {
  const bool known = speech_ || look.speech || may_be_empty();
  if (look.wrong && !(look.anybody && known)) return Refusal{kFailed, look.wrong->text};
  if (look.anybody || may_be_empty()) return std::nullopt;
  for (const std::string& note : look.notes) say(err, note);
  const bool by_port = format_ == ImportFormat::kPcap && options_.port != 0;
  return Refusal{kFailed, options_.file + ": contains no connection" +
                              (by_port ? " has port " + std::to_string(options_.port) : "")};
}

/// What was asked for without saying of which game.
std::optional<RecordedFile::Refusal> RecordedFile::take_dialect() {
  const bool asked = options_.game.empty() && !options_.dialect.empty();
  if (!speech_ && (asked || !may_be_empty()))
    return Refusal{kUsage, options_.file + ": cannot detect the game; give --game and --dialect"};
  if (!asked) return std::nullopt;
  const auto dialect = find_dialect(*speech_->game, options_.dialect);
  if (!dialect) return Refusal{kUsage, unknown_dialect(*speech_->game, options_.dialect).text};
  speech_->dialect = *dialect;
  return std::nullopt;
}

Outcome<Done> RecordedFile::read(ImportSink& sink) const {
  const Game* game = speech_ ? speech_->game : nullptr;
  ImportOptions options{options_.port, game != nullptr ? game->default_port() : std::uint16_t{0}};
  // Recordings and JSON lines hold messages already.
  if (format_ != ImportFormat::kPcap) return import_file(options_.file, options, sink);
  net::EnetUnpacker unpacker;
  if (game == nullptr || game->transport() == wire::Transport::kEnet)
    options.asks_in = [&](Bytes datagram) { return net::enet_connect(datagram, unpacker).has_value(); };
  if (game != nullptr && game->transport() == wire::Transport::kEnet) {
    EnetImport packets(sink);
    return import_file(options_.file, options, packets);
  }
  if (game != nullptr && game->transport() == wire::Transport::kWebSocket) {
    WebSocketImport messages(sink);
    return import_file(options_.file, options, messages);
  }
  return import_file(options_.file, options, sink);
}

std::optional<Speech> RecordedFile::speech_of(const ImportedConnection& connection) const {
  if (const auto server = servers_.find(connection.server); server != servers_.end()) return server->second;
  const Game* said = find_game(connection.game);
  const bool asked = !options_.game.empty() || (!options_.dialect.empty() && speech_ && speech_->game == said);
  if (asked || connection.game.empty()) return speech_;
  if (said == nullptr) return std::nullopt;
  if (const auto dialect = find_dialect(*said, connection.dialect)) return Speech{said, *dialect};
  const bool same_game = speech_ && speech_->game == said;
  return Speech{said, same_game ? speech_->dialect : 0};
}

Speech RecordedFile::as_connected(const Speech& speech, std::uint32_t data) const {
  if (!options_.dialect.empty() || speech.game->transport() != wire::Transport::kEnet) return speech;
  return {speech.game, speech.game->named_by_connect(data).value_or(speech.dialect)};
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
