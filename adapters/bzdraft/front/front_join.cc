// How a client is let in, and how it becomes somebody else: greeting, world, resources, MsgEnter. See front.h.
#include "adapters/bzdraft/front/front.h"
#include "adapters/bzdraft/losses.h"
#include "adapters/wire/md5.h"
#include "proxy/core/bodies.h"
#include "proxy/core/chat.h"

namespace entente::bzdraft {
namespace {

/// A room may have to ask a server first; a client waits for its world as long as it is left to.
constexpr core::Micros kPatience = 10 * core::kSecond;
/// After so long a change that nobody confirmed did not happen.
constexpr core::Micros kUnchanged = 2 * core::kSecond;

/// Of a resource in one message of 1024 bytes, which all may be sent with whom nothing else was agreed.
constexpr std::size_t kPiece = 1024 - 4 - 24;
constexpr std::size_t kLongestReason = 1020 - 1;  // in such a message, too

// Bits of the style.

words::World open_world() {
  words::World world;
  core::set_sides(world, 800, 800);
  return world;
}

}  // namespace

void FrontSession::on(const VersionUp& version, Outlet& out) {
  if (stage_ != Stage::kOutside) return out.lose(loss::kGreetedAlready);
  wish_.set_version(readable(version.version.view()));
  wish_.clear_flags_known();
  for (const std::uint16_t kind : version.flags_known)
    if (!flag_code(kind).empty()) wish_.add_flags_known(std::string(flag_code(kind)));
  VersionDown greeting;
  greeting.version.set(kVersion);
  greeting.player = kNumber;
  greeting.may_join = 1;
  peer_.send(out, greeting);
}

void FrontSession::on(const GetWorldUp&, Outlet& out) {
  wants_world_ = true;
  answer_world(out);
}

/// Once there is an answer, or nobody will ever have one.
void FrontSession::answer_world(Outlet& out) {
  const core::World& world = out.world();
  if (patience_ == 0) patience_ = out.now() + kPatience;
  const bool known = world.geometry() != nullptr && !world.room().game().empty();
  if (resource_.empty() && !known && out.now() < patience_) return out.wake(patience_);
  if (resource_.empty()) build_world(out);
  wants_world_ = false;
  const words::Room& room = world.room();
  const auto number = [&](const char* rule, double otherwise) {
    return static_cast<std::uint16_t>(std::clamp(world.rule(rule, otherwise), 0.0, 65535.0));
  };
  GetWorldDown description;
  description.style = static_cast<std::uint16_t>((room.mode() == "capture the flag" ? kCapture : 0) |
                                                 (room.jumping() ? kJumping : 0) | (room.ricochet() ? kRicochet : 0));
  description.max_players = kLastPlayer;
  description.max_shots = most_shots_;
  description.max_flags = most_flags_;
  description.linear_acceleration = thousandths(world.rule("BZFLAG.linearAcceleration", 0));
  description.angular_acceleration = thousandths(world.rule("BZFLAG.angularAcceleration", 0));
  description.shake_time = number("BZFLAG.shakeTimeout", 0);
  description.shake_wins = number("BZFLAG.shakeWins", 0);
  description.server_time = static_cast<std::uint32_t>(out.now() / core::kMillisecond);
  description.model.chars = to_hex(name_);
  peer_.send(out, description);
}

void FrontSession::build_world(Outlet& out) {
  const core::World& world = out.world();
  const words::World land = world.geometry() != nullptr ? core::flattened(*world.geometry()) : open_world();
  if (land.kind() == words::World::VOXELS) out.lose(loss::kVoxels);
  resource_ = resource_of(land);
  name_ = wire::md5(resource_);
  if (core::victim_decides(out.world()))
    most_shots_ = static_cast<std::uint16_t>(std::clamp(world.room().most_shots(), 1U, 255U));
}

/// A resource that is not here is empty.
void FrontSession::on(const GetResourceUp& wanted, Outlet& out) {
  const Bytes all = wanted.md5 == name_ ? Bytes(resource_) : Bytes();
  const std::size_t from = std::min<std::size_t>(wanted.offset, all.size());
  const Bytes piece = all.subspan(from, std::min(kPiece, all.size() - from));
  GetResourceDown answer;
  answer.offset = wanted.offset;
  answer.remaining = static_cast<std::uint32_t>(all.size() - from - piece.size());
  answer.md5 = wanted.md5;
  answer.data.assign(piece.begin(), piece.end());
  peer_.send(out, answer);
}

// -- MsgEnter ---------------------------------------------------------------------------------------------------------

void FrontSession::on(const Enter& enter, Outlet& out) {
  const std::string name = readable(enter.callsign.chars), motto = readable(enter.email.chars);
  if (name.empty()) return reject(Refusal::kBadRequest, "a player needs a name", out);
  if (enter.team > kLastTeam) return reject(Refusal::kBadTeam, text(Refusal::kBadTeam), out);
  if (enter.type > kRobot) return reject(Refusal::kBadType, text(Refusal::kBadType), out);
  if (stage_ == Stage::kIn) return change(name, motto, enter.team, out);
  if (stage_ == Stage::kEntering) return out.lose(loss::kEntersAlready);
  stage_ = Stage::kEntering;
  wish_.set_name(name);
  wish_.set_motto(motto);
  wish_.set_password(readable(enter.password.chars));
  wish_.set_avatar(readable(enter.avatar.chars));
  wish_.set_team(team_of(enter.team));
  wish_.set_role(role_of(enter.type));
  wish_.set_claims_deaths(true);
  out.say(wish_);
  let_in(out);
}

/// A player may also tell of itself anew by MsgAddPlayer, which has no side that could be meant.
void FrontSession::on(const AddPlayer& changed, Outlet& out) {
  if (stage_ != Stage::kIn) return out.lose(loss::kChangeTooEarly);
  change(readable(changed.callsign.chars), readable(changed.email.chars), std::nullopt, out);
}

void FrontSession::change(const std::string& name, const std::string& motto, std::optional<std::uint8_t> team,
                          Outlet& out) {
  words::Change change;
  if (name != wish_.name()) change.set_name(name);
  if (motto != wish_.motto()) change.set_motto(motto);
  if (team && team_of(*team) != wish_.team()) change.set_team(team_of(*team));
  changing_ = std::max<core::Micros>(out.now(), 1);
  if (!change.has_name() && !change.has_motto() && !change.has_team()) return confirm_change(out);
  wish_.set_name(name);
  wish_.set_motto(motto);
  if (team) wish_.set_team(team_of(*team));
  out.say(change);
  out.wake(out.now() + kUnchanged);
}

/// It is so now.
void FrontSession::confirm_change(Outlet& out) {
  if (std::exchange(changing_, 0) == 0) return;
  peer_.send(out, Accept{kNumber});
  tell_own_entry(out);
}

/// It goes back to who it was.
void FrontSession::refuse_change(Refusal reason, std::string_view why, Outlet& out) {
  if (std::exchange(changing_, 0) == 0) return;
  if (const core::PlayerState* player = out.world().player(out.me())) {
    wish_.set_name(player->player.name());
    wish_.set_motto(player->player.motto());
    wish_.set_team(player->player.team());
  }
  reject(reason, why, out);
  tell_own_entry(out);
}

void FrontSession::check_change(Outlet& out) {
  if (changing_ == 0) return;
  if (out.now() < changing_ + kUnchanged) return out.wake(changing_ + kUnchanged);
  refuse_change(Refusal::kBadRequest, "this server leaves players who they are", out);
}

void FrontSession::tell_own_entry(Outlet& out) {
  Actor& me = cast_.at(kNumber);
  me.said = entry(kNumber, me, 0, out);
  peer_.send(out, me.said);
}

/// The client keeps its number and may try again.
void FrontSession::reject(Refusal reason, std::string_view why, Outlet& out) {
  Reject reject;
  reject.reason = static_cast<std::uint8_t>(reason);
  reject.text.chars = ended_text(why, kLongestReason);
  peer_.send(out, reject);
}

void FrontSession::told(const words::Refused& refused, const core::Fact&, Outlet& out) {
  const Refusal reason = reject_reason(refused.code());
  if (stage_ == Stage::kIn && changing_ != 0) return refuse_change(reason, refused.text(), out);
  if (stage_ == Stage::kIn) return goodbye(refused.text(), out);
  reject(reason, refused.text(), out);
  stage_ = Stage::kOutside;
  if (!refused.may_retry()) goodbye(refused.text(), out);
}

void FrontSession::told(const words::Waiting& waiting, const core::Fact&, Outlet& out) {
  waiting_ = core::line_of(waiting);
  if (stage_ == Stage::kIn) return server_says(waiting_, out);
  let_in(out);
}

/// Who has entered, once all there is to tell was told or there is something to wait for: flags and sides, the others,
/// itself last, and only then all else.
void FrontSession::let_in(Outlet& out) {
  if (stage_ != Stage::kEntering || (!out.world().ready() && waiting_.empty())) return;
  peer_.send(out, Accept{kNumber});
  for (const auto& [id, token] : out.world().tokens())
    if (const auto flag = flag_record(token, out)) peer_.send(out, *flag);
  for (std::uint8_t team = 0; team <= kLastTeam; ++team) {
    TeamUpdate update{team, 0, 0};
    if (const auto at = out.world().team_scores().find(team_of(team)); at != out.world().team_scores().end()) {
      update.wins = counted(at->second.wins());
      update.losses = counted(at->second.losses());
    }
    peer_.send(out, update);
  }
  recast_all(out);
  stage_ = Stage::kIn;
  see_all_pickups(out);
  for (auto& [number, actor] : cast_)
    if (const core::UnitState* state = out.world().unit(actor.unit); core::is_seen(state))
      put(number, state->unit.pose(), out);
  if (out.world().round().state() != words::Round::OVER) tell_clock(out);
  if (!waiting_.empty() && !out.world().ready()) server_says(waiting_, out);
}

void FrontSession::on(const Exit&, Outlet& out) {
  if (stage_ != Stage::kOutside) out.say(words::Leave());
  gone_ = true;
  out.close("the client left");
}

void FrontSession::goodbye(std::string_view why, Outlet& out) {
  if (std::exchange(gone_, true)) return out.close(why);
  if (stage_ == Stage::kIn && !why.empty()) server_says(why, out);
  peer_.send(out, SuperKill{});
  out.close(why);
}

}  // namespace entente::bzdraft
