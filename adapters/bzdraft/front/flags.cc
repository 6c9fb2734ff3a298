#include "adapters/bzdraft/front/flags.h"

#include "adapters/bzdraft/wire/drops.h"

namespace entente::bzdraft {

namespace {

bool is_carried(const words::Token& token) { return token.state() == words::Token::CARRIED; }

}  // namespace

/// A token keeps its number. There are as many numbers as MsgGetWorld has announced.
std::optional<FlagUpdate> Flags::record(const words::Token& token, FrontOut& out) {
  if (token.kind() == words::Token::BASE) return std::nullopt;
  const auto number = numbers_.give(token.id(), out.world());
  if (!number && token.state() != words::Token::NOWHERE) out.drop(drops::kTokensFull);
  if (!number) return std::nullopt;
  FlagUpdate update{*number, flag_of(token)};
  Triple& at = update.flag.position;
  const double ground = out.world().ground_at(from_thousandths(at[0]), from_thousandths(at[1]));
  if (ground > 0) at[2] = thousandths(std::max(0.0, from_thousandths(at[2]) - ground));
  if (is_carried(token)) update.flag.carrier = players_.number_of(token.carrier(), kInvalid);
  return update;
}

void Flags::hear(const words::Token& token, FrontOut& out) {
  if (const auto flag = record(token, out)) client_.send(out, *flag);
}

/// The flag's carrier is the taker. There is no field for the previous carrier.
void Flags::hear(const words::TokenTaken& taken, FrontOut& out) {
  auto flag = record(taken.token(), out);
  if (!flag) return;
  if (taken.from() != 0) out.drop(drops::kTakenFrom);
  flag->flag.carrier = players_.number_of(taken.by(), kInvalid);
  client_.send(out, GrabFlagDown{flag->number, flag->flag});
}

void Flags::hear(const words::TokenDropped& dropped, FrontOut& out) {
  auto flag = record(dropped.token(), out);
  if (!flag) return;
  const std::uint8_t by = players_.number_of(dropped.by(), kInvalid);
  const bool fell = dropped.why() == words::UNKNOWN_DROP && by != kInvalid && !players_.at(by).alive;
  flag->flag.carrier = by;
  const std::uint8_t reason = drop_reason(fell ? words::DROP_KILLED : dropped.why());
  client_.send(out, DropFlagDown{reason, flag->number, flag->flag});
}

/// To the client, all players of the flag's team are dead from now on; no MsgKilled follows.
void Flags::hear(const words::TokenCaptured& captured, FrontOut& out) {
  const words::Token* token = out.world().token(captured.token());
  auto flag = token != nullptr ? record(*token, out) : std::nullopt;
  if (!flag) return out.drop(drops::kCapturedUnseen);
  capture_.told(captured.team(), out.now());
  flag->flag.carrier = players_.number_of(captured.by(), kInvalid);
  client_.send(out, DropFlagDown{static_cast<std::uint8_t>(Drop::kCaptured), flag->number, flag->flag});
}

void Flags::hear(const GrabFlagUp& grab, FrontOut& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::GRAB);
  wish.set_token(numbers_.token(grab.number));
  if (client_.in() && wish.token() != 0) out.say(wish);
}

void Flags::hear(const DropFlagUp& drop, FrontOut& out) {
  if (!client_.in()) return;
  words::TokenWish wish;
  wish.set_op(drop.reason == static_cast<std::uint8_t>(Drop::kCaptured) ? words::TokenWish::CAPTURE
                                                                        : words::TokenWish::DROP);
  for (const auto& [id, token] : out.world().tokens())
    if (token.carrier() == out.me() && is_carried(token)) wish.set_token(id);
  if (wish.token() == 0) return out.drop(drops::kNoFlagToDrop);
  wish.set_why(drop_of(drop.reason));
  const words::Pose here = keeper_.place(out.now());
  wish.set_x(here.x());
  wish.set_y(here.y());
  wish.set_z(here.z());
  // Its own flag is captured at an enemy base, any other at its own base.
  const words::Team own = team_of(players_.own().said.team), flag = out.world().token(wish.token())->team();
  if (wish.op() == words::TokenWish::CAPTURE) wish.set_team(flag == own ? words::TEAM_ANY : own);
  out.say(wish);
}

void Flags::send_lying(FrontOut& out) {
  numbers_.give_all(out.world());
  for (const auto& [id, token] : out.world().tokens())  // those that are carried get their numbers, too
    if (const auto flag = record(token, out); flag && !is_carried(token)) client_.send(out, *flag);
}

bool Flags::send_carried(FrontOut& out) {
  bool known = true;
  for (const auto& [id, token] : out.world().tokens()) {
    if (!is_carried(token) || numbers_.of_token(id) == nullptr) continue;
    hear(token, out);
    known = known && players_.number_of(token.carrier(), kInvalid) != kInvalid;
  }
  return known;
}

void Flags::tell_own(FrontOut& out) {
  for (const auto& [id, token] : out.world().tokens()) {
    if (!is_carried(token) || token.carrier() != out.me()) continue;
    if (const auto flag = record(token, out)) client_.send(out, GrabFlagDown{flag->number, flag->flag});
  }
}

// -- Pickups and pellets ----------------------------------------------------------------------------------------------

void Flags::hear(const words::Unit& unit, FrontOut& out) {
  if (unit.kind() == words::Unit::PICKUP) see_pickup(unit.id(), out);
  if (unit.kind() == words::Unit::PELLET) numbers_.mark_pellets_changed(out);
}

/// Sends where a pickup lies, or that it is no longer in the game.
void Flags::tell(const core::FlagNumbers::Pickup& pickup, FrontOut& out) {
  FlagUpdate update;
  update.number = pickup.number;
  if (pickup.unit != nullptr) {
    const words::Pose& pose = pickup.unit->unit.pose();
    update.flag.status = static_cast<std::uint8_t>(words::Token::GROUND);
    update.flag.position = triple(pose.x(), pose.y(), pose.z());
  }
  client_.send(out, update);
}

void Flags::see_pickup(core::Id unit, FrontOut& out) {
  const core::FlagNumbers::Seen seen = numbers_.see(unit, out.world());
  if (seen.no_space) return out.drop(drops::kPickupsFull);
  if (seen.pickup) tell(*seen.pickup, out);
}

void Flags::see_all_pickups(FrontOut& out) {
  for (const core::Id unit : core::FlagNumbers::all_pickups(out.world())) see_pickup(unit, out);
  numbers_.mark_pellets_changed(out);
}

void Flags::refresh_pellets(FrontOut& out) {
  const auto gone = [&](core::Id unit) {
    if (const auto pickup = numbers_.drop(unit)) tell(*pickup, out);
  };
  numbers_.refresh_pellets(players_.own_unit(), out, gone, [&](core::Id unit) { see_pickup(unit, out); });
}

}  // namespace entente::bzdraft
