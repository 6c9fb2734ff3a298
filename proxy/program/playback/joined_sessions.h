// Several sessions of one server, played as one: the longest, and before it began and after it ended, others that were
// there. Their clocks are joined by the wall clock, and players and their units by name.
// Law: at each time one session tells everything. A change of the session is no event: viewers are told the difference
// of the two worlds.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/program/recordings/recorded_session.h"

namespace entente {

/// A time that one session tells, in the time of the whole.
struct SessionPart {
  std::size_t session = 0;  ///< its place in RecordedSessions
  core::Micros from = 0, to = 0;
};

/// Which session tells when, gaps left out: the longest wherever it can, others where that makes at least five seconds
/// more. `begin`: the wall-clock time at 0.
std::vector<SessionPart> parts_of(const std::vector<RecordedSessionInfo>& sessions, WallTime& begin);

class JoinedSessions final : public PlayedWords {
 public:
  /// Null: one session tells everything that any of its server does.
  static std::unique_ptr<JoinedSessions> open(const RecordedSessions& found);

  /// "link 5 from 0:00, link 2 from 1:15"
  std::string text() const;

  core::Micros length() const override { return parts_.back().to; }
  bool begins_with_world() const override { return info(parts_.front()).begins_with_world; }
  std::optional<core::Micros> next_at() override;
  std::vector<core::Moment> moments() const override;
  bool changes() const override { return changes_; }
  core::Fact next() override;
  Outcome<Done> seek(core::Micros at, core::World& world) override;

  const RecordedSessionInfo& about() const override { return about_; }
  const std::string& damage() const override { return found_.damage; }

 private:
  /// Ids of the whole, by what they are called.
  class Ids;

  Outcome<Done> go_to_part(std::size_t part);
  const RecordedSessionInfo& info(const SessionPart& part) const { return found_.sessions[part.session]; }

  RecordedSessions found_;
  RecordedSessionInfo about_;
  WallTime begin_ = 0;
  std::vector<SessionPart> parts_;
  std::shared_ptr<Ids> ids_;
  std::size_t at_ = 0;                        // the part that tells
  std::unique_ptr<RecordedSession> session_;  // of it
  bool changes_ = false;
};

}  // namespace entente
