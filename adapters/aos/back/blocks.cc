#include "adapters/aos/back/blocks.h"

#include "adapters/aos/world/building.h"

namespace entente::aos {

/// The search for falling blocks examines one voxel per microsecond on average, however many packets arrive.
std::size_t Blocks::change_map(words::Edit::Op op, const Block& at, const Block& to, std::uint32_t colour,
                               BackOut& out) {
  looked_until_ = std::max(looked_until_, out.now());
  const std::size_t most = std::min<std::size_t>(kMostFalling, out.now() + core::kSecond - looked_until_);
  std::size_t left = most;
  const std::size_t built = change(server_.map, op, at, to, colour, left);
  looked_until_ += most - left;
  return built;
}

void Blocks::hear(const BlockAction& action, BackOut& out) {
  if (!server_.loaded()) return out.drop(drops::kBlockTooEarly);
  if (!in_map(action.at) || action.action > kBlast) return out.drop(drops::kBlockOutside);
  const ServerPlayer* one = players_.find(action.player);
  const std::uint32_t colour = one != nullptr ? one->player.colour() : 0;
  if (action.player == server_.number) server_.claims.answered(core::Claim::kEdit);
  change_map(edit_of(action.action), action.at, action.at, colour, out);
  if (action.player == server_.number && action.action == kBuild) hands_.spend_blocks(1);
  const Point at = middle_of(action.at);
  words::WorldEdit word;
  word.set_by(one != nullptr ? one->player.id() : 0);
  words::Edit& edit = *word.mutable_edit();
  edit.set_op(edit_of(action.action));
  edit.set_x(at.x);
  edit.set_y(at.y);
  edit.set_z(at.z);
  edit.set_colour(colour);
  out.say(std::move(word));
}

void Blocks::hear(const BlockLine& line, BackOut& out) {
  if (!server_.loaded()) return out.drop(drops::kLineTooEarly);
  if (!in_map(line.from) || !in_map(line.to)) return out.drop(drops::kLineOutside);
  const ServerPlayer* one = players_.find(line.player);
  const std::uint32_t colour = one != nullptr ? one->player.colour() : 0;
  if (line.player == server_.number) server_.claims.answered(core::Claim::kEdit);
  const std::size_t built = change_map(words::Edit::LINE, line.from, line.to, colour, out);
  if (line.player == server_.number) hands_.spend_blocks(built);
  const Point from = middle_of(line.from), to = middle_of(line.to);
  words::WorldEdit word;
  word.set_by(one != nullptr ? one->player.id() : 0);
  words::Edit& edit = *word.mutable_edit();
  edit.set_op(words::Edit::LINE);
  edit.set_x(from.x);
  edit.set_y(from.y);
  edit.set_z(from.z);
  edit.set_x2(to.x);
  edit.set_y2(to.y);
  edit.set_z2(to.z);
  edit.set_colour(colour);
  out.say(std::move(word));
}

}  // namespace entente::aos
