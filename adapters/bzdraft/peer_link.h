// The link to a peer, for front and back: decodes its packets, encodes messages, and chooses their lane.
// Law: what may be lost according to the page (updates of tanks and of guided shots) is sent as a datagram, everything
// else on the stream. A datagram that does not decode is ignored; on the stream it is a fault of the peer.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzdraft/wire.h"
#include "adapters/wire/message_codec.h"
#include "proxy/core/room_member.h"

namespace entente::bzdraft {

inline constexpr std::string_view kVersion = "BZFS108a";

/// The rate limit of one tank's updates, and its burst.
inline constexpr core::Micros kUpdateEvery = core::kSecond / 25;
inline constexpr unsigned kUpdateBurst = 6;

class PeerLink {
 public:
  /// `hears`: the direction of the peer's messages.
  explicit PeerLink(wire::Way hears)
      : codec_(make_message_codec()),
        reader_(game(), 0, hears),
        says_(hears == wire::Way::kToServer ? wire::Way::kToClient : wire::Way::kToServer) {}

  /// Calls `take(const Message&)` for each message; it returns whether to continue. A message with an unknown code is
  /// skipped, and `unknown()` is called.
  template <class Take, class Unknown>
  std::optional<Fault> feed(Lane lane, Bytes bytes, Take&& take, Unknown&& unknown) {
    const auto hears = [&](const auto& heard) { return take(*heard.message); };
    const auto pass = [&](const Fault& fault) { return wire::unknown_code(fault) && (unknown(), true); };
    const auto fault = wire::hear(reader_, *codec_, lane, bytes, hears, pass);
    return lane == Lane::kDatagram ? std::nullopt : fault;
  }

  template <class Out>
  void send(Out& out, const Message& message, std::uint32_t code = 0) {
    const bool loose = std::holds_alternative<PlayerUpdate>(message) || std::holds_alternative<ShotUpdate>(message);
    send(out, loose ? Lane::kDatagram : Lane::kStream, message, code);
  }
  /// Sends an update on the stream, because no later update would replace it.
  template <class Out>
  void send_surely(Out& out, const PlayerUpdate& update) {
    send(out, Lane::kStream, update, 0);
  }

 private:
  template <class Out>
  void send(Out& out, Lane lane, const Message& message, std::uint32_t code) {
    buffer_.clear();
    codec_->write(message, says_, buffer_, code);
    out.send(lane, buffer_);
  }

  std::unique_ptr<wire::MessageCodec<Message>> codec_;
  wire::FrameReader reader_;
  wire::Way says_;
  Buffer buffer_;
};

}  // namespace entente::bzdraft
