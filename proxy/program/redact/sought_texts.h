// Texts that are looked for in other texts, and what stands for each.
// Invariant: looking at one place of a text takes a search for each byte that a sought text has in common with it, at
// most kLongest, however many texts are sought.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace entente {

class SoughtTexts {
 public:
  /// Bytes. Of a longer text, its beginning is found, together with the rest of the word there.
  static constexpr std::size_t kLongest = 64;

  struct Found {
    std::size_t size = 0;             ///< bytes of the text; 0: nothing is found
    const std::string* as = nullptr;  ///< what stands for it
  };

  /// The first of equal texts counts. Returns whether it is new. REQUIRES: `text` is not empty.
  bool add(std::string_view text, std::string as) {
    return sought_.emplace(text.substr(0, kLongest), std::move(as)).second;
  }
  std::size_t size() const { return sought_.size(); }

  /// The longest sought text at the beginning of `text` for which `fits(size)` is true.
  template <class Fits>
  Found longest(std::string_view text, Fits&& fits) const {
    Found found;
    for (std::size_t size = 1; size <= std::min(text.size(), kLongest); ++size) {
      const auto at = sought_.lower_bound(text.substr(0, size));
      if (at == sought_.end() || !at->first.starts_with(text.substr(0, size))) break;
      const std::size_t whole = size < kLongest ? size : std::min(text.find_first_of(" \t\r\n", size), text.size());
      if (at->first.size() == size && fits(whole)) found = {whole, &at->second};
    }
    return found;
  }
  /// What stands for the last text, by its bytes, that begins with `part`; null: there is none.
  const std::string* begun_by(std::string_view part) const {
    part = part.substr(0, kLongest);
    auto at = sought_.upper_bound(std::string(part) + "\xff\xff");
    if (at == sought_.begin() || !(--at)->first.starts_with(part)) return nullptr;
    return &at->second;
  }

 private:
  std::map<std::string, std::string, std::less<>> sought_;
};

}  // namespace entente
