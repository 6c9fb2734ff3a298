#include "proxy/rules/pattern.h"

namespace entente::rules {
namespace {

constexpr bool between(unsigned char c, char low, char high) {
  return c >= static_cast<unsigned char>(low) && c <= static_cast<unsigned char>(high);
}
constexpr bool is_digit(unsigned char c) { return between(c, '0', '9'); }
constexpr bool is_lower(unsigned char c) { return between(c, 'a', 'z'); }
constexpr bool is_upper(unsigned char c) { return between(c, 'A', 'Z'); }

/// As in the C locale.
bool is_of_class(unsigned char c, unsigned char letter) {
  const auto lower = static_cast<char>(letter | 0x20U);
  bool is = false;
  switch (lower) {
    case 'a':
      is = is_lower(c) || is_upper(c);
      break;
    case 'c':
      is = c < 0x20 || c == 0x7f;
      break;
    case 'd':
      is = is_digit(c);
      break;
    case 'g':
      is = between(c, '!', '~');
      break;
    case 'l':
      is = is_lower(c);
      break;
    case 'p':
      is = between(c, '!', '~') && !is_digit(c) && !is_lower(c) && !is_upper(c);
      break;
    case 's':
      is = c == ' ' || between(c, '\t', '\r');
      break;
    case 'u':
      is = is_upper(c);
      break;
    case 'w':
      is = is_digit(c) || is_lower(c) || is_upper(c);
      break;
    case 'x':
      is = is_digit(c) || between(c, 'a', 'f') || between(c, 'A', 'F');
      break;
    default:
      return letter == c;
  }
  return is_upper(letter) ? !is : is;
}

}  // namespace

std::size_t Pattern::fail(const char* why) {
  if (problem_ == nullptr) problem_ = why;
  return kNone;
}

bool Pattern::step(std::int64_t count) {
  steps_ -= count;
  if (steps_ >= 0) return true;
  fail("the pattern takes too many steps");
  return false;
}

std::size_t Pattern::match(std::size_t s, std::size_t p) {
  level_ = 0;
  depth_ = 0;
  return from(s, p);
}

std::size_t Pattern::from(std::size_t s, std::size_t p) {
  if (depth_ == kDeepest) return fail("the pattern is too complex");
  struct Deeper {
    explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
    ~Deeper() { --depth_; }
    int& depth_;
  } const deeper(depth_);
  while (p < pattern_.size()) {
    if (!step()) return kNone;
    if (at(p) == '(') {
      const bool place = p + 1 < pattern_.size() && at(p + 1) == ')';
      return place ? open_capture(s, p + 2, Capture::kPlace) : open_capture(s, p + 1, Capture::kOpen);
    }
    if (at(p) == ')') return close_capture(s, p + 1);
    if (at(p) == '$' && p + 1 == pattern_.size()) return s == subject_.size() ? s : kNone;
    if (at(p) == '%' && p + 1 < pattern_.size()) {
      if (at(p + 1) == 'b') {
        s = balanced(s, p + 2);
        if (s == kNone) return kNone;
        p += 4;
        continue;
      }
      if (at(p + 1) == 'f') {
        p += 2;
        if (p >= pattern_.size() || at(p) != '[') return fail("missing '[' after '%f' in the pattern");
        const std::size_t ep = class_end(p);
        if (ep == kNone || !is_frontier(s, p, ep)) return kNone;
        p = ep;
        continue;
      }
      if (is_digit(at(p + 1))) {
        s = captured_again(s, at(p + 1));
        if (s == kNone) return kNone;
        p += 2;
        continue;
      }
    }
    const std::size_t ep = class_end(p);
    if (ep == kNone) return kNone;
    const char suffix = ep < pattern_.size() ? pattern_[ep] : '\0';
    if (suffix == '*') return longest(s, p, ep);
    if (suffix == '-') return shortest(s, p, ep);
    const bool is = is_single(s, p, ep);
    if (suffix == '+') return is ? longest(s + 1, p, ep) : kNone;
    if (suffix == '?') {
      if (is) {
        const std::size_t end = from(s + 1, ep + 1);
        if (end != kNone || problem_ != nullptr) return end;
      }
      p = ep + 1;
      continue;
    }
    if (!is) return kNone;
    ++s;
    p = ep;
  }
  return s;
}

/// Behind the class that begins at p. kNone: it is malformed.
std::size_t Pattern::class_end(std::size_t p) {
  const unsigned char first = at(p++);
  if (first == '%') return p < pattern_.size() ? p + 1 : fail("the pattern ends with '%'");
  if (first != '[') return p;
  const std::size_t begin = p;
  if (p < pattern_.size() && at(p) == '^') ++p;
  do {  // a ']' at the beginning is in the set
    if (p >= pattern_.size()) return fail("missing ']' in the pattern");
    if (at(p++) == '%') {
      if (p >= pattern_.size()) return fail("missing ']' in the pattern");
      ++p;
    }
  } while (p >= pattern_.size() || at(p) != ']');
  return step(static_cast<std::int64_t>(p - begin) / 8) ? p + 1 : kNone;
}

/// `last`: where its ']' is.
bool Pattern::is_in_set(unsigned char c, std::size_t p, std::size_t last) {
  if (!step(static_cast<std::int64_t>(last - p) / 4)) return false;
  const bool negated = at(p + 1) == '^';
  if (negated) ++p;
  while (++p < last) {
    if (at(p) == '%') {
      if (is_of_class(c, at(++p))) return !negated;
    } else if (p + 2 < last && at(p + 1) == '-') {
      if (at(p) <= c && c <= at(p + 2)) return !negated;
      p += 2;
    } else if (at(p) == c) {
      return !negated;
    }
  }
  return negated;
}

bool Pattern::is_single(std::size_t s, std::size_t p, std::size_t ep) {
  if (s >= subject_.size()) return false;
  const auto c = static_cast<unsigned char>(subject_[s]);
  if (at(p) == '.') return true;
  if (at(p) == '%') return is_of_class(c, at(p + 1));
  return at(p) == '[' ? is_in_set(c, p, ep - 1) : at(p) == c;
}

std::size_t Pattern::longest(std::size_t s, std::size_t p, std::size_t ep) {
  std::size_t count = 0;
  while (is_single(s + count, p, ep)) {
    if (!step()) return kNone;
    ++count;
  }
  for (;; --count) {
    const std::size_t end = from(s + count, ep + 1);
    if (end != kNone || problem_ != nullptr || count == 0) return end;
  }
}

std::size_t Pattern::shortest(std::size_t s, std::size_t p, std::size_t ep) {
  for (;; ++s) {
    const std::size_t end = from(s, ep + 1);
    if (end != kNone || problem_ != nullptr || !step()) return end;
    if (!is_single(s, p, ep)) return kNone;
  }
}

std::size_t Pattern::open_capture(std::size_t s, std::size_t p, std::size_t kind) {
  if (level_ >= kMostCaptures) return fail("the pattern has too many captures");
  captures_[static_cast<std::size_t>(level_++)] = {s, kind};
  const std::size_t end = from(s, p);
  if (end == kNone) --level_;
  return end;
}

std::size_t Pattern::close_capture(std::size_t s, std::size_t p) {
  int open = level_ - 1;
  while (open >= 0 && captures_[static_cast<std::size_t>(open)].size != Capture::kOpen) --open;
  if (open < 0) return fail("')' without '(' in the pattern");
  Capture& capture = captures_[static_cast<std::size_t>(open)];
  capture.size = s - capture.begin;
  const std::size_t end = from(s, p);
  if (end == kNone) capture.size = Capture::kOpen;
  return end;
}

std::size_t Pattern::balanced(std::size_t s, std::size_t p) {
  if (p + 1 >= pattern_.size()) return fail("'%b' needs two characters in the pattern");
  if (s >= subject_.size() || static_cast<unsigned char>(subject_[s]) != at(p)) return kNone;
  std::size_t open = 1;
  while (++s < subject_.size()) {
    if (!step()) return kNone;
    const auto c = static_cast<unsigned char>(subject_[s]);
    if (c == at(p + 1)) {
      if (--open == 0) return s + 1;
    } else if (c == at(p)) {
      ++open;
    }
  }
  return kNone;
}

std::size_t Pattern::captured_again(std::size_t s, unsigned char digit) {
  const int number = digit - '1';
  if (number < 0 || number >= level_) return fail("the pattern refers to a capture that is not there");
  const Capture& capture = captures_[static_cast<std::size_t>(number)];
  if (capture.size == Capture::kOpen) return fail("the pattern refers to a capture that is not closed");
  if (capture.is_place()) return kNone;
  if (!step(static_cast<std::int64_t>(capture.size) / 16)) return kNone;
  const bool same = subject_.substr(s).starts_with(subject_.substr(capture.begin, capture.size));
  return same ? s + capture.size : kNone;
}

bool Pattern::is_frontier(std::size_t s, std::size_t p, std::size_t ep) {
  const unsigned char before = s == 0 ? 0 : static_cast<unsigned char>(subject_[s - 1]);
  const unsigned char here = s < subject_.size() ? static_cast<unsigned char>(subject_[s]) : 0;
  return !is_in_set(before, p, ep - 1) && is_in_set(here, p, ep - 1);
}

}  // namespace entente::rules
