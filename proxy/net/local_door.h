// A door for programs of this machine: a socket in the file system. Who comes says one line, gets an answer, and the
// connection is closed. Law: that of Talks; the socket is for its owner alone (0600), and gone with the door.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/net/talks.h"

namespace entente::net {

class LocalDoor {
 public:
  static constexpr std::size_t kLongestLine = 1024;

  /// To a line, without its end. Called on the door's thread.
  using Answer = std::function<std::string(std::string_view line)>;

  /// A socket that nobody serves any more is replaced; anything else that stands at `path` is an error.
  static Outcome<std::unique_ptr<LocalDoor>> open(const std::string& path, Answer answer);
  ~LocalDoor();
  LocalDoor(const LocalDoor&) = delete;
  LocalDoor& operator=(const LocalDoor&) = delete;

 private:
  LocalDoor(std::string path, std::unique_ptr<Talks> talks);

  const std::string path_;
  dev_t device_ = 0;  // of our socket, which another process may have replaced
  ino_t inode_ = 0;
  std::unique_ptr<Talks> talks_;
};

/// Says one line at such a door, and returns all of its answer.
Outcome<std::string> ask_at_door(const std::string& path, std::string_view line);

}  // namespace entente::net
