// What both faces need to talk: a peer's packets cut and decoded, messages encoded, and the lane of each.
// Law: what the page lets be lost (updates of tanks and of guided shots) is a datagram, all else is of the stream. A
// datagram that is no message is left alone; of the stream it is the peer's fault.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzdraft/wire.h"
#include "adapters/wire/speech.h"
#include "proxy/core/session.h"

namespace entente::bzdraft {

inline constexpr std::string_view kVersion = "BZFS108a";

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
    buffer_.clear();
    speech_->write(message, says_, buffer_, code);
    const bool loose = std::holds_alternative<PlayerUpdate>(message) || std::holds_alternative<ShotUpdate>(message);
    out.send(loose ? Lane::kDatagram : Lane::kStream, buffer_);
  }

 private:
  std::unique_ptr<wire::Speech<Message>> speech_;
  wire::FrameReader reader_;
  wire::Way says_;
  Buffer buffer_;
};

/// How often something may be sent: over any long time no more than the rate; a short burst goes through at once.
class Pace {
 public:
  bool take(core::Micros now) {
    if (next() > now) return false;
    paid_until_ = std::max(paid_until_, now) + kEvery;
    return true;
  }
  /// When take() would next succeed.
  core::Micros next() const { return paid_until_ > kSlack ? paid_until_ - kSlack : 0; }

 private:
  static constexpr core::Micros kEvery = core::kSecond / 25, kSlack = 5 * kEvery;
  core::Micros paid_until_ = 0;
};

}  // namespace entente::bzdraft
