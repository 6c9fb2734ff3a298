#include "proxy/core/edits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string_view>
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

/// The bits of a block's place, where 0 is -0, and NaN is NaN.
using BlockKey = std::array<std::uint64_t, 3>;

BlockKey key_of(const BlockEdit& edit) {
  const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number + 0.0); };
  return {bits(edit.x), bits(edit.y), bits(edit.z)};
}

std::uint64_t hash_of(const BlockKey& key) {
  return keyed_hash(as_bytes(std::string_view(reinterpret_cast<const char*>(key.data()), sizeof key)));
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
  append(edit, chunks_, last_);
  ++size_;
}

void EditList::append(const BlockEdit& edit, Chunks& chunks, Chunk& last) {
  last.push_back(edit);
  if (last.size() == kChunk) chunks.push_back(kept_once(std::exchange(last, {})));
}

std::size_t EditList::add(const BlockEdit& edit, std::size_t most) {
  constexpr std::size_t kAtOnce = 2 * kChunk;
  if (size_ < kFew) size_ -= std::erase_if(last_, [&](const BlockEdit& old) { return replaces(edit, old); });
  append(edit);
  if (!tidying_) {
    const std::size_t adds = size_ > kAtOnce ? 2 * (chunks_.size() + 1) : 0;  // until it is done
    if (size_ + adds <= (most < kFew ? most : tidy_at_)) return 0;
    begin_tidying();
  }
  std::size_t beyond = tidy_on(most);
  while (tidying_ && size_ <= kAtOnce) beyond += tidy_on(most);
  return beyond;
}

void EditList::begin_tidying() {
  Tidying& work = tidying_.emplace(Tidying{});
  work.from = chunks_;
  if (!last_.empty()) work.from.push_back(std::make_shared<const Chunk>(last_));
  work.size = size_;
  work.table.resize(std::bit_ceil(2 * size_ + 1));
}

/// Looks at the next chunk. Returns how many edits beyond `most` were removed.
std::size_t EditList::tidy_on(std::size_t most) {
  Tidying& work = *tidying_;
  const Chunk& chunk = *work.from[work.next];
  if (!work.copies)
    search(chunk, most);
  else
    copy(chunk);
  if (++work.next < work.from.size()) return 0;
  work.next = 0;
  if (!std::exchange(work.copies, true)) return 0;
  const std::size_t beyond = work.beyond;
  replace_by_tidied(most);
  return beyond;
}

/// Blocks that were edited early are kept, so that a full world still shows what becomes of them.
void EditList::search(const Chunk& chunk, std::size_t most) {
  Tidying& work = *tidying_;
  for (const BlockEdit& edit : chunk) {
    Place* const last = is_of_one_block(edit) ? &last_of_block(edit) : nullptr;
    const bool is_new = last == nullptr || *last == 0;
    if (is_new && work.kept >= most) {
      ++work.beyond;
      if (work.first_beyond == 0) work.first_beyond = place_of(chunk, edit);
      continue;
    }
    if (is_new) ++work.kept;
    if (last != nullptr) *last = place_of(chunk, edit);
  }
}

void EditList::copy(const Chunk& chunk) {
  Tidying& work = *tidying_;
  for (const BlockEdit& edit : chunk) {
    const Place place = place_of(chunk, edit);
    const bool stays =
        is_of_one_block(edit) ? last_of_block(edit) == place : work.first_beyond == 0 || place < work.first_beyond;
    if (stays) append(edit, work.done, work.last);
  }
}

/// Few were added meanwhile: two for each chunk.
void EditList::replace_by_tidied(std::size_t most) {
  Tidying work = std::move(*tidying_);
  tidying_.reset();
  const auto add_rest = [&](const Chunk& chunk, std::size_t first) {
    for (std::size_t at = std::max(first, work.size); at < first + chunk.size(); ++at)
      append(chunk[at - first], work.done, work.last);
  };
  for (std::size_t i = work.size / kChunk; i < chunks_.size(); ++i) add_rest(*chunks_[i], i * kChunk);
  add_rest(last_, chunks_.size() * kChunk);
  chunks_ = std::move(work.done);
  last_ = std::move(work.last);
  size_ -= work.size - work.kept;
  tidy_at_ = work.kept + std::max(kFew, std::min(work.kept, most / 2));
}

/// REQUIRES: `chunk` is the next one, and has the edit.
EditList::Place EditList::place_of(const Chunk& chunk, const BlockEdit& edit) const {
  return static_cast<Place>(tidying_->next * kChunk + static_cast<std::size_t>(&edit - chunk.data()) + 1);
}

/// Where the last edit of that block is, as far as was searched; 0: there is none.
EditList::Place& EditList::last_of_block(const BlockEdit& edit) {
  std::vector<Place>& table = tidying_->table;
  const BlockKey key = key_of(edit);
  const auto is_of_it = [&](Place place) {
    return key_of((*tidying_->from[(place - 1) / kChunk])[(place - 1) % kChunk]) == key;
  };
  std::size_t at = hash_of(key) & (table.size() - 1);
  while (table[at] != 0 && !is_of_it(table[at])) at = (at + 1) & (table.size() - 1);
  return table[at];
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
