// Paints the world for one client, as cells: what came into its view, what changed there, what was eaten, what left. It
// knows cells, not messages; a dialect says the changes in its own way.
// Law: what a client was told is known here, and only what differs from it is told; a painting takes no memory once all
// that it shows was shown before.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "adapters/ogar/eye.h"
#include "adapters/ogar/looks.h"
#include "adapters/ogar/shapes.h"
#include "adapters/ogar/spare_ids.h"
#include "proxy/core/glide.h"
#include "proxy/core/session.h"

namespace entente::ogar {

/// Between two paintings. A cell that is eaten is removed, too.
struct Changes {
  std::vector<AddedCell> added;
  std::vector<UpdatedCell> updated;
  std::vector<Eaten> eaten;
  std::vector<std::uint32_t> removed;
};

class Painter {
 public:
  /// Most of what stands still that is shown at once.
  static constexpr std::size_t kMostShapes = 256;

  /// What a painting could not see by itself: who ate whom, a shot that is over as soon as it is told.
  void hear(const core::Fact& fact, const core::World& world);
  /// Good until the next call; the lists may be swapped for others, which are then reused.
  Changes& paint(const Eye& eye, core::FrontOut& out);
  /// The client forgot all cells.
  void forget();

 private:
  using Key = std::uint64_t;  // a unit's id, or a shot or shape marked by its highest bits

  struct Painted {
    std::uint32_t wire = 0;  ///< the client's id for it: the unit's, or a spare one
    std::uint32_t turn = 0;  ///< when it was last in view
    CellType type{};
    float x = 0, y = 0;
    std::uint16_t size = 0;
    Colour colour{};
    bool owned = false;
    std::string name, skin;
    core::Glide glide;
  };
  struct Eating {
    core::Id killed, killer;
  };
  /// A shot that is everywhere at once, drawn as one that flies.
  struct Ray {
    Key key;
    double x, y, dx, dy;
    words::Team team;
    core::Micros began;
  };
  /// What is fed, in metres.
  struct Box {
    double west, east, south, north;
    bool touches(double x, double y, double radius) const {
      return x + radius >= west && x - radius <= east && y + radius >= south && y - radius <= north;
    }
  };

  static Box box_of(const View& view, const core::World& world);
  void paint_units(const Box& box, core::FrontOut& out);
  void paint_unit(const core::UnitState& state, core::FrontOut& out);
  void paint_shots(const Box& box, core::FrontOut& out);
  void paint_ball(Key key, double x, double y, words::Team team, const Box& box);
  void paint_tokens(const core::World& world);
  void paint_shapes(const Box& box, core::FrontOut& out);
  void stroke(Key key, core::Id wire, const Look& look);
  std::uint32_t spare_id();
  void add(Painted& cell, const Look& look);
  void update(Painted& cell, const Look& look);
  void sweep();
  void tell_eaten(Key key, const Painted& cell);
  Painted& entry(Key key);
  void measure(const core::World& world, core::Micros now);

  std::uint32_t turn_ = 0;
  bool in_play_ = true;
  SpareIds spare_ids_;
  std::unordered_map<Key, Painted> painted_;
  std::vector<std::unordered_map<Key, Painted>::node_type> spare_;  // so that what comes and goes takes no memory
  std::vector<Eating> eaten_;
  std::vector<Ray> rays_;
  std::uint32_t next_ray_ = 0;
  Shapes shapes_;
  double widest_ = 0;  // metres; of all units
  core::Micros measured_ = 0;
  Changes changes_;
};

}  // namespace entente::ogar
