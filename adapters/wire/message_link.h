// The messages to and from one peer, for a front or a back: frames are decoded, messages are encoded.
//
//   const auto fault = link_.hear(frames, [&](const auto& heard) { return use(*heard.message), true; });
//   if (fault) return out.fail(*fault);
//   out.send(Lane::kStream, link_.frame(MsgAlive{…}));
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "adapters/wire/message_codec.h"

namespace entente::wire {

/// `Message`: as in MessageCodec. Not thread-safe.
template <class Message>
class MessageLink {
 public:
  /// `hears`: the direction of the peer's messages.
  MessageLink(Way hears, std::unique_ptr<MessageCodec<Message>> codec) : hears_(hears), codec_(std::move(codec)) {}

  /// The direction of the messages to the peer.
  Way says() const { return opposite(hears_); }

  /// Reads what the peer sent, as wire::hear() does.
  template <class Take, class... Pass>
  std::optional<Fault> hear(const Frames& frames, Take&& take, Pass&&... pass) {
    return wire::hear(*codec_, hears_, frames, std::forward<Take>(take), std::forward<Pass>(pass)...);
  }

  /// The frame of a message to the peer, valid until the next call. `code`: as in MessageCodec::write().
  const Buffer& frame(const Message& message, std::uint32_t code = 0) {
    frame_.clear();
    codec_->write(message, says(), frame_, code);
    return frame_;
  }

 private:
  Way hears_;
  std::unique_ptr<MessageCodec<Message>> codec_;
  Buffer frame_;
};

}  // namespace entente::wire
