// How players fight, are hurt, die and are armed again, both ways. See front.h.
#include <algorithm>
#include <cmath>

#include "adapters/aos/front/front.h"
#include "proxy/core/seconds.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::micros;

constexpr core::Micros kPulse = 150 * kMillisecond;  // so long a shot's trigger is seen to be pressed
constexpr double kRespawn = 3;                       // seconds, where a player is back when he asks
constexpr double kLongestFuse = 10, kSlowestReload = 60;
/// A client fills its clip by itself when its reload is over, and is told then what is in it.
constexpr core::Micros kAfterReload = 100 * kMillisecond;
constexpr core::Micros kUnchanged = core::kSecond;  // who asked for another side, and has it not by then, will not

template <class Word>
void set_thrown(Word& word, const Grenade& grenade) {
  const Point at = point_of(grenade.position);
  word.set_kind(words::GRENADE);
  word.set_x(at.x);
  word.set_y(at.y);
  word.set_z(at.z);
  set_velocity(word, grenade.velocity);
  word.set_life(grenade.fuse);
}

}  // namespace

// -- What our client does --------------------------------------------------------------------------------------------

/// What a spade or a block does with its trigger is no shot to another game.
void FrontSession::on(const WeaponInput& input, Outlet& out) {
  if (!playing()) return;
  own().buttons = input.buttons;
  own_.fresh = false;
  if (!same_game(out) && own().tool != kGun) return;
  if (room_guns(out) != 0) return mind_guns(out);
  words::Trigger trigger;
  trigger.set_primary((input.buttons & kPrimary) != 0);
  trigger.set_secondary((input.buttons & kSecondary) != 0);
  out.say(std::move(trigger));
}

void FrontSession::on(const SetTool& tool, Outlet& out) {
  if (tool.tool > kGrenades) return out.lose("SetTool", "no such tool");
  if (!playing()) return;
  const bool shot = own().tool == kGun && (own().buttons & kPrimary) != 0;
  own().tool = tool.tool;
  if (shot && !same_game(out) && room_guns(out) == 0) out.say(words::Trigger());  // who puts a gun away lets go of it
  words::Tool word;
  word.set_number(tool.tool);
  out.say(std::move(word));
}

void FrontSession::on(const Hit& hit, Outlet& out) {
  if (!playing() || hit.victim >= kMostPlayers || cast_[hit.victim].player == 0 || hit.part > words::HitClaim::MELEE)
    return out.lose("Hit", "of nobody");
  words::HitClaim claim;
  claim.set_victim(cast_[hit.victim].player);
  claim.set_part(static_cast<words::HitClaim::Part>(hit.part));
  out.say(std::move(claim));
}

void FrontSession::on(const Grenade& grenade, Outlet& out) {
  if (!playing()) return;
  const bool thrown = is_finite(grenade.position) && is_finite(grenade.velocity) && grenade.fuse >= 0 &&
                      grenade.fuse <= static_cast<float>(kLongestFuse);
  if (!thrown) return out.lose("Grenade", "no place or time");
  own_.fresh = false;
  words::Fire fire;
  fire.set_unit(own().unit);
  fire.set_shot(++own_.shots);
  set_thrown(fire, grenade);
  out.say(std::move(fire));
}

void FrontSession::on(const WeaponReload&, Outlet& out) {
  if (!playing()) return;
  out.say(words::Reload());
  if (same_game(out)) return;
  own_.reloaded = out.now() + micros(gun(own().weapon).reload_s) + kAfterReload;
}

/// How many guns a player of this room has, if they load one by one: the client's clip shows those that are loaded.
/// 0: the client's gun is its own affair, or its server counts.
std::uint32_t FrontSession::room_guns(Outlet& out) const {
  const core::World& world = out.world();
  const bool load = !same_game(out) && core::victim_decides(world) && world.rule("reload", 0) > 0;
  return load ? std::min(world.room().most_shots(), core::Guns::kAny) : 0;
}

/// Fires one gun, as the client draws it.
void FrontSession::pull(Outlet& out) {
  const auto gun = own_.guns.loaded(core::Guns::kAny, room_guns(out), out.now());
  if (!gun) return;
  own_.gun = *gun;
  if (own_.load.first > 0) --own_.load.first;  // the client counts its shots itself
  own_.guns.fire(*gun, out.now() + micros(std::min(out.world().rule("reload", 0), kSlowestReload)));
  own_.pulls_at = out.now() + micros(aos::gun(own().weapon).interval_s);
  words::Trigger trigger;
  trigger.set_primary(true);
  out.say(words::Trigger(trigger));
  trigger.set_primary(false);
  out.say(std::move(trigger));
}

/// Tells what is loaded, and then pulls: a client fires as long as its trigger is held and its clip is not empty.
void FrontSession::mind_guns(Outlet& out) {
  const std::uint32_t guns = room_guns(out);
  if (guns == 0 || !playing()) return;
  tell_load(static_cast<std::uint8_t>(std::min(own_.guns.count(guns, out.now()), 255U)),
            static_cast<std::uint8_t>(std::min(guns, 255U)), out);
  const bool held = own().tool == kGun && (own().buttons & kPrimary) != 0;
  if (held && out.now() >= own_.pulls_at) pull(out);
}

void FrontSession::tell_load(std::uint8_t clip, std::uint8_t reserve, Outlet& out) {
  const std::pair load(clip, reserve);
  if (std::exchange(own_.load, load) != load) send(WeaponReload{kOwn, clip, reserve}, out);
}

/// In rooms of other games nobody counts what a gun holds, or tells it by himself.
void FrontSession::fill_magazine(Outlet& out) {
  if (own_.reloaded == 0 || out.now() < own_.reloaded || !playing()) return;
  const core::PlayerState* me = out.world().player(out.me());
  const bool counted = me != nullptr && (me->ammo.clip() != 0 || me->ammo.reserve() != 0);
  if (counted) return told(me->ammo, {}, out);
  own_.reloaded = 0;
  if (room_guns(out) != 0) {
    own_.load = {};  // the client has filled it by itself
    return mind_guns(out);
  }
  const Gun& full = gun(own().weapon);
  send(WeaponReload{kOwn, full.clip, full.reserve}, out);
}

void FrontSession::on(const ChangeTeam& wish, Outlet& out) { change(wish.team, std::nullopt, out); }
void FrontSession::on(const ChangeWeapon& wish, Outlet& out) { change(std::nullopt, wish.weapon, out); }
void FrontSession::on(const ShortPlayerData& wish, Outlet& out) { change(wish.team, wish.weapon, out); }

/// To another game, his gun is a player's own affair, and he is given it where he stands; his side the room may change.
void FrontSession::change(std::optional<std::uint8_t> team, std::optional<std::uint8_t> weapon, Outlet& out) {
  if (!entered_ || (weapon && *weapon > 2)) return out.lose("ChangeWeapon", "no such weapon, or not in yet");
  words::Change change;
  if (team) change.set_team(sides_.team_of(*team));
  if (weapon) change.set_kit(kit_of(*weapon));
  if (weapon) wish_.set_kit(kit_of(*weapon));
  out.say(change);
  if (same_game(out)) return;
  if (team && *team != own().side) own_.side_asked = std::max<core::Micros>(out.now(), 1);
  if (weapon && stage_ == Stage::kIn) redress(out);
}

/// A room that has no sides, or keeps everybody on his, says nothing.
void FrontSession::check_side(Outlet& out) {
  if (own_.side_asked == 0 || out.now() < own_.side_asked + kUnchanged) return;
  own_.side_asked = 0;
  say_line(kNoticeId, kSystemLine, "sides cannot be changed here", out);
}

void FrontSession::on(const SetColour& colour, Outlet& out) {
  own_.colour = colour_of(colour.colour);
  if (!entered_ || !same_game(out)) return;
  words::Change change;
  change.set_colour(own_.colour);
  out.say(change);
}

// -- What the room says ----------------------------------------------------------------------------------------------

void FrontSession::told(const words::Health& health, const core::Fact&, Outlet& out) {
  if (health.unit() != own().unit || !playing() || health.max() <= 0) return;
  const double share = health.now() > 0 ? std::min(1.0, health.now() / health.max()) : 0;
  SetHp set;
  set.hp = static_cast<std::uint8_t>(std::max(std::lround(share * kFullHealth), 1L));  // who lives has some
  const bool from = health.from_x() != 0 || health.from_y() != 0 || health.from_z() != 0;
  if (from) set.source = place_of({health.from_x(), health.from_y(), health.from_z()});
  if (!is_finite(set.source)) set.source = {};
  const bool hit = health.by() != 0 || set.source != Vec3{};
  set.cause = hit ? kHurtByWeapon : kHurtByFall;
  own_.fresh = false;
  if (std::exchange(own_.hp, set.hp) == set.hp) return;
  const bool restocked = same_game(out) && !from && !hit;  // told with his ammunition
  if (!restocked) send(set, out);
}

/// Who is a cell has so much health as there is left of the most that it ever was.
void FrontSession::feel_mass(Outlet& out) {
  constexpr double kFelt = 2;  // of a hundred
  const core::PlayerState* me = out.world().player(out.me());
  if (me == nullptr || !playing()) return;
  double mass = 0;
  for (const core::Id id : me->units)
    if (const core::UnitState* unit = out.world().unit(id); unit != nullptr && unit->unit.kind() == words::Unit::CELL)
      mass += unit->unit.radius() * unit->unit.radius();
  own_.most_mass = std::max(own_.most_mass, mass);
  if (!(mass > 0)) return;
  const double left = std::max(1.0, std::round(kFullHealth * mass / own_.most_mass));
  if (std::abs(left - own_.hp) < kFelt) return;
  SetHp set;
  set.hp = own_.hp = static_cast<std::uint8_t>(left);
  set.cause = kHurtByFall;
  send(set, out);
}

/// A player has died once, whoever says so; with no unit named, or one that is gone, it is the one that is shown.
void FrontSession::told(const words::Died& died, const core::Fact&, Outlet& out) {
  const bool is_there = out.world().unit(died.unit()) != nullptr;
  const auto slot = is_there ? slot_of_unit(died.unit()) : slot_of_player(died.player());
  if (!slot || !cast_[*slot].told || !std::exchange(cast_[*slot].alive, false)) return;
  cast_[*slot].dead = !is_there || (*slot == kOwn && !same_game(out));  // until he asks, or is said to spawn
  if (died.synthesised() && same_game(out)) return;                     // this game's own clients see it, too
  const auto killer = slot_of_player(died.killer());
  KillAction kill;
  kill.victim = *slot;
  kill.killer = killer && cast_[*killer].told ? *killer : *slot;
  kill.type = kill_type(died.why());
  const double told = died.respawn_s() > 0 ? std::min(255.0, died.respawn_s()) : 0;
  const double respawn = told == 0 && !same_game(out) ? kRespawn : told;
  kill.respawn = static_cast<std::uint8_t>(std::lround(respawn));
  cast_[*slot].keys = cast_[*slot].buttons = 0;
  send(kill, out);
  if (*slot == kOwn) spawn_at_ = out.now() + micros(respawn);
}

void FrontSession::told(const words::Ammo& ammo, const core::Fact&, Outlet& out) {
  if (ammo.player() != out.me() || !playing()) return;
  const bool fresh = std::exchange(own_.fresh, false);
  const auto byte = [](std::uint32_t count) { return static_cast<std::uint8_t>(std::min(count, 255U)); };
  const std::pair load(byte(ammo.clip()), byte(ammo.reserve()));
  const bool same_load = std::exchange(own_.load, load) == load;
  if (is_full(ammo, kit_of(own().weapon))) {
    if (fresh) return;  // who was just created has it all
    own_.hp = static_cast<std::uint8_t>(kFullHealth);
    send(Restock{kOwn}, out);
  } else if (!same_load || own_.reloaded != 0) {  // else it was told for something that a client counts itself
    own_.reloaded = 0;
    send(WeaponReload{kOwn, load.first, load.second}, out);
  }
}

void FrontSession::press(Slot slot, std::uint8_t buttons, Outlet& out) {
  Actor& actor = cast_[slot];
  if (actor.told && std::exchange(actor.buttons, buttons) != buttons) send(WeaponInput{slot, buttons}, out);
}

/// Another's shot: he looks along it and presses his trigger for a moment. Our client has drawn its own already.
void FrontSession::told(const words::Shot& shot, const core::Fact&, Outlet& out) {
  auto slot = slot_of_unit(shot.unit());
  if (!slot) slot = slot_of_player(shot.shooter());
  if (shot.shooter() == out.me()) {
    if (shot.life() > 0) own_.guns.fire(own_.gun, out.now() + micros(std::min(shot.life(), kSlowestReload)));
    return;
  }
  if (retold_ && shot.kind() != words::GRENADE) return;  // in the air: its trigger was pressed before
  if (!slot || !cast_[*slot].told) return out.lose("Shot", "of somebody who is not shown");
  Actor& actor = cast_[*slot];
  if (actor.has_keys && shot.kind() != words::GRENADE) return;  // his trigger was told
  if (shot.kind() == words::GRENADE) {
    Grenade grenade;
    grenade.player = *slot;
    grenade.fuse = static_cast<float>(shot.life());
    grenade.position = place_of({shot.x(), shot.y(), shot.z()});
    grenade.velocity = velocity_of({shot.vx(), shot.vy(), shot.vz()});
    if (!is_finite(grenade.position) || !is_finite(grenade.velocity)) return out.lose("Shot", "no place");
    return send(grenade, out);
  }
  const double flat = std::hypot(shot.vx(), shot.vy());
  if (flat > 0 || shot.vz() != 0)
    actor.motion.orientation = orientation_of(std::atan2(shot.vy(), shot.vx()), std::atan2(shot.vz(), flat));
  actor.shooting = out.now() + kPulse;
  press(*slot, kPrimary, out);
}

void FrontSession::stop_shooting(Outlet& out) {
  for (Slot slot = 0; slot < kMostPlayers; ++slot) {
    Actor& actor = cast_[slot];
    if (actor.shooting == 0 || out.now() < actor.shooting) continue;
    actor.shooting = 0;
    press(slot, 0, out);
  }
}

}  // namespace entente::aos
