// A client's end of a WebSocket, as far as a crowd needs one: the upgrade, and whole messages each way.
// Law: a refusal, a close or a broken message ends the run; what is said fits into the socket.
#pragma once

#include <functional>

#include "proxy/base/bytes.h"
#include "tests/bench/sockets.h"

namespace entente::bench {

class WebClient : public Watched {
 public:
  using Hear = std::function<void(Bytes message)>;

  /// Connects; `hear` gets an empty message once it is let in, then each that comes.
  WebClient(Poll& poll, const sockaddr_in& to, Hear hear);

  void ready(std::uint32_t events) override;
  /// REQUIRES: it was let in, and the message has less than 126 bytes.
  void say(Bytes message);

 private:
  void take(Bytes bytes);
  /// What of these bytes is a whole answer to the upgrade, or a whole message; 0: not all is there yet.
  std::size_t take_answer(Bytes bytes);
  std::size_t take_message(Bytes bytes);

  Poll& poll_;
  Hear hear_;
  Fd fd_;
  Buffer heard_;  // of what is not all there yet
  bool is_in_ = false;
};

}  // namespace entente::bench
