// The link to a peer, for front and back: decodes its bytes, encodes messages, converts its dialect to the first and
// back, and keeps the UDP link.
// Invariant: what may travel by datagram does so once the UDP link exists, and by stream until then. What is held back
// is sent later, in the same order.
#pragma once

#include <optional>

#include "adapters/bzflag/translate/dialect_translator.h"
#include "adapters/bzflag/wire/drops.h"
#include "adapters/bzflag/wire/wire.h"
#include "adapters/wire/message_link.h"
#include "proxy/core/room_member.h"

namespace entente::bzflag {

class PeerLink {
 public:
  /// `hears`: the direction of the peer's messages.
  PeerLink(std::size_t dialect, wire::Way hears)
      : link_(hears, make_message_codec(dialect)), translator_(dialect, link_.says()) {}

  const DialectTranslator& translator() const { return translator_; }
  const Dialect& dialect() const { return translator_.dialect(); }

  /// Calls `take(const Message&, Lane)` for each message; it returns whether to continue. A datagram that does not
  /// decode is dropped. On the stream that is a fault of the peer, except for an unknown code, for which `unknown()` is
  /// called.
  template <class Take, class Unknown>
  std::optional<Fault> feed(const Frames& frames, Take&& take, Unknown&& unknown) {
    const auto hears = [&](const auto& heard) { return translate(*heard.message, frames.lane, take); };
    const auto pass = [&](const Fault& fault) { return wire::unknown_code(fault) && (unknown(), true); };
    const auto fault = link_.hear(frames, hears, pass);
    return frames.lane == wire::Lane::kDatagram ? std::nullopt : fault;
  }

  template <class Out>
  void stream(Out& out, const Message& message) {
    send(out, wire::Lane::kStream, message);
  }
  /// Sends by datagram if the UDP link exists, else by stream.
  template <class Out>
  void quick(Out& out, const Message& message) {
    send(out, udp_linked ? wire::Lane::kDatagram : wire::Lane::kStream, message);
  }
  template <class Out>
  void datagram(Out& out, const Message& message) {
    send(out, wire::Lane::kDatagram, message);
  }

  /// From now on, only messages that a joining client accepts are sent at once; others are held back.
  void hold() { holding_ = true; }
  /// Sends what was held back.
  template <class Out>
  void release(Out& out) {
    holding_ = false;
    for (const auto& [lane, bytes] : held_) out.send(lane, bytes);
    held_.clear();
  }

  bool udp_linked = false;

 private:
  template <class Take>
  bool translate(const Message& message, wire::Lane lane, Take& take) {
    if (translator_.plain()) return take(message, lane);
    heard_ = message;
    return !translator_.hear(heard_) || take(heard_, lane);
  }

  template <class Out>
  void send(Out& out, wire::Lane lane, const Message& message) {
    const auto all = translator_.say(message);
    if (all.empty()) return out.drop(drops::kUnsaid);
    for (const Message& said : all) {
      const Buffer& frame = link_.frame(said);
      if (holding_ && !comes_in(said))
        held_.emplace_back(lane, frame);
      else
        out.send(lane, frame);
    }
  }

  /// Whether a client of 1.10 accepts a message between its MsgEnter and its own MsgAddPlayer (playing.cxx:5436 at
  /// v1.10.8).
  static bool comes_in(const Message& message) {
    return std::holds_alternative<Accept>(message) || std::holds_alternative<AddPlayer>(message) ||
           std::holds_alternative<TeamUpdate>(message) || std::holds_alternative<OneTeamUpdate>(message) ||
           std::holds_alternative<FlagUpdate>(message) || std::holds_alternative<OneFlagUpdate>(message) ||
           std::holds_alternative<SetVar>(message);
  }

  wire::MessageLink<Message> link_;
  DialectTranslator translator_;
  Message heard_;
  bool holding_ = false;
  std::vector<std::pair<wire::Lane, Buffer>> held_;
};

}  // namespace entente::bzflag
