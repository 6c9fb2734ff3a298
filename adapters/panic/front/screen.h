// What a Panic client shows: the room's units as pieces, kept up to date with as few messages as possible.
// Invariant: only what the released client survives is sent: known ids, tiles 0 to 31, types 1-10 and 16-37; its own
// tanks are not destroyed if they may come back; and no more messages than it reads in a second.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "adapters/panic/front/masonry.h"
#include "adapters/panic/front/walls.h"
#include "adapters/panic/world/ground.h"
#include "adapters/panic/world/tank.h"
#include "adapters/panic/world/tiles.h"
#include "adapters/wire/message_codec.h"
#include "proxy/base/keyed_hash.h"
#include "proxy/core/gameplay/nearest_pellets.h"
#include "proxy/core/pace.h"
#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::panic {

/// Metres. A unit that is higher may stand on a wall.
inline constexpr double kOnGround = 1;

class Screen {
 public:
  using Out = core::FrontOut;

  /// `pictures`: the client's own maps, as far as known.
  Screen(std::size_t dialect, std::shared_ptr<const Maps> pictures);

  /// Sends the whole greeting, once the room is ready. The second time, the client is assumed to know nothing.
  /// `number`: the player's number on the wire. A spectator gets one tank, which is destroyed as soon as the game
  /// starts: the released client fails if it has none, and after losing it, the arrow keys pan the map.
  void greet(std::uint16_t number, bool watcher, Out& out);
  /// Another client is connected from now on: nothing is sent before greet().
  void forget_all();

  /// This unit may have changed, or is gone.
  void look_at(core::Id unit, Out& out);
  /// The room has sent a pose of this unit.
  void look_at_pose(core::Id unit, Out& out);
  /// Several units may be gone without a fact about each. If this is called too often, they are looked for a little
  /// later.
  void look_at_all(Out& out);
  /// Another world: it has other walls, nothing is built on it yet, and its units have other tiles.
  void take_world(Out& out);
  /// Blocks were built or dug. False if blocks cannot be shown in this world.
  bool look_at_edit(const words::Edit& edit, Out& out);
  /// A token was put on the ground or taken from it. Tokens are shown as something to pick up.
  void look_at_token(core::Id token, Out& out);
  /// Does not send this unit's heading until turn(), its next move, or this time, because a turn would count as an
  /// answer. 0: ends that.
  void hold_heading(core::Id unit, core::Micros until);
  /// Turns the unit on the spot, which means that it was blocked, or shot.
  void turn(core::Id unit, Direction direction, Out& out);
  /// The player's units have changed: tanks that were lost are given to units that it has now.
  void look_at_own(Out& out);
  void set_ammo(std::int32_t ammo, Out& out);
  void end_round(bool won, Out& out);
  bool is_over() const { return won_.has_value(); }
  /// The round is not over, or no longer.
  void begin_round() { won_.reset(); }
  /// Sends waiting changes as far as allowed, and updates what moves by itself.
  void tick(Out& out);

  const Tiles& tiles() const { return tiles_; }
  /// Whether a tile is blocked in a world of another game: there is a wall, one was built, or the client's own map
  /// shows rock or water.
  bool is_walled(Tile tile) const { return walls_->stands(tile) || masonry_.stands(tile) || is_drawn_blocked(tile); }
  /// Whether this is a room of Panic: its numbers are used unchanged, and dead units do not come back.
  bool same_game() const { return same_game_; }
  /// The unit behind the player's own tank with that number; 0 if there is no such tank, or no living unit.
  core::Id own_unit(std::uint32_t number, const Out& out) const;
  /// Whether one of the player's own tanks stands for the unit.
  bool is_own(core::Id unit) const;
  /// The tile on which the client shows the unit, if it does.
  std::optional<Tile> tile_of(core::Id unit) const;
  std::uint32_t model_of_unit(core::Id unit) const;

 private:
  struct Piece {
    core::Id unit = 0;   ///< the unit behind it; 0: none
    core::Id token = 0;  ///< the token behind it; 0: none
    bool wall = false;   ///< it is a wall, which may be gone now
    bool own = false;
    bool forgotten = false;  ///< its unit is gone; its number is free once the client does not show it
    bool there = false;
    bool waits = false;  ///< a change waits until a message may be sent
    bool moves = false;  ///< it moves by itself
    std::uint32_t code = 0;
    Tile at;
    Direction facing = Direction::kNorth;   ///< a client draws new pieces like this
    Direction turn = Direction::kNone;      ///< a turn on the spot to be shown
    std::optional<core::Micros> turned;     ///< when a turn was last shown
    std::optional<core::Micros> turned_of;  ///< the time of the pose that it overrides, until the next pose
    core::Micros held_until = 0;            ///< its heading is not sent before
    std::int32_t health = 0;
    std::optional<std::size_t> crater;  ///< the piece that marks an own tank while it is dead
  };
  using Index = std::size_t;  // the piece's number minus 1

  // Greeting.
  void take_map(Out& out);
  Tiles tiles_of(const words::World* world) const;
  void take_units(bool watcher, Out& out);
  GameState state_of(std::uint16_t number, std::optional<Index> watchers_tank, Out& out) const;
  Tile first_look(const Out& out) const;
  void tell_pieces(Out& out);
  void lay_walls(Out& out);
  void tell_walls(Tile from, Out& out);
  void add_walls(Out& out);
  bool is_drawn_blocked(Tile tile) const { return picture_ != nullptr && picture_->blocks(tile); }
  bool shows_wall(Tile tile) const { return (walls_->shows(tile) || masonry_.stands(tile)) && !is_drawn_blocked(tile); }
  int index_of(Tile tile) const { return tile.y * tiles_.columns() + tile.x; }
  Index wall_at(Tile tile);
  Tile place_of(Tile now, const words::Pose& pose) const;
  void look_at_wall(Tile tile, Out& out);

  // Pellets. Only the nearest are shown.
  void refresh_pellets(std::size_t most_new, Out& out);
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
  /// REQUIRES: paint() follows.
  void forget(Index index);
  void free_if_forgotten(Index index);
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

  std::unique_ptr<wire::MessageCodec<Message>> codec_;
  Buffer bytes_;

  std::shared_ptr<const Maps> pictures_;
  const Ground* picture_ = nullptr;  // the picture of the map that stands for a world of another game
  Tiles tiles_;
  std::uint8_t map_ = 2, map_version_ = 1;
  bool same_game_ = false;
  bool greeted_ = false;
  bool looks_for_gone_ = false;    // look_at_all() was called, and put off
  core::Micros looked_since_ = 0;  // the pieces that were looked at are counted from then on
  std::size_t looked_at_ = 0;      // pieces
  std::vector<Piece> pieces_;
  std::unordered_map<core::Id, Index, KeyedHash<core::Id>> index_of_, index_of_token_;
  std::unordered_map<int, Index, KeyedHash<int>> index_of_wall_;  // by the index of its tile, row by row
  std::shared_ptr<const Walls> walls_;                            // of a world of another game; shared
  Masonry masonry_;
  std::vector<Index> free_, own_;  // numbers that are free; the player's own tanks
  std::deque<Index> waiting_;
  core::NearestPellets pellets_;
  std::optional<std::int32_t> ammo_, ammo_told_;
  std::optional<bool> won_;
  bool over_told_ = false;
  core::Pace pace_{core::kSecond / 35, 10};  // a client reads one message per frame: 57 a second were measured
};

}  // namespace entente::panic
