// The link to a peer, for front and back: decodes its packets, encodes messages, and chooses their lane.
// Invariant: what may be lost according to the draft (updates of tanks and of guided shots) is sent as a datagram,
// everything else on the stream. A datagram that does not decode is ignored; on the stream it is a fault of the peer.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/bzdraft/wire/wire.h"
#include "adapters/wire/message_link.h"
#include "proxy/core/room_member.h"

namespace entente::bzdraft {

inline constexpr std::string_view kVersion = "BZFS108a";

/// The rate limit of one tank's updates, and its burst.
inline constexpr core::Micros kUpdateEvery = core::kSecond / 25;
inline constexpr unsigned kUpdateBurst = 6;

class PeerLink {
 public:
  /// `hears`: the direction of the peer's messages.
  explicit PeerLink(wire::Way hears) : link_(hears, make_message_codec()) {}

  /// Calls `take(const Message&)` for each message; it returns whether to continue. A message with an unknown code is
  /// skipped, and `unknown()` is called.
  template <class Take, class Unknown>
  std::optional<Fault> feed(const Frames& frames, Take&& take, Unknown&& unknown) {
    const auto hears = [&](const auto& heard) { return take(*heard.message); };
    const auto pass = [&](const Fault& fault) { return wire::unknown_code(fault) && (unknown(), true); };
    const auto fault = link_.hear(frames, hears, pass);
    return frames.lane == Lane::kDatagram ? std::nullopt : fault;
  }

  template <class Out>
  void send(Out& out, const Message& message, std::uint32_t code = 0) {
    const bool loose = std::holds_alternative<PlayerUpdate>(message) || std::holds_alternative<ShotUpdate>(message);
    out.send(loose ? Lane::kDatagram : Lane::kStream, link_.frame(message, code));
  }
  /// Sends an update on the stream, because no later update would replace it.
  template <class Out>
  void send_surely(Out& out, const PlayerUpdate& update) {
    out.send(Lane::kStream, link_.frame(update));
  }

 private:
  wire::MessageLink<Message> link_;
};

}  // namespace entente::bzdraft
