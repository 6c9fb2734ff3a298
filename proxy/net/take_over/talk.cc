#include "proxy/net/take_over/talk.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "proxy/net/socket.h"
#include "proxy/net/udp_twin.h"

namespace entente::net {
namespace {

// Before each descriptor, and at the end: "ENTO", version, kind, and a number of two bytes, the lower one first. The
// number is the size of the name, which follows; at the end, how many descriptors there were.
constexpr std::array<std::uint8_t, 4> kMagic = {'E', 'N', 'T', 'O'};
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kHeader = 8;
enum Kind : std::uint8_t { kEnd = 0, kDescriptor = 1 };
constexpr std::size_t kMostAtOnce = 8;  // descriptors that one call can receive; one is expected

std::array<std::uint8_t, kHeader> header_of(Kind kind, std::size_t number) {
  return {kMagic[0],
          kMagic[1],
          kMagic[2],
          kMagic[3],
          kVersion,
          kind,
          static_cast<std::uint8_t>(number & 0xFF),
          static_cast<std::uint8_t>(number >> 8)};
}

Error broken(const std::string& why) { return Error{"the hand-over is broken: " + why}; }

Error failed_call(const char* what) {
  const int error = errno;
  if (error == EPIPE || error == ECONNRESET) return broken("the other process has left");
  return broken(std::string(what) + ": " + std::strerror(error));
}

/// Waits until `fd` has one of `events`.
Outcome<Done> wait_for(int fd, short events, Millis until) {
  for (;;) {
    const Millis now = steady_now();
    if (now >= until) return broken("the other process does not answer in time");
    pollfd one{fd, events, 0};
    const int found = ::poll(&one, 1, static_cast<int>(std::min<Millis>(until - now, 60'000)));
    if (found > 0) return Done{};
    if (found < 0 && errno != EINTR) return failed_call("poll");
  }
}

/// Sends all of `bytes`; `passed` goes with the first of them, unless it is -1.
Outcome<Done> send_all(int to, Bytes bytes, int passed, Millis until) {
  while (!bytes.empty()) {
    iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (passed >= 0) {
      message.msg_control = room.data();
      message.msg_controllen = room.size();
      cmsghdr* const control = CMSG_FIRSTHDR(&message);
      control->cmsg_level = SOL_SOCKET;
      control->cmsg_type = SCM_RIGHTS;
      control->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(control), &passed, sizeof(int));
    }
    const ssize_t sent = ::sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
      passed = -1;
    } else if (errno == EAGAIN) {
      if (auto waited = wait_for(to, POLLOUT, until); !waited) return waited;
    } else {
      return failed_call("send");
    }
  }
  return Done{};
}

/// Takes the descriptors of a message, so that none is left open. False: there were more than it had room for.
bool take_descriptors(msghdr& message, std::vector<Fd>& came) {
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(one) + i * sizeof(int), sizeof fd);
      came.emplace_back(fd);
    }
  }
  return (message.msg_flags & MSG_CTRUNC) == 0;
}

/// Fills `out`. Descriptors that come with it are added to `came`.
Outcome<Done> receive_all(int from, std::span<std::uint8_t> out, std::vector<Fd>& came, Millis until) {
  while (!out.empty()) {
    iovec part{out.data(), out.size()};
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(int) * kMostAtOnce)> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const ssize_t size = ::recvmsg(from, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size > 0) {
      if (!take_descriptors(message, came)) return broken("too many descriptors at once");
      out = out.subspan(static_cast<std::size_t>(size));
    } else if (size == 0) {
      return broken("the other process has left");
    } else if (errno == EAGAIN) {
      if (auto waited = wait_for(from, POLLIN, until); !waited) return waited;
    } else {
      return failed_call("receive");
    }
  }
  return Done{};
}

struct Header {
  Kind kind;
  std::size_t number;
};

Outcome<Header> parse(const std::array<std::uint8_t, kHeader>& raw) {
  if (!std::equal(kMagic.begin(), kMagic.end(), raw.begin())) return broken("these are not descriptors of Entente");
  if (raw[4] != kVersion)
    return broken("version " + std::to_string(raw[4]) + ", but this program knows only " + std::to_string(kVersion));
  if (raw[5] != kEnd && raw[5] != kDescriptor) return broken("kind " + std::to_string(raw[5]) + " is unknown");
  return Header{static_cast<Kind>(raw[5]), static_cast<std::size_t>(raw[6]) | static_cast<std::size_t>(raw[7]) << 8};
}

}  // namespace

Outcome<Talk> Talk::open(const std::string& path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof to.sun_path) return Error{"'" + path + "' cannot name a socket"};
  path.copy(to.sun_path, path.size());
  constexpr Millis kConnectWithin = 5'000;  // a listener whose queue is full makes connect() wait
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd) limit_waiting(fd.get(), kConnectWithin);
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    const int error = errno;
    return Error{"cannot take over from " + path + ": " + std::strerror(error)};
  }
  return Talk(std::move(fd));
}

void Talk::hang_up() const { (void)::shutdown(fd_.get(), SHUT_RDWR); }

bool Talk::other_has_left() const {
  pollfd one{fd_.get(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0;
}

Fd Talk::copy() const { return copy_of(fd_.get()); }

bool Talk::is_with_own_user() const { return user() == ::geteuid(); }

bool Talk::is_with_listener_of_own_user() const { return is_with_own_user() || user() == 0; }

std::optional<uid_t> Talk::user() const {
  ucred found{};
  socklen_t size = sizeof found;
  if (::getsockopt(fd_.get(), SOL_SOCKET, SO_PEERCRED, &found, &size) != 0) return std::nullopt;
  return found.uid;
}

Outcome<Done> Talk::say(std::string_view line, Millis within) const {
  const std::string text = std::string(line) + "\n";
  return send_all(fd_.get(), as_bytes(text), -1, steady_now() + within);
}

/// Reads byte by byte, because the bytes after the line may come with descriptors.
Outcome<std::string> Talk::hear(Millis within) const {
  const Millis until = steady_now() + within;
  std::string line;
  while (line.size() < kLongestLine) {
    std::uint8_t byte = 0;
    std::vector<Fd> came;
    if (const auto got = receive_all(fd_.get(), {&byte, 1}, came, until); !got) return got.error();
    if (!came.empty()) return broken("a descriptor comes where a line is expected");
    if (byte == '\n') return line;
    line += static_cast<char>(byte);
  }
  return broken("a line is longer than " + std::to_string(kLongestLine) + " bytes");
}

Outcome<Done> Talk::send(const std::vector<NamedFd>& descriptors, Millis within) const {
  const Millis until = steady_now() + within;
  if (descriptors.size() > kMostDescriptors)
    return Error{"a take-over passes at most " + std::to_string(kMostDescriptors) + " sockets"};
  for (const NamedFd& one : descriptors) {
    if (one.name.size() > kLongestName) return Error{"the name of a descriptor is too long: " + one.name};
    const auto header = header_of(kDescriptor, one.name.size());
    Buffer bytes(header.begin(), header.end());
    bytes.insert(bytes.end(), one.name.begin(), one.name.end());
    if (auto sent = send_all(fd_.get(), bytes, one.fd.get(), until); !sent) return sent;
  }
  return send_all(fd_.get(), header_of(kEnd, descriptors.size()), -1, until);
}

Outcome<std::vector<NamedFd>> Talk::receive(Millis within) const {
  const Millis until = steady_now() + within;
  std::vector<NamedFd> all;
  for (;;) {
    std::array<std::uint8_t, kHeader> raw{};
    std::vector<Fd> came;
    if (const auto got = receive_all(fd_.get(), raw, came, until); !got) return got.error();
    const auto header = parse(raw);
    if (!header) return header.error();
    if (header->kind == kEnd) {
      if (!came.empty()) return broken("a descriptor comes with the end");
      if (header->number != all.size())
        return broken(std::to_string(all.size()) + " descriptors came, not " + std::to_string(header->number));
      return all;
    }
    if (all.size() == kMostDescriptors) return broken("more than " + std::to_string(kMostDescriptors) + " descriptors");
    if (header->number > kLongestName) return broken("a name of " + std::to_string(header->number) + " bytes");
    std::string name(header->number, '\0');
    const std::span<std::uint8_t> room(reinterpret_cast<std::uint8_t*>(name.data()), name.size());
    if (const auto got = receive_all(fd_.get(), room, came, until); !got) return got.error();
    if (came.size() != 1) return broken(std::to_string(came.size()) + " descriptors come with one name");
    all.push_back({std::move(name), std::move(came.front())});
  }
}

}  // namespace entente::net
