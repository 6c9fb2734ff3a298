// Paints the world for one client, as cells: what came into view, changed, was eaten, or left. It knows cells, not
// messages; each dialect sends the changes in its own way.
// Invariant: what the client was sent is known here, and only differences are sent. A painting allocates nothing once
// all it shows was shown before, and examines nothing that cannot have changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/ogar/front/looks.h"
#include "adapters/ogar/front/shapes.h"
#include "adapters/ogar/front/spare_ids.h"
#include "adapters/ogar/front/viewpoint.h"
#include "adapters/ogar/translate/lookup_order_map.h"
#include "proxy/core/gameplay/tile_interpolator.h"
#include "proxy/core/replay/resync_phase.h"
#include "proxy/core/room_member.h"

namespace entente::ogar {

/// The changes since the last painting. A cell that is eaten is also removed. An updated cell has all its fields,
/// except unchanged texts.
struct Changes {
  std::vector<AddedCell> added;
  std::vector<UpdatedCell> updated;
  std::vector<Eaten> eaten;
  std::vector<std::uint32_t> removed;
};

class Painter {
 public:
  /// The most shapes (of what stands still) that are shown at once.
  static constexpr std::size_t kMostShapes = 1024;

  /// Takes facts that a painting cannot see in the world: who ate whom, and shots that are over at once.
  void hear(const core::Fact& fact, const core::WorldState& world);
  /// Whether a replay is seeking: facts are not events then.
  bool in_resync() const { return static_cast<bool>(resync_); }
  /// Valid until the next call. The lists may be swapped for others, which are then reused.
  Changes& paint(const Viewpoint& viewpoint, core::FrontOut& out);
  /// The client has forgotten all cells.
  void forget();

 private:
  using Key = std::uint64_t;  // the id of a unit; or of a shot or token, marked in the highest bits

  /// The fields that each painting compares come first, so that they share a cache line or two.
  struct Painted {
    std::uint32_t wire = 0;  ///< the client's id for it: the unit's, or a spare one
    std::uint32_t turn = 0;  ///< when it was last in view
    float x = 0, y = 0;
    std::uint16_t size = 0;
    CellType type{};
    Colour colour{};
    bool owned = false;
    std::uint64_t look_hash = 0;  ///< see look_hash_of(); 0: not painted yet
    core::TileInterpolator interpolator;
    std::string name, skin;
  };
  /// A shape, which stands still; its look is in shapes_.
  struct Still {
    std::uint32_t wire = 0, turn = 0;
  };
  struct Eating {
    core::Id killed, killer;
  };
  /// A ray, which hits at once; it is drawn as a flying shot.
  struct Ray {
    Key key;
    double x, y, dx, dy;
    Colour colour;
    core::Micros began;
  };
  /// The part of the world that is sent, in metres.
  struct Box {
    double west, east, south, north;
    bool touches(double x, double y, double radius) const {
      return x + radius >= west && x - radius <= east && y + radius >= south && y - radius <= north;
    }
    bool holds(const Box& other) const {
      return west <= other.west && east >= other.east && south <= other.south && north >= other.north;
    }
  };

  static Box box_of(const View& view, const core::WorldState& world);
  void paint_units(const Box& box, core::FrontOut& out);
  void paint_unit(const core::UnitState& state, const core::PlayerState* me, core::FrontOut& out);
  void paint_shots(const Box& box, core::FrontOut& out);
  void paint_ring(Key key, const words::Shot& wave, double radius, const Box& box, Colour colour);
  void paint_ball(Key key, double x, double y, Colour colour);
  void paint_tokens(core::FrontOut& out);
  void paint_shapes(const Box& box, core::FrontOut& out);
  void stroke(Painted& cell, core::Id wire, std::uint64_t look_hash, const Look& look);
  std::uint32_t spare_id();
  void add(Painted& cell, const Look& look);
  void tell_added(std::uint32_t wire, const Look& look);
  void update(Painted& cell, const Look& look, bool texts);
  template <class Cells>
  void sweep(Cells& cells, std::uint32_t turn);
  void tell_eaten();
  void tell_eaten(Key key, const Painted& cell);
  Painted& entry(Key key);
  void measure(const core::WorldState& world, core::Micros now);

  core::ResyncPhase resync_;
  std::uint32_t turn_ = 0;
  bool in_play_ = true;
  SpareIds spare_ids_;
  LookupOrderMap<Key, Painted> painted_;
  LookupOrderMap<Shapes::Key, Still> still_;
  std::optional<Box> laid_;  // the part of which all shapes are shown; empty: none is shown
  Shapes::Key laid_newest_ = 0;
  std::uint32_t still_turn_ = 0;
  std::vector<Eating> eaten_;
  std::vector<Ray> rays_;
  std::uint32_t next_ray_ = 0;
  std::size_t balls_ = 0;                                                // of shots, in this painting
  bool rays_full_ = false;                                               // a ray was left out since the last painting
  bool shots_full_ = false, tokens_full_ = false, shapes_full_ = false;  // some are not shown
  Shapes shapes_;
  double widest_ = 0;  // largest radius of all units, in metres
  core::Micros measured_ = 0;
  Changes changes_;
};

}  // namespace entente::ogar
