// Boxes for what words cannot describe: meshes, arcs, cones, spheres, tetrahedra, and boxes and pyramids that are
// tilted. A part whose faces enclose a box becomes that box. Of other parts, each face becomes thin boxes, the smaller
// the more space a larger one would fill in vain. Invariant: at most kMost boxes, and at most the work that the caller
// allows: a step is a point looked at. What does not fit is counted, the smallest faces first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proxy/core/word.h"

namespace entente::bzflag {

using Point = std::array<double, 3>;

/// A linear map and a shift.
struct Affine {
  std::array<Point, 3> axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< where the unit vectors go
  Point shift{};

  Point operator()(const Point& point) const;
  /// First `inner`, then this.
  Affine after(const Affine& inner) const;
  /// Whether what stands upright still does, with right angles.
  bool upright() const;
};

/// Steps that may still be done.
struct Work {
  std::size_t left = 0;
  /// False: there are not so many.
  bool take(std::size_t steps = 1) {
    if (left < steps) return left = 0, false;
    left -= steps;
    return true;
  }
};

/// What passes a face, and whether shots bounce off it.
struct Passes {
  bool units = false, shots = false, bounce = false;
  bool operator==(const Passes&) const = default;
};

class Shapes {
 public:
  static constexpr std::size_t kMost = 8'000;
  static constexpr int kMostSides = 64, kMostRings = 12;  ///< into which a round shape is divided

  explicit Shapes(Work& work) : work_(work) {}

  /// A flat, convex face with its corners in order, seen from outside counter-clockwise.
  struct Face {
    std::vector<Point> corners;
    Passes passes;
  };
  /// Faces that belong together.
  void add(std::vector<Face> part);
  void add_box(const Point& half, double yaw, const Point& at, const Affine& map, Passes passes);
  void add_pyramid(const Point& half, double yaw, const Point& at, bool upside_down, const Affine& map, Passes passes);
  /// `sweep` in degrees; `ratio`: how much of the radius is solid, from outside.
  void add_arc(const Point& half, double yaw, double sweep, double ratio, int sides, const Point& at, const Affine& map,
               Passes passes);
  void add_cone(const Point& half, double yaw, double sweep, int sides, const Point& at, const Affine& map,
                Passes passes);
  void add_sphere(const Point& half, double yaw, bool upper_half, int rings, const Point& at, const Affine& map,
                  Passes passes);

  /// Adds the boxes to the world, at most so many solids in all.
  void write(words::World& world, std::size_t most);

 private:
  /// A part of a face, or a whole part if it has no corners, and the box around it.
  struct Piece {
    std::vector<Point> corners;
    Passes passes;
    double yaw = 0, area = 0, waste = 0;
    Point low{}, high{};  // in a frame that is turned by yaw
    bool operator<(const Piece& other) const { return waste < other.waste; }
  };
  void measure(Piece& piece) const;
  bool add_whole(const std::vector<Face>& part);
  void refine(std::size_t most);
  std::vector<Piece> halves(const Piece& piece);
  static void put(const Piece& piece, words::Solid& solid);
  /// Whether a shape of so many faces, each of four corners, stops anything, and may be made.
  bool may_add(std::size_t faces, const Passes& passes) {
    return work_.take() && !(passes.units && passes.shots) && work_.take(4 * faces);
  }
  void add_mapped(std::vector<std::vector<Point>> faces, const Affine& map, Passes passes);

  Work& work_;
  std::vector<Piece> pieces_;
  std::size_t left_out_ = 0;
};

}  // namespace entente::bzflag
