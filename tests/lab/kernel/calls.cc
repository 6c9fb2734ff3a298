// The C library's calls on sockets and clocks, on simulated threads. Everywhere else they are the real ones.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>

#include "tests/lab/kernel/disk.h"
#include "tests/lab/kernel/local.h"
#include "tests/lab/kernel/memory.h"
#include "tests/lab/kernel/network.h"
#include "tests/lab/kernel/process.h"
#include "tests/lab/kernel/real.h"

namespace {

using namespace entente;
using namespace entente::lab;

/// What a call returns for a number of bytes, or minus an errno.
template <class Number>
Number result(Number number) {
  if (number >= 0) return number;
  errno = static_cast<int>(-number);
  return -1;
}
int failed(int error) {
  errno = error;
  return -1;
}
int done(int error) { return error == 0 ? 0 : failed(error); }

/// False: it is none for this socket.
bool read_address(const Socket& socket, const sockaddr* from, socklen_t size, Place& to) {
  if (from == nullptr || from->sa_family != (socket.six ? AF_INET6 : AF_INET)) return false;
  if (size < (socket.six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in))) return false;
  to = place(net::Address::from(from).unmapped());
  return socket.fits(to);
}

in6_addr mapped(const Place& four) {
  const std::uint32_t words[] = {0, 0, htonl(0xffff), htonl(four.first)};
  in6_addr all;
  std::memcpy(&all, words, sizeof all);
  return all;
}

void write_address(const Socket& socket, const Place& from, sockaddr* to, socklen_t* size) {
  if (to == nullptr || size == nullptr) return;
  net::Address its = address(from);
  if (socket.six && !its.v6()) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(from.second);
    six.sin6_addr = mapped(from);
    its = net::Address::from(reinterpret_cast<const sockaddr*>(&six));
  }
  std::memcpy(to, its.raw(), std::min<std::size_t>(*size, its.size()));
  *size = its.size();
}

template <class Info>
void write_info(msghdr& header, int level, int type, const Info& info) {
  if (header.msg_control == nullptr || header.msg_controllen < CMSG_SPACE(sizeof info)) return;
  auto* const control = static_cast<cmsghdr*>(header.msg_control);
  control->cmsg_level = level;
  control->cmsg_type = type;
  control->cmsg_len = CMSG_LEN(sizeof info);
  std::memcpy(CMSG_DATA(control), &info, sizeof info);
  header.msg_controllen = CMSG_SPACE(sizeof info);
}

/// Tells which address a datagram came to.
void write_place(const Socket& socket, const Place& to, msghdr& header) {
  if (socket.six) {
    const in6_addr native = reinterpret_cast<const sockaddr_in6*>(address(in_six(to)).raw())->sin6_addr;
    return write_info(header, IPPROTO_IPV6, IPV6_PKTINFO, in6_pktinfo{is_six(to) ? native : mapped(to), 1});
  }
  const in_addr four{htonl(to.first)};
  write_info(header, IPPROTO_IP, IP_PKTINFO, in_pktinfo{1, four, four});
}

/// The path of a local socket; "": it has none.
std::string read_path(const sockaddr* from, socklen_t size) {
  if (from == nullptr || from->sa_family != AF_UNIX || size <= offsetof(sockaddr_un, sun_path)) return {};
  const auto* path = reinterpret_cast<const sockaddr_un*>(from)->sun_path;
  return {path, strnlen(path, size - offsetof(sockaddr_un, sun_path))};
}

void write_path(const std::string& from, sockaddr* to, socklen_t* size) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  from.copy(local.sun_path, sizeof local.sun_path - 1);
  std::memcpy(to, &local, std::min<std::size_t>(*size, sizeof local));
  *size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + from.size() + 1);
}

/// Waits until `ready`, if the descriptor and this call block. False: the call fails with EAGAIN.
template <class Ready>
bool await(const File& file, int flags, Nanos patience, Ready&& ready) {
  if (ready() || !file.blocks || (flags & MSG_DONTWAIT) != 0) return true;
  return kernel().wait(ready, patience == 0 ? kNever : kernel().now() + patience);
}

ssize_t receive_stream(Stream& stream, std::span<std::uint8_t> into, int flags) {
  if (!await(stream, flags, stream.patience, [&] { return stream.readable(); })) return failed(EAGAIN);
  return result(stream.receive(into, (flags & MSG_PEEK) != 0));
}

/// Receives one datagram into a header. Minus an errno if there is none.
ssize_t receive_datagram(DatagramSocket& socket, msghdr& header, int flags) {
  if (!await(socket, flags, socket.patience, [&] { return socket.readable() || socket.broken(); })) return -EAGAIN;
  if (const int error = socket.take_error(); error != 0) return -error;
  const auto* first = socket.first();
  if (first == nullptr) return -EAGAIN;
  if (header.msg_name != nullptr)
    write_address(socket, first->from, static_cast<sockaddr*>(header.msg_name), &header.msg_namelen);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < header.msg_iovlen && moved < first->bytes.size(); ++i) {
    const std::size_t size = std::min(header.msg_iov[i].iov_len, first->bytes.size() - moved);
    std::memcpy(header.msg_iov[i].iov_base, first->bytes.data() + moved, size);
    moved += size;
  }
  header.msg_flags = moved < first->bytes.size() ? MSG_TRUNC : 0;
  if (socket.tells_place)
    write_place(socket, first->to, header);
  else
    header.msg_controllen = 0;
  socket.drop_first();
  return static_cast<ssize_t>(moved);
}

/// The first bytes of a message, at most `most`.
Buffer gathered(const msghdr& header, std::size_t most = SIZE_MAX) {
  Buffer all;
  for (std::size_t i = 0; i < header.msg_iovlen && all.size() < most; ++i) {
    const auto* bytes = static_cast<const std::uint8_t*>(header.msg_iov[i].iov_base);
    all.insert(all.end(), bytes, bytes + std::min(header.msg_iov[i].iov_len, most - all.size()));
  }
  return all;
}

/// The files that go with a message.
LocalSocket::Files passed(const msghdr& header) {
  LocalSocket::Files files;
  for (cmsghdr* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(const_cast<msghdr*>(&header), one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + sizeof(int) <= one->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(one) + at, sizeof fd);
      if (auto file = kernel().file(fd)) files.push_back(std::move(file));
    }
  }
  return files;
}

/// What blocks sends all.
ssize_t send_local(LocalSocket& socket, Bytes bytes, LocalSocket::Files files, int flags) {
  std::size_t sent = 0;
  do {
    if (!await(socket, flags, 0, [&] { return socket.writable(); })) return -EAGAIN;
    const ssize_t size = socket.send(bytes.subspan(sent), files);
    if (size < 0) return sent != 0 ? static_cast<ssize_t>(sent) : size;
    files.clear();
    sent += static_cast<std::size_t>(size);
  } while (sent < bytes.size() && socket.blocks && (flags & MSG_DONTWAIT) == 0);
  return static_cast<ssize_t>(sent);
}

ssize_t receive_local(LocalSocket& socket, std::span<std::uint8_t> into, int flags, LocalSocket::Files& files) {
  if (!await(socket, flags, socket.patience, [&] { return socket.readable(); })) return -EAGAIN;
  return socket.receive(into, (flags & MSG_PEEK) != 0, files);
}

/// Opens the files that came with a message, as far as there is room. The others are closed.
void write_files(const LocalSocket::Files& files, msghdr& header) {
  const std::size_t room =
      header.msg_control != nullptr && header.msg_controllen >= CMSG_LEN(0) ? header.msg_controllen - CMSG_LEN(0) : 0;
  header.msg_flags = 0;
  std::vector<int> opened;
  for (const auto& one : files) {
    const int fd = (opened.size() + 1) * sizeof(int) <= room ? kernel().open(one) : -1;
    if (fd >= 0) opened.push_back(fd);
    if (fd < 0) header.msg_flags = MSG_CTRUNC;
  }
  LocalSocket::let_go(files);
  header.msg_controllen = 0;
  if (opened.empty()) return;
  header.msg_controllen = CMSG_SPACE(opened.size() * sizeof(int));
  auto* const control = static_cast<cmsghdr*>(header.msg_control);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(opened.size() * sizeof(int));
  std::memcpy(CMSG_DATA(control), opened.data(), opened.size() * sizeof(int));
}

ssize_t send_header(File& file, const msghdr& header, int flags) {
  if (auto* stream = dynamic_cast<Stream*>(&file)) {
    if (!await(file, flags, 0, [&] { return stream->writable(); })) return -EAGAIN;
    return stream->send(gathered(header, kernel().faults.window));  // it takes no more
  }
  const Buffer bytes = gathered(header);
  if (auto* local = dynamic_cast<LocalSocket*>(&file)) return send_local(*local, bytes, passed(header), flags);
  auto* socket = dynamic_cast<DatagramSocket*>(&file);
  if (socket == nullptr) return -ENOTSOCK;
  Place to;
  const bool named = read_address(*socket, static_cast<const sockaddr*>(header.msg_name), header.msg_namelen, to);
  return socket->send(bytes, named ? &to : nullptr);
}

ssize_t send_bytes(int fd, const void* bytes, std::size_t size, int flags) {
  const auto file = kernel().file(fd);
  if (!file) return -EBADF;
  iovec part{const_cast<void*>(bytes), size};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  return send_header(*file, header, flags);
}

timespec spec_of(Nanos time) {
  return {static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
}

Nanos nanos_of(const timespec& time) {
  return static_cast<Nanos>(time.tv_sec) * 1'000'000'000 + static_cast<Nanos>(time.tv_nsec);
}

int set_flags(int fd, int command, long argument) {
  const auto file = kernel().file(fd);
  if (!file) return failed(EBADF);
  switch (command) {
    case F_GETFL:
      return O_RDWR | (file->blocks ? 0 : O_NONBLOCK);
    case F_SETFL:
      file->blocks = (argument & O_NONBLOCK) == 0;
      return 0;
    case F_DUPFD_CLOEXEC:
    case F_DUPFD: {
      const int copy = kernel().open(file);
      return copy < 0 ? failed(EMFILE) : copy;
    }
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

int socket(int family, int type, int protocol) {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(socket, family, type, protocol);
  const bool local = family == AF_UNIX && (type & 0xf) == SOCK_STREAM;
  const bool six = family == AF_INET6;
  if (family != AF_INET && !six && !local) return failed(EAFNOSUPPORT);
  const Aside aside;
  std::shared_ptr<File> file;
  if (local)
    file = std::make_shared<LocalSocket>(kernel());
  else if ((type & 0xf) == SOCK_STREAM)
    file = std::make_shared<Stream>(kernel(), six);
  else
    file = std::make_shared<DatagramSocket>(kernel(), six);
  file->blocks = (type & SOCK_NONBLOCK) == 0;
  const int fd = kernel().open(std::move(file));
  return fd < 0 ? failed(EMFILE) : fd;
}

int bind(int fd, const sockaddr* at, socklen_t size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(bind, fd, at, size);
  if (const auto its = kernel().file_as<LocalSocket>(fd)) return done(its->bind(read_path(at, size)));
  Place address;
  const auto its = kernel().file_as<Socket>(fd);
  if (!its || !read_address(*its, at, size, address)) return failed(EINVAL);
  return done(its->bind(address));
}

int listen(int fd, int backlog) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(listen, fd, backlog);
  if (const auto its = kernel().file_as<LocalSocket>(fd)) return done(its->listen(backlog));
  const auto its = kernel().file_as<Stream>(fd);
  return its ? done(its->listen(backlog)) : failed(EOPNOTSUPP);
}

int accept4(int fd, sockaddr* from, socklen_t* size, int flags) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(accept4, fd, from, size, flags);
  kernel().call();
  if (const auto its = kernel().file_as<LocalSocket>(fd)) {
    if (!await(*its, 0, its->patience, [&] { return its->readable(); }) || !its->readable()) return failed(EAGAIN);
    const int opened = kernel().open(nullptr);
    if (opened < 0) return failed(EMFILE);
    kernel().close(opened);
    auto client = its->accept();
    if (!client) return failed(EAGAIN);
    client->blocks = (flags & SOCK_NONBLOCK) == 0;
    if (size != nullptr) *size = 0;
    return kernel().open(std::move(client));
  }
  const auto its = kernel().file_as<Stream>(fd);
  if (!its) return failed(EBADF);
  if (!await(*its, 0, its->patience, [&] { return its->readable(); }) || !its->readable()) return failed(EAGAIN);
  const int opened = kernel().open(nullptr);
  if (opened < 0) return failed(EMFILE);
  kernel().close(opened);
  auto client = its->accept();
  if (!client) return failed(EAGAIN);
  client->blocks = (flags & SOCK_NONBLOCK) == 0;
  write_address(*client, client->remote(), from, size);
  return kernel().open(std::move(client));
}

int accept(int fd, sockaddr* from, socklen_t* size) {
  return Kernel::owns(fd) ? accept4(fd, from, size, 0) : ENTENTE_LAB_REAL(accept, fd, from, size);
}

int connect(int fd, const sockaddr* to, socklen_t size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(connect, fd, to, size);
  kernel().call();
  if (const auto its = kernel().file_as<LocalSocket>(fd)) return done(its->connect(read_path(to, size)));
  Place address;
  const auto socket = kernel().file_as<Socket>(fd);
  if (!socket) return failed(EBADF);
  if (!read_address(*socket, to, size, address)) return failed(EAFNOSUPPORT);
  if (const auto its = kernel().file_as<DatagramSocket>(fd)) return done(its->connect(address));
  const auto its = kernel().file_as<Stream>(fd);
  const int error = its->connect(address);
  if (error != EINPROGRESS || !its->blocks) return done(error);
  kernel().wait([&] { return its->is_open() || its->broken(); });
  return done(its->take_error());
}

int shutdown(int fd, int how) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(shutdown, fd, how);
  if (const auto its = kernel().file_as<LocalSocket>(fd)) return done(its->shut_down(how != SHUT_WR, how != SHUT_RD));
  const auto its = kernel().file_as<Stream>(fd);
  return its ? done(its->shut_down(how != SHUT_WR, how != SHUT_RD)) : failed(ENOTCONN);
}

int close(int fd) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(close, fd);
  return kernel().close(fd) ? 0 : failed(EBADF);
}

ssize_t recv(int fd, void* into, size_t size, int flags) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(recv, fd, into, size, flags);
  kernel().call();
  const std::span<std::uint8_t> room(static_cast<std::uint8_t*>(into), size);
  if (const auto its = kernel().file_as<Stream>(fd)) return receive_stream(*its, room, flags);
  if (const auto its = kernel().file_as<LocalSocket>(fd)) {
    LocalSocket::Files files;
    const ssize_t got = receive_local(*its, room, flags, files);
    LocalSocket::let_go(files);
    return result(got);
  }
  const auto its = kernel().file_as<DatagramSocket>(fd);
  if (!its) return failed(ENOTSOCK);
  iovec part{into, size};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  return result(receive_datagram(*its, header, flags));
}

ssize_t recvfrom(int fd, void* into, size_t size, int flags, sockaddr* from, socklen_t* from_size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(recvfrom, fd, into, size, flags, from, from_size);
  const auto its = kernel().file_as<DatagramSocket>(fd);
  if (!its) return recv(fd, into, size, flags);
  iovec part{into, size};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_name = from;
  header.msg_namelen = from_size != nullptr ? *from_size : 0;
  const ssize_t got = receive_datagram(*its, header, flags);
  if (from_size != nullptr) *from_size = header.msg_namelen;
  return result(got);
}

ssize_t recvmsg(int fd, msghdr* header, int flags) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(recvmsg, fd, header, flags);
  kernel().call();
  if (const auto its = kernel().file_as<DatagramSocket>(fd)) return result(receive_datagram(*its, *header, flags));
  if (header->msg_iovlen == 0) return 0;
  if (const auto its = kernel().file_as<LocalSocket>(fd)) {
    LocalSocket::Files files;
    const ssize_t got = receive_local(
        *its, {static_cast<std::uint8_t*>(header->msg_iov[0].iov_base), header->msg_iov[0].iov_len}, flags, files);
    write_files(files, *header);
    return result(got);
  }
  return recv(fd, header->msg_iov[0].iov_base, header->msg_iov[0].iov_len, flags);
}

int recvmmsg(int fd, mmsghdr* headers, unsigned count, int flags, timespec* patience) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(recvmmsg, fd, headers, count, flags, patience);
  kernel().call();
  const auto its = kernel().file_as<DatagramSocket>(fd);
  if (!its) return failed(ENOTSOCK);
  unsigned got = 0;
  for (; got < count; ++got) {
    const ssize_t size = receive_datagram(*its, headers[got].msg_hdr, got == 0 ? flags : MSG_DONTWAIT);
    if (size < 0) break;
    headers[got].msg_len = static_cast<unsigned>(size);
  }
  return got == 0 ? failed(EAGAIN) : static_cast<int>(got);
}

ssize_t read(int fd, void* into, size_t size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(read, fd, into, size);
  if (const auto file = kernel().file_as<Disk::Opened>(fd))
    return result(file->read({static_cast<std::uint8_t*>(into), size}));
  const auto event = kernel().file_as<Event>(fd);
  if (!event) return recv(fd, into, size, 0);
  if (!await(*event, 0, 0, [&] { return event->readable(); }) || !event->readable()) return failed(EAGAIN);
  std::memcpy(into, &event->count, sizeof event->count);
  event->count = 0;
  return sizeof event->count;
}

ssize_t send(int fd, const void* bytes, size_t size, int flags) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(send, fd, bytes, size, flags);
  kernel().call();
  return result(send_bytes(fd, bytes, size, flags));
}

ssize_t sendto(int fd, const void* bytes, size_t size, int flags, const sockaddr* to, socklen_t to_size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(sendto, fd, bytes, size, flags, to, to_size);
  iovec part{const_cast<void*>(bytes), size};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_name = const_cast<sockaddr*>(to);
  header.msg_namelen = to_size;
  return sendmsg(fd, &header, flags);
}

ssize_t sendmsg(int fd, const msghdr* header, int flags) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(sendmsg, fd, header, flags);
  kernel().call();
  const auto file = kernel().file(fd);
  return file ? result(send_header(*file, *header, flags)) : failed(EBADF);
}

int sendmmsg(int fd, mmsghdr* headers, unsigned count, int flags) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(sendmmsg, fd, headers, count, flags);
  kernel().call();
  const auto file = kernel().file(fd);
  if (!file) return failed(EBADF);
  for (unsigned i = 0; i < count; ++i) {
    const ssize_t size = send_header(*file, headers[i].msg_hdr, flags);
    if (size < 0) return i != 0 ? static_cast<int>(i) : static_cast<int>(result(size));
    headers[i].msg_len = static_cast<unsigned>(size);
  }
  return static_cast<int>(count);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(write, fd, bytes, size);
  if (const auto file = kernel().file_as<Disk::Opened>(fd))
    return result(file->write({static_cast<const std::uint8_t*>(bytes), size}));
  if (const auto event = kernel().file_as<Event>(fd)) {
    std::uint64_t more = 0;
    std::memcpy(&more, bytes, std::min(size, sizeof more));
    event->count += more;
    return static_cast<ssize_t>(size);
  }
  return send(fd, bytes, size, 0);
}

int getsockname(int fd, sockaddr* at, socklen_t* size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(getsockname, fd, at, size);
  if (const auto its = kernel().file_as<LocalSocket>(fd)) return write_path(its->path(), at, size), 0;
  const auto its = kernel().file_as<Socket>(fd);
  if (!its) return failed(ENOTSOCK);
  write_address(*its, its->local(), at, size);
  return 0;
}

int getpeername(int fd, sockaddr* at, socklen_t* size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(getpeername, fd, at, size);
  const auto its = kernel().file_as<Socket>(fd);
  if (!its || its->remote().second == 0) return failed(ENOTCONN);
  write_address(*its, its->remote(), at, size);
  return 0;
}

int getsockopt(int fd, int level, int option, void* value, socklen_t* size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(getsockopt, fd, level, option, value, size);
  const auto its = kernel().file_as<Socket>(fd);
  const auto local = kernel().file_as<LocalSocket>(fd);
  if (!its && !local) return failed(ENOTSOCK);
  if (level == SOL_SOCKET && option == SO_PEERCRED && *size >= sizeof(ucred)) {
    if (!local || !local->is_connected()) return failed(ENOTCONN);
    const ucred peer{Processes::pid_of(local->peer_program()), ::geteuid(), ::getegid()};
    std::memcpy(value, &peer, sizeof peer);
    return 0;
  }
  int number = 0;
  if (level == SOL_SOCKET && option == SO_ERROR && its) number = its->take_error();
  if (level == SOL_SOCKET && option == SO_DOMAIN) number = !its ? AF_UNIX : its->six ? AF_INET6 : AF_INET;
  if (level == IPPROTO_IPV6 && option == IPV6_V6ONLY && its) number = its->only_six ? 1 : 0;
  if (level == SOL_SOCKET && option == SO_TYPE) number = its ? its->type() : SOCK_STREAM;
  if (level == SOL_SOCKET && option == SO_ACCEPTCONN) {
    const auto stream = kernel().file_as<Stream>(fd);
    number = (local && local->listens()) || (stream && stream->listens()) ? 1 : 0;
  }
  std::memset(value, 0, *size);
  std::memcpy(value, &number, std::min<std::size_t>(*size, sizeof number));
  return 0;
}

int setsockopt(int fd, int level, int option, const void* value, socklen_t size) {
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(setsockopt, fd, level, option, value, size);
  const auto its = kernel().file_as<Socket>(fd);
  const auto local = kernel().file_as<LocalSocket>(fd);
  if (!its && !local) return failed(ENOTSOCK);
  if (level == SOL_SOCKET && option == SO_RCVTIMEO && size >= sizeof(timeval)) {
    timeval time;
    std::memcpy(&time, value, sizeof time);
    (its ? its->patience : local->patience) =
        (static_cast<Nanos>(time.tv_sec) * 1'000'000 + static_cast<Nanos>(time.tv_usec)) * 1'000;
  }
  if (local || size < sizeof(int)) return 0;
  int number = 0;
  std::memcpy(&number, value, sizeof number);
  const bool on = number != 0;
  if (const auto stream = kernel().file_as<Stream>(fd); stream && level == IPPROTO_TCP && option == TCP_USER_TIMEOUT)
    stream->sends_again_for = number == 0 ? Stream::kMostSent : static_cast<Nanos>(number) * kMilli;
  if (const auto stream = kernel().file_as<Stream>(fd); stream && level == SOL_SOCKET) {
    if (option == SO_KEEPALIVE) stream->keeps_alive = on;
    if (option == SO_LINGER && size >= sizeof(linger)) {
      linger wanted{};
      std::memcpy(&wanted, value, sizeof wanted);
      stream->resets = wanted.l_onoff != 0 && wanted.l_linger == 0;
    }
  }
  if (level == SOL_SOCKET && option == SO_REUSEADDR && its->type() == SOCK_DGRAM) its->shares_place = on;
  if (level == IPPROTO_IPV6 && option == IPV6_V6ONLY) its->only_six = on;
  if (level == (its->six ? IPPROTO_IPV6 : IPPROTO_IP) && option == (its->six ? IPV6_RECVPKTINFO : IP_PKTINFO))
    its->tells_place = on;
  return 0;
}

int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  return Kernel::owns(fd) ? set_flags(fd, command, argument) : ENTENTE_LAB_REAL(fcntl, fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  const long argument = va_arg(arguments, long);
  va_end(arguments);
  return Kernel::owns(fd) ? set_flags(fd, command, argument) : ENTENTE_LAB_REAL(fcntl, fd, command, argument);
}

int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (!Kernel::owns(fd)) return ENTENTE_LAB_REAL(ioctl, fd, request, argument);
  if (const auto file = kernel().file(fd); file && request == FIONBIO) file->blocks = *static_cast<int*>(argument) == 0;
  return 0;
}

int eventfd(unsigned count, int flags) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(eventfd, count, flags);
  const Aside aside;
  auto event = std::make_shared<Event>();
  event->count = count;
  event->blocks = (flags & EFD_NONBLOCK) == 0;
  const int fd = kernel().open(std::move(event));
  return fd < 0 ? failed(EMFILE) : fd;
}

int poll(pollfd* all, nfds_t count, int ms) {
  const bool real =
      Kernel::current() == nullptr || std::none_of(all, all + count, [](auto& one) { return Kernel::owns(one.fd); });
  if (real && count != 0) return ENTENTE_LAB_REAL(poll, all, count, ms);
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(poll, all, count, ms);
  const auto look = [&] {
    int found = 0;
    for (nfds_t i = 0; i < count; ++i) {
      all[i].revents = 0;
      const auto file = kernel().file(all[i].fd);
      if (!file) continue;
      if ((all[i].events & POLLIN) != 0 && file->readable()) all[i].revents |= POLLIN;
      if ((all[i].events & POLLOUT) != 0 && file->writable()) all[i].revents |= POLLOUT;
      if ((all[i].events & POLLRDHUP) != 0 && file->ended()) all[i].revents |= POLLRDHUP;
      if (file->broken()) all[i].revents |= POLLERR;
      found += all[i].revents != 0 ? 1 : 0;
    }
    return found;
  };
  if (ms != 0)
    kernel().wait([&] { return look() != 0; }, ms < 0 ? kNever : kernel().now() + static_cast<Nanos>(ms) * kMilli);
  return look();
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(clock_gettime, clock, time);
  *time = spec_of(clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? kernel().wall() : kernel().now());
  return 0;
}

int gettimeofday(timeval* time, void* zone) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(gettimeofday, time, zone);
  const timespec now = spec_of(kernel().wall());
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* into) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

int nanosleep(const timespec* how_long, timespec* left) {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(nanosleep, how_long, left);
  kernel().wait([] { return false; }, kernel().now() + nanos_of(*how_long));
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* how_long, timespec* left) {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(clock_nanosleep, clock, flags, how_long, left);
  const Nanos time = nanos_of(*how_long);
  kernel().wait([] { return false; }, (flags & TIMER_ABSTIME) != 0 ? time : kernel().now() + time);
  return 0;
}

}  // extern "C"
