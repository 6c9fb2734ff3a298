#include "proxy/program/recordings/inspect.h"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <thread>

#include "adapters/registry.h"
#include "adapters/wire/dissect.h"
#include "adapters/wire/print.h"
#include "proxy/base/lower_case.h"
#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/suggest.h"
#include "proxy/program/base/time_option.h"
#include "proxy/program/recordings/inspect_line.h"
#include "proxy/program/recordings/inspect_player.h"
#include "proxy/program/recordings/inspect_wanted.h"
#include "proxy/program/recordings/verify_explain.h"

namespace entente {
namespace {

using wire::Frame, wire::Lane, wire::Way;

constexpr const char* kNotes =
    "--connection 3 is connection number 3. If no connection has that number, it is every connection whose name,\n"
    "such as 127.0.0.1:53746/udp, contains 3. With --follow, it is always the number.\n"
    "If nothing matches, the file's connections and length are printed on standard error, and the exit code is 0.\n";
constexpr std::size_t kMostNamedLinks = 8;  // connections, where nothing matches
constexpr std::chrono::milliseconds kLookAgain{100};

/// For a flag that an environment variable sets, whatever its value is.
std::string to_true(std::string& value) {
  value = "true";
  return "";
}

/// One connection: cuts and decodes all of it, and writes what is wanted.
class InspectedLink final : wire::DissectorSink {
 public:
  InspectedLink(ItemContext context, std::string name, const GameDialect& game_dialect, Codecs& codecs,
                const Wanted& wanted, LineWriter& writer)
      : context_(context),
        name_(std::move(name)),
        game_dialect_(game_dialect),
        codecs_(codecs),
        codec_(&codecs.of(game_dialect)),
        dissector_(*game_dialect.game, game_dialect.dialect),
        wanted_(wanted),
        writer_(writer) {
    context_.name = name_;
  }

  const GameDialect& game_dialect() const { return game_dialect_; }
  void connected(const GameDialect& game_dialect, WallTime since_start) {
    context_.since_start = since_start;
    speak(game_dialect);
  }
  void bytes(const Imported& piece, WallTime since_start) {
    context_.since_start = since_start;
    context_.enet = piece.enet;
    if (piece.way == Way::kToServer && !std::exchange(client_spoke_, true)) speak(as_named(game_dialect_, piece.bytes));
    if (piece.lane == Lane::kDatagram)
      dissector_.datagram(piece.way, piece.bytes, *this);
    else
      dissector_.stream(piece.way, piece.bytes, *this);
  }
  /// What came, and was not passed on.
  void kept(const Imported& piece, WallTime since_start) {
    const bool altered = piece.lab == trace::LAB_ALTERED;
    const wire::Row* const row = codec_->find({piece.way, piece.lane, wire::Stage::kPlay, piece.bytes});
    const std::string name = row != nullptr ? row->name : "a message";
    if (!wanted_.way(piece.way)) return;
    event(since_start,
          EventText("kept", std::string(altered ? "the lab changed " : "the lab kept ") + name + " " +
                                wire::text(piece.way) + " of " + std::to_string(piece.bytes.size()) + " bytes")
              .with("way", wire::text(piece.way))
              .with("message", row != nullptr ? row->name : "")
              .with("bytes", std::uint64_t{piece.bytes.size()})
              .with("altered", altered));
  }
  void lost(Way way, std::uint64_t bytes, WallTime since_start) {
    event(since_start,
          EventText("lost", "the file lacks " + (bytes != 0 ? std::to_string(bytes) + " " : std::string()) + "bytes " +
                                wire::text(way))
              .with("way", wire::text(way))
              .with("bytes", bytes));
    dissector_.end(way, *this, true);
  }
  void missing(Way way, std::uint64_t messages, std::uint64_t bytes, WallTime since_start) {
    event(since_start, EventText("missing", std::to_string(messages) + " messages " + wire::text(way) + " of " +
                                                std::to_string(bytes) + " bytes are not recorded")
                           .with("way", wire::text(way))
                           .with("messages", messages)
                           .with("bytes", bytes));
    if (way == Way::kToServer) client_spoke_ = true;
    dissector_.skip(way, *this);
  }
  /// Messages came this way before the file.
  void skip_greeting(Way way) {
    client_spoke_ |= way == Way::kToServer;
    dissector_.skip(way, *this);
  }
  void event(WallTime since_start, const EventText& event) {
    context_.since_start = since_start;
    if (wanted_.anything() && wanted_.time(since_start)) writer_.event(context_.connection, since_start, event);
  }
  void gone() {
    for (const Way way : {Way::kToServer, Way::kToClient})
      if (const auto left = dissector_.pending(way); left != 0)
        event(context_.since_start,
              EventText("unfinished", std::to_string(left) + " bytes " + wire::text(way) + " of an unfinished message")
                  .with("way", wire::text(way))
                  .with("bytes", left));
  }

 private:
  void frame(const Frame& frame) override {
    if (!wanted_.way(frame.way) || !wanted_.time(context_.since_start)) return;
    context_.frame = frame;
    const auto row = codec_->decode(frame);
    if (row && wanted_.message((*row)->name)) writer_.message(context_, **row, *codec_);
    if (!row && wanted_.anything()) writer_.undecoded(context_, &row.error());
  }
  void speak(const GameDialect& game_dialect) {
    if (game_dialect.dialect == game_dialect_.dialect) return;
    game_dialect_ = game_dialect;
    codec_ = &codecs_.of(game_dialect_);
    dissector_ = wire::Dissector(*game_dialect_.game, game_dialect_.dialect);
    const std::string name(game_dialect_.game->dialects()[game_dialect_.dialect].name);
    event(context_.since_start, EventText("dialect", "the client names " + name).with("dialect", name));
  }
  void raw(Way way, Lane lane, Bytes bytes, const Fault* why) override {
    if (!wanted_.way(way) || !wanted_.time(context_.since_start) || !wanted_.anything()) return;
    context_.frame = {way, lane, wire::Stage::kPlay, bytes};
    writer_.undecoded(context_, why);
  }

  ItemContext context_;
  std::string name_;
  GameDialect game_dialect_;
  Codecs& codecs_;
  wire::Codec* codec_;
  wire::Dissector dissector_;
  const Wanted& wanted_;
  LineWriter& writer_;
  bool client_spoke_ = false;
};

class Inspector final : public ImportSink {
 public:
  Inspector(const RecordedFile& file, const InspectOptions& options, std::ostream& out, std::ostream& err)
      : file_(file),
        wanted_(file, options),
        players_(options.players),
        follow_(options.follow),
        writer_(out, {options.hex, options.json, options.colours}),
        out_(out),
        err_(err) {}

  void begins(WallTime time) override { since_start(time); }
  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override {
    const WallTime since = since_start(time);
    if (connections_++ < kMostNamedLinks)
      names_ += (id == 0 ? "#" : ", #") + std::to_string(id + 1) + " " + connection.name;
    const auto game_dialect = file_.game_dialect_of(connection);
    if (!wanted_.connection(id, connection.name)) return;
    if (!game_dialect) return remark(connection.name + ": the game '" + connection.game + "' is not supported");
    ItemContext context;
    context.connection = id;
    auto link = std::make_unique<InspectedLink>(context, connection.name, *game_dialect, codecs_, wanted_, writer_);
    const std::string game(game_dialect->game->name());
    const std::string dialect(game_dialect->game->dialects()[game_dialect->dialect].name);
    std::string about = connection.name + " " + game + " " + dialect;
    if (connection.continues) about += ", began before this file";
    if (!connection.before.empty()) about += ", in " + connection.before;
    EventText event("opened", about);
    event.with("name", connection.name).with("game", game).with("dialect", dialect);
    if (connection.continues) event.with("continues", true);
    if (!connection.before.empty()) event.with("before", connection.before);
    link->event(since, event);
    for (const Way way : {Way::kToServer, Way::kToClient})
      if (connection.sent(way)) link->skip_greeting(way);
    links_[id] = std::move(link);
  }
  void bytes(const Imported& piece) override {
    const WallTime since = since_start(piece.time);
    if (auto* link = find(piece.connection)) link->bytes(piece, since);
    over_ = over_ || wanted_.over(since);
  }
  void kept(const Imported& piece) override {
    if (auto* link = find(piece.connection)) link->kept(piece, since_start(piece.time));
  }
  void connected(ConnectionId id, std::uint32_t data, WallTime time) override {
    if (auto* link = find(id)) link->connected(file_.as_connected(link->game_dialect(), data), since_start(time));
  }
  void stream_gap(ConnectionId id, Way way, std::uint64_t bytes, WallTime time) override {
    if (auto* link = find(id)) link->lost(way, bytes, since_start(time));
  }
  void message_gap(ConnectionId id, Way way, std::uint64_t messages, std::uint64_t bytes, WallTime time) override {
    if (auto* link = find(id)) link->missing(way, messages, bytes, since_start(time));
  }
  void word(ConnectionId id, const words::Intent* intent, const words::Fact* fact, WallTime time) override {
    const WallTime since = since_start(time);
    ++words_;
    if (find(id) == nullptr) return;
    if (intent != nullptr && players_.concerns(id, *intent) && wants(*intent, Way::kToServer, since))
      writer_.word(id, since, "intent", *intent);
    if (fact != nullptr && players_.concerns(id, *fact) && wants(*fact, Way::kToClient, since))
      writer_.word(id, since, "fact", *fact);
    over_ = over_ || wanted_.over(since);
  }
  void world(ConnectionId id, const trace::Snapshot& world, WallTime time) override {
    const WallTime since = since_start(time);
    if (find(id) == nullptr) return;
    players_.learn(id, world);
    if (wanted_.world() && wanted_.time(since)) writer_.world(id, since, world);
  }
  void half_closed(ConnectionId id, const ImportedClose& end) override {
    auto* link = find(id);
    if (link == nullptr) return;
    std::string text = end.by ? (*end.by == Way::kToServer ? "client ended it" : "server ended it") : "ended";
    if (end.code) text += ", code " + std::to_string(*end.code);
    if (!end.reason.empty()) (text += ": ") += end.reason;
    EventText event("closed", text);
    if (end.by) event.with("by", *end.by == Way::kToServer ? "client" : "server");
    if (end.code) event.with("code", static_cast<std::int64_t>(*end.code));
    if (!end.reason.empty()) event.with("reason", end.reason);
    link->event(since_start(end.time), event);
  }
  void connection_over(ConnectionId id) override {
    if (auto* link = find(id); link != nullptr && !over_) link->gone();
    links_.erase(id);
    players_.gone(id);
  }
  void remark(std::string_view text) override { err_ << screen_text(text) << '\n'; }
  void note(const ImportedNote& note) override {
    if (note.bytes_lost != 0 || wanted_.anything()) remark(note.text_with_link());
  }
  /// After `until`, the file is read on only if nothing was printed, to say what the file has.
  bool enough() const override { return (over_ && (follow_ || writer_.wrote())) || !out_.good(); }
  bool wait_for_more() override {
    if (!follow_) return false;
    out_.flush();
    std::this_thread::sleep_for(kLookAgain);
    return true;
  }

  /// At the end: says what the file has, if nothing was printed.
  void finish() {
    if (writer_.wrote()) return;
    std::string there = std::to_string(connections_) + (connections_ == 1 ? " connection" : " connections");
    if (connections_ > 0) there += " (" + names_;
    if (connections_ > kMostNamedLinks) there += ", and " + std::to_string(connections_ - kMostNamedLinks) + " more";
    if (connections_ > 0) there += ")";
    std::string text = "entente inspect: nothing matches among " + there + " in " + seconds(last_);
    if (!players_.everybody()) text += players_there();
    remark(text);
  }

 private:
  bool wants(const google::protobuf::Message& word, Way way, WallTime since_start) const {
    return wanted_.way(way) && wanted_.word(word) && wanted_.time(since_start);
  }
  std::string players_there() const {
    if (words_ == 0) return "; the file has no words, so it does not tell players apart (`entente convert --words`)";
    std::string text;
    for (const std::string& name : players_.names()) text += (text.empty() ? "; players: " : ", ") + name;
    return players_.names().size() < WantedPlayers::kMostNames ? text : text + " …";
  }
  WallTime since_start(WallTime time) {
    if (!start_) start_ = time;
    const WallTime since = time - std::min(time, *start_);
    last_ = std::max(last_, since);
    return since;
  }
  InspectedLink* find(ConnectionId id) {
    const auto at = links_.find(id);
    return at == links_.end() ? nullptr : at->second.get();
  }

  const RecordedFile& file_;
  Wanted wanted_;
  WantedPlayers players_;
  const bool follow_;
  LineWriter writer_;
  std::ostream& out_;
  std::ostream& err_;
  Codecs codecs_;
  std::map<ConnectionId, std::unique_ptr<InspectedLink>> links_;
  std::optional<WallTime> start_;
  WallTime last_ = 0;             // since the start
  ConnectionId connections_ = 0;  // all of them
  std::uint64_t words_ = 0;       // the same
  std::string names_;             // of the first
  bool over_ = false;             // the time is after `until`
};

/// Every message name of every game, and every kind of word in both spellings.
std::vector<std::string_view> message_names() {
  std::vector<std::string_view> names{"world"};
  for (const auto* word : {words::Intent::descriptor(), words::Fact::descriptor()})
    for (int i = 0; i < word->oneof_decl(0)->field_count(); ++i) {
      names.emplace_back(word->oneof_decl(0)->field(i)->message_type()->name());
      if (const std::string& name = word->oneof_decl(0)->field(i)->name(); name.find('_') != std::string::npos)
        names.emplace_back(name);
    }
  for (const wire::Game* game : games()) {
    const auto codec = game->codec(0);
    for (const wire::Row& row : codec->rows()) names.emplace_back(row.name);
  }
  return names;
}

bool known_messages(const InspectOptions& options, std::ostream& err) {
  const auto names = message_names();
  for (const std::string& message : options.messages) {
    if (std::any_of(names.begin(), names.end(), [&](auto name) { return equal_but_case(name, message); })) continue;
    err << "entente inspect: unknown message '" << message << "'" << did_you_mean(message, names)
        << "; FORMAT.md of each game lists its messages, schema/NATIVE.md the words\n";
    return false;
  }
  return true;
}

}  // namespace

void declare_inspect(CLI::App& app, InspectOptions& options) {
  declare_file(app, options.input);
  app.add_option(
      "--connection,-c", options.connections,
      "Only these connections: a number N, printed as #N, or a part of a name. N is not the link number that other "
      "commands take with --link");
  allow_only(
      app.add_option("--way,-w", options.way,
                     "c2s: only messages to the server, and intents (words that say what a player wants). s2c: only "
                     "messages to the client, and facts (words that say what happened)"),
      {"c2s", "s2c"});
  app.add_option("--message,-m", options.messages,
                 "Only messages and words with these names, such as MsgMessage or Died");
  app.add_option("--player,-p", options.players,
                 "Only words about these players: names, or player ids. Messages are not shown");
  add_time(
      app, "--since", [&options](double at) { options.since = at; },
      "Only from this time on, counted from the start of the file");
  add_time(
      app, "--until", [&options](double at) { options.until = at; },
      "Only up to this time, counted from the start of the file");
  app.add_flag("--hex", options.hex, "Also print the bytes of each message");
  app.add_flag("--json", options.json, "Print one JSON object per line");
  app.add_flag(
      "--follow,-f", options.follow,
      "Wait for more while the file (the .part of a recording) grows, until the recording is complete, or Ctrl-C");
  app.add_flag("--no-color", options.no_colours, "No colours, even on a terminal")
      ->transform(CLI::Validator(to_true, "", "any value"))
      ->envname("NO_COLOR");
  app.footer([] { return std::string(kNotes); });
}

int run_inspect(const InspectOptions& options) {
  InspectOptions here = options;
  here.colours = !options.no_colours && !options.json && ::isatty(STDOUT_FILENO) != 0;
  const Interruption interruption;
  // Beside lines on the same terminal, progress would be in the way.
  const bool lines_elsewhere = !options.follow && ::isatty(STDOUT_FILENO) == 0;
  Progress progress(lines_elsewhere ? progress_terminal() : nullptr);
  return inspect(here, std::cout, std::cerr, &progress);
}

int inspect(const InspectOptions& options, std::ostream& out, std::ostream& err, Progress* progress) {
  if (!known_messages(options, err)) return kUsage;
  if (options.until < options.since) {
    err << "entente inspect: --until must not be before --since\n";
    return kUsage;
  }
  FileOptions input = options.input;
  input.growing = options.follow;
  const auto file = RecordedFile::open(input, "entente inspect", err, progress);
  if (!file) return file.error();
  Inspector inspector(*file, options, out, err);
  const auto read = file->read(inspector);
  out.flush();
  if (read) {
    if (!options.follow) inspector.finish();
    const std::string lacks = file->lacks();
    if (!lacks.empty()) err << "entente inspect: " << screen_text(lacks) << '\n';
    return lacks.empty() ? kOk : kFailed;
  }
  err << "entente inspect: " << screen_text(read.error().text) << '\n';
  return kFailed;
}

}  // namespace entente
