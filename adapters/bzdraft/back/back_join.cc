// How a back comes in: greeting, world, resources and what they refer to, then the door. See back.h.
#include "adapters/bzdraft/back/back.h"

#include "adapters/bzdraft/losses.h"

namespace entente::bzdraft {
namespace {

constexpr std::size_t kLongestText = 127;

words::World open_world(double half) {
  words::World world;
  world.set_kind(words::World::OPEN);
  core::set_sides(world, 2 * half, 2 * half);
  world.set_walled(true);
  return world;
}

}  // namespace

void BackSession::on(const VersionDown& version, Outlet& out) {
  if (stage_ != Stage::kGreeting) return;
  number_ = version.player;
  if (version.may_join == 0) return refuse(words::Refused::FULL, "the server takes nobody now", true, out);
  if (version.version.view().substr(0, 6) != kVersion.substr(0, 6))
    return refuse(words::Refused::WRONG_VERSION, "the server speaks another major version", false, out);
  stage_ = Stage::kWorld;
  peer_.send(out, GetWorldUp{});
}

void BackSession::on(const GetWorldDown& world, Outlet& out) {
  if (stage_ != Stage::kWorld) return;
  room_.set_game(std::string(game().name()));
  room_.set_dialect("draft");
  room_.set_mode((world.style & kCapture) != 0 ? "capture the flag" : "free for all");
  room_.set_most_players(world.max_players);
  room_.set_most_shots(world.max_shots);
  room_.set_jumping((world.style & kJumping) != 0);
  room_.set_ricochet((world.style & kRicochet) != 0);
  room_.set_teams(true);
  out.say(room_);
  words::Rule hits;
  hits.set_name("hits");
  hits.set_value("victim");
  out.say(hits);
  tell_rule("speed", tank_.speed, out);
  tell_rule("turn_rate", tank_.turn_rate, out);
  tell_rule("shot_speed", kShotSpeed, out);
  tell_rule("reload", kReload, out);
  tell_rule("BZFLAG.linearAcceleration", whole(world.linear_acceleration), out);
  tell_rule("BZFLAG.angularAcceleration", whole(world.angular_acceleration), out);
  tell_rule("BZFLAG.shakeTimeout", world.shake_time, out);
  tell_rule("BZFLAG.shakeWins", world.shake_wins, out);
  words::Clock clock;
  clock.set_us(std::uint64_t{world.server_time} * 1000);
  clock.set_speed(1);
  out.say(clock);
  stage_ = Stage::kResources;
  const auto root = md5_of_name(world.model.chars);
  if (root) {
    root_ = *root;
    return fetch(out);
  }
  out.lose(loss::kNoModel);
  learn_world(out);
}

void BackSession::tell_rule(const char* name, double value, Outlet& out) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  words::Rule rule;
  rule.set_name(name);
  rule.set_value(std::move(text));
  out.say(std::move(rule));
}

// -- Resources --------------------------------------------------------------------------------------------------------

/// The next that is missing; what was fetched once is not asked for again.
void BackSession::fetch(Outlet& out) {
  const auto missing = resources_.missing(root_);
  if (!missing) return learn_world(out);
  asked_ = *missing;
  piece_.clear();
  ask_for(asked_, out);
}

void BackSession::ask_for(const Md5& md5, Outlet& out) {
  peer_.send(out, GetResourceUp{static_cast<std::uint32_t>(piece_.size()), md5});
}

/// Pieces come in the order in which they were asked for; another's is old.
void BackSession::on(const GetResourceDown& piece, Outlet& out) {
  if (stage_ != Stage::kResources || piece.md5 != asked_ || piece.offset != piece_.size()) return;
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
    out.lose(loss::kNoResource);
    resources_.give_up(asked_);
  }
  fetch(out);
}

void BackSession::learn_world(Outlet& out) {
  std::size_t unread = 0;
  auto world = resources_.world(root_, unread);
  if (!world || unread != 0) out.lose(loss::kNoRecords);
  if (!world) world = open_world(half_);
  half_ = world->east();
  own_.terrain = core::Terrain(*world);
  out.say(std::move(*world));
  stage_ = Stage::kAtTheDoor;
  if (wish_) enter(out);
}

// -- The door ---------------------------------------------------------------------------------------------------------

void BackSession::enter(Outlet& out) {
  if (stage_ != Stage::kAtTheDoor) return;
  stage_ = Stage::kEntering;
  Enter message;
  message.team = wire_team(wish_->team());
  message.type = wire_type(wish_->role());
  message.password.chars = ended_text(wish_->password(), kLongestText);
  message.callsign.chars = ended_text(wish_->name().empty() ? "player" : wish_->name(), kLongestName);
  message.email.chars = ended_text(wish_->motto(), kLongestText);
  message.avatar.chars = ended_text(wish_->avatar(), kLongestText);
  peer_.send(out, message);
}

/// Again, in game: who we are from now on. The server may say no.
void BackSession::change(const words::Change& change, Outlet& out) {
  if (change.has_kit() || change.has_colour()) out.lose(loss::kKitOrColour);
  if (change.has_skin()) out.lose(loss::kNewAvatar);
  if (!change.has_name() && !change.has_motto() && !change.has_team()) return;
  const Someone* me = find(number_);
  if (me == nullptr) return out.lose(loss::kNotIn);
  Enter message;
  message.team = change.has_team() ? wire_team(change.team()) : me->team;
  message.type = wire_type(me->player.role());
  message.password.chars = ended_text(wish_->password(), kLongestText);
  message.callsign.chars = ended_text(change.has_name() ? change.name() : me->player.name(), kLongestName);
  message.email.chars = ended_text(change.has_motto() ? change.motto() : me->player.motto(), kLongestText);
  message.avatar.chars = ended_text(wish_->avatar(), kLongestText);
  changing_ = true;
  peer_.send(out, message);
}

void BackSession::on(const Accept& accept, Outlet&) {
  if (stage_ != Stage::kEntering) return void(changing_ = false);
  stage_ = Stage::kIn;
  number_ = accept.player;
  players_.add(number_, me_);
}

/// The page lets who was rejected keep its number and try again.
void BackSession::on(const Reject& reject, Outlet& out) {
  std::string why = readable(reject.text.chars);
  if (why.empty()) why = text(static_cast<Refusal>(reject.reason));
  if (stage_ == Stage::kIn) {
    if (!std::exchange(changing_, false)) return;
    words::ClaimRefused refused;
    refused.set_why(why);
    return out.say({me_, refused});
  }
  if (stage_ != Stage::kEntering) return;
  stage_ = Stage::kAtTheDoor;
  wish_.reset();
  spawns_ = false;
  words::Refused refused;
  refused.set_code(refusal_of(reject.reason));
  refused.set_text(why);
  refused.set_may_retry(true);
  out.say(refused);
}

void BackSession::on(const SuperKill&, Outlet& out) {
  if (stage_ != Stage::kIn) {
    const bool no_slot = stage_ == Stage::kGreeting;  // so the page says it
    return refuse(no_slot ? words::Refused::FULL : words::Refused::SERVER_GONE, "the server ended the session", no_slot,
                  out);
  }
  be_kicked("super kill by the server", out);
}

void BackSession::be_kicked(std::string_view how, Outlet& out) {
  goodbye_ = true;
  words::Kicked kicked;
  kicked.set_text(last_words_.why(out.now(), "the server ended the session"));
  out.say(kicked);
  out.close(how);
}

void BackSession::refuse(words::Refused::Code code, std::string_view text, bool may_retry, Outlet& out) {
  words::Refused refused;
  refused.set_code(code);
  refused.set_text(std::string(text));
  refused.set_may_retry(may_retry);
  out.say(refused);
  if (!std::exchange(goodbye_, true)) out.close(text);
}

}  // namespace entente::bzdraft
