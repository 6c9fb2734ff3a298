// The cells that one end of a link was told of: legacy versions tell of a cell all that there is, or only what changed,
// and never say whether it is a new one. Law: what is forgotten leaves its memory to what comes.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "adapters/ogar/messages.h"

namespace entente::ogar {

class KnownCells {
 public:
  /// Null if nobody told of it.
  AddedCell* find(std::uint32_t id) {
    const auto at = cells_.find(id);
    return at != cells_.end() ? &at->second : nullptr;
  }
  bool has(std::uint32_t id) const { return cells_.contains(id); }

  /// Its fields are whatever they were of another cell. REQUIRES: it is not known.
  AddedCell& add(std::uint32_t id) {
    if (spare_.empty()) return cells_[id];
    auto node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = id;
    return cells_.insert(std::move(node)).position->second;
  }

  void remove(std::uint32_t id) {
    if (const auto at = cells_.find(id); at != cells_.end()) forget(at);
  }

  void clear() {
    while (!cells_.empty()) forget(cells_.begin());
  }

  std::size_t size() const { return cells_.size(); }
  auto begin() const { return cells_.begin(); }
  auto end() const { return cells_.end(); }

 private:
  static constexpr std::size_t kMostSpare = 4096;
  using Cells = std::unordered_map<std::uint32_t, AddedCell>;

  void forget(Cells::iterator at) {
    if (spare_.size() < kMostSpare)
      spare_.push_back(cells_.extract(at));
    else
      cells_.erase(at);
  }

  Cells cells_;
  std::vector<Cells::node_type> spare_;
};

}  // namespace entente::ogar
