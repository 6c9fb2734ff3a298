// Short conversations with programs: a client sends something, gets an answer, and the connection is closed. A
// RequestLoop is the thread for any number of such servers.
// Invariant: nobody can block the thread: the size of a question, its pieces, the number of connections, the time of
// each and the bytes of all answers are bounded. Silent clients do not keep others out: when all places are taken, the
// oldest connection that waits for no answer makes room. Slow readers do not, either: when too many bytes of answers
// wait, the oldest connections are closed. An answer that may have to wait for a worker, a disk or another process is
// made on a second thread, one after another; meanwhile the first one hears and answers the others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/fd.h"
#include "proxy/net/job_thread.h"

struct pollfd;

namespace entente::net {

class RequestServer;

class RequestLoop {
 public:
  /// `name`, `slow_name`: of its threads, up to 15 letters. They begin with the first server.
  RequestLoop(std::string name, std::string slow_name);
  /// REQUIRES: its servers are gone.
  ~RequestLoop();
  RequestLoop(const RequestLoop&) = delete;
  RequestLoop& operator=(const RequestLoop&) = delete;

 private:
  friend class RequestServer;
  void add(RequestServer& server);
  void remove(RequestServer& server);
  void wake() const;
  void run();

  const std::string name_, slow_name_;
  const Fd news_;          // an eventfd
  const int no_news_why_;  // the errno, if there is none
  std::mutex mutex_;       // of what follows, and of what the servers do on the thread; not held while it waits
  std::vector<RequestServer*> servers_;
  bool changed_ = false, ends_ = false;
  std::optional<JobThread> slow_;
  std::thread thread_;
};

class RequestServer {
 public:
  static constexpr std::size_t kMostConnections = 256;  ///< open at once
  static constexpr Millis kTime = 5'000;                ///< for a question, and then for its answer to be read
  static constexpr Millis kGrace =
      200;  ///< minimum age at which a connection makes room; newer ones wait in the kernel
  static constexpr unsigned kMostPieces = 64;              ///< maximum number of reads for one question
  static constexpr std::size_t kMostAnswers = 64U << 20U;  ///< bytes of answers that wait; then the oldest are dropped
  static constexpr Millis kRest = 1'000;                   ///< pause after running out of descriptors
  static constexpr Millis kSilence = 1'000;                ///< finish() waits so long for the first byte of a question

  /// An answer; or, if making it may take time, the function that makes it on the loop's second thread. The function
  /// may take the connection away.
  struct Answer {
    using Make = std::function<std::string(Fd& client)>;
    Answer(std::string its_text) : text(std::move(its_text)) {}  // NOLINT: a text is an answer
    static Answer later(Make make) {
      Answer answer{std::string()};
      answer.make = std::move(make);
      return answer;
    }
    std::string text;
    Make make = {};
  };
  /// Called on the loop's thread whenever a client has sent something; does not wait for anything. `said`: all that it
  /// has sent so far. `over`: it sends no more. Returns the answer, which may be empty; nothing: the question is not
  /// complete yet. The server keeps `said` until it is answered, so a question that is too long must be answered, too.
  using Hear = std::function<std::optional<Answer>(std::string_view said, bool over, const Fd& client)>;

  /// `listening` is non-blocking. `time`: limit for a question, and for its answer; more than kGrace. Accepts nobody
  /// before start(). `loop` outlives it.
  static Outcome<std::unique_ptr<RequestServer>> open(RequestLoop& loop, Fd listening, Hear hear, Millis time = kTime);
  /// Waits for an answer that is being made. REQUIRES: not called on the loop's threads.
  ~RequestServer();
  RequestServer(const RequestServer&) = delete;
  RequestServer& operator=(const RequestServer&) = delete;

  /// REQUIRES: called once.
  void start() { loop_.add(*this); }
  /// Accepts nobody any more, and closes the socket that listens. Those who are connected are served to their end.
  void stop_listening();
  /// stop_listening(), and waits until they are served: at most kTime. REQUIRES: not called on the loop's threads.
  void finish();
  /// The socket that listens.
  int listening() const { return listening_.get(); }

 private:
  friend class RequestLoop;
  struct Talk {
    std::uint64_t number;
    Fd fd;
    std::string said = {};
    std::optional<std::string> answer = {};
    bool waits = false;       // for its answer to be made; its connection is away meanwhile
    std::size_t told = 0;     // bytes of the answer that were sent
    std::size_t skipped = 0;  // bytes after the question
    unsigned pieces = 0;
    Millis began = 0;  // or was answered

    /// The whole answer was sent; the client has yet to close.
    bool lingers() const { return answer && told == answer->size(); }
    bool listens() const { return !answer || lingers(); }
    bool is_silent() const { return said.empty(); }
    /// From now on, the client has time to read it.
    void set_answer(std::string its_answer, Millis now) {
      answer = std::move(its_answer);
      began = now;
    }
  };
  struct Slow;

  RequestServer(RequestLoop& loop, Fd listening, Hear hear, Millis time);
  // On the loop's thread, under its lock.
  /// Adds the sockets to wait for. Returns how long to wait at most.
  Millis add_to(std::vector<pollfd>& polled, Millis now) const;
  /// Does what is due. `polled`: what add_to() added. Returns the part of it that belongs to other servers.
  std::span<const pollfd> turn(std::span<const pollfd> polled, Millis now);
  void take_answers(Millis now);
  bool has_room(Millis now) const;
  bool make_room(Millis now);
  void bound_answers();
  bool accept(Millis now);
  bool go_on(Talk& talk, Millis now);
  bool hear(Talk& talk, Millis now);
  bool make_later(Talk& talk, Answer::Make make);
  static bool tell(Talk& talk);

  RequestLoop& loop_;
  const Hear hear_;
  const Millis time_;
  Fd listening_;
  std::condition_variable turned_;
  // Used by the loop's thread, and read under its lock.
  std::vector<Talk> talks_;  // by `began`, the oldest first
  std::uint64_t last_number_ = 0;
  Millis rests_until_ = 0;  // accepts nobody before
  const std::shared_ptr<Slow> slow_;
};

}  // namespace entente::net
