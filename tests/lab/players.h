// Players of a simulation: bots, and what each of them has seen.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proxy/core/bot/bot.h"
#include "tests/lab/kernel/kernel.h"
#include "tests/lab/plan.h"

namespace entente::lab {

/// A player of an arena, as somebody sees it.
struct Sight {
  std::uint32_t wins = 0, losses = 0;
  bool alive = false;
  double x = 0, y = 0;
};

/// A team, as somebody sees it. Not all games show both.
struct TeamSight {
  bool has_score = false, has_flag = false;
  std::uint32_t wins = 0, losses = 0;
  words::Token::State flag = words::Token::NOWHERE;
  double x = 0, y = 0;  ///< of the flag
};

/// One player, from its start to its end.
struct Person {
  std::size_t group = 0;
  std::string name;
  Nanos began = 0, in_at = 0, gone_at = 0;  ///< 0: not yet
  std::string refused;
  std::map<std::string, Sight> sees;       ///< by name, when Crowd::look() was called
  std::map<words::Team, TeamSight> teams;  ///< the same
  Nanos behind = 0;                        ///< a viewer of a broadcast: it sees everything so much later
  std::string saw_early{};                 ///< a player whom it saw before that
  bool in() const { return in_at != 0 && gone_at == 0; }
};

/// All players. They are in groups, each of which joins at one place.
class Crowd {
 public:
  explicit Crowd(const Plan& plan) : plan_(plan) {}
  struct Role {
    core::Behaviour behaviour = core::Behaviour::kHunt;
    bool talks = false;
    bool views = false;  ///< a broadcast, and moves its own clock
    Nanos behind = 0;    ///< of that broadcast
  };
  /// A player of this group, for a route of bots.
  std::unique_ptr<core::Front> next(std::size_t group, const Role& role);

  const std::vector<std::unique_ptr<Person>>& people() const { return people_; }
  std::size_t begun(std::size_t group) const;  ///< since the beginning
  std::size_t here(std::size_t group) const;
  std::size_t in(std::size_t group) const;
  bool is_in(const std::string& name) const;
  /// Whether somebody who sees this player now sees it too early: so much later than it began, at least.
  bool is_early(std::string_view name, Nanos behind) const;

  /// From now on, nobody does anything.
  void rest() { rests_ = true; }
  /// Everybody who is in notes what it sees, within 200 ms.
  void look() { ++looks_; }

 private:
  class Player;
  const Plan& plan_;
  std::vector<std::unique_ptr<Person>> people_;
  bool rests_ = false;
  std::uint32_t looks_ = 0;
};

}  // namespace entente::lab
