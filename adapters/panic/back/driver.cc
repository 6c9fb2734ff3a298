#include "adapters/panic/back/driver.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "adapters/panic/wire/drops.h"

namespace entente::panic {
namespace {

using core::kMillisecond, core::kSecond, core::Micros;

constexpr Micros kLook = 25 * kMillisecond;  // when to check again whether an Action may be sent
constexpr Micros kNoAnswer = 2 * kSecond;    // then an answer is no longer awaited; a queue of 0.6 s was seen
constexpr std::size_t kMostLate = 8;
constexpr Micros kPerTile = 250 * kMillisecond;  // at full speed, for continuous steering: four tiles a second
constexpr Micros kPerShot = 500 * kMillisecond;  // while a trigger is held
constexpr Micros kAstray = 500 * kMillisecond;
constexpr Micros kStands = 500 * kMillisecond;

bool steers(const core::Intent& intent) {
  return std::visit(
      []<class T>(const T&) {
        return std::is_same_v<T, words::Step> || std::is_same_v<T, words::Toward> || std::is_same_v<T, words::Keys> ||
               std::is_same_v<T, words::PoseClaim> || std::is_same_v<T, words::Fire> ||
               std::is_same_v<T, words::Trigger> || std::is_same_v<T, words::Split> || std::is_same_v<T, words::Eject>;
      },
      intent.content);
}

/// Whether a claimed tank moves or turns, or has done so since the claim `before`.
bool stirs(const words::PoseClaim& now, const words::PoseClaim* before) {
  if (std::hypot(now.vx(), now.vy()) > 0.5 || std::abs(now.yaw_rate()) > 0.05) return true;
  return before == nullptr || std::hypot(now.x() - before->x(), now.y() - before->y()) > 0.5 ||
         std::abs(core::wrap_angle(now.yaw() - before->yaw())) > 0.05;
}

/// The unit that an intent names; 0 if it names none.
core::Id unit_of(const core::Intent& intent) {
  if (const auto* step = core::as<words::Step>(intent)) return step->unit();
  if (const auto* fire = core::as<words::Fire>(intent)) return fire->unit();
  return 0;
}

void end_numbered(std::uint32_t number, core::BackOut& out) {
  words::ShotEnded ended;
  ended.set_shooter(out.me());
  ended.set_shot(number);
  out.say({out.me(), std::move(ended)});
}

/// Counts a shot that is not carried out, and tells a client that has already drawn it that it has ended.
void refuse_numbered(std::optional<std::uint32_t> number, const MappingLine& why, core::BackOut& out) {
  out.drop(why);
  if (number) end_numbered(*number, out);
}

}  // namespace

void Driver::end_shots(const TankOrders& tank, core::BackOut& out) {
  const auto end = [&](const SentOrder& order) {
    if (order.action == ActionType::kShoot && !order.counted) refuse_numbered(order.shot, drops::kShotOfLost, out);
  };
  for (const SentOrder& order : tank.late) end(order);
  if (tank.unanswered) end(*tank.unanswered);
  if (tank.shot) refuse_numbered(tank.shot->number, drops::kShotOfLost, out);
}

void Driver::remove(std::uint32_t piece, core::BackOut& out) {
  const auto at = tanks_.find(piece);
  if (at == tanks_.end()) return;
  end_shots(at->second, out);
  tanks_.erase(at);
}

void Driver::remove_all(core::BackOut& out) {
  for (const auto& [number, tank] : tanks_) end_shots(tank, out);
  tanks_.clear();
}

void Driver::refuse(const core::Intent& intent, const MappingLine& why, core::BackOut& out) {
  out.drop(why, intent);
  if (const auto* fire = core::as<words::Fire>(intent)) end_numbered(fire->shot(), out);
}

bool Driver::names_unit(const core::Intent& intent) { return unit_of(intent) != 0; }

bool Driver::hear(const core::Intent& intent, core::BackOut& out) {
  if (!steers(intent)) return false;
  const auto at = orders_for(intent);
  const Piece* piece = at != tanks_.end() ? battlefield_.find(at->first) : nullptr;
  if (piece == nullptr) {
    refuse(intent, drops::kNoTank, out);
    return true;
  }
  TankOrders& tank = at->second;
  if (const auto* claim = core::as<words::PoseClaim>(intent);
      claim != nullptr && stirs(*claim, tank.steering.claim())) {
    tank.stirred = out.now();
    tank.turned.reset();
    tank.returns.reset();
  }
  if (tank.steering.hear(intent))
    tank.step_asked = ++asked_;
  else if (const Tiles& tiles = battlefield_.ground.tiles();
           const auto shooting = tank.steering.shooting(intent, tiles.x(piece->at), tiles.y(piece->at)))
    wish_shot(tank, *piece, *shooting, out);
  return true;
}

Driver::OrdersByTank::iterator Driver::orders_for(const core::Intent& intent) {
  const core::Id unit = unit_of(intent);
  const Piece* piece = unit != 0 ? battlefield_.find_unit(unit) : nullptr;
  if (unit != 0 && piece == nullptr) return tanks_.end();
  return tanks_.find(piece != nullptr ? piece->number : active_);
}

void Driver::wish_shot(TankOrders& tank, const Piece& piece, const core::Shooting& shooting, core::BackOut& out) {
  if (tank.shot) refuse_numbered(tank.shot->number, drops::kShotReplaced, out);
  const Direction direction = shooting.yaw ? direction_of(*shooting.yaw) : ahead(tank, piece);
  const auto number = shooting.fire != nullptr ? std::optional(shooting.fire->shot()) : std::nullopt;
  tank.shot = {direction, number, ++asked_};
}

/// The direction to its goal; without a goal, the direction that it faces.
Direction Driver::ahead(const TankOrders& tank, const Piece& piece) const {
  const Tiles& tiles = battlefield_.ground.tiles();
  const double x = tiles.x(piece.at), y = tiles.y(piece.at);
  const core::Course course = tank.steering.course(x, y, kOnTile * tiles.side());
  if (course.kind != core::Course::Kind::kGoTo) return piece.facing;
  return direction_of(std::atan2(course.y - y, course.x - x));
}

/// The server answers in order. A late order may have no answer at all, so the answer is that of the oldest order that
/// it fits. If it fits the last order, too, the next order does not wait for the answer to that one.
std::optional<Order> Driver::answered(std::uint32_t piece, Direction direction, bool moved, core::BackOut& out) {
  const auto at = tanks_.find(piece);
  if (at == tanks_.end()) return std::nullopt;
  TankOrders& tank = at->second;
  const auto fits = [&](const Order& order) {
    return order.direction == direction && (!moved || order.action == ActionType::kDrive);
  };
  const bool fits_last = tank.unanswered && fits(*tank.unanswered);
  const auto oldest = std::find_if(tank.late.begin(), tank.late.end(), fits);
  if (oldest == tank.late.end()) {
    if (!tank.late.empty() && !fits_last) return std::nullopt;
    drop_late(tank, tank.late.size(), out);
    return std::exchange(tank.unanswered, std::nullopt);
  }
  Order order = *oldest;
  oldest->counted = true;
  drop_late(tank, static_cast<std::size_t>(oldest - tank.late.begin()) + 1, out);
  if (fits_last) tank.late.push_back(*std::exchange(tank.unanswered, std::nullopt));
  order.sure = std::none_of(tank.late.begin(), tank.late.end(),
                            [&](const Order& later) { return fits(later) && later.action != order.action; });
  return order;
}

std::optional<Order> Driver::next(core::BackOut& out) {
  for (auto& [number, tank] : tanks_) {
    const Piece* piece = battlefield_.find(number);
    if (piece == nullptr) continue;
    const auto order = next_of(tank, *piece, out);
    if (!order) continue;
    if (tank.unanswered) tank.late.push_back(*tank.unanswered);
    if (tank.late.size() > kMostLate) drop_late(tank, 1, out);
    tank.unanswered = SentOrder{*order, out.now()};
    sent_[sent_count_++ % sent_.size()] = out.now();
    return order;
  }
  return std::nullopt;
}

/// The server has not carried it out in time: the tank is where it was.
void Driver::count_unanswered(SentOrder& order, core::BackOut& out) {
  if (std::exchange(order.counted, true)) return;
  if (order.action == ActionType::kShoot) return refuse_numbered(order.shot, drops::kShotUnanswered, out);
  out.drop(drops::kUnanswered, words::Step());
}

/// Forgets the oldest of the late orders, which have no answer.
void Driver::drop_late(TankOrders& tank, std::size_t count, core::BackOut& out) {
  const auto end = tank.late.begin() + static_cast<std::ptrdiff_t>(count);
  for (auto at = tank.late.begin(); at != end; ++at) count_unanswered(*at, out);
  tank.late.erase(tank.late.begin(), end);
}

std::optional<Order> Driver::next_of(TankOrders& tank, const Piece& piece, core::BackOut& out) {
  const Micros now = out.now();
  if (tank.steering.trigger_held() && !tank.shot) {
    if (now >= tank.fired + kPerShot) wish_shot(tank, piece, {tank.steering.looking(), {}, nullptr}, out);
    out.wake(now + kLook);
  }
  const auto times_out = [&](SentOrder& order) {
    const bool late = now >= order.sent + kNoAnswer;
    if (late) count_unanswered(order, out);
    return late;
  };
  for (SentOrder& order : tank.late)
    if (!order.counted && !times_out(order)) out.wake(order.sent + kNoAnswer);
  const bool busy = tank.unanswered && !times_out(*tank.unanswered);
  if (busy || !may_send(now)) {
    out.wake(now + kLook);
    return std::nullopt;
  }
  const bool step_first = tank.shot && tank.steering.step() != nullptr && tank.step_asked < tank.shot->asked;
  if (tank.shot && !step_first)
    if (const auto order = take_shot(tank, piece, out)) return order;
  return take_drive(tank, piece, out);
}

std::optional<Order> Driver::take_shot(TankOrders& tank, const Piece& piece, core::BackOut& out) {
  const TankOrders::Shot shot = *std::exchange(tank.shot, std::nullopt);
  const int range = kModels[model_of(piece.code)].range;
  const MappingLine* refused = nullptr;
  if (ammo_ <= 0)
    refused = &drops::kNoAmmo;
  else if (!battlefield_.ground.shot_stays(piece.at, shot.direction, range))
    refused = &drops::kShotLeavesMap;
  if (refused != nullptr) {
    refuse_numbered(shot.number, *refused, out);
    return std::nullopt;
  }
  --ammo_;
  tank.fired = out.now();
  return Order{piece.number, ActionType::kShoot, shot.direction, shot.number};
}

std::optional<Order> Driver::take_drive(TankOrders& tank, const Piece& piece, core::BackOut& out) {
  if (const words::Step* step = tank.steering.step()) {
    const auto direction = static_cast<Direction>(step->direction());
    tank.steering.stop();
    if (!is_direction(direction)) return out.drop(drops::kStepNoDirection), std::nullopt;
    return Order{piece.number, ActionType::kDrive, direction, std::nullopt};
  }
  const Tiles& tiles = battlefield_.ground.tiles();
  const core::Course course = tank.steering.course(tiles.x(piece.at), tiles.y(piece.at), 0);
  if (course.kind == core::Course::Kind::kStay) return std::nullopt;
  auto direction = tank.returns ? tank.returns : way(piece, course.x, course.y);
  if (!direction) direction = turn(tank, piece, out);
  if (!direction) return std::nullopt;
  const auto per_tile = static_cast<Micros>(static_cast<double>(kPerTile) / std::clamp(course.speed, 0.25, 1.0));
  if (tank.drove && out.now() < *tank.drove + per_tile) {
    out.wake(*tank.drove + per_tile);
    return std::nullopt;
  }
  tank.drove = out.now();
  if (tank.returns == direction) tank.returns.reset();
  return Order{piece.number, ActionType::kDrive, *direction, std::nullopt};
}

/// Takes the longer axis first, or the other one if the way is known to be blocked. Nothing: the tank has arrived, or
/// both are blocked.
std::optional<Direction> Driver::way(const Piece& piece, double x, double y) const {
  const Tiles& tiles = battlefield_.ground.tiles();
  const double east = (x - tiles.x(piece.at)) / tiles.side(), north = (y - tiles.y(piece.at)) / tiles.side();
  struct Leg {
    double far;
    Direction direction;
  } legs[] = {{std::abs(east), east > 0 ? Direction::kEast : Direction::kWest},
              {std::abs(north), north > 0 ? Direction::kNorth : Direction::kSouth}};
  if (legs[1].far > legs[0].far) std::swap(legs[0], legs[1]);
  for (const Leg& leg : legs)
    if (leg.far > kOnTile && !battlefield_.blocked(step(piece.at, leg.direction))) return leg.direction;
  return std::nullopt;
}

/// A tank can turn on the spot only towards something that blocks it. So to turn a standing tank, drives it one tile in
/// the opposite direction, and then back.
std::optional<Direction> Driver::turn(TankOrders& tank, const Piece& piece, core::BackOut& out) const {
  const words::PoseClaim* claim = tank.steering.claim();
  if (claim == nullptr) return std::nullopt;
  const Direction wished = nearest(piece.facing, claim->yaw());
  if (wished == piece.facing || tank.turned == wished) return std::nullopt;
  const Micros stands_at = std::max(tank.stirred, tank.drove.value_or(0)) + kStands;
  if (out.now() < stands_at) {
    out.wake(stands_at);
    return std::nullopt;
  }
  tank.turned = wished;
  if (battlefield_.blocked(step(piece.at, wished))) return wished;
  const Direction back = direction_of(yaw_of(wished) + std::numbers::pi);
  if (battlefield_.blocked(step(piece.at, back))) return std::nullopt;
  tank.returns = wished;
  return back;
}

bool Driver::may_send(Micros now) const {
  return sent_count_ < sent_.size() || now >= sent_[sent_count_ % sent_.size()] + kSecond;
}

const Piece* Driver::astray(core::BackOut& out) {
  const auto at = tanks_.find(active_);
  if (at == tanks_.end()) return nullptr;
  TankOrders& tank = at->second;
  const words::PoseClaim* claim = tank.steering.claim();
  const Piece* piece = battlefield_.find(active_);
  if (claim == nullptr || piece == nullptr) return nullptr;
  const Tiles& tiles = battlefield_.ground.tiles();
  const auto near = [&](double far) { return std::abs(far) <= tiles.side(); };
  if (near(claim->x() - tiles.x(piece->at)) && near(claim->y() - tiles.y(piece->at))) {
    tank.off_since.reset();
    return nullptr;
  }
  if (!tank.off_since) tank.off_since = out.now();
  if (out.now() < *tank.off_since + kAstray) {
    out.wake(*tank.off_since + kAstray);
    return nullptr;
  }
  tank.off_since.reset();
  tank.steering.stop();
  return piece;
}

}  // namespace entente::panic
