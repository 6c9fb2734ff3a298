// The words of one bridged session out of a recording, as a tape that can be told again.
// Law: held in memory as they were written, so many bytes at most; a fact that cannot be read is passed over and
// counted; where the file is damaged the tape ends.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/core/tape.h"

namespace entente {

/// A link of a recording that has words.
struct SpokenLink {
  std::uint32_t link = 0;
  std::string speech;  ///< "bzflag 2.4"; empty if the recording lacks its opening
  std::string player;  ///< as which somebody came in; may be empty
  std::uint64_t facts = 0;
  core::Micros first = 0, last = 0;  ///< in the room's own time

  core::Micros length() const { return last - first; }
};

class RecordedTape final : public core::Tape {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30U;

  /// `link`: none if it is the only one with words; else the error lists them.
  static Outcome<std::unique_ptr<RecordedTape>> open(const std::string& path, std::optional<std::uint32_t> link);

  core::Micros length() const override { return facts_.empty() ? 0 : facts_.back().at; }
  std::optional<core::Micros> next_at() override;
  core::Fact next() override;
  Outcome<Done> seek(core::Micros at, core::World& world) override;

  const SpokenLink& about() const { return about_; }
  std::uint64_t unread() const { return unread_; }       ///< facts that no schema of ours can read
  const std::string& damage() const { return damage_; }  ///< what is wrong with the file from its end on; may be empty

 private:
  struct Held {
    core::Micros at;
    std::uint64_t begin;  // in bytes_
    std::uint32_t size;
  };

  Outcome<Done> load(const std::string& path);
  bool hold(const words::Fact& fact);
  core::Fact read(const Held& held) const;

  SpokenLink about_;
  std::vector<Held> facts_;  // in the order of their times
  Buffer bytes_;             // of all of them
  std::size_t next_ = 0;
  std::uint64_t unread_ = 0;
  std::string damage_;
};

}  // namespace entente
