// Several sessions of one server, played as one: the longest session, and other sessions before it began and after it
// ended. Their clocks are joined by the wall clock, and players and their units by name: who leaves and comes back has
// one id, and those of one name who are there at the same time have different ones.
// Invariant: at each time, everything comes from one session. A change of the session is not an event: viewers get the
// difference of the two worlds.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/program/conversion/recorded_session.h"

namespace entente {

/// A span that is played from one session, in the time of the whole.
struct SessionPart {
  std::size_t session = 0;  ///< its place in RecordedSessions
  core::Micros from = 0, to = 0;
};

/// The place of the longest session, if its player knew the world; otherwise the number of sessions.
std::size_t longest_of(const std::vector<RecordedSessionInfo>& sessions);

/// Which session tells when, gaps left out: the longest wherever it can, others where that makes at least five seconds
/// more. `begin`: the wall-clock time at 0; if it is 0, it becomes the time when the first of these sessions begins.
std::vector<SessionPart> parts_of(const std::vector<RecordedSessionInfo>& sessions, WallTime& begin);

class JoinedSessions final : public PlayedWords {
 public:
  /// Null: there would be fewer than `least` parts. With a `least` of 1, a session that tells everything alone is
  /// opened, too.
  static std::unique_ptr<JoinedSessions> open(const RecordedSessions& found, std::size_t least = 2);

  /// "link 5 from 0:00, link 2 from 1:15"
  std::string text() const;
  std::size_t parts() const { return parts_.size(); }
  /// The link of the session that is played now.
  std::uint32_t teller() const { return info(parts_[at_]).link; }
  /// The id here of a session's player. REQUIRES: learn_names() of that session.
  core::Id id_of(std::uint32_t link, core::Id player) { return ids_->translated(link, player); }
  /// An id here for a session's unit, which no other session's unit gets.
  core::Id own_id_of(std::uint32_t link, core::Id unit) { return ids_->own(link, unit); }
  /// Reads the names of this session's players. A player with a known name gets the known id.
  void learn_names(const RecordedSessionInfo& session) { ids_->learn(session); }

  core::Micros end_time() const override { return parts_.back().to; }
  core::Micros first() const override { return begins_of(info(parts_.front())); }
  bool begins_with_world() const override { return info(parts_.front()).begins_with_world; }
  std::optional<core::Micros> next_at() override;
  std::vector<core::Moment> moments() const override;
  bool next_is_other_session() const override { return changes_; }
  std::optional<core::Micros> gap_from() const override;
  core::Fact next() override;
  Outcome<Done> seek(core::Micros at, core::WorldState& world) override;

  const RecordedSessionInfo& about() const override { return about_; }
  const std::string& damage() const override { return found_.damage; }
  WallTime begins() const override { return begin_; }
  void hear_intents(std::function<void(const core::Intent&)> hear) override {
    hear_ = std::move(hear);
    session_->hear_intents(hear_);
  }

 private:
  /// The ids of the joined sessions. Players and units with the same name have the same id.
  class Ids {
   public:
    /// The names of a session's players and units, once.
    void learn(const RecordedSessionInfo& session);
    core::Id translated(std::uint32_t link, core::Id id);
    core::Id own(std::uint32_t link, core::Id id);

   private:
    using Names = std::map<core::Id, std::string>;

    std::map<std::uint32_t, Names> names_;
    std::map<std::string, core::Id> named_;
    std::map<std::pair<std::uint32_t, core::Id>, core::Id> ids_, own_;
    core::Id last_ = 0;
  };

  Outcome<Done> go_to_part(std::size_t part);
  /// A time of this session's room, in the time of the whole.
  core::Micros time_of(const RecordedSessionInfo& session, core::Micros room) const {
    return std::max(session.wall_us(std::max(room, session.first)), begin_ / 1000) - begin_ / 1000;
  }
  core::Micros begins_of(const RecordedSessionInfo& session) const { return time_of(session, session.first); }
  const RecordedSessionInfo& info(const SessionPart& part) const { return found_.sessions[part.session]; }

  RecordedSessions found_;
  RecordedSessionInfo about_;
  WallTime begin_ = 0;
  std::vector<SessionPart> parts_;
  std::shared_ptr<Ids> ids_;
  std::size_t at_ = 0;                        // the part that tells
  std::unique_ptr<RecordedSession> session_;  // of it
  bool changes_ = false;
  core::Micros ended_ = 0;  // the part before the change
  std::function<void(const core::Intent&)> hear_;
};

}  // namespace entente
