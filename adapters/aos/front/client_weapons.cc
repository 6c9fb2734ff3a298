#include <algorithm>
#include <cmath>

#include "adapters/aos/front/client_weapons.h"
#include "adapters/aos/wire/drops.h"
#include "proxy/core/seconds.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::micros;

constexpr double kLongestClientFuse = 10, kSlowestReload = 60;
/// A client fills its clip itself at the end of a reload. It is told the contents this long after that.
constexpr core::Micros kAfterReload = 100 * kMillisecond;

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

std::pair<std::uint8_t, std::uint8_t> load_of(const words::Ammo& ammo) {
  const auto byte = [](std::uint32_t count) { return static_cast<std::uint8_t>(std::min(count, 255U)); };
  return {byte(ammo.clip()), byte(ammo.reserve())};
}

}  // namespace

// -- What our client does --------------------------------------------------------------------------------------------

/// In a room of another game, only the trigger of the gun is passed on: spades and blocks do not shoot.
void ClientWeapons::hear(const WeaponInput& input, FrontOut& out) {
  if (!players_.playing()) return;
  players_.own().buttons = input.buttons;
  me_.fresh = false;
  if (!same_game(out) && players_.own().tool != kGun) return;
  if (room_guns(out) != 0) return mind_guns(out);
  words::Trigger trigger;
  trigger.set_primary((input.buttons & kPrimary) != 0);
  trigger.set_secondary((input.buttons & kSecondary) != 0);
  out.say(std::move(trigger));
}

void ClientWeapons::hear(const SetTool& tool, FrontOut& out) {
  if (tool.tool > kGrenades) return out.drop(drops::kNoToolUp);
  if (!players_.playing()) return;
  const bool shot = players_.own().tool == kGun && (players_.own().buttons & kPrimary) != 0;
  players_.own().tool = tool.tool;
  if (shot && !same_game(out) && room_guns(out) == 0) out.say(words::Trigger());  // putting it away releases it
  words::Tool word;
  word.set_number(tool.tool);
  out.say(std::move(word));
}

void ClientWeapons::hear(const Hit& hit, FrontOut& out) {
  if (!players_.playing() || hit.victim >= kMostPlayers || players_[hit.victim].player == 0 ||
      hit.part > words::HitClaim::MELEE)
    return out.drop(drops::kHitNobody);
  words::HitClaim claim;
  claim.set_victim(players_[hit.victim].player);
  claim.set_part(static_cast<words::HitClaim::Part>(hit.part));
  out.say(std::move(claim));
}

void ClientWeapons::hear(const Grenade& grenade, FrontOut& out) {
  if (!players_.playing()) return;
  const bool thrown = is_finite(grenade.position) && is_finite(grenade.velocity) && grenade.fuse >= 0 &&
                      grenade.fuse <= static_cast<float>(kLongestClientFuse);
  if (!thrown) return out.drop(drops::kNoThrow);
  me_.fresh = false;
  words::Fire fire;
  fire.set_unit(players_.own().unit);
  fire.set_shot(++me_.shots);
  set_thrown(fire, grenade);
  out.say(std::move(fire));
}

void ClientWeapons::hear(const WeaponReload&, FrontOut& out) {
  if (!players_.playing()) return;
  out.say(words::Reload());
  if (same_game(out)) return;
  me_.reloaded = out.now() + micros(gun(players_.own().weapon).reload_s) + kAfterReload;
}

/// How many guns a player of this room has, if they load one by one; the client's clip then shows how many are loaded.
/// 0 if the client counts its rounds itself, or its server does.
std::uint32_t ClientWeapons::room_guns(const FrontOut& out) const {
  const core::WorldState& world = out.world();
  const bool load = !same_game(out) && core::victim_decides(world) && world.rule("reload", 0) > 0;
  return load ? std::min(world.room().most_shots(), core::GunReloads::kAny) : 0;
}

/// Fires one loaded gun, at the rate at which the client draws its shots.
void ClientWeapons::pull(FrontOut& out) {
  const auto gun = me_.guns.loaded(core::GunReloads::kAny, room_guns(out), out.now());
  if (!gun) return;
  me_.gun = *gun;
  if (me_.load.first > 0) --me_.load.first;  // the client counts its shots itself
  me_.guns.fire(*gun, out.now() + micros(std::min(out.world().rule("reload", 0), kSlowestReload)));
  me_.pulls_at = out.now() + micros(aos::gun(players_.own().weapon).interval_s);
  words::Trigger trigger;
  trigger.set_primary(true);
  out.say(words::Trigger(trigger));
  trigger.set_primary(false);
  out.say(std::move(trigger));
}

void ClientWeapons::mind_guns(FrontOut& out) {
  const std::uint32_t guns = room_guns(out);
  if (guns == 0 || !players_.playing()) return;
  tell_load(static_cast<std::uint8_t>(std::min(me_.guns.count(guns, out.now()), 255U)),
            static_cast<std::uint8_t>(std::min(guns, 255U)), out);
  const bool held = players_.own().tool == kGun && (players_.own().buttons & kPrimary) != 0;
  if (held && out.now() >= me_.pulls_at) pull(out);
}

void ClientWeapons::tell_load(std::uint8_t clip, std::uint8_t reserve, FrontOut& out) {
  const std::pair load(clip, reserve);
  if (std::exchange(me_.load, load) != load) client_.send(WeaponReload{kOwn, clip, reserve}, out);
}

void ClientWeapons::tell_load(const words::Ammo& ammo, FrontOut& out) {
  me_.load = load_of(ammo);
  client_.send(WeaponReload{kOwn, me_.load.first, me_.load.second}, out);
}

/// Ends a reload: tells the client what its gun holds. Rooms of other games do not count rounds, or do not report them
/// without a change.
void ClientWeapons::fill_magazine(FrontOut& out) {
  if (me_.reloaded == 0 || out.now() < me_.reloaded || !players_.playing()) return;
  me_.reloaded = 0;
  if (is_counted(out)) return tell_load(out.world().player(out.me())->ammo, out);
  if (room_guns(out) != 0) {
    me_.load = {};  // the client has filled its clip itself
    return mind_guns(out);
  }
  fill_clip(out);
}

void ClientWeapons::fill_clip(FrontOut& out) {
  const Gun& full = gun(players_.own().weapon);
  client_.send(WeaponReload{kOwn, full.clip, full.reserve}, out);
}

/// Whether the room counts what the client's gun holds.
bool ClientWeapons::is_counted(const FrontOut& out) const {
  const core::PlayerState* me = out.world().player(out.me());
  return me != nullptr && (me->ammo.clip() != 0 || me->ammo.reserve() != 0);
}

// -- What the room says ----------------------------------------------------------------------------------------------

void ClientWeapons::hear(const words::Health& health, FrontOut& out) {
  if (health.unit() != players_.own().unit || !players_.playing() || health.max() <= 0) return;
  const double share = health.now() > 0 ? std::min(1.0, health.now() / health.max()) : 0;
  SetHp set;
  set.hp = static_cast<std::uint8_t>(std::max(std::lround(share * kFullHealth), 1L));  // a living player has at least 1
  const bool from = health.from_x() != 0 || health.from_y() != 0 || health.from_z() != 0;
  if (from) set.source = place_of({health.from_x(), health.from_y(), health.from_z()});
  if (!is_finite(set.source)) set.source = {};
  const bool hit = health.by() != 0 || set.source != Vec3{};
  set.cause = hit ? kHurtByWeapon : kHurtByFall;
  me_.fresh = false;
  if (std::exchange(me_.hp, set.hp) == set.hp) return;
  const bool restocked = same_game(out) && !from && !hit;  // Restock tells it together with the ammunition
  if (!restocked) client_.send(set, out);
}

void ClientWeapons::feel_mass(FrontOut& out) {
  constexpr double kFelt = 2;  // the smallest change that is sent
  const core::PlayerState* me = out.world().player(out.me());
  if (me == nullptr || !players_.playing()) return;
  double mass = 0;
  for (const core::Id id : me->units)
    if (const core::UnitState* unit = out.world().unit(id); unit != nullptr && unit->unit.kind() == words::Unit::CELL)
      mass += unit->unit.radius() * unit->unit.radius();
  me_.most_mass = std::max(me_.most_mass, mass);
  if (!(mass > 0)) return;
  const double left = std::max(1.0, std::round(kFullHealth * mass / me_.most_mass));
  if (std::abs(left - me_.hp) < kFelt) return;
  SetHp set;
  set.hp = me_.hp = static_cast<std::uint8_t>(left);
  set.cause = kHurtByFall;
  client_.send(set, out);
}

void ClientWeapons::hear(const words::Ammo& ammo, FrontOut& out) {
  if (ammo.player() != out.me() || !players_.playing()) return;
  const bool fresh = std::exchange(me_.fresh, false), reloads = std::exchange(me_.reloaded, 0) != 0;
  const auto load = load_of(ammo);
  const bool same_load = std::exchange(me_.load, load) == load;
  if (is_full(ammo, kit_of(players_.own().weapon))) {
    if (fresh) return;  // a player that was just created has everything
    me_.hp = static_cast<std::uint8_t>(kFullHealth);
    client_.send(Restock{kOwn}, out);
  } else if (!same_load || reloads) {  // otherwise only counts changed that the client keeps itself
    client_.send(WeaponReload{kOwn, load.first, load.second}, out);
  }
}

/// One of the client's guns has fired, and loads for the time that the shot gives (`life`). In a room that does not
/// count rounds, as in an arena or for a cell, the clip is filled again.
void ClientWeapons::hear(const words::Shot& shot, FrontOut& out) {
  if (shot.shooter() != out.me()) return;
  if (shot.life() > 0) me_.guns.fire(me_.gun, out.now() + micros(std::min(shot.life(), kSlowestReload)));
  if (shot.kind() == words::GRENADE || same_game(out) || room_guns(out) != 0 || is_counted(out)) return;
  if (players_.playing() && me_.reloaded == 0) fill_clip(out);
}

void ClientWeapons::begin(const PlayerEntry& own) {
  me_.reloaded = 0;
  me_.hp = static_cast<std::uint8_t>(kFullHealth);
  me_.most_mass = 0;
  me_.fresh = true;
  me_.load = {gun(own.weapon).clip, gun(own.weapon).reserve};
  me_.guns = {};
  me_.pulls_at = 0;
}

}  // namespace entente::aos
