#include "proxy/program/base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "proxy/net/fd.h"
#include "proxy/program/base/screen_text.h"

namespace entente {

std::string ReadFault::text(const std::string& path) const {
  const std::string name = "'" + screen_text(path) + "'";
  return error == 0 ? name + " is not a file" : "cannot read " + name + ": " + std::strerror(error);
}

Expected<std::string, ReadFault> read_beginning(const std::string& path, std::size_t most, Pipes pipes) {
  const int at_once = pipes == Pipes::kRefused ? O_NONBLOCK : 0;  // for a file, this means nothing
  const net::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | at_once));
  if (!file) return ReadFault{errno == ENXIO ? 0 : errno};  // a socket
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return ReadFault{errno};
  if (pipes == Pipes::kRefused && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) return ReadFault{};
  std::string text;
  std::array<char, 16'384> piece{};
  while (text.size() < most) {
    const ssize_t size = ::read(file.get(), piece.data(), std::min(piece.size(), most - text.size()));
    if (size == 0) break;
    if (size > 0)
      text.append(piece.data(), static_cast<std::size_t>(size));
    else if (errno != EINTR)
      return ReadFault{errno};
  }
  return text;
}

}  // namespace entente
