#include "proxy/net/process/stray_connections.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "proxy/net/fd.h"

namespace entente::net {

int StrayConnections::look(const std::vector<Address>& peers) {
  std::set<ino_t> found;
  int ended = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> all(::opendir("/proc/self/fd"), &::closedir);
  while (const dirent* one = all != nullptr ? ::readdir(all.get()) : nullptr) {
    // A descriptor of our own: the owner may close its one meanwhile, and another file may get the number.
    const Fd its(::fcntl(std::atoi(one->d_name), F_DUPFD_CLOEXEC, 0));
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (!its || ::getpeername(its.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.ss_family != AF_INET && peer.ss_family != AF_INET6) continue;
    const Address its_peer = Address::from(reinterpret_cast<const sockaddr*>(&peer));
    struct stat what {};
    if (std::find(peers.begin(), peers.end(), its_peer) == peers.end() || ::fstat(its.get(), &what) != 0) continue;
    if (seen_.contains(what.st_ino)) ended += ::shutdown(its.get(), SHUT_RDWR) == 0 ? 1 : 0;
    found.insert(what.st_ino);
  }
  seen_ = std::move(found);
  return ended;
}

}  // namespace entente::net
