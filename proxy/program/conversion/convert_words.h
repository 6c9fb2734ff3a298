// Makes words for a recording that has none: offline rooms translate its frames, connection by connection, and the
// words are written as a bridge's are.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proxy/program/base/command.h"
#include "proxy/program/conversion/offline_room.h"
#include "proxy/program/foxglove/scenes.h"
#include "proxy/program/import/import.h"
#include "proxy/program/settings/endpoint.h"
#include "proxy/relay/tap/room_words.h"
#include "proxy/trace/recorder.h"

namespace entente {

class ConvertWords {
 public:
  /// `recorder` outlives it. `settings`: of the games' backs. `scenes`: is told the words, too; null, or outlives it.
  ConvertWords(trace::Recorder& recorder, Settings settings, FoxgloveScenes* scenes = nullptr);
  /// Connections that are translated at once. Each takes about 100 kB. If more are open, the words of the one that has
  /// been silent for the longest time end.
  static constexpr std::size_t kMostRooms = 1'000;
  ~ConvertWords();

  /// `link`: its number in the new recording.
  void begin(ConnectionId id, std::uint32_t link, const ImportedConnection& connection, const GameDialect& game_dialect,
             WallTime time);
  void frame(ConnectionId id, const wire::Frame& frame, WallTime time);
  /// Framing is lost, so nothing after this can be translated.
  void lose(ConnectionId id, WallTime time);
  void ended(ConnectionId id, wire::Way by, WallTime time);
  void gone(ConnectionId id);

  std::uint64_t words() const { return sink_.words; }
  /// Of these, the words that followed from frames; the rest is said on any connection.
  std::uint64_t words_of_frames() const { return sink_.words_of_frames; }
  /// One line for each reason why some or all frames of a connection have no words. REQUIRES: all connections are
  /// gone.
  std::vector<std::string> gaps() const;

 private:
  /// Records what a bridge tells a tap.
  struct Sink final : relay::TapSink {
    Sink(trace::Recorder& to, FoxgloveScenes* looks) : recorder(to), scenes(looks) {}
    void opened(const relay::LinkInfo&, WallTime) override {}
    void bytes(relay::LinkId, wire::Way, wire::Lane, Bytes, WallTime) override {}
    void closed(relay::LinkId, std::string_view, WallTime) override {}
    bool wants_words() const override { return true; }
    void word(relay::LinkId link, bool fact, Bytes word, WallTime at) override;
    void world(relay::LinkId link, Bytes world, WallTime at) override;
    bool geometry(relay::LinkId link, Bytes geometry, WallTime at) override;

    trace::Recorder& recorder;
    FoxgloveScenes* scenes;
    std::uint64_t words = 0, words_of_frames = 0;
  };
  class StreamTranslator;

  StreamTranslator* find(ConnectionId id);
  void end_most_silent(WallTime time);
  void gap(const std::string& name, const std::string& why);

  Sink sink_;
  const Settings settings_;
  std::map<ConnectionId, std::string> names_;  // by open connection: its key in translators_
  std::map<std::string, std::unique_ptr<StreamTranslator>> translators_;
  struct Gap {
    std::string first;  ///< a connection's name
    std::size_t connections = 0;
  };
  std::map<std::string, Gap> gaps_;  // by the reason
};

/// Settings of the games' backs: those in `set`, "key=value" each, and those that are found on this machine.
Outcome<Settings> back_settings_of(const std::vector<std::string>& set);
/// The same with the settings in `known`.
Outcome<Settings> back_settings_of(const std::vector<std::string>& set, std::span<const core::Setting> known);

/// Declares --set. `begin`: how its description begins.
void declare_back_settings(CLI::App& app, std::vector<std::string>& set, const std::string& begin);

}  // namespace entente
