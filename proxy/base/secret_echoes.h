// Secrets that somebody wrote in a session, to find where they are repeated: a server that does not know the command
// "/identify sesame" answers "Unknown command [identify sesame]".
// Invariant: at most kMost secrets are kept, the latest, each of at most kLongest bytes. Looking at a text takes at
// most kMost * kEnough comparisons of bytes for each of its bytes.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>

#include "proxy/base/command.h"
#include "proxy/base/lower_case.h"

namespace entente {

class SecretEchoes {
 public:
  static constexpr std::size_t kMost = 8, kLongest = 256;
  /// Bytes. Shorter secrets are in too many words.
  static constexpr std::size_t kShortest = 3;
  /// Bytes. So many of a longer secret are an echo of it.
  static constexpr std::size_t kEnough = 32;

  /// Blanks at its ends do not count.
  void add(std::string_view secret) {
    secret = without_indent(secret.substr(0, std::min(secret.find('\0'), secret.size())));
    secret = secret.substr(0, std::min(secret.find_last_not_of(" \t\r\n") + 1, kLongest));
    if (secret.size() < kShortest || secret.find_first_not_of('*') == std::string_view::npos) return;
    std::string small = lower_case(secret);
    if (std::find(secrets_.begin(), secrets_.end(), small) != secrets_.end()) return;
    if (secrets_.size() == kMost) secrets_.pop_front();
    secrets_.push_back(std::move(small));
  }
  /// The arguments of a command. An action ("/me waves") is for everybody.
  void add_arguments(std::string_view line) {
    if (!is_command(line) || without_indent(line).starts_with("/me ")) return;
    add(line.substr(arguments_of(line)));
  }
  bool any() const { return !secrets_.empty(); }

  /// Calls hide(from, size) for each part of `text` that repeats a secret, in any case, or its first half or kEnough
  /// bytes of it, because programs cut what they repeat.
  template <class Hide>
  void find(std::string_view text, Hide&& hide) const {
    if (!any()) return;
    const std::string small = lower_case(text);
    for (std::size_t at = 0; at < small.size();) {
      const std::size_t size = longest(std::string_view(small).substr(at));
      if (size != 0) hide(at, size);
      at += std::max<std::size_t>(size, 1);
    }
  }

  /// `text` with each such part replaced.
  std::string without(std::string_view text, std::string_view with) const {
    std::string out;
    std::size_t kept = 0;
    find(text, [&](std::size_t from, std::size_t size) {
      out += text.substr(kept, from - kept);
      out += with;
      kept = from + size;
    });
    return out += text.substr(kept);
  }

 private:
  /// Bytes at the beginning of `text` that repeat a secret; 0: none.
  std::size_t longest(std::string_view text) const {
    constexpr std::size_t kPart = 4;  // of a secret that is cut, at least
    std::size_t found = 0;
    for (const std::string& secret : secrets_) {
      const auto end = std::mismatch(text.begin(), text.end(), secret.begin(), secret.end());
      const auto size = static_cast<std::size_t>(end.first - text.begin());
      const std::size_t half = std::clamp((secret.size() + 1) / 2, kPart, kEnough);
      const std::size_t least = std::min(secret.size(), half);
      if (size >= least) found = std::max(found, size);
    }
    return found;
  }

  std::deque<std::string> secrets_;
};

}  // namespace entente
