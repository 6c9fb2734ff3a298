// Which of the many small things that lie about a client is told of whose game can show only a few.
// Law: the nearest to its player and never more than kMost; a look changes no more than it was let.
#pragma once

#include <vector>

#include "proxy/core/session.h"
#include "proxy/core/world.h"

namespace entente::core {

class Litter {
 public:
  static constexpr std::size_t kMost = 40;
  /// How often it is worth a look, and how much of it may then come; what is gone goes at once.
  static constexpr Micros kEvery = kSecond / 4;
  static constexpr std::size_t kAtOnce = 3;

  /// Looks around that place. False: nothing lies about.
  bool look(const World& world, double x, double y, std::size_t most_new = kAtOnce);

  /// Something small came or went somewhere.
  void stir(FrontOut& out);
  /// Looks around its player's unit when it is time to. True: what changed is to be shown. REQUIRES: asked at each
  /// wake.
  bool look_about(const UnitState* me, FrontOut& out, std::size_t most_new = kAtOnce);

  /// What changed with the last look.
  const std::vector<Id>& come() const { return come_; }
  const std::vector<Id>& gone() const { return gone_; }

  bool holds(Id unit) const;
  /// The client was told of nothing yet.
  void clear();

 private:
  struct Thing {
    double far;
    Id unit;
  };
  std::vector<Thing> near_;
  std::vector<Id> shown_, kept_, come_, gone_;  // by id
  bool stirred_ = false;
  Micros next_look_ = 0;
};

}  // namespace entente::core
