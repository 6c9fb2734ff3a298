// A door for programs of this machine: a socket in the file system. Who comes says one line, gets an answer, and the
// connection is closed. Law: it has a thread of its own, which nobody can hold up: lines, connections and the time each
// may take are bounded. The socket is for its owner alone (0600), and gone with the door.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/fd.h"

namespace entente::net {

class LocalDoor {
 public:
  static constexpr std::size_t kLongestLine = 1024;
  static constexpr std::size_t kMostConnections = 16;  ///< more wait in the kernel
  static constexpr Millis kTime = 5'000;               ///< for a whole conversation

  /// To a line, without its end. Called on the door's thread.
  using Answer = std::function<std::string(std::string_view line)>;

  /// A socket that nobody serves any more is replaced; anything else that stands at `path` is an error.
  static Outcome<std::unique_ptr<LocalDoor>> open(const std::string& path, Answer answer);
  ~LocalDoor();
  LocalDoor(const LocalDoor&) = delete;
  LocalDoor& operator=(const LocalDoor&) = delete;

 private:
  struct Talk {
    Fd fd;
    std::string line = {};  // so far; what comes behind its end is not read
    std::string answer = {};
    std::size_t told = 0;  // of the answer
    bool answering = false;
    Millis until = 0;
  };

  LocalDoor(std::string path, Answer answer, Fd listening, Fd closing);
  void run();
  void accept(Millis now);
  bool go_on(Talk& talk);
  bool hear(Talk& talk);
  static bool tell(Talk& talk);
  int patience(Millis now) const;

  const std::string path_;
  const Answer answer_;
  Fd listening_, closing_;
  dev_t device_ = 0;  // of our socket, which another process may have replaced
  ino_t inode_ = 0;
  std::vector<Talk> talks_;  // the thread's
  std::thread thread_;
};

/// Says one line at such a door, and returns all of its answer.
Outcome<std::string> ask_at_door(const std::string& path, std::string_view line);

}  // namespace entente::net
