// The referee: the source of truth in a room without a game server. Players of every game drive, shoot, die and
// score by the rules of one arena (arena.h, ARENA.md).
// Invariant: it trusts nobody. A claim that the rules allow becomes true; any other is refused or corrected. The same
// intents at the same times give the same facts.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/arena/arena.h"
#include "proxy/core/gameplay/steering.h"
#include "proxy/core/names/names.h"
#include "proxy/core/pace.h"
#include "proxy/core/room_member.h"
#include "proxy/core/watcher_places.h"

namespace entente::core {

class Referee final : public Back {
 public:
  /// Joins and changes of one player, which are reported to everybody.
  static constexpr Pace kEntries{kSecond, 5};

  explicit Referee(Arena arena);

  static constexpr Micros kTick = 40 * kMillisecond;
  /// How long a SavedPlayer is held for the player to whom it was promised.
  static constexpr Micros kHeld = 4 * kSecond;

  /// The player who enters on this seat goes on as the SavedPlayer of this name.
  void promise(Id seat, std::string name) { promised_[seat] = std::move(name); }
  /// Saves the state of a player who leaves, for kHeld. Only the seat given to promise() may continue it.
  void hold(SavedPlayer start);

  // What an operator's rules want, at the next tick. Unknown players are ignored.
  void set_score(Id player, std::uint32_t wins, std::uint32_t losses);
  /// As if the player had asked for it, but without the limit on such requests. Not if there are no teams.
  void set_team(Id player, words::Team team);
  /// A new round begins at once, also if one is running.
  void open_round();
  /// The round ends. The next begins only by open_round(). `winner`: TEAM_ANY: nobody.
  void close_round(words::Team winner);
  /// Whether close_round() was called, and open_round() not since.
  bool is_closed() const { return closed_; }

  void opened(const Peer& peer, BackOut& out) override;
  void receive(const Frames&, BackOut&) override {}  // it has no peer
  void hear(const Intent& intent, BackOut& out) override;
  bool would_play(const Intent& enter, const BackOut& out) const override;
  void tick(BackOut& out) override;

 private:
  using Point = std::array<double, 3>;

  struct Player {
    words::Player who;
    Id unit = 0;  ///< 0: a spectator
    Steering steering;
    TankState tank, before;  ///< now, and at the last tick
    std::uint32_t state = 0;
    bool alive = false;
    double health = 0;
    Micros spawn_allowed_at = 0, trigger_allowed_at = 0;
    bool wants_spawn = false;     ///< has asked to spawn and is not in play yet
    bool owes_shot = false;       ///< its trigger is held, and has not fired yet, because it could not be fired
    bool claims = false;          ///< the client moves the tank; keys only aim
    bool walks = false;           ///< the client moves a man
    Micros claimed_at = 0;        ///< time of the last claim
    double reach = 0;             ///< metres that claims may still cover (save_up)
    double away = 0;              ///< metres that the first claim may cover in addition
    Micros corrected_at = 0;      ///< time of the last correction
    std::vector<Micros> barrels;  ///< when each is loaded
    words::Score score;
    std::optional<words::Pose> start;  ///< where its first life begins, if known
    double start_health = 0;           ///< of that life; 0: full
    words::Pose told;
    Micros told_at = 0;
    std::uint32_t shots = 0, seq = 0;
  };

  /// What is kept of a seat when its player leaves and rejoins.
  struct RejoinRecord {
    Pace entries = kEntries;
    Micros spawn_allowed_at = 0;  ///< leaving does not shorten the wait after a death
    std::vector<Micros> barrels;  ///< as in Player: leaving loads none
    Micros trigger_allowed_at = 0;
    Micros forget = 0;  ///< when to forget an empty seat
  };

  struct Ball {
    Id shooter = 0;
    std::uint32_t number = 0;
    words::Team team = words::TEAM_ANY;
    Point at{}, velocity{};
    Micros until = 0;    ///< 0: has ended and will be removed
    bool flown = false;  ///< has left the tank that fired it
    words::ShotKind kind = words::BALL;
    Id target = 0;    ///< the player that a guided shot follows
    Micros told = 0;  ///< when its course was last reported
  };

  struct Flag {
    words::Token token;
    Micros lies_until = 0;  ///< when it returns by itself; 0: at home or carried
    Id left_by = 0;         ///< the player who dropped it and has not moved away yet
    Id awaits = 0;          ///< a SavedPlayer::id: its carrier before the arena was moved here; 0: nobody
  };

  // -- Players: referee.cc
  void enter(Id id, const words::Enter& wish, BackOut& out);
  void leave(Id id, std::string_view why, BackOut& out);
  RejoinRecord& record_of(Id id, Micros now);
  bool lets_in(Id id, BackOut& out);
  bool gives_place(Id id, bool full, BackOut& out);
  void keep_seat(const Player& player, Micros now);
  /// Counts the claim, and tells its player why.
  void refuse_claim(Id id, const MappingLine& why, BackOut& out);
  void refuse_change(Id id, BackOut& out);
  void change(Player& player, const words::Change& change, BackOut& out);
  bool change_team(Player& player, words::Team team, BackOut& out);
  void watch(Player& player, const words::Watch& watch, BackOut& out);
  void say(const Player& from, const words::Say& say, BackOut& out);
  void call(Player& player, const std::string& wish);
  words::Team team_for(words::Team wish) const;
  std::optional<SavedPlayer> start_for(const std::string& name, bool promised);
  void begin_with(Player& player, const SavedPlayer& start, words::Team wish);
  void go_on(Player& player, const SavedPlayer& start, BackOut& out);
  void forget_held(Micros now);
  std::size_t playing() const;
  void tell_room(BackOut& out);
  void tell_sizes(BackOut& out);
  Player* find(Id id);

  // -- Lives and driving: referee_play.cc
  void want_spawn(Player& player, BackOut& out);
  Micros next_life(const Player& player, Micros now) const;
  void spawn(Player& player, BackOut& out);
  void place(Player& player, BackOut& out) const;
  std::optional<Point> free_near(const words::Pose& pose) const;
  Point free_place(const Player& player, BackOut& out) const;
  double room_around(const Player& player, double x, double y) const;
  void drive(Player& player, double dt, BackOut& out);
  void claim(Player& player, const words::PoseClaim& claim, BackOut& out);
  void save_up(Player& player, Micros now) const;
  double way_to(const Player& player, const words::PoseClaim& claim) const;
  double fastest() const;
  bool bears(const Player& player, const words::PoseClaim& claim) const;
  void correct(Player& player, BackOut& out);
  void tell_place(Player& player, bool at_once, BackOut& out);
  void hurt(Player& victim, double damage, const Ball& by, BackOut& out);
  void die(Player& victim, Player* killer, std::uint32_t shot, words::DeathCause why, BackOut& out);
  words::Pose pose_of(const Player& player) const;

  // -- Shots: referee_shots.cc
  void shoot(Player& player, const Shooting& wish, BackOut& out);
  void shoot_ball(Player& player, const Shooting& wish, BackOut& out);
  bool load(Player& player, Micros now) const;
  void shoot_ray(Player& player, const Shooting& wish, BackOut& out);
  static void lose_owed_shot(Player& player, const MappingLine& why, BackOut& out);
  void fly(Ball& ball, double dt, BackOut& out);
  bool bounce(Ball& ball, const Point& way, double free, BackOut& out);
  Player* first_met(const Ball& ball, const Point& from, const Point& to);
  bool may_hurt(const Player& victim, const Ball& ball) const;
  bool is_spared(const Player& victim, const Ball& ball) const;
  void end_shot(Ball& ball, bool burst, BackOut& out);
  void end_claim(Player& player, const words::ShotEndClaim& claim, BackOut& out);

  // -- Grenades and guided shots: referee_courses.cc
  void throw_grenade(Player& player, const Shooting& wish, BackOut& out);
  void fall(Ball& ball, double dt, BackOut& out);
  void burst(Ball& ball, BackOut& out);
  void guide(Ball& ball, double dt, BackOut& out);
  Id target_of(const Player& player, double yaw) const;
  void move_claim(Player& player, const words::ShotMoveClaim& claim, BackOut& out);
  void tell_course(Ball& ball, BackOut& out);
  bool is_foe(const Player& other, const Player& player) const;

  // -- Scores, flags and rounds: referee_rounds.cc
  void score(Player& player, int wins, int losses, BackOut& out);
  void score_team(words::Team team, int wins, int losses, BackOut& out);
  std::uint32_t size_of(words::Team team) const;
  void place_flags(BackOut& out);
  void place_guided(BackOut& out);
  bool guides(Id player);
  void wish(Player& player, const words::TokenWish& wish, BackOut& out);
  void look_after_flags(BackOut& out);
  void look_after_flag(Flag& flag, BackOut& out);
  static bool touches(Flag& flag, const Player& player);
  void take(Flag& flag, Player& player, BackOut& out);
  void drop(Flag& flag, Player& player, BackOut& out);
  void bring_home(Flag& flag, BackOut& out);
  void restore_flags(BackOut& out);
  void capture(Flag& flag, Player& player, BackOut& out);
  Flag* carried_by(Id player);
  const words::Solid* base_of(words::Team team) const;
  void begin_round(BackOut& out);
  void restore_round(BackOut& out);
  void end_round(BackOut& out);
  void begin_next_round(BackOut& out);
  void carry_out_orders(BackOut& out);
  void look_at_the_clock(BackOut& out);
  void look_at_the_score(std::uint32_t wins, Id player, words::Team team, BackOut& out);
  bool teams() const { return arena_.rules.mode != ArenaMode::kFreeForAll; }
  bool running() const { return round_.state() == words::Round::RUNNING; }

  const Arena arena_;
  const Terrain terrain_;
  TankModel claimed_tank_;           // smaller, for testing claims: other games' copies of the world are less exact
  std::vector<SavedPlayer> starts_;  // not taken yet; of those that are held, the first is released first
  std::unordered_map<Id, std::string, KeyedHash<Id>> promised_;
  Micros held_until_ = 0;  // when the first of what is held is released; 0: nothing is held
  std::map<Id, Player> players_;
  NameBook names_;
  WatcherPlaces watchers_{"spectators"};
  std::map<Id, RejoinRecord> rejoin_records_;
  std::vector<Ball> balls_;
  std::vector<Flag> flags_;
  std::map<words::Team, words::TeamScore> team_scores_;
  words::Room room_;
  bool sizes_due_ = false;
  words::Round round_;
  Micros round_ends_ = 0, next_round_ = 0;
  bool closed_ = false;  // no round begins by itself
  std::vector<std::function<void(BackOut&)>> orders_;
  Micros ticked_ = 0;
};

}  // namespace entente::core
