#include "proxy/program/base/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace entente {
namespace {

// Letters to add, drop, change or swap with their neighbour to make `a` of `b` (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > 64) return {};  // nobody mistypes that much, and the cost is quadratic
  std::string_view best;
  std::size_t least = word.size() / 3 + 1;  // one letter in three may be wrong
  for (const std::string_view name : known) {
    const std::size_t off = distance(word, name);
    if (off >= least) continue;
    least = off;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view name = nearest(word, known);
  return name.empty() ? "" : " (did you mean '" + std::string(name) + "'?)";
}

std::string joined(std::span<const std::string_view> words) {
  std::string all;
  for (const std::string_view word : words) all.append(all.empty() ? "" : ", ").append(word);
  return all;
}

std::string unknown_name(const std::string& kind, std::string_view name, std::span<const std::string_view> known,
                         const std::string& of) {
  return "unknown " + kind + " '" + std::string(name) + "'" + of + did_you_mean(name, known) + "; " + kind +
         "s: " + joined(known);
}

std::string expected_one_of(std::span<const std::string_view> words, std::string_view got) {
  std::string all = joined(words);
  if (words.size() > 1) all.replace(all.rfind(','), 1, " or");
  return "expected " + all + ", got '" + std::string(got) + "'" + did_you_mean(got, words);
}

std::string expected_integer(std::int64_t least, std::int64_t most, std::string_view unit, std::string_view got) {
  std::string range = "expected an integer from " + std::to_string(least) + " to " + std::to_string(most);
  if (!unit.empty()) range.append(" ").append(unit);
  return range.append(", got ").append(got);
}

}  // namespace entente
