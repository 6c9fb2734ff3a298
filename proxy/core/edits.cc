#include "proxy/core/edits.h"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "proxy/base/keyed_hash.h"

namespace entente::core {
namespace {

using Block = std::tuple<double, double, double>;

bool is_of_one_block(const BlockEdit& edit) { return edit.op <= words::Edit::DIG; }

Block block_of(const BlockEdit& edit) { return {edit.x, edit.y, edit.z}; }

std::uint64_t hash_of(const std::vector<BlockEdit>& edits) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = edits.size();
  const auto mix = [&](std::uint64_t bits) { hash = (hash ^ bits ^ hash >> 32) * kPrime; };
  for (const BlockEdit& edit : edits) {
    for (const double number : {edit.x, edit.y, edit.z, edit.x2, edit.y2, edit.z2})
      mix(std::bit_cast<std::uint64_t>(number));
    mix(std::uint64_t{edit.colour} << 32 | edit.by);
    mix(static_cast<std::uint64_t>(edit.op));
  }
  return hash;
}

}  // namespace

BlockEdit::BlockEdit(const words::WorldEdit& word)
    : x(word.edit().x()),
      y(word.edit().y()),
      z(word.edit().z()),
      x2(word.edit().x2()),
      y2(word.edit().y2()),
      z2(word.edit().z2()),
      colour(word.edit().colour()),
      by(word.by()),
      op(word.edit().op()) {}

words::WorldEdit BlockEdit::word() const {
  words::WorldEdit word;
  word.set_by(by);
  words::Edit& edit = *word.mutable_edit();
  edit.set_op(op);
  edit.set_x(x);
  edit.set_y(y);
  edit.set_z(z);
  edit.set_x2(x2);
  edit.set_y2(y2);
  edit.set_z2(z2);
  edit.set_colour(colour);
  return word;
}

bool replaces(const BlockEdit& later, const BlockEdit& earlier) {
  return is_of_one_block(later) && is_of_one_block(earlier) && block_of(later) == block_of(earlier);
}

void tidy_edits(std::vector<BlockEdit>& edits) {
  std::set<Block> seen;
  const auto kept = std::remove_if(edits.rbegin(), edits.rend(), [&](const BlockEdit& edit) {
    return is_of_one_block(edit) && !seen.insert(block_of(edit)).second;
  });
  edits.erase(edits.begin(), kept.base());
}

bool edits_between(const std::vector<BlockEdit>& from, const std::vector<BlockEdit>& to,
                   std::vector<const BlockEdit*>& between) {
  std::vector<const BlockEdit*> replaced;
  std::size_t known = 0;
  auto next = to.begin();
  for (; next != to.end(); ++next) {
    const auto found = std::find(from.begin() + static_cast<std::ptrdiff_t>(known), from.end(), *next);
    if (found == from.end()) break;
    for (; known < static_cast<std::size_t>(found - from.begin()); ++known) replaced.push_back(&from[known]);
    ++known;
  }
  for (; known < from.size(); ++known) replaced.push_back(&from[known]);
  std::set<Block> blocks;
  for (auto edit = next; edit != to.end(); ++edit)
    if (is_of_one_block(*edit)) blocks.insert(block_of(*edit));
  const bool none_is_lost = std::all_of(replaced.begin(), replaced.end(), [&](const BlockEdit* edit) {
    return is_of_one_block(*edit) && blocks.contains(block_of(*edit));
  });
  if (!none_is_lost) return false;
  for (; next != to.end(); ++next) between.push_back(&*next);
  return true;
}

// -- The edits of a world ---------------------------------------------------------------------------------------------

std::vector<BlockEdit> EditList::all() const {
  std::vector<BlockEdit> all;
  all.reserve(size_);
  each([&](const BlockEdit& edit) { all.push_back(edit); });
  return all;
}

void EditList::append(const BlockEdit& edit) {
  last_.push_back(edit);
  ++size_;
  if (last_.size() == kChunk) chunks_.push_back(kept_once(std::exchange(last_, {})));
}

std::size_t EditList::add(const BlockEdit& edit, std::size_t most) {
  if (size_ < kFew) size_ -= std::erase_if(last_, [&](const BlockEdit& old) { return replaces(edit, old); });
  append(edit);
  return size_ > (most < kFew ? most : tidy_at_) ? tidy(most) : 0;
}

/// Blocks that were edited early are kept, so that a full world still shows what becomes of them.
std::size_t EditList::tidy(std::size_t most) {
  std::vector<BlockEdit> edits = all();
  std::set<Block> known;
  std::size_t kept = 0;
  const auto is_beyond = [&](const BlockEdit& edit) {
    if (is_of_one_block(edit) && known.contains(block_of(edit))) return false;
    if (kept >= most) return true;
    ++kept;
    if (is_of_one_block(edit)) known.insert(block_of(edit));
    return false;
  };
  const std::size_t beyond = std::erase_if(edits, is_beyond);
  tidy_edits(edits);
  clear();
  for (const BlockEdit& edit : edits) append(edit);
  tidy_at_ = size_ + std::max(kFew, std::min(size_, most / 2));
  return beyond;
}

/// Returns the equal chunk of another world of this thread, if there is one.
std::shared_ptr<const EditList::Chunk> EditList::kept_once(Chunk chunk) {
  constexpr std::size_t kFewest = 256;
  thread_local std::unordered_map<std::uint64_t, std::weak_ptr<const Chunk>, KeyedHash<std::uint64_t>> known;
  thread_local std::size_t most = kFewest;
  if (known.size() >= most) {
    std::erase_if(known, [](const auto& one) { return one.second.expired(); });
    most = std::max(kFewest, 2 * known.size());
  }
  auto& same_hash = known[hash_of(chunk)];
  if (auto found = same_hash.lock(); found != nullptr && *found == chunk) return found;
  chunk.shrink_to_fit();
  auto kept = std::make_shared<const Chunk>(std::move(chunk));
  same_hash = kept;
  return kept;
}

}  // namespace entente::core
