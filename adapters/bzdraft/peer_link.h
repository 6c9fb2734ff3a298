// What both faces need to talk: a peer's packets cut and decoded, messages encoded, and the lane of each.
// Law: what the page lets be lost (updates of tanks and of guided shots) is a datagram, all else is of the stream. A
// datagram that is no message is left alone; of the stream it is the peer's fault.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzdraft/wire.h"
#include "adapters/wire/speech.h"
#include "proxy/core/session.h"

namespace entente::bzdraft {

inline constexpr std::string_view kVersion = "BZFS108a";

/// How often the updates of one tank are sent, and how many of them at once.
inline constexpr core::Micros kUpdateEvery = core::kSecond / 25;
inline constexpr unsigned kUpdateBurst = 6;

class PeerLink {
 public:
  /// `hears`: the way of what the peer says.
  explicit PeerLink(wire::Way hears)
      : speech_(make_speech()),
        reader_(game(), 0, hears),
        says_(hears == wire::Way::kToServer ? wire::Way::kToClient : wire::Way::kToServer) {}

  /// Calls `take(const Message&)` for each message; it says whether to go on. One of a code that nobody knows is passed
  /// over (`unknown` is called).
  template <class Take, class Unknown>
  std::optional<Fault> feed(Lane lane, Bytes bytes, Take&& take, Unknown&& unknown) {
    const auto hears = [&](const auto& heard) { return take(*heard.message); };
    const auto pass = [&](const Fault& fault) { return wire::unknown_code(fault) && (unknown(), true); };
    const auto fault = wire::hear(reader_, *speech_, lane, bytes, hears, pass);
    return lane == Lane::kDatagram ? std::nullopt : fault;
  }

  template <class Out>
  void send(Out& out, const Message& message, std::uint32_t code = 0) {
    const bool loose = std::holds_alternative<PlayerUpdate>(message) || std::holds_alternative<ShotUpdate>(message);
    send(out, loose ? Lane::kDatagram : Lane::kStream, message, code);
  }
  /// An update that no later one makes up for.
  template <class Out>
  void send_surely(Out& out, const PlayerUpdate& update) {
    send(out, Lane::kStream, update, 0);
  }

 private:
  template <class Out>
  void send(Out& out, Lane lane, const Message& message, std::uint32_t code) {
    buffer_.clear();
    speech_->write(message, says_, buffer_, code);
    out.send(lane, buffer_);
  }

  std::unique_ptr<wire::Speech<Message>> speech_;
  wire::FrameReader reader_;
  wire::Way says_;
  Buffer buffer_;
};

}  // namespace entente::bzdraft
