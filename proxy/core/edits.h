// Edits of a world of blocks, in the order in which they were made.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "proxy/core/word.h"

namespace entente::core {

/// An edit as worlds keep it.
struct BlockEdit {
  BlockEdit() = default;
  explicit BlockEdit(const words::WorldEdit& word);
  words::WorldEdit word() const;
  bool operator==(const BlockEdit&) const = default;

  double x = 0, y = 0, z = 0, x2 = 0, y2 = 0, z2 = 0;
  std::uint32_t colour = 0;
  Id by = 0;
  words::Edit::Op op = words::Edit::BUILD;
};

/// Whether the later edit of one block makes the earlier one superfluous.
bool replaces(const BlockEdit& later, const BlockEdit& earlier);

/// Removes edits that later ones replace.
void tidy_edits(std::vector<BlockEdit>& edits);

/// Finds the edits that turn a world with the edits `from` into one with the edits `to`. False: there are none, because
/// an edit would have to be undone. REQUIRES: both are tidy.
bool edits_between(const std::vector<BlockEdit>& from, const std::vector<BlockEdit>& to,
                   std::vector<const BlockEdit*>& between);

/// The edits of a world, in the order in which they were made. Worlds of one thread with the same edits, such as those
/// of a recording's viewers, share the memory of nearly all of them.
/// Law: add() looks at all edits only after it has added half as many, so its work for an edit does not grow with them.
class EditList {
 public:
  static constexpr std::size_t kChunk = 128;  ///< edits that are shared together
  static constexpr std::size_t kFew = 64;     ///< among so few, a replaced edit is removed at once

  std::size_t size() const { return size_; }
  std::vector<BlockEdit> all() const;
  /// Calls `see(const BlockEdit&)` for each.
  template <class F>
  void each(F&& see) const {
    for (const auto& chunk : chunks_)
      for (const BlockEdit& edit : *chunk) see(edit);
    for (const BlockEdit& edit : last_) see(edit);
  }

  void clear() { *this = {}; }
  void append(const BlockEdit& edit);
  /// Appends an edit, and now and then removes those that were replaced, and those of blocks beyond the first `most`.
  /// At most 1.5 * `most` + kFew are kept, and twice as many as there are edited blocks, or kFew. Returns how many were
  /// removed that no later edit replaces.
  std::size_t add(const BlockEdit& edit, std::size_t most);

 private:
  std::size_t tidy(std::size_t most);
  using Chunk = std::vector<BlockEdit>;
  static std::shared_ptr<const Chunk> kept_once(Chunk chunk);

  std::vector<std::shared_ptr<const Chunk>> chunks_;  // never empty, of at most kChunk
  Chunk last_;                                        // less than kChunk
  std::size_t size_ = 0;
  std::size_t tidy_at_ = kFew;  // the size at which to look at all
};

}  // namespace entente::core
