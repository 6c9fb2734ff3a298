// What both faces need to talk: a peer's bytes cut and decoded, messages encoded, and the datagram link beside the
// stream. Law: what may travel by datagram does so once the link stands, and by stream until then.
#pragma once

#include <optional>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/wire.h"
#include "adapters/wire/frame_reader.h"
#include "proxy/core/session.h"

namespace entente::bzflag {

class PeerLink {
 public:
  /// `hears`: the way of what the peer says.
  PeerLink(std::size_t dialect, wire::Way hears)
      : speech_(make_speech(dialect)),
        reader_(game(), dialect, hears),
        says_(hears == wire::Way::kToServer ? wire::Way::kToClient : wire::Way::kToServer) {}

  /// Calls `take(const Message&, Lane)` for each message; it says whether to go on. A datagram that is none is dropped;
  /// on the stream it is the peer's fault, save a message of a code that nobody knows (`unknown` is called).
  template <class Take, class Unknown>
  std::optional<Fault> feed(wire::Lane lane, Bytes bytes, Take&& take, Unknown&& unknown) {
    std::optional<Fault> wrong;
    const auto framing = reader_.feed(lane, bytes, [&](const wire::Frame& frame) {
      const auto heard = speech_->read(frame);
      if (heard) return take(*heard->message, lane);
      if (std::string_view(heard.error().field) == "code") return unknown(), true;
      wrong = heard.error();
      return false;
    });
    if (lane == wire::Lane::kDatagram) return std::nullopt;
    return wrong ? wrong : framing;
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
  bool linked = false;

 private:
  template <class Out>
  void send(Out& out, wire::Lane lane, const Message& message) {
    buffer_.clear();
    speech_->write(message, says_, buffer_);
    out.send(lane, buffer_);
  }

  std::unique_ptr<wire::Speech<Message>> speech_;
  wire::FrameReader reader_;
  wire::Way says_;
  Buffer buffer_;
};

}  // namespace entente::bzflag
