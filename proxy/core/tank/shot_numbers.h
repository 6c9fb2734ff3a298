// The numbers of a back's own shots. The room uses those of the player's client. The server knows a shot by another
// number if it was fired by another gun than the client wished.
// Invariant: keeps one shot for each gun, the last one that it fired. No other number leads to a kept shot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace entente::core {

class ShotNumbers {
 public:
  /// Our player's shot begins. The low byte of `on_server` is its gun. Earlier shots with the number `in_room` are
  /// forgotten.
  void begin(std::uint32_t in_room, std::uint16_t on_server) {
    for (auto& shot : shots_)
      if (shot && shot->in_room == in_room) shot.reset();
    shots_[on_server & 0xffU] = {in_room, on_server};
  }

  /// Of an unknown shot: the same number, cut to 16 bits; nothing if a kept shot has that one.
  std::optional<std::uint16_t> on_server(std::uint32_t in_room) const {
    for (const auto& shot : shots_)
      if (shot && shot->in_room == in_room) return shot->on_server;
    const auto same = static_cast<std::uint16_t>(in_room);
    const auto& other = shots_[same & 0xffU];
    return other && other->on_server == same ? std::nullopt : std::optional(same);
  }

  /// Of an unknown shot: the same number; nothing if a kept shot has that one.
  std::optional<std::uint32_t> in_room(std::uint16_t on_server) const {
    const auto& shot = shots_[on_server & 0xffU];
    if (shot && shot->on_server == on_server) return shot->in_room;
    for (const auto& other : shots_)
      if (other && other->in_room == on_server) return std::nullopt;
    return on_server;
  }

 private:
  struct Shot {
    std::uint32_t in_room = 0;
    std::uint16_t on_server = 0;
  };
  std::array<std::optional<Shot>, 256> shots_;  // by gun
};

}  // namespace entente::core
