#include "proxy/net/local_acceptor.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "proxy/net/service_manager.h"
#include "proxy/net/socket.h"

namespace entente::net {
namespace {

Error cannot(const char* what, const std::string& path, int error = errno) {
  return {std::string("cannot ") + what + " " + path + ": " + std::strerror(error)};
}

Outcome<sockaddr_un> address_of(const std::string& path) {
  if (const auto why = objection_to_local_path(path)) return *why;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  return address;
}

int connect(int fd, const sockaddr_un& to) { return ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to); }

Fd new_socket(int flags = 0) { return Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)); }

/// Removes a socket that an ended process left behind.
Outcome<Done> make_room(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return Done{};
  if (!S_ISSOCK(found.st_mode)) return Error{path + " is not a socket; name another path"};
  const Fd probe = new_socket(SOCK_NONBLOCK);
  if (connect(probe.get(), address) == 0 || errno != ECONNREFUSED)
    return Error{"another program listens on " + path + "; name another path"};
  if (::unlink(path.c_str()) != 0) return cannot("remove the old", path);
  return Done{};
}

LocalPeer peer_of(const Fd& client) {
  ucred found{};
  socklen_t size = sizeof found;
  ::getsockopt(client.get(), SOL_SOCKET, SO_PEERCRED, &found, &size);
  return {found.uid, found.pid};
}

/// The answer to the first line of `said`, once it is complete. A line that ends with the connection is complete, too.
std::optional<RequestServer::Answer> heard(std::string_view said, bool over, const LocalAcceptor::Answer& answer,
                                           const LocalAcceptor::Adopt& adopt) {
  const std::size_t end = said.find('\n');
  std::string_view line = said.substr(0, end);
  if (line.size() > LocalAcceptor::kLongestLine)
    return RequestServer::Answer("error: a line has at most " + std::to_string(LocalAcceptor::kLongestLine) +
                                 " bytes\n");
  if (end == std::string_view::npos && !over) return std::nullopt;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return RequestServer::Answer::later([line = std::string(line), answer, adopt](Fd& client) {
    const LocalPeer by = peer_of(client);
    if (adopt) adopt(line, by, client);
    return client ? answer(line, by) : std::string();
  });
}

}  // namespace

std::optional<Error> objection_to_local_path(const std::string& path, std::size_t ending) {
  const std::size_t longest = sizeof(sockaddr_un::sun_path) - 1 - ending;
  if (!path.empty() && path.size() <= longest) return std::nullopt;
  return Error{"'" + path + "' cannot name a socket: its length must be 1 to " + std::to_string(longest) + " bytes"};
}

Outcome<std::unique_ptr<LocalAcceptor>> LocalAcceptor::open(RequestLoop& loop, const std::string& path, Answer answer,
                                                            const Adopt& adopt) {
  const auto address = address_of(path);
  if (!address) return address.error();
  const auto answers = [answer = std::move(answer), adopt](std::string_view said, bool over, const Fd&) {
    return heard(said, over, answer, adopt);
  };
  if (PassedLocal passed = take_passed_local(path); passed.fd) {
    struct stat file {};
    if (::stat(path.c_str(), &file) != 0 || (file.st_mode & (S_IWGRP | S_IWOTH)) != 0)
      return Error{"'" + path + "', which systemd passed, can be used by others; give its unit SocketMode=0600"};
    auto requests = RequestServer::open(loop, std::move(passed.fd), answers);
    if (!requests) return requests.error();
    std::unique_ptr<LocalAcceptor> made(new LocalAcceptor("", std::move(*requests)));
    if (passed.removes) made->passed_path_ = path;
    return made;
  }
  if (const auto room = make_room(path, *address); !room) return room.error();
  Fd listening = new_socket(SOCK_NONBLOCK);
  if (!listening) return cannot("open", path);
  // The file gets its mode from the socket's, less the umask: only its owner can access it from the first moment.
  // (Setting the umask instead would affect all threads of the process.)
  if (::fchmod(listening.get(), S_IRUSR | S_IWUSR) != 0 ||
      ::bind(listening.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return cannot("open", path);
  if (::listen(listening.get(), SOMAXCONN) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    return cannot("open", path, error);
  }
  auto requests = RequestServer::open(loop, std::move(listening), answers);
  if (!requests) {
    ::unlink(path.c_str());
    return requests.error();
  }
  return std::unique_ptr<LocalAcceptor>(new LocalAcceptor(path, std::move(*requests)));
}

LocalAcceptor::LocalAcceptor(std::string path, std::unique_ptr<RequestServer> requests)
    : requests_(std::move(requests)) {
  own(std::move(path));
}

void LocalAcceptor::start() {
  if (!passed_path_.empty()) own(std::move(passed_path_));
  requests_->start();
}

bool LocalAcceptor::rename(const std::string& path) {
  if (::rename(path_.c_str(), path.c_str()) != 0) return false;
  path_ = path;
  return true;
}

void LocalAcceptor::own(std::string path) {
  path_ = std::move(path);
  struct stat ours {};
  if (::lstat(path_.c_str(), &ours) == 0) device_ = ours.st_dev, inode_ = ours.st_ino;
}

LocalAcceptor::~LocalAcceptor() {
  requests_.reset();
  struct stat found {};
  const bool ours = ::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
  if (ours) ::unlink(path_.c_str());
}

namespace {

Error no_answer(const std::string& path, const AskLocal& options) {
  const Millis time = options.within;
  if (options.silent != nullptr) *options.silent = true;
  return {"no answer from " + path + " within " +
          (time % 1'000 == 0 ? std::to_string(time / 1'000) + " s" : std::to_string(time) + " ms")};
}

/// Waits until an answer can be read. The whole conversation must end by `until`.
Outcome<Done> wait_for_answer(int fd, const std::string& path, Millis until, const AskLocal& options) {
  for (;;) {
    const Millis now = steady_now();
    if (now >= until) return no_answer(path, options);
    pollfd one{fd, POLLIN, 0};
    const int found = ::poll(&one, 1, static_cast<int>(std::min<Millis>(until - now, 60'000)));
    if (found > 0) return Done{};
    if (found < 0 && errno != EINTR) return cannot("receive an answer from", path);
  }
}

Outcome<std::string> hear_answer(int fd, const std::string& path, Millis until, const AskLocal& options) {
  std::string answer;
  char room[16 * 1024];
  for (;;) {
    if (const auto waited = wait_for_answer(fd, path, until, options); !waited) return waited.error();
    const ssize_t size = ::recv(fd, room, sizeof room, MSG_DONTWAIT);
    if (size == 0) return answer;
    if (size < 0 && errno == EAGAIN) continue;
    if (size < 0) return cannot("receive an answer from", path);
    answer.append(room, static_cast<std::size_t>(size));
    if (answer.size() > kLongestLocalAnswer)
      return Error{"the program behind " + path + " answers with more than " +
                   std::to_string(kLongestLocalAnswer >> 20U) + " MiB"};
  }
}

}  // namespace

bool is_trusted_user(std::uint32_t user, std::optional<std::uint32_t> also) {
  return user == ::geteuid() || user == 0 || user == also;
}

Outcome<std::string> ask_local(const std::string& path, std::string_view line, const AskLocal& options) {
  const auto address = address_of(path);
  if (!address) return address.error();
  const Millis until = steady_now() + options.within;
  const Fd fd = new_socket();
  if (!fd) return cannot("connect to", path);
  // A listener whose queue is full makes connect() wait.
  limit_waiting(fd.get(), options.within);
  if (connect(fd.get(), *address) != 0) {
    const int error = errno;
    if (error == EAGAIN) return no_answer(path, options);
    // A socket that we may not use is none of ours: whoever took over from its process may.
    const bool is_foreign = error == EACCES || error == EPERM;
    if (options.nobody != nullptr) *options.nobody = error == ECONNREFUSED || error == ENOENT || is_foreign;
    return cannot("connect to", path, error);
  }
  const LocalPeer by = peer_of(fd);
  if (!options.any_user && !is_trusted_user(by.uid, options.user))
    return Error{"the program behind " + path + " belongs to another user (" + std::to_string(by.uid) + ")"};
  if (options.by != nullptr) *options.by = by;
  const std::string said = std::string(line) + "\n";
  if (::send(fd.get(), said.data(), said.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(said.size()))
    return cannot("connect to", path);
  return hear_answer(fd.get(), path, until, options);
}

}  // namespace entente::net
