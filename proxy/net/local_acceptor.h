// Serves programs on this machine over a Unix socket. A client sends one line, gets an answer, and the connection is
// closed. Invariant: as in RequestServer. The socket is accessible to its owner only (0600), and is removed with the
// acceptor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/net/request_server.h"

namespace entente::net {

/// The process at the other end of a Unix socket, as the kernel knows it.
struct LocalPeer {
  std::uint32_t uid = 0;
  std::int32_t pid = 0;
};

/// Why a socket cannot be at this path. `ending`: so many bytes longer is the path of a second
/// socket beside it.
std::optional<Error> objection_to_local_path(const std::string& path, std::size_t ending = 0);

class LocalAcceptor {
 public:
  static constexpr std::size_t kLongestLine = 1024;

  /// Answers a line, given without its end. Called on the second thread of the loop, so it may wait.
  using Answer = std::function<std::string(std::string_view line, const LocalPeer& by)>;

  /// May take the connection away instead of answering a line. Called where Answer is.
  using Adopt = std::function<void(std::string_view line, const LocalPeer& by, Fd& client)>;

  /// Replaces a socket that nobody serves; anything else at `path` is an error. Accepts nobody before start().
  /// `loop` outlives it.
  static Outcome<std::unique_ptr<LocalAcceptor>> open(RequestLoop& loop, const std::string& path, Answer answer,
                                                      const Adopt& adopt = {});
  ~LocalAcceptor();
  LocalAcceptor(const LocalAcceptor&) = delete;
  LocalAcceptor& operator=(const LocalAcceptor&) = delete;

  /// REQUIRES: called once.
  void start();
  /// Gives the socket another name in its folder; what has that name is replaced. REQUIRES: it made the socket.
  bool rename(const std::string& path);
  int listening() const { return requests_->listening(); }
  /// Whether it removes the socket when it is destroyed: it made it, or took it over from a process that did.
  bool removes() const { return !path_.empty() || !passed_path_.empty(); }
  /// Leaves the socket, and its removal, to another process. Those who are connected are served to their end.
  void leave() {
    path_.clear();
    requests_->stop_listening();
  }
  /// As RequestServer::stop_listening() and finish().
  void stop_listening() { requests_->stop_listening(); }
  void finish() { requests_->finish(); }

 private:
  LocalAcceptor(std::string path, std::unique_ptr<RequestServer> requests);
  void own(std::string path);

  std::string path_;         // that it removes
  std::string passed_path_;  // that it removes once it has started: until then another process serves it
  dev_t device_ = 0;         // of our socket, which another process may have replaced
  ino_t inode_ = 0;
  std::unique_ptr<RequestServer> requests_;
};

/// Bytes of an answer; a longer one is an error. The longest is a list of all sessions.
inline constexpr std::size_t kLongestLocalAnswer = 16U << 20U;

struct AskLocal {
  /// For the whole conversation. By default a little longer than an acceptor takes at most.
  Millis within = RequestServer::kTime + 1'000;
  std::optional<std::uint32_t> user = {};  ///< a program of this user may answer, too
  bool any_user = false;                   ///< a program of any user may answer
  LocalPeer* by = nullptr;                 ///< set to the program that answers; may be null
  bool* silent = nullptr;  ///< set to true if the program listens, but has not answered in time; may be null
  /// Set to true if there is no socket, nobody listens there, or it may not be used. May be null.
  bool* nobody = nullptr;
};

/// Whether a program of this user may be asked: it is our user, root (the service manager may have made its socket), or
/// `also`.
bool is_trusted_user(std::uint32_t user, std::optional<std::uint32_t> also = {});

/// Sends one line to such an acceptor, and returns its whole answer. Nothing is sent to, or read from, a program of
/// another user, because anybody can make a socket in a shared folder.
Outcome<std::string> ask_local(const std::string& path, std::string_view line, const AskLocal& options = {});

}  // namespace entente::net
