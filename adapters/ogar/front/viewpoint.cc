#include "adapters/ogar/front/viewpoint.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "adapters/ogar/front/looks.h"

namespace entente::ogar {
namespace {

constexpr double kRoamScale = 0.4, kRoamStep = 32;  // Player.js, Settings.js

/// The leader by the board, or else by wins and losses. Players without units do not count.
const core::PlayerState* leader(const core::WorldState& world, core::Id me) {
  for (const auto& row : world.board().rows())
    if (const auto* player = world.player(row.player()); player != nullptr && !player->units.empty()) return player;
  const core::PlayerState* best = nullptr;
  const auto points = [](const core::PlayerState& player) {
    return static_cast<std::int64_t>(player.score.wins()) - static_cast<std::int64_t>(player.score.losses());
  };
  for (const auto& [id, player] : world.players())
    if (id != me && !player.units.empty() && (best == nullptr || points(player) > points(*best))) best = &player;
  return best;
}

}  // namespace

void Viewpoint::watch(State how) {
  if (state_ != State::kPlaying) state_ = how;
}

void Viewpoint::follow(core::Id player) {
  if (std::exchange(followed_, player) != player && player != 0) watch(State::kLeader);
}

void Viewpoint::told(const words::View& view, core::Micros now) {
  const Plane plane;
  told_.x = plane.x(view.x());
  told_.y = plane.y(view.y());
  told_.scale = view.width() > 0 ? std::clamp(kWindowWidth / plane.units(view.width()), 0.01, 10.0) : 1;
  told_at_ = now;
  was_told_ = true;
}

void Viewpoint::hear(const core::Fact& fact, const core::WorldState& world, core::Id me) {
  const auto* died = core::as<words::Died>(fact);
  const auto* spawned = core::as<words::Spawned>(fact);
  if (died == nullptr && spawned == nullptr) return;
  const core::PlayerState* player = world.player(me);
  if (player == nullptr) return;
  if (died != nullptr && died->player() == me && died->unit() == player->active) in_play_ = false;
  if (spawned == nullptr) return;
  const core::UnitState* state = world.unit(spawned->unit());
  const bool mine = state != nullptr && state->unit.owner() == me;
  if (mine && (player->active == 0 || player->active == spawned->unit())) in_play_ = true;
}

void Viewpoint::look(const core::WorldState& world, core::Id me, double mouse_x, double mouse_y, core::Micros now) {
  const core::PlayerState* player = world.player(me);
  if (player != nullptr && over_cells(world, *player, in_play_)) {
    state_ = State::kPlaying;
    return;
  }
  if (state_ == State::kPlaying) state_ = State::kIdle;  // it died; the view stays
  if (!watches()) return;
  if (was_told_ && now - told_at_ < core::kSecond)
    view_ = told_;
  else if (state_ == State::kRoaming || (!over_followed(world) && !over_leader(world, me)))
    fly(world, mouse_x, mouse_y);
}

bool Viewpoint::over_cells(const core::WorldState& world, const core::PlayerState& player, bool in_play) {
  double x = 0, y = 0, sizes = 0;
  int cells = 0;
  for (const core::Id id : player.units) {
    const core::UnitState* state = world.unit(id);
    if (state == nullptr || !is_shown(*state) || !is_owned(state->unit, player, in_play)) continue;
    x += state->unit.pose().x();
    y += state->unit.pose().y();
    sizes += size_of(state->unit, world);
    ++cells;
  }
  if (cells == 0) return false;
  view_ = {Plane().x(x / cells), Plane().y(y / cells), scale_of(sizes)};
  return true;
}

/// False: there is no such player. While the player is not in play, the view stays.
bool Viewpoint::over_followed(const core::WorldState& world) {
  const core::PlayerState* player = world.player(followed_);
  if (player != nullptr) over_cells(world, *player, true);
  return player != nullptr;
}

bool Viewpoint::over_leader(const core::WorldState& world, core::Id me) {
  const core::PlayerState* player = leader(world, me);
  return player != nullptr && over_cells(world, *player, true);
}

void Viewpoint::fly(const core::WorldState& world, double mouse_x, double mouse_y) {
  const double dx = mouse_x - view_.x, dy = mouse_y - view_.y, far = std::hypot(dx, dy);
  const double step = far > 1 ? std::min(1.0, kRoamStep / far) : 0;
  const Border border = world.geometry() != nullptr ? border_of(*world.geometry()) : default_border();
  view_.x = std::clamp<double>(view_.x + dx * step, border.left, border.right);
  view_.y = std::clamp<double>(view_.y + dy * step, border.top, border.bottom);
  view_.scale = kRoamScale;
}

}  // namespace entente::ogar
