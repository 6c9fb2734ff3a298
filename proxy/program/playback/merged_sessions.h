// One session, together with what the other sessions of its server saw meanwhile: units that were out of its sight,
// deaths and chat that it did not hear.
// Invariant: the facts of the played session stay as recorded, but a unit is in sight while any session sees it, and a
// message that several sessions received appears once. Views of other sessions are added ten times a second. The same
// file gives the same facts.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proxy/program/playback/joined_sessions.h"
#include "proxy/program/playback/session_view.h"

namespace entente {

class MergedSessions final : public PlayedWords {
 public:
  static constexpr std::size_t kMostViews = 12;  ///< other sessions; the longest are taken
  static constexpr core::Micros kTick = 100 * core::kMillisecond;

  /// Null: no other session saw what the told one did not, because all units were in everybody's sight.
  static std::unique_ptr<MergedSessions> open(const RecordedSessions& found);

  /// "link 5 from 0:00; what 3 others saw is added"
  std::string text() const;

  core::Micros end_time() const override { return told_->end_time(); }
  core::Micros first() const override { return told_->first(); }
  bool begins_with_world() const override { return told_->begins_with_world(); }
  std::optional<core::Micros> next_at() override;
  bool next_is_other_session() const override { return queue_.empty() && told_->next_is_other_session(); }
  std::optional<core::Micros> gap_from() const override { return told_->gap_from(); }
  core::Fact next() override;
  std::vector<core::Moment> moments() const override { return told_->moments(); }
  Outcome<Done> seek(core::Micros at, core::WorldState& world) override;

  const RecordedSessionInfo& about() const override { return told_->about(); }
  const std::string& damage() const override { return told_->damage(); }
  WallTime begins() const override { return told_->begins(); }
  void hear_intents(std::function<void(const core::Intent&)> hear) override { told_->hear_intents(std::move(hear)); }

 private:
  /// A unit that is shown because another session sees it.
  struct Added {
    words::Unit unit;         // as last told
    std::uint32_t link = 0;   // whose view it is from
    std::uint32_t looks = 0;  // UnitState::looks_version there
  };
  struct Heard {
    core::Id from = 0;
    std::string text;
    std::uint32_t link = 0;
    core::Micros at = 0;
  };
  struct Death {
    std::uint32_t link = 0;
    core::Micros at = 0;
  };

  void hear(core::Fact fact);
  bool is_passed(const core::Fact& fact);
  bool is_news(core::Id from, const std::string& text, std::uint32_t link, core::Micros at);
  bool dies(core::Id player, std::uint32_t link, core::Micros at);
  bool is_seen_by_others(core::Id unit) const;

  void look(core::Micros now);
  bool catch_up_view(SessionView& view, core::Micros now);
  void hear(SessionView& view, const core::Fact& fact, core::Micros now);
  core::Id id_of(SessionView& view, const core::UnitState& state, core::Micros now);
  core::Id told_unit(SessionView& view, const core::UnitState& state, core::Micros now, bool hidden) const;
  core::Id added_unit(SessionView& view, const core::UnitState& state, core::Micros now) const;
  core::Id player_of(SessionView& view, core::Id own, core::Micros now);
  void show(core::Id id, SessionView& view, const core::UnitState& state, core::Micros now);
  void hide(core::Id id, core::Micros now);
  void tell_owners(core::Micros now);
  void forget_players(core::Micros now);
  void compare(SessionView& view, core::Micros now);
  void say(core::Fact fact, core::Micros now);

  std::unique_ptr<JoinedSessions> told_;
  core::WorldState world_;  // as the told session knows it
  std::vector<std::unique_ptr<SessionView>> views_;
  std::map<core::Id, Added> added_;
  std::set<core::Id> players_;                                         // who is known only by others
  std::set<core::Id> owners_;                                          // players whose units have changed
  std::map<core::Id, std::vector<core::Id>> owned_;                    // as last told by us
  std::deque<Heard> heard_;                                            // of the last seconds
  std::map<core::Id, Death> deaths_;                                   // the last of each player
  std::map<std::pair<std::uint32_t, core::Id>, core::Micros> differ_;  // since when, of a view and a player
  std::set<std::pair<std::uint32_t, core::Id>> said_to_differ_;
  std::deque<core::Fact> queue_;
  core::Micros tick_ = kTick;  // when others are looked at next
  bool seeks_ = false;
  std::size_t quiet_ = 0;  // ticks since the last fact
};

}  // namespace entente
