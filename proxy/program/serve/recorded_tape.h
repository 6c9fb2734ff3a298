// The words of one bridged session out of a recording, as a tape that can be told again. Looked through once, to know
// what is in it; then read as it is told, and for another time from the last world recorded before that.
// Law: a fact that cannot be read is passed over and counted; where the file is damaged the tape ends.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/core/replay/tape.h"
#include "proxy/trace/recording.h"

namespace entente {

/// A link of a recording that has words.
struct SpokenLink {
  std::uint32_t link = 0;
  std::string speech;  ///< "bzflag 2.4"; empty if the recording lacks its opening
  std::string player;  ///< as which somebody came in; may be empty
  std::uint64_t facts = 0;
  std::uint64_t unread = 0;          ///< that no schema of ours can read
  core::Micros first = 0, last = 0;  ///< in the room's own time
  WallTime began = 0;                ///< by the wall, at room time 0

  core::Micros length() const { return last - first; }
};

class RecordedTape final : public core::Tape {
 public:
  /// `link`: none if it is the only one with words; else the error lists them.
  static Outcome<std::unique_ptr<RecordedTape>> open(const std::string& path, std::optional<std::uint32_t> link);

  core::Micros length() const override { return about_.length(); }
  std::optional<core::Micros> next_at() override;
  core::Fact next() override;
  Outcome<Done> seek(core::Micros at, core::World& world) override;

  const SpokenLink& about() const { return about_; }
  const std::string& damage() const { return damage_; }  ///< what is wrong with the file from its end on; may be empty

 private:
  Outcome<Done> rewind();
  bool recall(core::Micros at, core::World& world);
  core::Micros time_of(core::Micros room) const { return room > about_.first ? room - about_.first : 0; }

  std::string path_;
  SpokenLink about_;
  std::string damage_;
  std::unique_ptr<trace::Recording> recording_;
  std::optional<core::Fact> ahead_;  // the next fact, if it was looked for
  core::Micros at_ = 0;              // of the last that was taken
};

}  // namespace entente
