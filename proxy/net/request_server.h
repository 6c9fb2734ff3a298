// Short conversations with programs: a client sends something, gets an answer, and the connection is closed.
// Invariant: they run on a thread of their own, which nobody can block: the size of a question, its pieces, the number
// of connections, the time of each and the bytes of all answers are bounded. Silent clients do not keep others out:
// when all places are taken, the oldest connection that waits for no answer makes room. Slow readers do not, either:
// when too many bytes of answers wait, the oldest connections are closed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/fd.h"

namespace entente::net {

class RequestServer {
 public:
  static constexpr std::size_t kMostConnections = 256;  ///< open at once
  static constexpr Millis kTime = 5'000;                ///< for a whole conversation
  static constexpr Millis kGrace =
      200;  ///< minimum age at which a connection makes room; newer ones wait in the kernel
  static constexpr unsigned kMostPieces = 64;              ///< maximum number of reads for one question
  static constexpr std::size_t kMostAnswers = 64U << 20U;  ///< bytes of answers that wait; then the oldest are dropped
  static constexpr Millis kRest = 1'000;                   ///< pause after running out of descriptors

  /// Called on the server's thread whenever a client has sent something. `said`: all that it has sent so far. `over`:
  /// it sends no more. `client`: its connection, which the function may take away. Returns the answer, which may be
  /// empty; nothing: the question is not complete yet. The server keeps `said` until it is answered, so a question that
  /// is too long must be answered, too.
  using Hear = std::function<std::optional<std::string>(std::string_view said, bool over, Fd& client)>;

  /// `listening` is non-blocking. `time`: limit for a whole conversation; more than kGrace. Accepts nobody before
  /// start().
  static Outcome<std::unique_ptr<RequestServer>> open(Fd listening, Hear hear, Millis time = kTime);
  ~RequestServer();
  RequestServer(const RequestServer&) = delete;
  RequestServer& operator=(const RequestServer&) = delete;

  /// `name`: of the thread, up to 15 letters. REQUIRES: called once.
  void start(const std::string& name);
  /// The socket that listens.
  int listening() const { return listening_.get(); }

 private:
  struct Talk {
    Fd fd;
    std::string said = {};
    std::optional<std::string> answer = {};
    std::size_t told = 0;     // bytes of the answer that were sent
    std::size_t skipped = 0;  // bytes after the question
    unsigned pieces = 0;
    Millis began = 0;

    /// The whole answer was sent; the client has yet to close.
    bool lingers() const { return answer && told == answer->size(); }
    bool listens() const { return !answer || lingers(); }
  };

  RequestServer(Fd listening, Fd closing, Hear hear, Millis time);
  void run();
  bool has_room(Millis now) const;
  bool make_room(Millis now);
  void bound_answers();
  bool accept(Millis now);
  bool go_on(Talk& talk) const;
  bool hear(Talk& talk) const;
  static bool tell(Talk& talk);
  int patience(Millis now) const;

  const Hear hear_;
  const Millis time_;
  Fd listening_, closing_;
  // Used by the server's thread alone.
  std::vector<Talk> talks_;  // the oldest first
  Millis rests_until_ = 0;   // accepts nobody before
  std::thread thread_;
};

}  // namespace entente::net
