// Text without regard to ASCII upper and lower case. Other letters are as they are, in every locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace entente {

constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower_case(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = lower_case(c);
  return low;
}

inline bool equal_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

}  // namespace entente
