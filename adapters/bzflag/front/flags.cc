#include "adapters/bzflag/front/flags.h"

#include <algorithm>

#include "adapters/bzflag/wire/drops.h"

namespace entente::bzflag {
namespace {

constexpr std::size_t kFlagsAtOnce = 17;

bool is_carried(const words::Token& token) { return token.state() == words::Token::CARRIED; }

/// A pickup or pellet, shown as a flag of an unknown kind.
NumberedFlag picked_up(const core::FlagNumbers::Pickup& pickup) {
  words::Token token;
  if (pickup.unit != nullptr) {
    const words::Pose& pose = pickup.unit->unit.pose();
    token.set_state(words::Token::GROUND);
    token.set_x(pose.x());
    token.set_y(pose.y());
    token.set_z(pose.z());
  }
  NumberedFlag flag = bzflag::flag_of(token);
  flag.number = pickup.number;
  return flag;
}

}  // namespace

// -- Pickups and pellets ----------------------------------------------------------------------------------------------

void Flags::send_lying(FrontOut& out) {
  numbers_.give_all(out.world());
  std::vector<NumberedFlag> lying;
  for (const auto& [id, token] : out.world().tokens())  // those that are carried get their numbers, too
    if (const auto flag = record(token, out); flag && !is_carried(token)) lying.push_back(*flag);
  for (const core::Id id : core::FlagNumbers::all_pickups(out.world()))
    if (const auto flag = pickup_record(id, out)) lying.push_back(*flag);
  send(lying, out);
}

void Flags::send_carried(FrontOut& out) {
  std::vector<NumberedFlag> carried;
  for (const auto& [id, token] : out.world().tokens()) {
    if (!is_carried(token) || numbers_.of_token(id) == nullptr) continue;
    if (const auto flag = record(token, out)) carried.push_back(*flag);
  }
  send(carried, out);
}

void Flags::send(const std::vector<NumberedFlag>& flags, FrontOut& out) {
  for (std::size_t at = 0; at < flags.size(); at += kFlagsAtOnce) {
    const auto begin = flags.begin() + static_cast<std::ptrdiff_t>(at);
    FlagUpdate update;
    update.flags.assign(begin, begin + static_cast<std::ptrdiff_t>(std::min(kFlagsAtOnce, flags.size() - at)));
    client_.stream(out, update);
  }
}

void Flags::tell(const std::optional<NumberedFlag>& flag, FrontOut& out) {
  if (!flag) return;
  FlagUpdate update;
  update.flags.push_back(*flag);
  client_.stream(out, update);
}

std::optional<NumberedFlag> Flags::pickup_record(core::Id unit, FrontOut& out) {
  const core::FlagNumbers::Seen seen = numbers_.see(unit, out.world());
  if (seen.no_space) out.drop(drops::kPickupsFull);
  return seen.pickup ? std::optional(picked_up(*seen.pickup)) : std::nullopt;
}

void Flags::hear(const words::Unit& unit, FrontOut& out) {
  if (unit.kind() == words::Unit::PICKUP) tell_pickup(unit.id(), out);
  if (unit.kind() == words::Unit::PELLET) numbers_.mark_pellets_changed(out);
}

void Flags::refresh_pellets(FrontOut& out) {
  const auto gone = [&](core::Id unit) {
    if (const auto pickup = numbers_.drop(unit)) tell(picked_up(*pickup), out);
  };
  numbers_.refresh_pellets(players_.own_unit(), out, gone, [&](core::Id unit) { tell_pickup(unit, out); });
}

// -- Flags that are carried -------------------------------------------------------------------------------------------

/// A token keeps its number. There are as many numbers as the settings have announced.
std::optional<NumberedFlag> Flags::record(const words::Token& token, FrontOut& out) {
  if (token.kind() == words::Token::BASE) return std::nullopt;
  const auto number = numbers_.give(token.id(), out.world());
  if (!number && token.state() != words::Token::NOWHERE) out.drop(drops::kTokensFull);
  if (!number) return std::nullopt;
  NumberedFlag flag = flag_of(token);
  for (Vec3* at : {&flag.flag.pos, &flag.flag.launch, &flag.flag.landing})
    (*at)[2] = std::max(0.0F, (*at)[2] - to_float(out.world().ground_at((*at)[0], (*at)[1])));
  flag.number = *number;
  if (is_carried(token)) flag.flag.owner = player_id(players_.number_of(token.carrier(), kNobody));
  return flag;
}

/// A client that is in the game gives a tank its flag only by MsgGrabFlag, which is an event to it.
void Flags::hear(const words::Token& token, FrontOut& out) {
  const auto flag = record(token, out);
  const bool has_tank = flag && flag->flag.owner.byte != kNobody;
  has_tank && !resync_ ? client_.stream(out, GrabFlag{flag->flag.owner, *flag}) : tell(flag, out);
}

void Flags::tell_carried(std::uint8_t number, FrontOut& out) {
  const core::Id player = players_.player_of(number);
  if (player == 0 || players_.number_of(player, kNobody) != number) return;  // one of its further units
  for (const auto& [id, token] : out.world().tokens())
    if (is_carried(token) && token.carrier() == player) hear(token, out);
}

/// A theft from or by a player whom the client does not know would crash it.
void Flags::hear(const words::TokenTaken& taken, FrontOut& out) {
  const auto flag = record(taken.token(), out);
  if (!flag) return;
  const std::uint8_t by = players_.number_of(taken.by(), kNobody), from = players_.number_of(taken.from(), kNobody);
  if (by == kNobody) return tell(flag, out);
  from != kNobody ? client_.stream(out, TransferFlag{from, by, *flag})
                  : client_.stream(out, GrabFlag{player_id(by), *flag});
}

void Flags::hear(const words::TokenDropped& dropped, FrontOut& out) {
  if (const auto flag = record(dropped.token(), out))
    client_.stream(out, DropFlag{player_id(players_.number_of(dropped.by(), kNobody)), *flag});
}

/// To the client, all tanks of the flag's team explode now; bzfs sends no MsgKilled for them.
void Flags::hear(const words::TokenCaptured& captured, FrontOut& out) {
  const std::uint16_t* flag = numbers_.of_token(captured.token());
  const std::uint8_t by = players_.number_of(captured.by(), kNobody);
  if (flag == nullptr || by == kNobody) return out.drop(drops::kCapturedUnseen);
  capture_.told(captured.team(), out.now());
  // The captor's own base. If the captor has lost its own flag at an enemy base, the room does not say whose base that
  // is.
  client_.stream(out, CaptureFlag{player_id(by), *flag, static_cast<std::uint16_t>(players_.at(by).team)});
}

void Flags::hear(const GrabFlagRequest& grab, FrontOut& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::GRAB);
  wish.set_token(numbers_.token(grab.number));
  if (wish.token() != 0) out.say(wish);
}

void Flags::hear(const DropFlagRequest& drop, FrontOut& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::DROP);
  for (const auto& [id, token] : out.world().tokens())
    if (token.carrier() == out.me() && is_carried(token)) wish.set_token(id);
  wish.set_x(drop.pos[0]);
  wish.set_y(drop.pos[1]);
  wish.set_z(drop.pos[2]);
  out.say(wish);
}

void Flags::hear(const CaptureFlagReport& capture, FrontOut& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::CAPTURE);
  wish.set_team(team_of(static_cast<std::int16_t>(capture.team)));
  out.say(wish);
}

void Flags::hear(const TransferFlagReport& transfer, FrontOut& out) {
  words::TokenWish wish;
  wish.set_op(words::TokenWish::GIVE);
  wish.set_from(players_.player_of(transfer.from));
  wish.set_to(players_.player_of(transfer.to));
  out.say(wish);
}

}  // namespace entente::bzflag
