#include "adapters/bzdraft/back/joining.h"

#include "adapters/bzdraft/wire/dialect.h"
#include "adapters/bzdraft/wire/drops.h"

namespace entente::bzdraft {
namespace {

constexpr std::size_t kLongestText = 127;
constexpr core::Micros kChangePatience = 3 * core::kSecond;
constexpr double kHalf = 400;  // metres: half a side of a world that cannot be read

words::World open_world(double half) {
  words::World world;
  world.set_kind(words::World::OPEN);
  core::set_sides(world, 2 * half, 2 * half);
  world.set_walled(true);
  return world;
}

void tell_rule(const char* name, std::string value, BackOut& out) {
  words::Rule rule;
  rule.set_name(name);
  rule.set_value(std::move(value));
  out.say(std::move(rule));
}

void tell_rule(const char* name, double value, BackOut& out) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  tell_rule(name, std::move(text), out);
}

}  // namespace

void Joining::greet(BackOut& out) {
  state_.number = kInvalid;
  VersionUp greeting;
  greeting.version.set(kVersion);
  greeting.type = wire_type(state_.wish ? state_.wish->role() : words::PLAY);
  for (std::uint16_t kind = 1; !flag_code(kind).empty(); ++kind) greeting.flags_known.push_back(kind);
  link_.send(out, greeting);
}

void Joining::hear(const VersionDown& version, BackOut& out) {
  if (state_.stage != Stage::kGreeting) return;
  state_.number = version.player;
  if (version.may_join == 0) return state_.refuse(words::Refused::FULL, "the server accepts no players now", true, out);
  if (version.version.view().substr(0, 6) != kVersion.substr(0, 6))
    return state_.refuse(words::Refused::WRONG_VERSION, "the server speaks another major version", false, out);
  state_.stage = Stage::kLoading;
  link_.send(out, GetWorldUp{});
}

void Joining::hear(const GetWorldDown& world, BackOut& out) {
  if (state_.stage != Stage::kLoading || std::exchange(fetches_, true)) return;
  words::Room& room = state_.room;
  room.set_game(std::string(kGameName));
  room.set_dialect("draft");
  room.set_mode((world.style & kCapture) != 0 ? "capture the flag" : "free for all");
  room.set_most_players(world.max_players);
  room.set_most_shots(world.max_shots);
  room.set_jumping((world.style & kJumping) != 0);
  room.set_ricochet((world.style & kRicochet) != 0);
  room.set_teams(true);
  out.say(room);
  tell_rules(world, out);
  words::Clock clock;
  clock.set_us(std::uint64_t{world.server_time} * 1000);
  clock.set_speed(1);
  out.say(clock);
  const auto root = md5_of_name(world.model.chars);
  if (root) {
    root_ = *root;
    return fetch(out);
  }
  out.drop(drops::kNoModel);
  learn_world(out);
}

void Joining::tell_rules(const GetWorldDown& world, BackOut& out) const {
  tell_rule("hits", "victim", out);
  tell_rule("speed", tank_.model().speed, out);
  tell_rule("turn_rate", tank_.model().turn_rate, out);
  tell_rule("shot_speed", kShotSpeed, out);
  tell_rule("reload", kReload, out);
  tell_rule("BZFLAG.linearAcceleration", from_thousandths(world.linear_acceleration), out);
  tell_rule("BZFLAG.angularAcceleration", from_thousandths(world.angular_acceleration), out);
  tell_rule("BZFLAG.shakeTimeout", world.shake_time, out);
  tell_rule("BZFLAG.shakeWins", world.shake_wins, out);
}

// -- Resources --------------------------------------------------------------------------------------------------------

/// Requests the next missing resource. Each is fetched only once.
void Joining::fetch(BackOut& out) {
  const auto missing = resources_.missing(root_);
  if (!missing) return learn_world(out);
  asked_ = *missing;
  piece_.clear();
  ask_for(asked_, out);
}

void Joining::ask_for(const Md5& md5, BackOut& out) {
  link_.send(out, GetResourceUp{static_cast<std::uint32_t>(piece_.size()), md5});
}

/// Pieces arrive in the order of the requests. A piece of another resource is outdated and ignored.
/// Another Entente sends empty ones of no resource while our player has to wait.
void Joining::hear(const GetResourceDown& piece, BackOut& out) {
  if (!state_.in() && piece.md5 == Md5{} && piece.data.empty()) out.say(words::WorldProgress());
  if (!fetches_ || state_.stage != Stage::kLoading || piece.md5 != asked_ || piece.offset != piece_.size()) return;
  append(piece_, piece.data);
  const bool endless = piece.data.empty() || piece_.size() > Resources::kMostBytes;
  if (piece.remaining != 0 && !endless) {
    words::WorldProgress progress;
    progress.set_done(piece_.size());
    progress.set_total(piece_.size() + piece.remaining);
    out.say(progress);
    return ask_for(asked_, out);
  }
  if (!resources_.add(asked_, std::move(piece_))) {
    out.drop(drops::kNoResource);
    resources_.give_up(asked_);
  }
  fetch(out);
}

void Joining::learn_world(BackOut& out) {
  std::size_t unread = 0;
  auto world = resources_.world(root_, unread);
  if (!world || unread != 0) out.drop(drops::kNoRecords);
  if (!world) world = open_world(kHalf);
  tank_.learn(*world);
  if (tank_.terrain.left_out() != 0) out.drop(core::drops::kTerrainFull);
  out.say(std::move(*world));
  state_.stage = Stage::kReadyToEnter;
  if (state_.wish) enter(out);
}

// -- Entering ---------------------------------------------------------------------------------------------------------

void Joining::enter(BackOut& out) {
  if (state_.stage != Stage::kReadyToEnter) return;
  state_.stage = Stage::kEntering;
  Enter message;
  message.team = wire_team(state_.wish->team());
  message.type = wire_type(state_.wish->role());
  message.password.chars = ended_text(state_.wish->password(), kLongestText);
  message.callsign.chars = ended_text(state_.wish->name().empty() ? "player" : state_.wish->name(), kLongestName);
  message.email.chars = ended_text(state_.wish->motto(), kLongestText);
  message.avatar.chars = ended_text(state_.wish->avatar(), kLongestText);
  link_.send(out, message);
}

/// Sends MsgEnter again, in the game, with the changed data. The server may refuse it.
void Joining::hear(const words::Change& change, BackOut& out) {
  if (change.has_kit() || change.has_colour()) out.drop(drops::kKitOrColour);
  if (change.has_skin()) out.drop(drops::kNewAvatar);
  if (!change.has_name() && !change.has_motto() && !change.has_team()) return;
  const core::TankServerPlayer* me = server_players_.own();
  if (me == nullptr) return out.drop(drops::kNotIn);
  Enter message;
  message.team = change.has_team() ? wire_team(change.team()) : static_cast<std::uint8_t>(me->team);
  message.type = wire_type(me->player.role());
  message.password.chars = ended_text(state_.wish->password(), kLongestText);
  message.callsign.chars = ended_text(change.has_name() ? change.name() : me->player.name(), kLongestName);
  message.email.chars = ended_text(change.has_motto() ? change.motto() : me->player.motto(), kLongestText);
  message.avatar.chars = ended_text(state_.wish->avatar(), kLongestText);
  tank_.claims.begin(core::Claim::kChange, kChangePatience, out);
  link_.send(out, message);
}

void Joining::hear(const Accept& accept, BackOut& out) {
  if (state_.stage != Stage::kEntering) return tank_.claims.answered(core::Claim::kChange);
  state_.come_in(out.now());
  state_.number = accept.player;
  server_players_.add_own();
}

/// The draft lets a rejected player keep its number and try again.
void Joining::hear(const Reject& reject, BackOut& out) {
  std::string why = readable(reject.text.chars);
  if (why.empty()) why = text(static_cast<Refusal>(reject.reason));
  if (state_.stage == Stage::kIn) {
    if (!tank_.claims.waits(core::Claim::kChange)) return;
    tank_.claims.answered(core::Claim::kChange);
    words::ClaimRefused refused;
    refused.set_why(why);
    return out.say({state_.me, refused});
  }
  if (state_.stage != Stage::kEntering) return void(rejected_ = why);  // a MsgSuperKill follows
  state_.stage = Stage::kReadyToEnter;
  state_.wish.reset();
  tank_.give_up();
  core::JoinState::tell_refused(refusal_of(reject.reason), std::move(why), true, out);
}

void Joining::hear(const SuperKill&, BackOut& out) {
  if (state_.in()) return state_.be_kicked("super kill by the server", out);
  const std::string why = rejected_.empty() ? "the server ended the session, and gave no reason" : rejected_;
  if (out.report_server_stopping(why)) return void(state_.goodbye_said = true);
  const bool no_slot = state_.stage == Stage::kGreeting;  // how the draft refuses a client if it has no slot
  state_.refuse(no_slot ? words::Refused::FULL : words::Refused::SERVER_GONE, why, no_slot, out);
}

}  // namespace entente::bzdraft
