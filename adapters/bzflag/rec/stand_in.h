// A .rec has the server's broadcasts, but not the messages with which a client joined. StandIn adds them, for an
// observer that joins, so that a .rec can be converted to words like any session.
// Invariant: nothing is added to a session of a real client.
#pragma once

#include <memory>
#include <vector>

#include "adapters/bzflag/wire/messages.h"
#include "adapters/wire/frame.h"
#include "adapters/wire/message_codec.h"

namespace entente::bzflag {

class StandIn {
 public:
  explicit StandIn(std::size_t dialect);

  struct Line {
    wire::Way way;
    wire::Stage stage;
    Buffer bytes;

    wire::Frame frame() const { return {way, Lane::kStream, stage, bytes}; }
  };
  /// The messages to add before this frame, and after it. REQUIRES: both are called for each frame of the stream.
  std::vector<Line> before(const wire::Frame& frame);
  std::vector<Line> after(const wire::Frame& frame);

 private:
  enum class Stage : std::uint8_t { kNothing, kWelcomed, kJoins, kHearsState, kDone };

  Line line(wire::Way way, const Message& message, wire::Stage stage = wire::Stage::kPlay) const;

  const std::size_t dialect_;
  const std::unique_ptr<wire::MessageCodec<Message>> codec_;
  Stage stage_ = Stage::kNothing;
  std::uint8_t number_ = 0;  // the player number in the server's greeting
};

}  // namespace entente::bzflag
