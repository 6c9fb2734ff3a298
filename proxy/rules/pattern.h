// Matches patterns of Lua (manual of Lua 5.4, section 6.4.1). Lua's own matcher can take exponential time and cannot be
// interrupted.
// Invariant: a match takes at most the given number of steps, and does not recurse deeper than kDeepest.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace entente::rules {

class Pattern {
 public:
  static constexpr int kMostCaptures = 32, kDeepest = 200;

  /// Both outlive it. `steps`: how many it may take, in all matches; is reduced.
  Pattern(std::string_view subject, std::string_view pattern, std::int64_t& steps)
      : subject_(subject), pattern_(pattern), steps_(steps) {}

  struct Capture {
    static constexpr std::size_t kOpen = SIZE_MAX, kPlace = SIZE_MAX - 1;
    std::size_t begin = 0, size = 0;
    bool is_place() const { return size == kPlace; }
  };

  /// Matches at this place, and returns the end of the match. kNone: no match, or a problem().
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t match(std::size_t at, std::size_t pattern_at = 0);
  /// What is wrong with the pattern; null: nothing.
  const char* problem() const { return problem_; }
  /// Of the last match.
  int captures() const { return level_; }
  const Capture& capture(int i) const { return captures_[static_cast<std::size_t>(i)]; }

 private:
  std::size_t from(std::size_t s, std::size_t p);
  std::size_t fail(const char* why);
  bool step(std::int64_t count = 1);
  std::size_t class_end(std::size_t p);
  bool is_single(std::size_t s, std::size_t p, std::size_t ep);
  bool is_in_set(unsigned char c, std::size_t p, std::size_t last);
  std::size_t longest(std::size_t s, std::size_t p, std::size_t ep);
  std::size_t shortest(std::size_t s, std::size_t p, std::size_t ep);
  std::size_t open_capture(std::size_t s, std::size_t p, std::size_t kind);
  std::size_t close_capture(std::size_t s, std::size_t p);
  std::size_t balanced(std::size_t s, std::size_t p);
  std::size_t captured_again(std::size_t s, unsigned char digit);
  bool is_frontier(std::size_t s, std::size_t p, std::size_t ep);
  unsigned char at(std::size_t p) const { return static_cast<unsigned char>(pattern_[p]); }

  std::string_view subject_, pattern_;
  std::int64_t& steps_;
  int level_ = 0, depth_ = 0;
  const char* problem_ = nullptr;
  std::array<Capture, kMostCaptures> captures_{};
};

}  // namespace entente::rules
