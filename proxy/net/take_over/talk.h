// A conversation between two processes of ours over a Unix stream socket: short lines, and descriptors with names.
// Invariant: what is received is bounded, and nothing waits longer than it was told to. Descriptors that come are
// close-on-exec, and are closed if what they came with is refused. A talk that failed once is over.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/fd.h"

namespace entente::net {

struct NamedFd {
  std::string name;
  Fd fd;
};

class Talk {
 public:
  static constexpr std::size_t kLongestLine = 1024;  ///< with its end
  static constexpr std::size_t kLongestName = 255;   ///< of a descriptor
  static constexpr std::size_t kMostDescriptors = 1024;

  explicit Talk(Fd connected) : fd_(std::move(connected)) {}
  /// Connects to the socket at `path`. Waits at most 5 s.
  static Outcome<Talk> open(const std::string& path);

  /// Wakes every thread that waits in this talk. From any thread.
  void hang_up() const;

  /// Whether the other process has closed its end, or is gone.
  bool other_has_left() const;
  /// Another descriptor of this connection; none: errno says why.
  Fd copy() const;
  /// Whether the other process belongs to the user of this one.
  bool is_with_own_user() const;
  /// For a process that connected: whether the listening process belongs to the user of this one. Root counts, too: the
  /// service manager may have made its socket.
  bool is_with_listener_of_own_user() const;

  /// `line` without its end, and without one inside.
  Outcome<Done> say(std::string_view line, Millis within) const;
  /// The next line, without its end. REQUIRES: descriptors that were sent before were received.
  Outcome<std::string> hear(Millis within) const;

  Outcome<Done> send(const std::vector<NamedFd>& descriptors, Millis within) const;
  /// All descriptors of one send(), in order.
  Outcome<std::vector<NamedFd>> receive(Millis within) const;

 private:
  std::optional<uid_t> user() const;

  Fd fd_;
};

}  // namespace entente::net
