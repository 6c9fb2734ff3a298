#include "adapters/bzdraft/front/client_profile.h"

#include "adapters/bzdraft/wire/drops.h"

namespace entente::bzdraft {
namespace {

/// A change that is not confirmed within this time is refused.
constexpr core::Micros kUnchanged = 2 * core::kSecond;
constexpr std::size_t kLongestReason = 1020 - 1;  // in a message of 1024 bytes

}  // namespace

void ClientProfile::hear(const VersionUp& version, FrontOut& out) {
  if (client_.stage != Client::Stage::kOutside) return out.drop(drops::kGreetedAlready);
  client_.wish.set_version(readable(version.version.view()));
  client_.wish.clear_flags_known();
  for (const std::uint16_t kind : version.flags_known)
    if (!flag_code(kind).empty()) client_.wish.add_flags_known(std::string(flag_code(kind)));
  VersionDown greeting;
  greeting.version.set(kVersion);
  greeting.player = kNumber;
  greeting.may_join = 1;
  client_.send(out, greeting);
}

bool ClientProfile::enter(const Enter& enter, FrontOut& out) {
  const std::string name = readable(enter.callsign.chars), motto = readable(enter.email.chars);
  const auto refuse = [&](Refusal reason, std::string_view why) { return reject(reason, why, out), false; };
  if (name.empty()) return refuse(Refusal::kBadRequest, "a player needs a name");
  if (enter.team > kLastTeam) return refuse(Refusal::kBadTeam, text(Refusal::kBadTeam));
  if (enter.type > kRobot) return refuse(Refusal::kBadType, text(Refusal::kBadType));
  if (client_.in()) return change(name, motto, enter.team, out), false;
  if (client_.stage == Client::Stage::kEntering) return out.drop(drops::kEntersAlready), false;
  client_.stage = Client::Stage::kEntering;
  client_.wish.set_name(name);
  client_.wish.set_motto(motto);
  client_.wish.set_password(readable(enter.password.chars));
  client_.wish.set_avatar(readable(enter.avatar.chars));
  client_.wish.set_team(team_of(enter.team));
  client_.wish.set_role(role_of(enter.type));
  client_.wish.set_claims_deaths(true);
  out.say(client_.wish);
  return true;
}

/// A player may also change its data by MsgAddPlayer. The team in it is ignored.
void ClientProfile::hear(const AddPlayer& changed, FrontOut& out) {
  if (!client_.in()) return out.drop(drops::kChangeTooEarly);
  change(readable(changed.callsign.chars), readable(changed.email.chars), std::nullopt, out);
}

void ClientProfile::change(const std::string& name, const std::string& motto, std::optional<std::uint8_t> team,
                           FrontOut& out) {
  words::Change change;
  if (name != client_.wish.name()) change.set_name(name);
  if (motto != client_.wish.motto()) change.set_motto(motto);
  if (team && team_of(*team) != client_.wish.team()) change.set_team(team_of(*team));
  const bool same = !change.has_name() && !change.has_motto() && !change.has_team();
  if (same && changes()) return;  // asked again: the answer is still to come
  changing_ = std::max<core::Micros>(out.now(), 1);
  if (same) return confirm_change(out);
  changes_team_ |= change.has_team();
  client_.wish.set_name(name);
  client_.wish.set_motto(motto);
  if (team) client_.wish.set_team(team_of(*team));
  out.say(change);
  out.wake(out.now() + kUnchanged);
}

/// Other data than what was asked for, such as a badge, may change first. The team is compared only if it was asked
/// for, because a server may have chosen another one at the beginning.
void ClientProfile::hear_own(const words::Player& player, FrontOut& out) {
  const bool other_team = changes_team_ && wire_team(player.team()) != wire_team(client_.wish.team());
  const bool same = player.name() == client_.wish.name() && player.motto() == client_.wish.motto() && !other_team;
  if (same) confirm_change(out);
}

/// Tells the client that its change took effect.
void ClientProfile::confirm_change(FrontOut& out) {
  changes_team_ = false;
  if (std::exchange(changing_, 0) == 0) return;
  client_.send(out, Accept{kNumber});
  players_.tell_own_entry(out);
}

/// Tells the client that its change was refused, and sends the old data.
void ClientProfile::refuse_change(Refusal reason, std::string_view why, FrontOut& out) {
  changes_team_ = false;
  if (std::exchange(changing_, 0) == 0) return;
  if (const core::PlayerState* player = out.world().player(out.me())) {
    client_.wish.set_name(player->player.name());
    client_.wish.set_motto(player->player.motto());
    client_.wish.set_team(player->player.team());
  }
  reject(reason, why, out);
  players_.tell_own_entry(out);
}

void ClientProfile::check_change(FrontOut& out) {
  if (changing_ == 0) return;
  if (out.now() < changing_ + kUnchanged) return out.wake(changing_ + kUnchanged);
  refuse_change(Refusal::kBadRequest, "this server did not accept the change", out);
}

void ClientProfile::reject(Refusal reason, std::string_view why, FrontOut& out) {
  Reject reject;
  reject.reason = static_cast<std::uint8_t>(reason);
  reject.text.chars = ended_text(why, kLongestReason);
  client_.send(out, reject);
}

}  // namespace entente::bzdraft
