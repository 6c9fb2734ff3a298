// How much memory each program of a simulation has on its heap (operator new).
// Invariant: what the lab itself keeps (segments under way, files, what was seen) belongs to no program.
#pragma once

#include <cstddef>

namespace entente::lab {

/// While it exists, what this thread takes belongs to no program.
class Aside {
 public:
  Aside() { ++depth_; }
  ~Aside() { --depth_; }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  static bool here() { return depth_ != 0; }

 private:
  static inline thread_local int depth_ = 0;
};

/// Bytes that a program has now.
std::size_t heap_of(std::size_t program);
/// The most that it had since the last call.
std::size_t most_heap_of(std::size_t program);

}  // namespace entente::lab
