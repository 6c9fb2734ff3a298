// A .rec has what the server said to everybody, but nothing of how a client joined. This says it instead: an observer
// joins. So words can be made of a .rec as of any session.
// Law: it says nothing in a session of a client.
#pragma once

#include <memory>
#include <vector>

#include "adapters/bzflag/messages.h"
#include "adapters/wire/frame.h"
#include "adapters/wire/message_codec.h"

namespace entente::bzflag {

class StandIn {
 public:
  explicit StandIn(std::size_t dialect);

  struct Line {
    wire::Way way;
    Buffer frame;
  };
  /// What is said before this frame, and what after it. REQUIRES: both are called for each frame of the stream.
  std::vector<Line> before(const wire::Frame& frame);
  std::vector<Line> after(const wire::Frame& frame);

 private:
  enum class Stage : std::uint8_t { kNothing, kWelcomed, kJoins, kHearsState, kDone };

  Line line(wire::Way way, const Message& message) const;

  const std::size_t dialect_;
  const std::unique_ptr<wire::MessageCodec<Message>> codec_;
  Stage stage_ = Stage::kNothing;
  std::uint8_t number_ = 0;  // that the server gave the client
};

}  // namespace entente::bzflag
