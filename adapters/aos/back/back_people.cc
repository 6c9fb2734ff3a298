// Who is there, who lives and dies, and what is said. See back.h.
#include "adapters/aos/back/back.h"
#include "adapters/aos/losses.h"
#include "proxy/core/bodies.h"

namespace entente::aos {
namespace {

// Kinds of a chat line; what lies above is the server's, too (of an extension).
constexpr std::uint8_t kToTeam = 1, kSystem = 2, kBig = 3, kWarning = 5, kError = 6;

words::Notice::Level level_of(std::uint8_t type) {
  if (type == kBig) return words::Notice::BIG;
  return type == kWarning || type == kError ? words::Notice::WARNING : words::Notice::INFO;
}

}  // namespace

/// Whoever has that number: known, or new in the room.
BackSession::Someone& BackSession::meet(std::uint8_t number, Outlet& out) {
  Someone& one = people_[number];
  if (one.player.id() != 0) return one;
  const core::Id id = number == number_ && out.me() != 0 ? out.me() : out.new_id();
  one.player.set_id(id);
  one.player.set_responding(true);
  players_.add(number, id);
  return one;
}

/// He and his man. The man stands nowhere before he is created, or seen.
void BackSession::tell(Someone& one, Outlet& out) {
  out.say(one.player);
  if (one.team == kSpectator) return;
  const bool fresh = one.unit == 0;
  if (fresh) one.unit = out.new_id();
  words::Unit unit;
  unit.set_id(one.unit);
  unit.set_owner(one.player.id());
  unit.set_kind(words::Unit::MAN);
  unit.set_model(one.player.kit());
  unit.set_team(one.player.team());
  unit.set_health(kFullHealth);
  unit.set_max_health(kFullHealth);
  unit.set_name(one.player.name());
  unit.mutable_pose()->set_unit(one.unit);
  core::say_owned(std::move(unit), out);
  tell_score(one, out);
  tell_input(one, out);
}

void BackSession::tell_score(const Someone& one, Outlet& out) {
  words::Score score;
  score.set_player(one.player.id());
  score.set_wins(one.kills);
  score.set_losses(one.deaths);
  out.say(score);
}

/// Who was there before us. Where he is, the next paint shows.
void BackSession::on(const ExistingPlayer& existing, Outlet& out) {
  if (existing.player == number_ && stage_ == Stage::kIn) return out.lose(loss::kExistingIsUs);
  Someone& one = meet(existing.player, out);
  one.team = existing.team;
  one.weapon = weapon_of(kit_of(existing.weapon));
  one.tool = existing.tool;
  one.kills = existing.kills;
  one.player.set_name(text_of(existing.name.view()));
  one.player.set_team(sides_.team_of(existing.team));
  one.player.set_role(existing.team == kSpectator ? words::WATCH : words::PLAY);
  one.player.set_kit(kit_of(one.weapon));
  one.player.set_colour(colour_of(existing.colour));
  if (stage_ >= Stage::kAtTheDoor) tell(one, out);
}

/// Comes into play: new, back from the dead, on another side, or with another weapon. Spectators, too.
void BackSession::on(const CreatePlayer& created, Outlet& out) {
  if (!may_be(created.position)) return out.lose(loss::kCreatedOutside);
  Someone& one = meet(created.player, out);
  const words::Player before = one.player;
  one.team = created.team;
  one.weapon = weapon_of(kit_of(created.weapon));
  one.tool = kGun;
  one.keys = one.buttons = 0;
  one.player.set_team(sides_.team_of(created.team));
  one.player.set_role(created.team == kSpectator ? words::WATCH : words::PLAY);
  one.player.set_kit(kit_of(one.weapon));
  if (!created.name.view().empty()) one.player.set_name(text_of(created.name.view()));
  if (stage_ < Stage::kAtTheDoor) return;  // told when the map is there, and shown by the next paint
  const bool known = (one.unit != 0) == (created.team != kSpectator);
  if (!known && one.unit != 0) {
    words::Gone gone;
    gone.set_unit(std::exchange(one.unit, 0));
    out.say(gone);
  }
  const bool same = before.team() == one.player.team() && before.kit() == one.player.kit() &&
                    before.name() == one.player.name() && before.role() == one.player.role();
  if (!known || !same || out.world().player(one.player.id()) == nullptr) tell(one, out);
  one.position = created.position;
  one.velocity = {};
  if (one.unit != 0) tell_spawned(one, out);
  if (created.player == number_) begin_life(created, out);
}

void BackSession::tell_spawned(Someone& one, Outlet& out) {
  one.alive = true;
  one.died = one.hidden = false;
  one.posed = out.now();
  words::Spawned spawned;
  spawned.set_unit(one.unit);
  words::Pose& pose = *spawned.mutable_pose();
  pose.set_unit(one.unit);
  pose.set_state(pose_state_of(one.keys));
  set_place(pose, one.position);
  set_look(pose, one.orientation);
  out.say(std::move(spawned));
}

void BackSession::on(const PlayerLeft& left, Outlet& out) {
  if (left.player == number_) return out.lose(loss::kLeftIsUs);
  forget(left.player, out);
}

/// Our own player stays, whatever becomes of his man.
void BackSession::forget(std::uint8_t number, Outlet& out) {
  Someone* one = find(number);
  if (one == nullptr) return out.lose(loss::kLeftNobody);
  const bool me = number == number_, told = stage_ >= Stage::kAtTheDoor;
  if (me && one->alive) {  // a new map ends every life, and nobody says so
    words::Died died;
    died.set_player(one->player.id());
    died.set_unit(one->unit);
    died.set_why(words::BY_SERVER);
    died.set_synthesised(true);
    out.say(died);
  }
  if (one->unit != 0) {
    words::Gone gone;
    gone.set_unit(one->unit);
    out.say(gone);
  }
  if (!me && told) {
    words::PlayerGone gone;
    gone.set_id(one->player.id());
    out.say(std::move(gone));
  }
  players_.remove_wire(number);
  people_.erase(number);
}

void BackSession::on(const KillAction& kill, Outlet& out) {
  Someone* victim = find(kill.victim);
  if (victim == nullptr) return out.lose(loss::kKilledNobody);
  Someone* killer = kill.killer != kill.victim ? find(kill.killer) : nullptr;
  victim->alive = false;
  victim->died = true;
  victim->buttons = 0;
  if (victim->unit == 0) return;
  ++victim->deaths;
  words::Died died;
  died.set_player(victim->player.id());
  died.set_unit(victim->unit);
  died.set_killer(killer != nullptr ? killer->player.id() : 0);
  died.set_why(cause_of(kill.type));
  died.set_respawn_s(kill.respawn);
  out.say(died);
  tell_score(*victim, out);
  if (killer != nullptr) {
    ++killer->kills;
    tell_score(*killer, out);
  }
  if (kill.victim != number_) return;
  own_.alive = false;
  steering_.stop();
}

void BackSession::on(const ChatMessage& chat, Outlet& out) {
  const Someone* from = find(chat.player);
  const std::string text = text_of(chat.text.view());
  if (chat.type >= kSystem || from == nullptr) {
    last_words_.heard(text, out.now());
    words::Notice notice;
    notice.set_level(level_of(chat.type));
    notice.set_text(text);
    return out.say(std::move(notice));
  }
  words::Said said;
  said.set_from(from->player.id());
  if (chat.type == kToTeam) {
    said.set_scope(words::Say::MY_TEAM);
    said.set_to(static_cast<std::uint32_t>(from->player.team()));
  }
  said.set_text(text);
  out.say(std::move(said));
}

/// The colour of the blocks he will build.
void BackSession::on(const SetColour& set, Outlet& out) {
  Someone* one = find(set.player);
  if (one == nullptr) return out.lose(loss::kColourOfNobody);
  one->player.set_colour(colour_of(set.colour));
  out.say(one->player);
}

}  // namespace entente::aos
