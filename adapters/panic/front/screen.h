// What a Panic client shows: the room's units as its pieces, told by as few messages as it takes.
// Law: only what the released client survives: known ids, tiles 0 to 31, types 1-10 and 16-37, its own tanks never
// destroyed where they may come back, and no more messages than it reads in a second.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "adapters/panic/front/masonry.h"
#include "adapters/panic/front/walls.h"
#include "adapters/panic/ground.h"
#include "adapters/panic/tank.h"
#include "adapters/panic/tiles.h"
#include "adapters/wire/speech.h"
#include "proxy/core/litter.h"
#include "proxy/core/pace.h"
#include "proxy/core/session.h"
#include "proxy/core/world.h"

namespace entente::panic {

class Screen {
 public:
  using Out = core::FrontOut;

  /// `pictures`: maps that the client has, as far as they are known.
  Screen(std::size_t dialect, std::vector<Ground> pictures);

  /// The whole greeting, once the room is ready; a second time, the client forgets what it knew. `number`: the
  /// player's on the wire. A watcher gets one tank, which is destroyed as soon as the game starts: the released client
  /// ends in an error if it has none, and once it has lost its arrow keys pan the map.
  void greet(std::uint16_t number, bool watcher, Out& out);
  /// Another client reads from now on: it is told nothing before it is greeted.
  void forget_all();

  /// Something about this unit may have changed, or it is gone.
  void look_at(core::Id unit, Out& out);
  /// It was said where this unit is.
  void look_at_pose(core::Id unit, Out& out);
  /// Units may be gone without a word about each.
  void look_at_all(Out& out);
  /// Another world: its walls are others, nothing is built on it yet, and what is in it is elsewhere in its grid.
  void take_world(const words::World& world, Out& out);
  /// Blocks were built or dug away. False if the client can be shown none in this world.
  bool look_at_edit(const words::Edit& edit, Out& out);
  /// It came to lie somewhere, or lies there no more: tokens are shown as what can be picked up.
  void look_at_token(core::Id token, Out& out);
  /// Its next heading is an answer, and not told before turn() or its next move says so; at the latest then. 0: at
  /// once.
  void hold_heading(core::Id unit, core::Micros until);
  /// It turns to there on the spot: it was blocked, or it shot.
  void turn(core::Id unit, Direction direction, Out& out);
  /// It is the player's, or is not any more; tanks of its own that were lost are given to the units it has now.
  void look_at_own(Out& out);
  void set_ammo(std::int32_t ammo, Out& out);
  void end_round(bool won, Out& out);
  bool is_over() const { return won_.has_value(); }
  /// It is not over, or no more.
  void begin_round() { won_.reset(); }
  /// What waits, as far as it may go now; what moves on by itself.
  void tick(Out& out);

  const Tiles& tiles() const { return tiles_; }
  /// In somebody else's world a wall stands there, or was built, or the client's own map shows rock or water.
  bool is_walled(Tile tile) const { return walls_.stands(tile) || masonry_.stands(tile) || is_drawn_blocked(tile); }
  /// The room's numbers are Panic's, and who dies there is gone for good.
  bool same_game() const { return same_game_; }
  /// The player's own tank of that number; 0 if it is none, or nothing lives behind it.
  core::Id own_unit(std::uint32_t number, const Out& out) const;
  /// Where the client has that unit, if it shows it.
  std::optional<Tile> tile_of(core::Id unit) const;
  std::uint32_t model_of_unit(core::Id unit) const;

 private:
  struct Piece {
    core::Id unit = 0;   ///< 0: nothing is behind it now, or
    core::Id token = 0;  ///< a token is, or
    bool wall = false;   ///< a wall stands there, or stood
    bool own = false;
    bool there = false;
    bool waits = false;  ///< for a message that it may not send yet
    bool moves = false;  ///< on, by itself
    std::uint32_t code = 0;
    Tile at;
    Direction facing = Direction::kNorth;   ///< as a client draws what was just created
    Direction turn = Direction::kNone;      ///< to be shown on the spot
    std::optional<core::Micros> turned;     ///< when that was last shown …
    std::optional<core::Micros> turned_of;  ///< … and of when the pose was that it holds against: until the next
    core::Micros held_until = 0;            ///< its heading is not told before
    std::int32_t health = 0;
    std::optional<std::size_t> crater;  ///< the piece that lies on an own tank while it is dead
  };
  using Index = std::size_t;  // its number less 1

  // Greeting.
  void take_map(const core::World& world);
  Tiles tiles_of(const words::World* world) const;
  void take_units(bool watcher, Out& out);
  GameState state_of(std::uint16_t number, std::optional<Index> watchers_tank, Out& out) const;
  Tile first_look(const Out& out) const;
  void tell_pieces(Out& out);
  void lay_walls(const words::World* world);
  void tell_walls(Tile from, Out& out);
  bool is_drawn_blocked(Tile tile) const { return picture_ != nullptr && picture_->blocks(tile); }
  bool shows_wall(Tile tile) const { return (walls_.shows(tile) || masonry_.stands(tile)) && !is_drawn_blocked(tile); }
  Index wall_at(Tile tile);
  void look_at_wall(Tile tile, Out& out);

  // Pellets, of which a client is told the nearest.
  void look_about(std::size_t most_new, Out& out);
  bool is_covered(const words::Unit& unit, const Out& out) const;

  // One piece.
  bool shows(const words::Unit& unit, Out& out) const;
  Index piece_for(core::Id unit);
  Index new_piece();
  std::optional<Tile> lies_at(core::Id token, const Out& out) const;
  void paint(Index index, Out& out);
  bool paint_one(Index index, Out& out);
  bool paint_token(Index index, Out& out);
  bool paint_thing(Index index, std::uint32_t code, std::optional<Tile> lies, Out& out);
  bool paint_absent(Index index, Out& out);
  bool dig_crater(Index index, Out& out);
  bool fill_crater(Index index, Out& out);
  bool paint_place(Index index, const core::UnitState& state, Out& out);
  bool paint_heading(Index index, const core::UnitState& state, Out& out);
  bool paint_health(Index index, const words::Unit& unit, Out& out);
  void forget(Index index);
  core::Id unit_without_tank(const Out& out) const;
  void give(Index tank, core::Id unit, Out& out);
  std::uint32_t code_of(const words::Unit& unit, const Out& out) const;
  std::int32_t value_of(const words::Unit& unit, std::uint32_t code) const;

  // Sending.
  bool may_send(Out& out);
  bool waits(Index index);
  void tell_create(Index index, const core::UnitState& state, Out& out);
  void tell_thing(Index index, std::uint32_t code, std::int32_t value, Tile at, Out& out);
  void tell_event(std::uint8_t code, Direction direction, std::int32_t value, std::optional<Index> index, Out& out);
  void send(const Message& message, std::uint32_t code, Out& out);
  void send_counters(Out& out);

  std::unique_ptr<wire::Speech<Message>> speech_;
  Buffer bytes_;

  std::vector<Ground> pictures_;
  const Ground* picture_ = nullptr;  // of the map that stands for somebody else's world
  Tiles tiles_;
  std::uint8_t map_ = 2, map_version_ = 1;
  bool same_game_ = false;
  bool greeted_ = false;
  std::vector<Piece> pieces_;
  std::unordered_map<core::Id, Index> index_of_, index_of_token_;
  std::unordered_map<int, Index> index_of_wall_;  // by its tile, counted row by row
  Walls walls_;                                   // of somebody else's world
  Masonry masonry_;
  std::vector<Index> free_;
  std::deque<Index> waiting_;
  core::Litter litter_;
  std::optional<std::int32_t> ammo_, ammo_told_;
  std::optional<bool> won_;
  bool over_told_ = false;
  core::Pace pace_{core::kSecond / 35, 10};  // it reads one message a frame: 57 a second were measured
};

}  // namespace entente::panic
