// The two kinds of failure. A peer's mistake is a Fault: a value, counted by name. A failure of the machine (a file,
// a socket, a setting) is an Error: a sentence for people. Our own mistakes are asserts. Nothing throws.
#pragma once

#include <cassert>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace entente {

/// What a peer did wrong, and where. `what` and `field` are string literals, so a Fault owns no memory.
struct Fault {
  const char* what;        ///< the name it is counted by, e.g. "short message"
  const char* field = "";  ///< the field that could not be read, "" if it is the whole frame
  std::size_t offset = 0;  ///< bytes from the start of the frame
};

/// What is wrong with the machine, the file or the setting, and what to do about it.
struct Error {
  std::string text;
};

/// A value, or the reason why there is none. REQUIRES: check `ok()` before reading either.
template <class T, class E>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : held_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Expected(E problem) : held_(std::in_place_index<1>, std::move(problem)) {}  // NOLINT: implicit on purpose

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() {
    assert(ok());
    return *std::get_if<0>(&held_);
  }
  const T& operator*() const {
    assert(ok());
    return *std::get_if<0>(&held_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const E& error() const {
    assert(!ok());
    return *std::get_if<1>(&held_);
  }

 private:
  std::variant<T, E> held_;
};

/// For what a peer sent: a value, or a Fault.
template <class T>
using Result = Expected<T, Fault>;

/// For what this machine did: a value, or an Error, which is a sentence for a person.
template <class T>
using Outcome = Expected<T, Error>;

/// The value of an Outcome that has no value.
struct Done {};

}  // namespace entente
