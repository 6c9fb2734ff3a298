// What both faces need to talk: a peer's bytes cut and decoded, messages encoded, its dialect turned into the first
// and back, and the datagram link beside the stream. Law: what may travel by datagram does so once the link stands,
// and by stream until then; what is held back is said later, in the same order.
#pragma once

#include <optional>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/idiom/idiom.h"
#include "adapters/bzflag/losses.h"
#include "adapters/bzflag/wire.h"
#include "adapters/wire/speech.h"
#include "proxy/core/session.h"

namespace entente::bzflag {

class PeerLink {
 public:
  /// `hears`: the way of what the peer says.
  PeerLink(std::size_t dialect, wire::Way hears)
      : says_(hears == wire::Way::kToServer ? wire::Way::kToClient : wire::Way::kToServer),
        speech_(make_speech(dialect)),
        reader_(game(), dialect, hears),
        idiom_(dialect, says_) {}

  const Idiom& idiom() const { return idiom_; }
  const Dialect& dialect() const { return idiom_.dialect(); }

  /// Calls `take(const Message&, Lane)` for each message; it says whether to go on. A datagram that is none is dropped;
  /// on the stream it is the peer's fault, save a message of a code that nobody knows (`unknown` is called).
  template <class Take, class Unknown>
  std::optional<Fault> feed(wire::Lane lane, Bytes bytes, core::Micros now, Take&& take, Unknown&& unknown) {
    const auto hears = [&](const auto& heard) { return turn(*heard.message, lane, now, take); };
    const auto pass = [&](const Fault& fault) { return wire::unknown_code(fault) && (unknown(), true); };
    const auto fault = wire::hear(reader_, *speech_, lane, bytes, hears, pass);
    return lane == wire::Lane::kDatagram ? std::nullopt : fault;
  }

  template <class Out>
  void stream(Out& out, const Message& message) {
    send(out, wire::Lane::kStream, message);
  }
  /// By datagram if that link stands.
  template <class Out>
  void quick(Out& out, const Message& message) {
    send(out, linked ? wire::Lane::kDatagram : wire::Lane::kStream, message);
  }
  template <class Out>
  void datagram(Out& out, const Message& message) {
    send(out, wire::Lane::kDatagram, message);
  }

  /// From now on only what a client hears while it comes in is said at once.
  void hold() { holding_ = true; }
  /// Says the rest.
  template <class Out>
  void release(Out& out) {
    holding_ = false;
    for (const auto& [lane, bytes] : held_) out.send(lane, bytes);
    held_.clear();
  }

  bool linked = false;

 private:
  template <class Take>
  bool turn(const Message& message, wire::Lane lane, core::Micros now, Take& take) {
    if (idiom_.plain()) return take(message, lane);
    heard_ = message;
    return !idiom_.hear(heard_, now) || take(heard_, lane);
  }

  template <class Out>
  void send(Out& out, wire::Lane lane, const Message& message) {
    const auto all = idiom_.say(message);
    if (all.empty()) return out.lose(loss::kUnsaid);
    for (const Message& said : all) {
      buffer_.clear();
      speech_->write(said, says_, buffer_);
      if (holding_ && !comes_in(said))
        held_.emplace_back(lane, buffer_);
      else
        out.send(lane, buffer_);
    }
  }

  /// What a client of 1.10 takes between its MsgEnter and the MsgAddPlayer that is itself (playing.cxx:5436 at
  /// v1.10.8).
  static bool comes_in(const Message& message) {
    return std::holds_alternative<Accept>(message) || std::holds_alternative<AddPlayer>(message) ||
           std::holds_alternative<TeamUpdate>(message) || std::holds_alternative<OneTeamUpdate>(message) ||
           std::holds_alternative<FlagUpdate>(message) || std::holds_alternative<OneFlagUpdate>(message) ||
           std::holds_alternative<SetVar>(message);
  }

  wire::Way says_;
  std::unique_ptr<wire::Speech<Message>> speech_;
  wire::FrameReader reader_;
  Idiom idiom_;
  Message heard_;
  Buffer buffer_;
  bool holding_ = false;
  std::vector<std::pair<wire::Lane, Buffer>> held_;
};

}  // namespace entente::bzflag
