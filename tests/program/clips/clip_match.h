// A match of 20 seconds with frames and words, recorded as by a bridge, for tests of commands that read recordings.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "proxy/core/word.h"
#include "proxy/program/conversion/recorded_session.h"
#include "proxy/program/recordings/inspect.h"
#include "proxy/relay/tap/room_words.h"
#include "proxy/trace/recording_info.h"
#include "tests/program/recorded.h"

namespace entente::clip_match {

inline constexpr WallTime kSecond = 1'000'000'000;
inline constexpr WallTime kStart = 1'700'000'000 * kSecond;

/// Anna (1) drives her tank (2) east at 10 m/s. Bob (3) joins with his tank (4) at 5 s, is killed by anna at 13 s and
/// is ready at 15 s. Each 100 ms has a frame (unless `frames` is false, as in an arena's recording), a pose and a
/// score. The world is recorded at 0 s and 10 s.
class Match {
 public:
  /// `age`: of the room when the match begins.
  explicit Match(std::uint32_t link = 1, WallTime start = kStart, bool frames = true, core::Micros age = 0)
      : link_(link), start_(start), frames_(frames), age_(age) {}

  void open(trace::Recorder& to) {
    to.opened(start_, opening(link_, "panic", "be-packed"));
    say(to, words::Room(), 0);
    words::World field;
    field.set_hash("field");
    field.set_columns(34);
    say(to, field, 0);
    come(to, 1, "anna", 0);
    say(to, words::Ready(), 0);
    world(to, 0);
  }
  void world(trace::Recorder& to, core::Micros at) {
    const trace::Geometry geometry = relay::geometry_of(*world_.geometry());
    to.geometry(geometry);
    to.world(start_ + at * 1000, relay::snapshot_of(link_, world_, age_ + at, geometry.hash()));
  }
  void step(trace::Recorder& to, int tenths) {
    const auto at = static_cast<core::Micros>(tenths) * 100'000;
    if (tenths == 50) come(to, 3, "bob", at);
    if (frames_) record(to, link_, trace::TO_SERVER, "0001010200000001", start_ + at * 1000);
    words::Pose pose;
    pose.set_unit(2);
    pose.set_x(tenths);
    say(to, pose, at);
    if (tenths == 130) {
      words::Died died;
      died.set_player(3);
      died.set_unit(4);
      died.set_killer(1);
      return say(to, died, at);
    }
    if (tenths == 150) return say(to, words::Ready(), at);
    words::Score score;
    score.set_player(1);
    score.set_wins(static_cast<std::uint32_t>(tenths));
    say(to, score, at);
  }
  void close(trace::Recorder& to) { to.closed(start_ + 20 * kSecond, link_, "client left"); }

 private:
  template <class T>
  void say(trace::Recorder& to, const T& word, core::Micros at) {
    core::Fact fact(word);
    fact.at = age_ + at;
    world_.fold(fact);
    Buffer bytes;
    core::write(fact, bytes);
    to.word(start_ + at * 1000, link_, trace::WordKind::kFact, bytes);
  }
  void come(trace::Recorder& to, core::Id id, const char* name, core::Micros at) {
    words::Player player;
    player.set_id(id);
    player.set_name(name);
    say(to, player, at);
    words::Unit unit;
    unit.set_id(id + 1);
    unit.set_owner(id);
    unit.set_alive(true);
    say(to, unit, at);
  }

  const std::uint32_t link_;
  const WallTime start_;
  const bool frames_;
  const core::Micros age_;
  core::WorldState world_;
};

/// The whole match in one file. Returns its name.
inline std::string match(const std::string& path, std::uint32_t link = 1, WallTime start = kStart, bool frames = true,
                         core::Micros age = 0) {
  const auto to = recorder(path);
  Match match(link, start, frames, age);
  match.open(*to);
  for (int tenths = 1; tenths < 200; ++tenths) {
    if (tenths == 100) match.world(*to, 10'000'000);
    match.step(*to, tenths);
  }
  match.close(*to);
  REQUIRE(to->close(start + 20 * kSecond).ok());
  return path;
}

/// The frames and words of a file from `from` on and before `to`, in seconds, with their bytes but without the time and
/// the connection's number.
inline std::vector<std::string> said(const std::string& path, double from = 0,
                                     double to = std::numeric_limits<double>::infinity()) {
  InspectOptions options{{path, "", "", 0}};
  options.json = options.hex = true;
  std::ostringstream out, err;
  REQUIRE(inspect(options, out, err) == kOk);
  std::vector<std::string> all;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"event\":") != std::string::npos || line.find(",\"world\":{\"players\"") != std::string::npos)
      continue;
    const double at = std::stod(line.substr(5));
    if (at >= from && at < to) all.push_back(line.substr(line.find(',', line.find(',') + 1)));
  }
  return all;
}

/// The session of this link; without a link, the longest session.
inline std::unique_ptr<RecordedSession> session_of(const std::string& path, std::optional<std::uint32_t> link = {}) {
  auto file = trace::FileSource::open(path);
  REQUIRE_MESSAGE(file.ok(), file.error().text);
  Progress silent(nullptr, std::chrono::hours(1));
  auto session = RecordedSession::open(RecordedSessions::find(std::move(*file), silent), link);
  REQUIRE_MESSAGE(session.ok(), session.error().text);
  return std::move(*session);
}

/// The players that a list of recordings shows.
inline std::set<std::string> players_of(const std::string& path) {
  const auto end = trace::read_end(path);
  REQUIRE(end.ok());
  REQUIRE(end->has_value());
  REQUIRE((*end)->info);
  return (*end)->info->players;
}

}  // namespace entente::clip_match
