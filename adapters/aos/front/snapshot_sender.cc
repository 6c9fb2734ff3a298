#include "adapters/aos/front/snapshot_sender.h"

#include <charconv>
#include <cmath>

#include "proxy/core/bodies.h"

namespace entente::aos {
namespace {

constexpr unsigned kRate = 20, kSlowestRate = 10, kFastestRate = 60;  // snapshots a second

core::Micros interval(std::string_view rate) {
  unsigned value = kRate;
  if (!rate.empty()) std::from_chars(rate.data(), rate.data() + rate.size(), value);
  return core::kSecond / std::clamp(value, kSlowestRate, kFastestRate);
}

constexpr std::size_t kMostUnsent = 64 * 1024;                  // bytes waiting: the client is slow
constexpr std::size_t kMostStates = 29;                         // players in a State Update of 1152 bytes
constexpr core::Micros kWholeEvery = 900 * core::kMillisecond;  // a state is sent in full, in case a packet was lost
constexpr core::Micros kGuessEvery = 250 * core::kMillisecond;  // for players whose keys the room does not send
constexpr double kStands = 1, kRuns = 9, kSideways = 0.38;      // blocks a second; the last is the sine of 22.5 degrees

bool same(const Motion& a, const Motion& b) {
  return a.position == b.position && a.orientation == b.orientation && a.velocity == b.velocity;
}

}  // namespace

SnapshotSender::SnapshotSender(std::string_view rate, Client& client, const MapSender& map, PlayerTable& players,
                               const ClientMovement& movement)
    : client_(client), map_(map), players_(players), movement_(movement), interval_(interval(rate)) {}

bool SnapshotSender::due(FrontOut& out) {
  const bool now = out.now() >= send_at_;
  if (!now) wait(out);
  return now;
}

void SnapshotSender::plan(const FrontOut& out) { send_at_ = (out.now() / interval_ + 1) * interval_; }

/// Sets `motion` to where the player is shown now. False: it is left out of the snapshot.
bool SnapshotSender::see(Slot slot, Motion& motion, FrontOut& out) {
  PlayerEntry& entry = players_[slot];
  if (slot == kOwn) {
    motion = movement_.motion();
    return entry.told;
  }
  if (!entry.told || entry.watches) return false;
  const core::UnitState* unit = out.world().unit(entry.unit);
  if (!core::is_seen(unit) || entry.unseen) {
    motion = {};  // nowhere: a player that is left out would stay where it was
    return true;
  }
  words::Pose pose = core::place_at(unit->unit.pose(), unit->posed_at, out.now());
  const bool cell = unit->unit.kind() == words::Unit::CELL;
  if (cell && std::hypot(pose.vx(), pose.vy()) > kMetresPerBlock) pose.set_yaw(std::atan2(pose.vy(), pose.vx()));
  motion.position = map_.stand(pose, out);
  motion.velocity = velocity_of({pose.vx(), pose.vy(), pose.vz()});
  if (out.now() >= entry.shooting) motion.orientation = orientation_of(pose.yaw(), pose.pitch());
  // Clients disconnect if a number is not finite.
  if (!is_finite(motion.velocity)) motion.velocity = {};
  if (!is_finite(motion.orientation)) motion.orientation = {1, 0, 0};
  if (!same_game(out)) guess_keys(slot, pose, out);
  return true;
}

void SnapshotSender::send(FrontOut& out) {
  if (out.waiting_bytes() >= kMostUnsent) return;  // it gets the newest state when it has caught up
  client_.tells_states() ? send_states(out) : send_views(out);
}

void SnapshotSender::send_views(FrontOut& out) {
  auto& players = std::get_if<WorldUpdate>(&views_)->players;
  players.clear();
  for (Slot slot = 0; slot < kMostPlayers; ++slot) {
    PlayerView view;
    view.player = slot;
    Motion own_motion;  // a copy: the entry keeps its last claim
    Motion& motion = slot == kOwn ? own_motion : players_[slot].motion;
    if (see(slot, motion, out)) {
      view.position = motion.position;
      view.orientation = motion.orientation;
      // Without ids, an entry's index is the player's number, so players that are not shown need an entry of zeros.
      if (!client_.dialect().ids_in_world_update)
        for (auto next = static_cast<Slot>(players.size()); next < slot; ++next) players.push_back({next, {}, {}});
      players.push_back(view);
    }
  }
  if (!players.empty()) client_.send(views_, out, Lane::kDatagram);
}

void SnapshotSender::send_states(FrontOut& out) {
  auto& update = *std::get_if<StateUpdateDown>(&states_);
  update.players.clear();
  const auto flush = [&] {
    if (update.players.empty()) return;
    client_.send(states_, out, Lane::kDatagram);
    ++update.sequence;
    update.players.clear();
  };
  for (Slot slot = 0; slot < kMostPlayers; ++slot) {
    PlayerEntry& entry = players_[slot];
    // A client treats its own state as a correction.
    if (slot == kOwn && (!movement_.is_put(out.now()) || !entry.alive)) continue;
    Motion motion = entry.motion;
    if (!see(slot, motion, out)) continue;
    const bool still = slot != kOwn && same(motion, entry.motion) && out.now() < entry.told_whole + kWholeEvery &&
                       entry.told_whole != 0;
    if (!still) entry.told_whole = std::max<core::Micros>(out.now(), 1);
    if (slot != kOwn) entry.motion = motion;
    update.players.push_back({slot, entry.keys, still, motion});
    if (update.players.size() == kMostStates) flush();
  }
  flush();
}

/// Sends keys that would move a player as this unit moves: clients extrapolate by keys between two snapshots.
void SnapshotSender::guess_keys(Slot slot, const words::Pose& pose, FrontOut& out) {
  PlayerEntry& entry = players_[slot];
  if (entry.has_keys || !entry.alive || out.now() < entry.keyed + kGuessEvery) return;
  entry.keyed = out.now();
  const double speed = std::hypot(pose.vx(), pose.vy()) / kMetresPerBlock;
  unsigned keys = keys_of(pose.state());
  if (speed >= kStands) {
    const double way = std::atan2(pose.vy(), pose.vx()) - pose.yaw();
    if (std::cos(way) > kSideways) keys |= words::Keys::FORWARD;
    if (std::cos(way) < -kSideways) keys |= words::Keys::BACKWARD;
    if (std::sin(way) > kSideways) keys |= words::Keys::LEFT;
    if (std::sin(way) < -kSideways) keys |= words::Keys::RIGHT;
    if (speed > kRuns) keys |= words::Keys::SPRINT;
  }
  players_.press_keys(slot, static_cast<std::uint8_t>(keys), out);
}

}  // namespace entente::aos
