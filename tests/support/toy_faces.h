// A front and a back of the toy game, for tests of bridges. The enum below lists the frames that they send and
// understand.
#pragma once

#include <memory>

#include "adapters/wire/game.h"
#include "proxy/core/room_member.h"

namespace entente::toy {

/// Codes of frames (u8 length, u8 code, payload).
enum Code : std::uint8_t {
  kSay = 3,      ///< both ways: a line of chat (Say, Said)
  kPoint = 10,   ///< both ways: one byte (Toward.x, Pose.x). To a client, on the lane of the client's last kPoint; to a
                 ///< server, as a datagram if the transport has datagrams
  kBeat = 11,    ///< to the front: start the clock; from it, every 20 ms: its time in milliseconds, modulo 256
  kRefuse = 13,  ///< to the client or the back: the player is refused
  kFlood = 14,   ///< to the front: send 1 MiB at once
  kStay = 15,    ///< to the front: do not close when the session ends
  kAway = 16,    ///< to the front: number, tenths of a second; if the link breaks, keep the seat for so long
  kBack = 17,    ///< to an asking front: resume the seat with this number; from it: the seat is resumed
  kBye = 9,      ///< both ways: goodbye, before closing
  kWrong = 99,   ///< both ways: a fault
};
// Over ENet, a client's disconnect with reason 7 becomes the chat line "left 7", a server's becomes Refused with "7".

/// `game`: one of tests/support/toy_game.h.
std::unique_ptr<core::Front> make_front(const wire::Game& game);
/// If the game has a greeting, this front waits for the frame after it: kBack resumes a seat, any other frame enters.
std::unique_ptr<core::Front> make_asking_front(const wire::Game& game);
std::unique_ptr<core::Back> make_back(const wire::Game& game);

}  // namespace entente::toy
