// The two faces of the toy game, as thin as faces can be: enough to have every kind of word and end travel through a
// bridge. What they make of each frame stands in the enum below.
#pragma once

#include <memory>

#include "adapters/wire/game.h"
#include "proxy/core/room_member.h"

namespace entente::toy {

/// Codes of the toy game's frames (u8 length, u8 code, payload), as its faces use them.
enum Code : std::uint8_t {
  kSay = 3,      ///< a line of chat, either way: Say, Said
  kPoint = 10,   ///< one byte, either way: Toward.x, Pose.x; to a client on the lane that its own came by, to a server
                 ///< by datagram if there are any
  kBeat = 11,    ///< to the front: its clock's beat goes on; from it: every 20 ms, the milliseconds so far in one byte
  kRefuse = 13,  ///< from the server: you may not come in
  kFlood = 14,   ///< to the front: 1 MiB is said at once
  kStay = 15,    ///< to the front: do not close when the room ends
  kAway = 16,    ///< to the front: number, tenths of a second: if my link breaks, I come back as this one, so soon
  kBack = 17,    ///< to a front that asks: I was that number; from it: so you are
  kBye = 9,      ///< either way, before closing
  kWrong = 99,   ///< a fault in its code
};
// Over ENet, a client's reason to disconnect is heard as "left 7", a server's as Refused with "7".

/// `game`: of tests/support/toy_game.h.
std::unique_ptr<core::Front> make_front(const wire::Game& game, std::size_t dialect);
/// Enters with the first frame after the greeting, if its game has one, in case that frame says kBack.
std::unique_ptr<core::Front> make_asking_front(const wire::Game& game, std::size_t dialect);
std::unique_ptr<core::Back> make_back(const wire::Game& game, std::size_t dialect);

}  // namespace entente::toy
