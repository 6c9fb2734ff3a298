// How far long work has come, shown on a terminal in one line that is rewritten. Short work shows nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace entente {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// `terminal`: null if there is none; otherwise it outlives this. Nothing is shown before `patience` has passed.
  explicit Progress(std::ostream* terminal, std::chrono::milliseconds patience = std::chrono::seconds(1))
      : terminal_(terminal), patience_(patience), began_(Clock::now()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The work that begins now, such as "reading FILE", and how much it is.
  void begin(std::string what, std::uint64_t all);
  void reached(std::uint64_t done);
  /// Removes the line, so that something else can be printed.
  void clear();

  /// Whether more than `patience` has passed since the first work began.
  bool took_long() const { return elapsed() >= patience_; }
  Clock::duration elapsed() const { return Clock::now() - began_; }

 private:
  std::ostream* const terminal_;
  const std::chrono::milliseconds patience_;
  const Clock::time_point began_;
  std::string what_;
  std::uint64_t all_ = 0;
  unsigned calls_ = 0;
  int shown_ = -1;  // percent; -1: nothing
};

/// Standard error if it is a terminal, otherwise null.
std::ostream* progress_terminal();

}  // namespace entente
