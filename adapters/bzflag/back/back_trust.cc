// What servers of old leave to their clients: where to spawn, and how the score stands. See back.h.
#include <cmath>
#include <numbers>

#include "adapters/bzflag/losses.h"

#include "adapters/bzflag/back/back.h"

namespace entente::bzflag {
namespace {

constexpr int kPlaces = 50;  // tried, before any will do
constexpr double kOneIn = 1.0 / 4294967296.0;

}  // namespace

/// Somewhere on the ground with nothing in the way, where we choose; else the server does.
AliveRequest BackSession::place_to_spawn(Outlet& out) const {
  AliveRequest request;
  if (!speaks_.spawn_by_client) return request;
  const core::TankModel tank = model();
  const auto between = [&](double least, double most) { return least + (most - least) * kOneIn * out.random(); };
  const double edge = std::max(0.0, size_ / 2 - tank.length);
  for (int i = 0; i < kPlaces; ++i) {
    const double x = between(-edge, edge), y = between(-edge, edge);
    const double yaw = between(-std::numbers::pi, std::numbers::pi);
    request.pos = vec3(x, y, 0);
    request.forward = vec3(std::cos(yaw), std::sin(yaw), 0);
    if (own_.terrain.free(tank, x, y, 0, yaw)) break;
  }
  return request;
}

void BackSession::claim_score(const words::ScoreClaim& claim, Outlet& out) {
  if (!speaks_.client_scores) return out.lose(loss::kServerCounts);
  own_.client_counts = true;
  own_.score.wins = static_cast<std::uint16_t>(std::min(claim.wins(), 65535U));
  own_.score.losses = static_cast<std::uint16_t>(std::min(claim.losses(), 65535U));
  peer_.stream(out, own_.score);
}

/// For a client that does not.
void BackSession::count(const Killed& killed, Outlet& out) {
  if (!speaks_.client_scores || own_.client_counts) return;
  const bool died = killed.victim.byte == number_, killed_one = !died && killed.killer.byte == number_;
  if (died) ++own_.score.losses;
  if (killed_one) ++own_.score.wins;
  if (died || killed_one) peer_.stream(out, own_.score);
}

}  // namespace entente::bzflag
