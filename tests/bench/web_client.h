// A minimal WebSocket client for a crowd: the upgrade, and whole messages in both directions.
// Invariant: a refusal, a close or a broken message ends the run; what it sends always fits into the socket.
#pragma once

#include <functional>

#include "proxy/base/bytes.h"
#include "tests/bench/sockets.h"

namespace entente::bench {

class WebClient : public Watched {
 public:
  using Hear = std::function<void(Bytes message)>;

  /// Connects; `hear` is called with an empty message after the upgrade, then with each message received.
  WebClient(Poll& poll, const sockaddr_in& to, Hear hear);

  void ready(std::uint32_t events) override;
  /// REQUIRES: the upgrade is done, and the message has less than 126 bytes.
  void say(Bytes message);

 private:
  void take(Bytes bytes);
  /// The size of the whole answer to the upgrade, or of the whole message, at the front of these bytes; 0: incomplete.
  std::size_t take_answer(Bytes bytes);
  std::size_t take_message(Bytes bytes);

  Poll& poll_;
  Hear hear_;
  Fd fd_;
  Buffer heard_;  // the received part of an incomplete message
  bool is_in_ = false;
};

}  // namespace entente::bench
