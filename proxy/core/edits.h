// Edits of a world of blocks, in the order in which they were made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
/// Invariant: add() looks at one chunk at most, and clears one table of numbers, so its work for an edit hardly grows
/// with their number.
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
  /// Appends an edit. Once there are many, it also goes on removing those that were replaced, and those of blocks
  /// beyond the first `most`, a chunk at a time. At most 1.5 * `most` + kFew are kept, and twice as many as there are
  /// edited blocks, or kFew. Returns how many were removed that no later edit replaces.
  std::size_t add(const BlockEdit& edit, std::size_t most);

 private:
  using Chunk = std::vector<BlockEdit>;
  using Chunks = std::vector<std::shared_ptr<const Chunk>>;

  /// The place of an edit among those that are tidied, from 1; 0: none.
  using Place = std::uint32_t;
  /// The work of removing edits, which is done in small pieces: first each chunk is searched for the last edit of each
  /// block, then those that stay are copied. What is added meanwhile stays as it is.
  struct Tidying {
    Chunks from;           // all but the last have kChunk edits
    std::size_t size = 0;  // of all of them
    std::size_t next = 0;
    bool copies = false;  // false: it searches
    std::size_t kept = 0, beyond = 0;
    Place first_beyond = 0;    // edits of several blocks from here on are beyond the most; 0: none is
    std::vector<Place> table;  // of the last edits of blocks, by the hash of the block; more than half is free
    Chunks done;
    Chunk last;  // less than kChunk
  };

  void begin_tidying();
  std::size_t tidy_on(std::size_t most);
  void search(const Chunk& chunk, std::size_t most);
  void copy(const Chunk& chunk);
  void replace_by_tidied(std::size_t most);
  Place place_of(const Chunk& chunk, const BlockEdit& edit) const;
  Place& last_of_block(const BlockEdit& edit);
  static void append(const BlockEdit& edit, Chunks& chunks, Chunk& last);
  static std::shared_ptr<const Chunk> kept_once(Chunk chunk);

  Chunks chunks_;  // of kChunk each
  Chunk last_;     // less than kChunk
  std::size_t size_ = 0;
  std::size_t tidy_at_ = kFew;  // the size at which all replaced edits shall be removed
  std::optional<Tidying> tidying_;
};

}  // namespace entente::core
