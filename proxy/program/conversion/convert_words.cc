#include "proxy/program/conversion/convert_words.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/rec/stand_in.h"
#include "adapters/registry.h"
#include "proxy/program/conversion/convert_sink.h"
#include "schema/snapshot.pb.h"

namespace entente {
namespace {

std::vector<core::Setting> settings_of_all_backs() {
  std::vector<core::Setting> all;
  for (const wire::Game* game : games()) {
    const auto of_game = faces_of(*game).back_settings;
    all.insert(all.end(), of_game.begin(), of_game.end());
  }
  return all;
}

}  // namespace

Outcome<Settings> back_settings_of(const std::vector<std::string>& set) {
  return back_settings_of(set, settings_of_all_backs());
}

Outcome<Settings> back_settings_of(const std::vector<std::string>& set, std::span<const core::Setting> known) {
  Settings settings;
  for (const std::string& one : set) {
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos) return Error{"--set " + one + ": expected KEY=VALUE"};
    const std::string key = one.substr(0, equals), value = one.substr(equals + 1);
    const auto setting = std::ranges::find(known, std::string_view(key), &core::Setting::name);
    if (setting == known.end()) return Error{"--set " + one + ": no such setting; `entente games` lists them"};
    if (const auto wrong = objection(*setting, value)) return Error{"--set " + one + ": " + wrong->text};
    settings[key] = value;
  }
  return with_found(std::move(settings), known);
}

void declare_back_settings(CLI::App& app, std::vector<std::string>& set, const std::string& begin) {
  app.add_option("--set", set, begin + " setting of the server's game, such as maps=DIR; `entente games` lists them")
      ->type_name("KEY=VALUE");
}

/// One connection's room, and where its words go.
class ConvertWords::StreamTranslator final : OfflineRoom::User {
 public:
  StreamTranslator(Sink& sink, std::uint32_t link, const GameDialect& game_dialect, const Settings& settings,
                   WallTime began)
      : sink_(sink), link_(link), began_(began), words_(&sink, false), room_(game_dialect, *this, settings) {
    if (game_dialect.game == &bzflag::game()) stand_in_.emplace(game_dialect.dialect);
  }

  void frame(const wire::Frame& frame, WallTime time) {
    ++frames_;
    enter(time, [&](OfflineRoom& room, core::Micros at) {
      const auto say = [&](const std::vector<bzflag::StandIn::Line>& lines) {
        for (const auto& line : lines) room.received(line.frame(), at);
      };
      const bool of_stream = stand_in_ && frame.lane == wire::Lane::kStream;
      if (of_stream) say(stand_in_->before(frame));
      room.received(frame, at);
      if (of_stream) say(stand_in_->after(frame));
    });
  }

  template <class Call>  // call(room, time)
  void enter(WallTime time, Call&& call) {
    if (told_over_) return;
    call(room_, (time - std::min(time, began_)) / 1000);
    if (words_.owes_world(room_.now())) words_.tell(link_, room_.world(), room_.now(), wall(room_.now()));
    if (room_.over().empty()) return;
    told_over_ = true;
    sink_.recorder.note(time, link_, "the words end here: " + room_.over());
  }

  /// Why frames have no words; empty if they have, or if there are none.
  std::string gap() const {
    if (room_.broken()) return "the words end before the frames: " + room_.over();
    if (frames_ == 0 || words_of_frames_ != 0) return {};
    return "no words: " + (room_.over().empty() ? "none of its frames translates to a word" : room_.over());
  }

  std::uint32_t link() const { return link_; }

  ConnectionId stream = 0;  // the connection that it lives as long as
  WallTime heard_at = 0;    // its last frame, or its beginning

 private:
  WallTime wall(core::Micros at) const { return began_ + at * 1000; }
  void heard(const core::Intent& intent) override { tell(intent); }
  void told(const core::Fact& fact) override { tell(fact); }
  template <class Word>
  void tell(const Word& word) {
    if (frames_ != 0) ++words_of_frames_, ++sink_.words_of_frames;
    words_.tell(link_, word, wall(word.at));
  }

  Sink& sink_;
  const std::uint32_t link_;
  const WallTime began_;
  bool told_over_ = false;
  std::uint64_t frames_ = 0, words_of_frames_ = 0;
  relay::RoomWords words_;
  OfflineRoom room_;
  std::optional<bzflag::StandIn> stand_in_;  // of BZFlag
};

ConvertWords::ConvertWords(trace::Recorder& recorder, Settings settings, FoxgloveScenes* scenes)
    : sink_(recorder, scenes), settings_(std::move(settings)) {}

ConvertWords::~ConvertWords() = default;

void ConvertWords::begin(ConnectionId id, std::uint32_t link, const ImportedConnection& connection,
                         const GameDialect& game_dialect, WallTime time) {
  const std::string& name = connection.name;
  const bool has_datagrams_beside = game_dialect.game->transport() == wire::Transport::kTcpAndUdp;
  names_[id] = has_datagrams_beside ? stream_name(name) : name;
  if (names_[id] != name) return;  // datagrams beside a stream
  const bool lacks_beginning = connection.before.empty() || connection.client_sent || connection.server_sent;
  if (connection.continues && lacks_beginning) {
    const std::string why = "no words: a session can be translated only from its beginning, which is " +
                            (connection.before.empty() ? "not recorded" : "in " + connection.before);
    gap(name, why);
    return sink_.recorder.note(time, link, why);
  }
  if (!can_translate(game_dialect)) {
    const std::string why = "no words: " + std::string(game_dialect.game->name()) + " " +
                            std::string(game_dialect.game->dialects()[game_dialect.dialect].name) +
                            " has no front and back";
    gap(name, why);
    return sink_.recorder.note(time, link, why);
  }
  if (translators_.size() >= kMostRooms) end_most_silent(time);
  auto translator = std::make_unique<StreamTranslator>(sink_, link, game_dialect, settings_, time);
  translator->stream = id;
  translator->heard_at = time;
  translators_.insert_or_assign(name, std::move(translator));
}

ConvertWords::StreamTranslator* ConvertWords::find(ConnectionId id) {
  const auto name = names_.find(id);
  if (name == names_.end()) return nullptr;
  const auto translator = translators_.find(name->second);
  return translator == translators_.end() ? nullptr : translator->second.get();
}

void ConvertWords::frame(ConnectionId id, const wire::Frame& frame, WallTime time) {
  StreamTranslator* translator = find(id);
  if (translator == nullptr) return;
  translator->heard_at = time;
  translator->frame(frame, time);
}

void ConvertWords::end_most_silent(WallTime time) {
  const auto silent = std::min_element(translators_.begin(), translators_.end(), [](const auto& a, const auto& b) {
    return a.second->heard_at < b.second->heard_at;
  });
  const std::string why = "the words end here: more than " + std::to_string(kMostRooms) + " sessions are open at once";
  sink_.recorder.note(time, silent->second->link(), why);
  gap(silent->first, "the words end early: more than " + std::to_string(kMostRooms) + " sessions are open at once");
  translators_.erase(silent);
}

void ConvertWords::ended(ConnectionId id, wire::Way by, WallTime time) {
  StreamTranslator* translator = find(id);
  if (translator == nullptr || translator->stream != id) return;
  translator->enter(time, [&](OfflineRoom& room, core::Micros at) { room.left(by, at); });
}

void ConvertWords::lose(ConnectionId id, WallTime time) {
  StreamTranslator* translator = find(id);
  if (translator == nullptr || translator->stream != id) return;
  sink_.recorder.note(time, 0, names_[id] + ": the words end here: framing is lost");
  gap(names_[id], "the words end before the bytes: framing is lost");
  translators_.erase(names_[id]);
}

void ConvertWords::gone(ConnectionId id) {
  const StreamTranslator* translator = find(id);
  if (translator != nullptr && translator->stream == id) {
    if (const std::string why = translator->gap(); !why.empty()) gap(names_[id], why);
    translators_.erase(names_[id]);
  }
  names_.erase(id);
}

void ConvertWords::gap(const std::string& name, const std::string& why) {
  Gap& gap = gaps_[why];
  if (gap.connections++ == 0) gap.first = name;
}

std::vector<std::string> ConvertWords::gaps() const {
  std::vector<std::string> lines;
  for (const auto& [why, gap] : gaps_) {
    const std::string others = gap.connections > 1 ? " and " + std::to_string(gap.connections - 1) + " more" : "";
    lines.push_back(gap.first + others + ": " + why);
  }
  return lines;
}

void ConvertWords::Sink::word(relay::LinkId link, bool fact, Bytes word, WallTime at) {
  ++words;
  words::Fact told;
  if (scenes != nullptr && fact && told.ParseFromArray(word.data(), static_cast<int>(word.size())))
    scenes->fact(link, told, at);
  recorder.word(at, link, fact ? trace::WordKind::kFact : trace::WordKind::kIntent, word);
}

void ConvertWords::Sink::world(relay::LinkId, Bytes bytes, WallTime at) {
  trace::Snapshot world;
  if (!world.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  if (scenes != nullptr) scenes->world(world.link(), world, at);
  recorder.world(at, world);
}

bool ConvertWords::Sink::geometry(relay::LinkId, Bytes bytes, WallTime) {
  trace::Geometry geometry;
  if (!geometry.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return true;
  if (scenes != nullptr) scenes->geometry(geometry);
  recorder.geometry(geometry);
  return true;
}

}  // namespace entente
