// Owns a file descriptor.
// Invariant: it is closed once, by the last Fd that owns it. Not thread-safe.
#pragma once

#include <unistd.h>

#include <utility>

namespace entente::net {

class Fd {
 public:
  Fd() = default;  ///< none: get() is -1
  /// Takes it over. -1: none.
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// Gives it to the caller, who closes it.
  int release() { return std::exchange(fd_, -1); }
  /// Closes what it owns, and takes over `fd`.
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace entente::net
