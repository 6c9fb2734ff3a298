// Our client's position: as it claims, as its keys move it in between, and where it is put if it strays.
#pragma once

#include <optional>

#include "adapters/aos/front/player_table.h"
#include "adapters/aos/world/body.h"
#include "proxy/core/gameplay/correction_timer.h"

namespace entente::aos {

class ClientMovement {
 public:
  ClientMovement(Client& client, const MapSender& map, PlayerTable& players)
      : client_(client), map_(map), players_(players) {}

  void hear(const PositionData& position, FrontOut& out);
  void hear(const OrientationData& orientation, FrontOut& out);
  void hear(const InputData& input, FrontOut& out);
  void hear(const StateUpdateUp& update, FrontOut& out);
  void hear(const words::Corrected& corrected, FrontOut& out);
  void hear(const words::Teleported& teleported, FrontOut& out);

  /// Our client was put into play.
  void begin(const PlayerEntry& own, FrontOut& out);
  /// Our client loads another map.
  void forget() { me_ = {}; }

  void walk(FrontOut& out);
  void check_place(FrontOut& out);

  const Body& body() const { return me_.body; }
  Motion motion() const { return {me_.body.position, me_.look, me_.body.velocity}; }
  /// Whether our client was moved and may not know yet (state_updates).
  bool is_put(core::Micros now) const { return now < me_.put_until; }

 private:
  void say_keys(FrontOut& out);
  void mind_stuck(const Vec3& place, core::Micros now);
  bool rests(core::Micros now);
  bool looks_elsewhere() const;
  void claim(std::uint32_t number, FrontOut& out);
  double tolerance(const words::Unit& unit, const FrontOut& out) const;
  void put(const Vec3& eyes, FrontOut& out);
  bool comes_late(const Vec3& place, const FrontOut& out) const;

  Client& client_;
  const MapSender& map_;
  PlayerTable& players_;
  struct Me {
    Body body;               ///< where our client is, as it claimed or as computed since
    core::Micros moved = 0;  ///< the time for which that was computed
    core::Micros claimed = 0;
    Vec3 claimed_look{1, 0, 0};
    Vec3 told{};               ///< where it said that it is
    core::Micros told_at = 0;  ///< and when
    bool stuck = false;        ///< its keys are held, but it does not move as they would: something is in its way
    std::uint8_t stuck_keys = 0;
    Vec3 stuck_look{};
    Vec3 look{1, 0, 0};
    std::uint32_t claims = 0;
    std::optional<std::uint32_t> heard;  ///< sequence number of its last State Update
    core::CorrectionTimer correction;    ///< how long it has strayed, and when it was last moved
    core::Micros put_until = 0;          ///< until when a move is sent again (state_updates)
    bool keyed = false;                  ///< the room was sent its keys
  };
  Me me_;
};

}  // namespace entente::aos
