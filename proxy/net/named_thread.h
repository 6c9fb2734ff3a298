// Threads with names, which `top -H`, /proc and debuggers show. Nothing else in the program starts a thread.
#pragma once

#include <sys/prctl.h>

#include <string>
#include <thread>
#include <utility>

namespace entente::net {

/// Runs `body` on a thread of this name, of up to 15 letters. The caller joins or detaches it. Throws
/// std::system_error if the machine has no thread left, as std::thread does.
template <class Body>
std::thread named_thread(std::string name, Body body) {
  return std::thread([name = std::move(name), body = std::move(body)]() mutable {
    (void)::prctl(PR_SET_NAME, name.c_str());
    body();
  });
}

}  // namespace entente::net
