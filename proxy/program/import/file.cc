#include "proxy/program/import/file.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <vector>

#include "adapters/registry.h"
#include "adapters/wire/print.h"
#include "proxy/net/enet/enet_wire.h"
#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/suggest.h"
#include "proxy/program/import/enet.h"
#include "proxy/program/import/websocket.h"

namespace entente {
namespace {

using wire::Game;

constexpr const char* kInterrupted = "interrupted";

Error unknown_dialect(const Game& game, const std::string& name) {
  std::vector<std::string_view> known;
  for (const auto& dialect : game.dialects()) known.push_back(dialect.name);
  return {unknown_name("dialect", name, known, " of " + std::string(game.name()))};
}

/// Shows how far the file was read, counts what it lacks, and ends with an Interruption.
class Watched final : public ImportFilter {
 public:
  Watched(ImportSink& to, Progress* progress) : ImportFilter(to), progress_(progress) {}

  std::uint64_t places() const { return places_; }
  std::uint64_t missing() const { return missing_; }

  void bytes(const Imported& piece) override { to_.bytes(piece); }
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) override {
    ++places_;
    missing_ += bytes;
    to_.stream_gap(id, way, bytes, time);
  }
  void read_to(std::uint64_t bytes) override {
    if (progress_ != nullptr) progress_->reached(bytes);
    to_.read_to(bytes);
  }
  bool enough() const override { return Interruption::came() || to_.enough(); }

 private:
  Progress* progress_;
  std::uint64_t places_ = 0, missing_ = 0;
};

}  // namespace

std::optional<Error> objection(const FileOptions& asked) {
  if (asked.game.empty()) return std::nullopt;  // whose dialect it is, the file shows
  std::vector<std::string_view> names;
  for (const Game* game : games()) names.push_back(game->name());
  const Game* game = find_game(asked.game);
  if (game == nullptr) return Error{unknown_name("game", asked.game, names)};
  if (asked.dialect.empty() || find_dialect(*game, asked.dialect)) return std::nullopt;
  return unknown_dialect(*game, asked.dialect);
}

void declare_file(CLI::App& app, FileOptions& options) {
  app.add_option("FILE", options.file, std::string(kReadableFiles))->required();
  declare_reading(app, options);
}

void declare_reading(CLI::App& app, FileOptions& options) {
  app.add_option("--game", options.game, "Game of the file (default: detected)");
  app.add_option("--dialect", options.dialect, "Dialect of the file (default: detected)");
  app.add_option("--port", options.port,
                 "Port of the server in a packet capture (default: the port that clients connected to)")
      ->check(integer_from(1, 65535))
      ->type_name("N");
}

Expected<RecordedFile, int> RecordedFile::open(const FileOptions& options, std::string_view command, std::ostream& err,
                                               Progress* progress) {
  auto file = open(options, err, progress);
  if (file) return std::move(*file);
  err << command << ": " << screen_text(file.error().text) << '\n';
  if (file.error().exit == kUsage) err << "Run `" << command << " --help` for usage.\n";
  return int{file.error().exit};
}

Expected<RecordedFile, RecordedFile::OpenError> RecordedFile::open(const FileOptions& options, std::ostream& err,
                                                                   Progress* progress) {
  if (const auto why = objection(options)) return OpenError{kUsage, why->text};
  const auto format = import_format(options.file);
  if (!format) return OpenError{kFailed, format.error().text};
  if (options.growing && *format != ImportFormat::kMcap)
    return OpenError{kFailed, options.file + " is not a recording (MCAP); only a recording can be followed"};
  RecordedFile file(options, *format, progress);
  if (const auto refusal = file.detect(err)) return *refusal;
  return file;
}

std::optional<RecordedFile::OpenError> RecordedFile::detect(std::ostream& err) {
  const Game* game = find_game(options_.game);
  if (game != nullptr) game_dialect_ = GameDialect{game, find_dialect(*game, options_.dialect).value_or(0)};
  const bool told = game != nullptr && !options_.dialect.empty();
  std::vector<const Game*> candidates;
  if (!told) candidates = game != nullptr ? std::vector{game} : games_that_show();
  const ImportFile reads = [&](ImportSink& sink) { return read(sink); };
  DetectedDialects look = detect_dialects(std::move(candidates), reads);
  if (game == nullptr && !look.game_dialect && format_ == ImportFormat::kPcap) look_closer(look, reads);
  if (!options_.growing && Interruption::came()) return OpenError{kFailed, kInterrupted};
  if (auto refusal = check_look(look, err)) return refusal;
  if (told) return std::nullopt;
  if (options_.dialect.empty()) servers_ = std::move(look.servers);
  if (look.game_dialect && (game == nullptr || look.game_dialect->game == game))
    game_dialect_ = look.game_dialect;
  else if (game != nullptr)
    err << options_.file << ": cannot detect the dialect; reading it as " << game->dialects()[0].name
        << " (use --dialect to change that)\n";
  return take_dialect();
}

/// A game over ENet or WebSocket can be detected only after its transport is decoded, so the transport is assumed
/// first.
void RecordedFile::look_closer(DetectedDialects& look, const ImportFile& reads) {
  for (const Game* supposed : games()) {
    if (look.game_dialect || !keeps_messages(supposed->transport())) continue;
    game_dialect_ = GameDialect{supposed, 0};
    if (DetectedDialects closer = detect_dialects({supposed}, reads); closer.game_dialect) look = std::move(closer);
  }
  game_dialect_.reset();
}

/// A file that is damaged, or has no matching connection, is a failure, not a usage error.
std::optional<RecordedFile::OpenError> RecordedFile::check_look(const DetectedDialects& look, std::ostream& err) const {
  const bool known = game_dialect_ || look.game_dialect || is_recording();
  if (look.wrong && !options_.growing && !(look.anybody && known)) return OpenError{kFailed, look.wrong->text};
  if (look.anybody || is_recording()) return std::nullopt;
  for (const std::string& note : look.notes) err << screen_text(note) << '\n';
  const bool by_port = format_ == ImportFormat::kPcap && options_.port != 0;
  return OpenError{
      kFailed, options_.file + " has no connection" + (by_port ? " with port " + std::to_string(options_.port) : "")};
}

/// What was asked for without saying of which game.
std::optional<RecordedFile::OpenError> RecordedFile::take_dialect() {
  const bool asked = options_.game.empty() && !options_.dialect.empty();
  if (!game_dialect_ && (asked || !is_recording()))
    return OpenError{kUsage, options_.file + ": cannot detect the game; give --game and --dialect"};
  if (!asked) return std::nullopt;
  const auto dialect = find_dialect(*game_dialect_->game, options_.dialect);
  if (!dialect) return OpenError{kUsage, unknown_dialect(*game_dialect_->game, options_.dialect).text};
  game_dialect_->dialect = *dialect;
  return std::nullopt;
}

Outcome<Done> RecordedFile::read(ImportSink& sink, const char* what) const {
  if (progress_ != nullptr) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(options_.file, unknown);
    const std::filesystem::path path(options_.file);
    progress_->begin(std::string(what) + " " + (options_.shown.empty() ? path.filename().string() : options_.shown),
                     unknown ? 0 : size);
  }
  Watched watched(sink, progress_);
  auto done = read_all(watched);
  gaps_ = {watched.places(), watched.missing()};
  if (progress_ != nullptr) progress_->clear();
  // Who follows a growing file is not disturbed: a signal is how that ends.
  return done && !options_.growing && Interruption::came() ? Error{kInterrupted} : done;
}

std::string RecordedFile::lacks() const {
  if (gaps_.places == 0) return "";
  return options_.file + ": " + (gaps_.bytes != 0 ? std::to_string(gaps_.bytes) + " " : "") + "bytes are missing in " +
         std::to_string(gaps_.places) + (gaps_.places == 1 ? " place" : " places");
}

Outcome<Done> RecordedFile::read_all(ImportSink& sink) const {
  const Game* game = game_dialect_ ? game_dialect_->game : nullptr;
  ImportOptions options{options_.port, game != nullptr ? game->default_port() : std::uint16_t{0}, {}, options_.hidden};
  // Recordings and JSON lines hold messages already.
  if (format_ != ImportFormat::kPcap) return import_file(options_.file, options, sink);
  net::EnetUnpacker unpacker;
  if (game == nullptr || game->transport() == wire::Transport::kEnet)
    options.asks_in = [&](Bytes datagram) {
      const auto asked = net::enet_connect(datagram, unpacker);
      return asked ? std::optional(asked->connect_id) : std::nullopt;
    };
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

std::optional<GameDialect> RecordedFile::game_dialect_of(const ImportedConnection& connection) const {
  if (const auto server = servers_.find(connection.server); server != servers_.end()) return server->second;
  const Game* said = find_game(connection.game);
  const bool asked =
      !options_.game.empty() || (!options_.dialect.empty() && game_dialect_ && game_dialect_->game == said);
  if (asked || connection.game.empty()) return game_dialect_;
  if (said == nullptr) return std::nullopt;
  if (const auto dialect = find_dialect(*said, connection.dialect)) return GameDialect{said, *dialect};
  const bool same_game = game_dialect_ && game_dialect_->game == said;
  return GameDialect{said, same_game ? game_dialect_->dialect : 0};
}

GameDialect RecordedFile::as_connected(const GameDialect& game_dialect, std::uint32_t data) const {
  if (!options_.dialect.empty() || game_dialect.game->transport() != wire::Transport::kEnet) return game_dialect;
  return {game_dialect.game, game_dialect.game->named_by_connect(data).value_or(game_dialect.dialect)};
}

GameDialect as_named(const GameDialect& game_dialect, Bytes first) {
  return {game_dialect.game, game_dialect.game->named_by_client(first).value_or(game_dialect.dialect)};
}

wire::Codec& Codecs::of(const GameDialect& game_dialect) {
  auto& codec = codecs_[{game_dialect.game->name(), game_dialect.dialect}];
  if (!codec) codec = game_dialect.game->codec(game_dialect.dialect);
  return *codec;
}

}  // namespace entente
