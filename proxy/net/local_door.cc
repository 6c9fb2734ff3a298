#include "proxy/net/local_door.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace entente::net {
namespace {

Error cannot(const char* what, const std::string& path, int error = errno) {
  return {std::string("cannot ") + what + " " + path + ": " + std::strerror(error)};
}

Outcome<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Error{"'" + path + "' cannot name a socket: its length must be 1 to " +
                 std::to_string(sizeof address.sun_path - 1) + " bytes"};
  path.copy(address.sun_path, path.size());
  return address;
}

int connect(int fd, const sockaddr_un& to) { return ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to); }

Fd new_socket(int flags = 0) { return Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)); }

/// What was left behind by a process that is gone is removed.
Outcome<Done> make_room(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return Done{};
  if (!S_ISSOCK(found.st_mode)) return Error{path + " is no socket; name another path"};
  const Fd probe = new_socket(SOCK_NONBLOCK);
  if (connect(probe.get(), address) == 0 || errno != ECONNREFUSED)
    return Error{"another program listens on " + path + "; name another path"};
  if (::unlink(path.c_str()) != 0) return cannot("remove the old", path);
  return Done{};
}

/// To close over unread bytes would take our answer from who said them.
void forget_rest(int fd) {
  char room[4096];
  for (int i = 0; i < 64 && ::recv(fd, room, sizeof room, 0) > 0; ++i) continue;
}

}  // namespace

Outcome<std::unique_ptr<LocalDoor>> LocalDoor::open(const std::string& path, Answer answer) {
  const auto address = address_of(path);
  if (!address) return address.error();
  if (const auto room = make_room(path, *address); !room) return room.error();
  Fd listening = new_socket(SOCK_NONBLOCK), closing(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!listening || !closing) return cannot("open", path);
  if (::bind(listening.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return cannot("open", path);
  // Nobody can connect before listen().
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(listening.get(), SOMAXCONN) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    return cannot("open", path, error);
  }
  return std::unique_ptr<LocalDoor>(new LocalDoor(path, std::move(answer), std::move(listening), std::move(closing)));
}

LocalDoor::LocalDoor(std::string path, Answer answer, Fd listening, Fd closing)
    : path_(std::move(path)),
      answer_(std::move(answer)),
      listening_(std::move(listening)),
      closing_(std::move(closing)) {
  struct stat ours {};
  if (::lstat(path_.c_str(), &ours) == 0) device_ = ours.st_dev, inode_ = ours.st_ino;
  thread_ = std::thread([this] { run(); });
}

LocalDoor::~LocalDoor() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(closing_.get(), &one, sizeof one);
  thread_.join();
  struct stat found {};
  const bool ours = ::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
  if (ours) ::unlink(path_.c_str());
}

void LocalDoor::run() {
  for (;;) {
    std::vector<pollfd> polled = {{closing_.get(), POLLIN, 0},
                                  {talks_.size() < kMostConnections ? listening_.get() : -1, POLLIN, 0}};
    for (const Talk& talk : talks_)
      polled.push_back({talk.fd.get(), static_cast<short>(talk.answering ? POLLOUT : POLLIN), 0});
    if (::poll(polled.data(), polled.size(), patience(steady_now())) < 0 && errno != EINTR) return;
    if (polled[0].revents != 0) return;
    const Millis now = steady_now();
    std::size_t i = 2;
    std::erase_if(talks_, [&](Talk& talk) { return (polled[i++].revents != 0 && !go_on(talk)) || now >= talk.until; });
    if (polled[1].revents != 0) accept(now);
  }
}

/// Milliseconds until somebody's time is over; -1: never.
int LocalDoor::patience(Millis now) const {
  Millis wait = kTime;
  for (const Talk& talk : talks_) wait = std::min(wait, talk.until > now ? talk.until - now : 0);
  return talks_.empty() ? -1 : static_cast<int>(wait);
}

void LocalDoor::accept(Millis now) {
  Fd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (fd) talks_.push_back({.fd = std::move(fd), .until = now + kTime});
}

/// False: it is over.
bool LocalDoor::go_on(Talk& talk) {
  if (!talk.answering && !hear(talk)) return false;
  return !talk.answering || tell(talk);
}

/// False: it left without a line.
bool LocalDoor::hear(Talk& talk) {
  char room[kLongestLine];
  const ssize_t size = ::recv(talk.fd.get(), room, sizeof room, 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  const std::string_view said(room, static_cast<std::size_t>(size));
  const std::size_t end = said.find('\n');
  talk.line += said.substr(0, end);
  // A line that ends with the connection is one, too.
  talk.answering = end != std::string_view::npos || size == 0 || talk.line.size() > kLongestLine;
  if (!talk.answering) return true;
  if (size == 0 && talk.line.empty()) return false;
  if (talk.line.ends_with('\r')) talk.line.pop_back();
  talk.answer = talk.line.size() > kLongestLine
                    ? "error: a line has at most " + std::to_string(kLongestLine) + " bytes\n"
                    : answer_(talk.line);
  return true;
}

/// False: all is told, or nobody listens.
bool LocalDoor::tell(Talk& talk) {
  const std::string_view left = std::string_view(talk.answer).substr(talk.told);
  const ssize_t size = ::send(talk.fd.get(), left.data(), left.size(), MSG_NOSIGNAL);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  talk.told += static_cast<std::size_t>(size);
  if (talk.told < talk.answer.size()) return true;
  forget_rest(talk.fd.get());
  return false;
}

Outcome<std::string> ask_at_door(const std::string& path, std::string_view line) {
  const auto address = address_of(path);
  if (!address) return address.error();
  const Fd fd = new_socket();
  const timeval most{static_cast<time_t>(LocalDoor::kTime / 1000) + 1, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  if (connect(fd.get(), *address) != 0) return cannot("ask at", path);
  const std::string said = std::string(line) + "\n";
  if (::send(fd.get(), said.data(), said.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(said.size()))
    return cannot("ask at", path);
  std::string answer;
  char room[4096];
  for (;;) {
    const ssize_t size = ::recv(fd.get(), room, sizeof room, 0);
    if (size == 0) return answer;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return cannot("hear an answer at", path);
    answer.append(room, static_cast<std::size_t>(size));
  }
}

}  // namespace entente::net
