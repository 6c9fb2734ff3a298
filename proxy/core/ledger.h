// Counts what a session could not forward to the other side, and why. Law: the texts are literals, so that counting
// a known loss allocates nothing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace entente::core {

class Ledger {
 public:
  struct Entry {
    const char* what;    ///< name of a message or field in its game
    const char* reason;  ///< "no chat", "flat world", …
    std::uint64_t times;
  };

  void add(const char* what, const char* reason) {
    for (Entry& entry : entries_) {
      if (std::string_view(entry.what) != what || std::string_view(entry.reason) != reason) continue;
      ++entry.times;
      return;
    }
    entries_.push_back({what, reason, 1});
  }

  /// In the order in which they were first seen.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace entente::core
