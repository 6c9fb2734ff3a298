// The words of one session in a recording, as a FactReader. Its times count from the beginning of the file. The file is
// scanned once to find its sessions, then read during playback; a seek starts at the last recorded world before the new
// time. Invariant: a fact that cannot be read is skipped and counted; at a damaged place the session ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/core/ids.h"
#include "proxy/core/replay/fact_reader.h"
#include "proxy/program/base/progress.h"
#include "proxy/trace/recording.h"

namespace entente {

/// When a player or unit was there, in numbers of the session's facts: from that with which it came until that with
/// which it was gone. What was there before the session's player knew the world came at 0.
struct RecordedStay {
  static constexpr std::uint64_t kEnd = ~std::uint64_t{0};  ///< until the end of the session
  std::uint64_t came = 0, gone = kEnd;
};

/// A link with words in a recording.
struct RecordedSessionInfo {
  std::uint32_t link = 0;
  std::string dialect;  ///< "bzflag 2.4"; empty if the recording lacks its opening
  std::string player;   ///< the player's name; may be empty
  std::string server;   ///< its address; may be empty
  std::uint64_t facts = 0;
  std::uint64_t unread = 0;                ///< facts that cannot be read
  core::Micros first = 0, last = 0;        ///< in the room's own time
  std::optional<core::Micros> ready = {};  ///< when the player knew the world
  WallTime began = 0;                      ///< wall-clock time at room time 0, as the file has it
  std::int64_t clock_ahead_us = 0;         ///< of its machine's clock; wall_us() corrects it
  bool hides = false;                      ///< some unit was out of its player's sight
  bool begins_with_world = false;          ///< the session began before the file, which has its world at `first`

  std::map<core::Id, std::string> players = {};  ///< their names
  std::map<core::Id, core::Id> units = {};       ///< their owners. Of both, only the first ones are remembered
  std::map<core::Id, RecordedStay> stays = {};   ///< of those players and units

  std::vector<core::Moment> moments = {};  ///< in the room's own time; the first of them

  core::Micros length() const { return last - first; }
  /// Whether it is the better one of two to play: one whose player knew the world, then the longer one. bzadmin, for
  /// example, never loads the world.
  bool tells_more_than(const RecordedSessionInfo& other) const {
    if (ready.has_value() != other.ready.has_value()) return ready.has_value();
    return length() > other.length();
  }
  /// The wall-clock time at a time of the room, in microseconds. Times in the file are not corrected: use `began`.
  core::Micros wall_us(core::Micros room) const {
    return began / 1000 + room - static_cast<core::Micros>(clock_ahead_us);
  }
};

/// The sessions of a recording.
struct RecordedSessions {
  std::shared_ptr<trace::Source> file;
  std::vector<RecordedSessionInfo> sessions;  ///< the links with words, by number
  /// When the file begins: the time of its first event, from which all commands count. 0: not known, and each session
  /// begins at 0.
  WallTime start = 0;
  std::string damage = {};  ///< why the rest of the file cannot be read; may be empty

  /// Reads all of the file, or as far as an Interruption lets it.
  static RecordedSessions find(std::shared_ptr<trace::Source> file, Progress& progress);
};

/// What is played: a session, or several as one.
class PlayedWords : public core::FactReader {
 public:
  /// The session that is played; of several, the main one.
  virtual const RecordedSessionInfo& about() const = 0;
  /// What is wrong with the file after the end of the session; may be empty.
  virtual const std::string& damage() const = 0;
  /// The wall-clock time at 0, which is where the file begins; 0: unknown.
  virtual WallTime begins() const = 0;
  /// next_at() calls `hear` for each intent that was said before the fact which it finds. Intents that seek() passes
  /// are not heard. Several sessions as one: those of the session that tells.
  virtual void hear_intents(std::function<void(const core::Intent&)> hear) = 0;
  /// When the session before the next fact's ended, if nothing was recorded for seconds after it. REQUIRES:
  /// next_is_other_session().
  virtual std::optional<core::Micros> gap_from() const { return std::nullopt; }
};

class RecordedSession final : public PlayedWords {
 public:
  /// Opens the session with this link. No `link`: the longest session, or the first of several that are as long. An
  /// error lists the sessions.
  static Outcome<std::unique_ptr<RecordedSession>> open(const RecordedSessions& found,
                                                        std::optional<std::uint32_t> link);

  /// Makes the session a part of a longer timeline. `begins`: the time there at which the session begins. `translate`:
  /// the id there of an id here. `skip`: how much of the session's beginning lies before the timeline;
  /// then `begins` is 0. What the session told in that time has time 0.
  void become_part(core::Micros begins, std::function<core::Id(core::Id)> translate, core::Micros skip = 0);

  core::Micros end_time() const override { return time_of(about_.last); }
  core::Micros first() const override { return begins_; }
  bool begins_with_world() const override { return about_.begins_with_world; }
  std::optional<core::Micros> next_at() override;
  std::vector<core::Moment> moments() const override;
  core::Fact next() override;
  Outcome<Done> seek(core::Micros at, core::WorldState& world) override;

  const RecordedSessionInfo& about() const override { return about_; }
  const std::string& damage() const override { return damage_; }
  WallTime begins() const override { return about_.wall_us(about_.first) * 1000 - begins_ * 1000; }
  void hear_intents(std::function<void(const core::Intent&)> hear) override { hear_ = std::move(hear); }

 private:
  template <class Word>
  void translate(Word& word) const {
    if (translate_) core::translate_ids(message_in(word), translate_);
  }
  void hear(const words::Intent& message);
  void rewind();
  bool recall(core::Micros at, core::WorldState& world);
  core::Micros time_of(core::Micros room) const {
    const core::Micros first = about_.first + skip_;
    return begins_ + (room > first ? room - first : 0);
  }

  std::shared_ptr<trace::Source> file_;
  RecordedSessionInfo about_;
  std::string damage_;
  core::Micros begins_ = 0, skip_ = 0;
  std::function<core::Id(core::Id)> translate_;  // null: ids stay as they are
  std::function<void(const core::Intent&)> hear_;
  std::unique_ptr<trace::Recording> recording_;
  std::optional<core::Fact> ahead_;  // the next fact, if it was read already
  core::Micros at_ = 0;              // time of the last fact that was read
};

}  // namespace entente
