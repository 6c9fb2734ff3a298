#include "proxy/core/edits.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace entente::core {
namespace {

using Block = std::tuple<double, double, double>;

bool is_of_one_block(const words::WorldEdit& edit) { return edit.edit().op() <= words::Edit::DIG; }

Block block_of(const words::WorldEdit& edit) { return {edit.edit().x(), edit.edit().y(), edit.edit().z()}; }

bool same(const words::WorldEdit& one, const words::WorldEdit& other) {
  const words::Edit &a = one.edit(), &b = other.edit();
  return a.op() == b.op() && block_of(one) == block_of(other) && a.x2() == b.x2() && a.y2() == b.y2() &&
         a.z2() == b.z2() && a.colour() == b.colour() && one.by() == other.by();
}

}  // namespace

bool replaces(const words::WorldEdit& later, const words::WorldEdit& earlier) {
  return is_of_one_block(later) && is_of_one_block(earlier) && block_of(later) == block_of(earlier);
}

void tidy_edits(std::vector<words::WorldEdit>& edits) {
  std::set<Block> seen;
  const auto kept = std::remove_if(edits.rbegin(), edits.rend(), [&](const words::WorldEdit& edit) {
    return is_of_one_block(edit) && !seen.insert(block_of(edit)).second;
  });
  edits.erase(edits.begin(), kept.base());
}

bool edits_between(const std::vector<words::WorldEdit>& from, const std::vector<words::WorldEdit>& to,
                   std::vector<const words::WorldEdit*>& between) {
  std::vector<const words::WorldEdit*> replaced;
  std::size_t known = 0;
  auto next = to.begin();
  for (; next != to.end(); ++next) {
    const auto found = std::find_if(from.begin() + static_cast<std::ptrdiff_t>(known), from.end(),
                                    [&](const auto& edit) { return same(edit, *next); });
    if (found == from.end()) break;
    for (; known < static_cast<std::size_t>(found - from.begin()); ++known) replaced.push_back(&from[known]);
    ++known;
  }
  for (; known < from.size(); ++known) replaced.push_back(&from[known]);
  std::set<Block> blocks;
  for (auto edit = next; edit != to.end(); ++edit)
    if (is_of_one_block(*edit)) blocks.insert(block_of(*edit));
  const bool none_is_lost = std::all_of(replaced.begin(), replaced.end(), [&](const words::WorldEdit* edit) {
    return is_of_one_block(*edit) && blocks.contains(block_of(*edit));
  });
  if (!none_is_lost) return false;
  for (; next != to.end(); ++next) between.push_back(&*next);
  return true;
}

}  // namespace entente::core
