// Finds out where a server's world lies in its coordinates, and how large it is. MultiOgarII's serverScrambleLevel
// moves the coordinates at every spawn. At level 3 it then sends a border of a wrong size, at level 2 none (four NaN).
// Invariant: the scale is the same on every server. No border, missing or wrong, keeps a player out: there is a world
// around whatever is seen.
#pragma once

#include "adapters/ogar/wire/conversions.h"

namespace entente::ogar {

class WorldFinder {
 public:
  /// The client has forgotten all cells. It is in no world now; the next one may have other coordinates.
  void cleared() { placed_ = found_ = false; }
  /// `named`: the server named itself with it, as servers do when they show a world for the first time.
  void told(const Border& border, bool named);
  /// A cell or the camera is there, in the server's units.
  void seen(double x, double y);
  /// Nothing was sent for a long time: there is a world all the same.
  void assume() { found_ = hidden_ = true; }

  /// Whether the client is in a world.
  bool found() const { return found_; }
  const Plane& plane() const { return plane_; }
  /// The origin is the world's middle. If the server hides it, the origin is what was seen first, and the world has no
  /// walls and twice the sides, so that it holds the server's wherever that lies.
  words::World world() const;

 private:
  Plane plane_;
  double width_ = kMapUnits, height_ = kMapUnits;
  bool known_ = false;   // the sides
  bool placed_ = false;  // the plane fits the coordinates of the cells
  bool found_ = false, hidden_ = false;
};

}  // namespace entente::ogar
