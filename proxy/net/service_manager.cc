#include "proxy/net/service_manager.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <mutex>

#include "proxy/net/socket.h"

namespace entente::net {
namespace {

struct PassedSocket {
  Fd fd;
  std::string name;  // FileDescriptorName= of its unit
  int family = 0, type = 0;
  bool listens = false;
  Address address;   // of IPv4 and IPv6
  std::string path;  // of a Unix socket
  bool removes = false;
  bool of_process = false;  // another process of Entente has passed it
};

int option_of(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, level, name, &value, &size) == 0 ? value : -1;
}

std::string real_path(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string text = real;
  std::free(real);
  return text;
}

/// "" for a socket without a name in the file system.
std::string path_of(int fd) {
  sockaddr_un raw{};
  socklen_t size = sizeof raw - 1;  // so that the path ends with a zero
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&raw), &size) != 0 || raw.sun_path[0] == '\0') return {};
  return real_path(raw.sun_path);
}

PassedSocket look_at(int fd, const char* name) {
  PassedSocket socket;
  socket.fd = Fd(fd);
  socket.name = name ? name : "";
  socket.family = option_of(fd, SOL_SOCKET, SO_DOMAIN);
  socket.type = option_of(fd, SOL_SOCKET, SO_TYPE);
  socket.listens = option_of(fd, SOL_SOCKET, SO_ACCEPTCONN) == 1;
  if (socket.family == AF_UNIX) socket.path = path_of(fd);
  if (socket.family == AF_INET || socket.family == AF_INET6) socket.address = local_address(fd);
  (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);  // systemd passes sockets that block
  return socket;
}

class PassedSockets {
 public:
  /// Read from the environment when it is first needed.
  static PassedSockets& all() {
    static PassedSockets sockets;
    return sockets;
  }

  template <class Fits>
  PassedLocal take(Fits fits) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(sockets_.begin(), sockets_.end(), fits);
    if (found == sockets_.end()) return {};
    PassedLocal taken{std::move(found->fd), found->removes};
    sockets_.erase(found);
    return taken;
  }

  bool has(const Address& at) {
    const std::lock_guard lock(mutex_);
    return std::any_of(sockets_.begin(), sockets_.end(),
                       [&](const PassedSocket& one) { return one.family == at.family() && one.address == at; });
  }

  void add(PassedSocket socket) {
    const std::lock_guard lock(mutex_);
    sockets_.push_back(std::move(socket));
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    sockets_.clear();
  }

  std::vector<std::string> text(bool also_of_processes) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> lines;
    for (const PassedSocket& socket : sockets_)
      if (also_of_processes || !socket.of_process) lines.push_back(text(socket));
    return lines;
  }

 private:
  PassedSockets() {
    char** names = nullptr;
    const int count = sd_listen_fds_with_names(0, &names);
    for (int i = 0; i < count; ++i) sockets_.push_back(look_at(SD_LISTEN_FDS_START + i, names ? names[i] : nullptr));
    for (int i = 0; names && names[i]; ++i) std::free(names[i]);
    std::free(static_cast<void*>(names));
  }

  static std::string text(const PassedSocket& socket) {
    std::string line = "descriptor " + std::to_string(socket.fd.get());
    if (socket.family == AF_UNIX) line = "Unix " + socket.path;
    if (socket.family == AF_INET || socket.family == AF_INET6)
      line = (socket.type == SOCK_STREAM ? "TCP " : "UDP ") + socket.address.text();
    if (!socket.name.empty()) line += " (" + socket.name + ")";
    if (socket.type == SOCK_STREAM && !socket.listens) line += ", which does not listen";
    return line;
  }

  std::mutex mutex_;
  std::vector<PassedSocket> sockets_;
};

bool is_at(const PassedSocket& socket, int type, const Address& at) {
  return socket.type == type && socket.family == at.family() && socket.address == at;
}

}  // namespace

bool tell_service_manager(const std::string& state) { return sd_notify(0, state.c_str()) > 0; }

Millis watchdog_time() {
  std::uint64_t micros = 0;
  return sd_watchdog_enabled(0, &micros) > 0 ? static_cast<Millis>(micros / 1'000) : 0;
}

bool leads_to_journal(int fd) {
  const char* const stream = std::getenv("JOURNAL_STREAM");  // "DEVICE:INODE" of standard error
  struct stat there {};
  if (stream == nullptr || ::fstat(fd, &there) != 0) return false;
  return std::to_string(there.st_dev) + ":" + std::to_string(there.st_ino) == stream;
}

Fd take_passed_stream(const Address& at) {
  return PassedSockets::all()
      .take([&](const PassedSocket& one) { return one.listens && is_at(one, SOCK_STREAM, at); })
      .fd;
}

Fd take_passed_datagrams(const Address& at) {
  return PassedSockets::all().take([&](const PassedSocket& one) { return is_at(one, SOCK_DGRAM, at); }).fd;
}

PassedLocal take_passed_local(const std::string& path) {
  return PassedSockets::all().take([path = real_path(path)](const PassedSocket& one) {
    return one.family == AF_UNIX && one.type == SOCK_STREAM && one.listens && one.path == path;
  });
}

bool is_passed(const Address& at) { return PassedSockets::all().has(at); }

void add_passed(Fd fd, const Address& bound, bool removes) {
  PassedSocket socket = look_at(fd.release(), nullptr);
  socket.removes = removes;
  socket.of_process = true;
  if (socket.family != AF_UNIX) socket.address = bound;
  PassedSockets::all().add(std::move(socket));
}

std::vector<std::string> passed_and_not_taken() { return PassedSockets::all().text(true); }

std::vector<std::string> passed_by_manager_and_not_taken() { return PassedSockets::all().text(false); }

void close_passed() { PassedSockets::all().clear(); }

}  // namespace entente::net
