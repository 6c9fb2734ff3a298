// Threads with names, which `top -H`, /proc and debuggers show. Nothing else in the program starts a thread.
#pragma once

#include <sys/prctl.h>

#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "proxy/base/fault.h"

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

/// For tests: while it is true, start_thread() fails as if the machine had no thread left.
std::atomic<bool>& no_thread_left();

/// Why start_thread() has failed.
Error no_thread_error();

/// As named_thread(), for a program that serves: if the machine has no thread left, it goes on without.
template <class Body>
Outcome<std::thread> start_thread(std::string name, Body body) {
  if (no_thread_left()) return no_thread_error();
  try {
    return named_thread(std::move(name), std::move(body));
  } catch (const std::system_error&) {
    return no_thread_error();
  }
}

}  // namespace entente::net
