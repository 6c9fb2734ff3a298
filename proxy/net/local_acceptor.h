// An acceptor for programs of this machine: a socket in the file system. Who comes says one line, gets an answer, and
// the connection is closed. Law: that of Talks; the socket is for its owner alone (0600), and gone with the acceptor.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/net/talks.h"

namespace entente::net {

class LocalAcceptor {
 public:
  static constexpr std::size_t kLongestLine = 1024;

  /// To a line, without its end. Called on the acceptor's thread.
  using Answer = std::function<std::string(std::string_view line)>;

  /// A socket that nobody serves any more is replaced; anything else that stands at `path` is an error.
  static Outcome<std::unique_ptr<LocalAcceptor>> open(const std::string& path, Answer answer);
  ~LocalAcceptor();
  LocalAcceptor(const LocalAcceptor&) = delete;
  LocalAcceptor& operator=(const LocalAcceptor&) = delete;

 private:
  LocalAcceptor(std::string path, std::unique_ptr<Talks> talks);

  const std::string path_;
  dev_t device_ = 0;  // of our socket, which another process may have replaced
  ino_t inode_ = 0;
  std::unique_ptr<Talks> talks_;
};

/// Says one line at such an acceptor, and returns all of its answer.
Outcome<std::string> ask_at_door(const std::string& path, std::string_view line);

}  // namespace entente::net
