// The process is out of file descriptors, for a test.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include "proxy/net/fd.h"

namespace entente::testing {

/// Lowers the limit of open files to the number that is open now, as long as it lives.
class NoFilesLeft {
 public:
  NoFilesLeft() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(net::Fd(::open("/dev/null", O_RDONLY)).get());
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoFilesLeft() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace entente::testing
