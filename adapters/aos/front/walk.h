// Where our client is: as it says, as its keys move it in between, and where it is put when it strays.
#pragma once

#include <optional>

#include "adapters/aos/front/cast.h"
#include "adapters/aos/world/body.h"
#include "proxy/core/arena/leash.h"

namespace entente::aos {

class Walk {
 public:
  Walk(Client& client, const Ground& ground, Cast& cast) : client_(client), ground_(ground), cast_(cast) {}

  void hear(const PositionData& position, FrontOut& out);
  void hear(const OrientationData& orientation, FrontOut& out);
  void hear(const InputData& input, FrontOut& out);
  void hear(const StateUpdateUp& update, FrontOut& out);
  void hear(const words::Corrected& corrected, FrontOut& out);
  void hear(const words::Teleported& teleported, FrontOut& out);

  /// It was put into play.
  void begin(const Actor& own, FrontOut& out);
  /// It loads another map.
  void forget() { me_ = {}; }

  void walk(FrontOut& out);
  void check_leash(FrontOut& out);

  const Body& body() const { return me_.body; }
  Motion motion() const { return {me_.body.position, me_.look, me_.body.velocity}; }
  /// It was put somewhere, and may not know so yet (state_updates).
  bool is_put(core::Micros now) const { return now < me_.put_until; }

 private:
  void say_keys(FrontOut& out);
  void claim(std::uint32_t number, FrontOut& out);
  double leash(const words::Unit& unit, const FrontOut& out) const;
  void put(const Vec3& eyes, FrontOut& out);
  bool comes_late(const Vec3& place, const FrontOut& out) const;

  Client& client_;
  const Ground& ground_;
  Cast& cast_;
  struct Me {
    Body body;               ///< where our client is, as it said or as we reckon since
    core::Micros moved = 0;  ///< until when that was reckoned
    core::Micros claimed = 0;
    Vec3 look{1, 0, 0};
    std::uint32_t claims = 0;
    std::optional<std::uint32_t> heard;  ///< number of its last State Update
    core::Leash leash;                   ///< how long it is not where it should be, when it was put there …
    core::Micros put_until = 0;          ///< … and until when it is told again (state_updates)
    bool keyed = false;                  ///< its keys were said
  };
  Me me_;
};

}  // namespace entente::aos
