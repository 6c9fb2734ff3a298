// Counts what a room member could not forward to the other side, by lines of a mapping. Invariant: counting a known
// drop allocates nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proxy/base/mapping.h"

namespace entente::core {

class Ledger {
 public:
  struct Entry {
    const MappingLine* line;
    const char* word;  ///< which word it was, if the line is about any; else null
    std::uint64_t times;

    std::string what() const { return subject(*line, word); }
    const char* reason() const { return line->reason; }
  };

  /// `word`: a name that lives as long as the program.
  void add(const MappingLine& line, const char* word = nullptr, std::uint64_t times = 1) {
    for (Entry& entry : entries_) {
      if (entry.line != &line || entry.word != word) continue;
      entry.times += times;
      return;
    }
    entries_.push_back({&line, word, times});
  }
  void add(const MappingLine&& line, const char* word = nullptr, std::uint64_t times = 1) = delete;  // would dangle

  /// In the order in which they were first seen.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace entente::core
