#include "adapters/aos/back/hands.h"

#include <cmath>
#include <utility>

#include "proxy/core/bodies.h"
#include "proxy/core/seconds.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::kSecond, core::micros, core::Micros;

// piqueserver kicks a player who changes blocks faster ten times in a minute (constants.py: every 100 ms, or 50 to
// 300 ms with a gun).
constexpr Micros kEditEvery = 110 * kMillisecond;
constexpr Micros kEditByGun[] = {210 * kMillisecond, 60 * kMillisecond, 310 * kMillisecond};
constexpr Micros kEditPatience = 2 * kSecond, kChangePatience = 3 * kSecond;
constexpr Micros kJoinPatience = 20 * kSecond;  // a spectator who joins a side waits for its spawn
constexpr Micros kThrowEvery = 600 * kMillisecond;
constexpr double kLongestFuse = 3;           // seconds
constexpr float kHardestThrow = 2;           // blocks per 1/32 s
constexpr Micros kReloadLate = 2 * kSecond;  // how late an answer may be; then a reload may be sent again

constexpr Micros kPress = 60 * kMillisecond;  // how long a shot holds the trigger
constexpr double kMargin = 1.1;               // times the interval between two shots: servers drop early shots
constexpr Micros kTellEmpty = 10 * kSecond;
constexpr std::uint8_t kShotgun = 2;

}  // namespace

void Hands::begin_life(bool plays, std::uint8_t weapon, BackOut& out) {
  const std::uint8_t before = std::exchange(life_, {}).weapon;
  life_.weapon = before;
  colour_ = kPlainColour;
  if (!plays) return;
  if (before != weapon) tell_gun(weapon, out);
  const Gun& full = gun(weapon);
  life_.weapon = weapon;
  life_.clip = full.clip;
  life_.reserve = full.reserve;
  life_.blocks = kFullBlocks;
  life_.grenades = kFullGrenades;
}

void Hands::forget() {
  life_ = {};
  edits_at_ = 0;
  colour_ = kPlainColour;
}

void Hands::hold(std::uint8_t tool, BackOut& out) {
  if (life_.tool == tool) return;
  life_.tool = tool;
  server_.send(SetTool{server_.number, tool}, out);
}

void Hands::press(std::uint8_t buttons, BackOut& out) {
  if (life_.buttons_sent == buttons) return;
  life_.buttons_sent = buttons;
  server_.send(WeaponInput{server_.number, buttons}, out);
}

void Hands::hear(const words::Tool& tool, BackOut& out) {
  const std::uint32_t number = tool.number();
  if (number > kGrenades) return out.drop(drops::kNoTool);
  if (man_.may_act()) return hold(static_cast<std::uint8_t>(number), out);
  life_.tool = static_cast<std::uint8_t>(number);
}

void Hands::hear(const words::Trigger& trigger, BackOut& out) {
  if (!man_.may_act()) return out.drop(drops::kNotInPlay, trigger);
  press(static_cast<std::uint8_t>((trigger.primary() ? kPrimary : 0) | (trigger.secondary() ? kSecondary : 0)), out);
}

void Hands::hear(const words::HitClaim& claim, BackOut& out) {
  const std::uint8_t* victim = players_.number_of(claim.victim());
  if (!man_.may_act() || victim == nullptr) return out.drop(drops::kHitNobodyInPlay);
  server_.send(Hit{*victim, static_cast<std::uint8_t>(claim.part() <= words::HitClaim::MELEE ? claim.part() : 0)}, out);
}

void Hands::hear(const words::Change& change, BackOut& out) {
  if (change.has_colour()) {
    colour_ = change.colour();
    if (man_.may_act()) server_.send(SetColour{server_.number, wire_colour(colour_)}, out);
    if (ServerPlayer* me = players_.own(); me != nullptr && man_.may_act()) {
      me->player.set_colour(colour_);
      out.say(me->player);
    }
  }
  if (change.has_name() || change.has_motto() || change.has_skin()) out.drop(drops::kNewName);
  if (server_.wish && change.has_team()) server_.wish->set_team(change.team());
  if (server_.wish && change.has_kit()) server_.wish->set_kit(change.kit());
  if (!server_.in()) return;
  const ServerPlayer* me = players_.own();
  const bool watches = me != nullptr && me->team == kSpectator;
  if (change.has_kit()) {  // before the side, because a new weapon kills a player in play
    if (!watches) server_.claims.begin(core::Claim::kChange, kChangePatience, out);
    server_.send(ChangeWeapon{server_.number, weapon_of(change.kit())}, out);
  }
  if (change.has_team() && (watches || change.team() != words::TEAM_ANY))
    ask_team(players_.side_for(change.team()), watches ? kJoinPatience : kChangePatience, out);
}

void Hands::ask_team(std::uint8_t team, Micros patience, BackOut& out) {
  if (server_.wish) server_.wish->set_role(team == kSpectator ? words::WATCH : words::PLAY);
  server_.claims.begin(core::Claim::kChange, patience, out);
  server_.send(ChangeTeam{server_.number, team}, out);
}

void Hands::watch(BackOut& out) { ask_team(kSpectator, kChangePatience, out); }

/// The map changes only when the server sends the edit to everybody. A line begins where the right button was pressed.
void Hands::hear(const words::Edit& edit, BackOut& out) {
  if (!man_.may_act()) return out.drop(drops::kNotInPlay, edit);
  if (edit.op() == words::Edit::BLAST) return out.drop(drops::kBlast);
  const Block at = block_at({edit.x(), edit.y(), edit.z()}), to = block_at({edit.x2(), edit.y2(), edit.z2()});
  const bool line = edit.op() == words::Edit::LINE, builds = line || edit.op() == words::Edit::BUILD;
  if (!in_map(at) || (line && !in_map(to))) return out.drop(drops::kWishOutside);
  const bool by_gun = life_.tool == kGun && !builds;
  const Micros every = by_gun ? kEditByGun[players_.own()->weapon] : kEditEvery;
  if (edits_at_ != 0 && out.now() < edits_at_ + every) return out.drop(drops::kEditTooFast);
  edits_at_ = out.now();
  server_.claims.begin(core::Claim::kEdit, kEditPatience, out);
  if (!man_.client_moves_body()) hold(builds ? kBlocks : kSpade, out);
  if (builds && edit.colour() != colour_ && edit.colour() != 0) {
    colour_ = edit.colour();
    server_.send(SetColour{server_.number, wire_colour(colour_)}, out);
  }
  if (!line) return server_.send(BlockAction{server_.number, action_of(edit.op()), at}, out);
  const std::uint8_t pressed = life_.buttons_sent;
  press(pressed | kSecondary, out);
  server_.send(BlockLine{server_.number, at, to}, out);
  press(pressed, out);
}

void Hands::throw_grenade(const words::Fire& fire, BackOut& out) {
  if (!man_.may_act()) return out.drop(drops::kFireNotInPlay);
  if (life_.grenades == 0) return out.drop(drops::kNoGrenades);
  if (out.now() < life_.throws_from) return out.drop(drops::kThrowTooFast);
  Grenade grenade;
  grenade.player = server_.number;
  grenade.fuse = static_cast<float>(std::clamp(fire.life(), 0.0, kLongestFuse));
  grenade.position = place_of({fire.x(), fire.y(), fire.z()});
  grenade.velocity = velocity_of({fire.vx(), fire.vy(), fire.vz()});
  bool sane = std::isfinite(grenade.fuse);
  for (std::size_t i = 0; i < 3; ++i) {
    sane = sane && std::isfinite(grenade.position[i]) && std::isfinite(grenade.velocity[i]);
    grenade.velocity[i] = std::clamp(grenade.velocity[i], -kHardestThrow, kHardestThrow);
  }
  if (!sane) return out.drop(drops::kFireNotFinite);  // piqueserver bans clients for such numbers
  life_.throws_from = out.now() + kThrowEvery;
  --life_.grenades;
  hold(kGrenades, out);
  server_.send(grenade, out);
  players_.hear(grenade, out);  // the server sends it to everybody but the thrower
  tell_ammo(out);
}

void Hands::reload(BackOut& out) {
  if (!man_.may_act()) return out.drop(drops::kReloadNotInPlay);
  const std::uint8_t weapon = players_.own()->weapon;
  if (life_.reserve == 0 || out.now() < life_.reloads_until) return;
  life_.reloads_until = out.now() + micros(gun(weapon).reload_s) + kReloadLate;
  press(0, out);
  server_.claims.begin(core::Claim::kReload, life_.reloads_until - out.now(), out);
  server_.send(WeaponReload{server_.number, life_.clip, life_.reserve}, out);
}

/// During a reload only a shotgun can be fired: its shells are loaded one by one, and those already loaded can be used.
const MappingLine* Hands::why_not_fire(const BackOut& out) const {
  if (life_.clip == 0 && life_.reserve == 0) return &drops::kNoRounds;
  const bool loads = life_.clip == 0 || players_.own()->weapon != kShotgun;
  if (out.now() < life_.reloads_until && loads) return &drops::kReloading;
  if (life_.clip == 0) return &drops::kClipEmpty;
  return out.now() < life_.fires_at ? &drops::kNextRound : nullptr;
}

void Hands::aim(BackOut& out) {
  life_.fires_at = out.now() + micros(gun(players_.own()->weapon).interval_s * kMargin);
  life_.reloads_until = 0;
  server_.claims.forget(core::Claim::kReload);  // a shot ends a reload
  hold(kGun, out);
}

void Hands::pull(BackOut& out) {
  press(life_.buttons_sent | kPrimary, out);
  life_.releases_at = out.now() + kPress;
  --life_.clip;
}

void Hands::release_trigger(BackOut& out) {
  if (life_.releases_at == 0 || out.now() < life_.releases_at) return;
  life_.releases_at = 0;
  press(life_.buttons_sent & kSecondary, out);
}

bool Hands::may_complain(const BackOut& out) {
  if (life_.empty_told != 0 && out.now() < life_.empty_told + kTellEmpty) return false;
  life_.empty_told = std::max<Micros>(out.now(), 1);
  return true;
}

void Hands::spend_blocks(std::size_t count) {
  life_.blocks = static_cast<std::uint8_t>(life_.blocks - std::min<std::size_t>(count, life_.blocks));
}

void Hands::hear(const Restock& restock, BackOut& out) {
  ServerPlayer* me = players_.own();
  if (restock.player != server_.number || me == nullptr || me->unit == 0) return out.drop(drops::kRestockOfOther);
  life_.reserve = gun(me->weapon).reserve;
  life_.blocks = kFullBlocks;
  life_.grenades = kFullGrenades;
  out.say(core::health_word(me->unit, kFullHealth, kFullHealth));
  life_.empty_told = 0;
  tell_ammo(out);
  if (life_.clip == 0 && !man_.client_moves_body()) reload(out);
}

void Hands::tell_ammo(BackOut& out) {
  words::Ammo ammo;
  ammo.set_player(out.me());
  ammo.set_clip(life_.clip);
  ammo.set_reserve(life_.reserve);
  ammo.set_blocks(life_.blocks);
  ammo.set_grenades(life_.grenades);
  out.say({out.me(), ammo});
}

/// For our own player, the result of a reload. For another player, the start of one.
void Hands::hear(const WeaponReload& reload, BackOut& out) {
  ServerPlayer* one = players_.find(reload.player);
  if (one == nullptr) return out.drop(drops::kReloadOfNobody);
  if (reload.player == server_.number) {
    server_.claims.answered(core::Claim::kReload);
    life_.clip = reload.clip;
    life_.reserve = reload.reserve;
    life_.reloads_until = 0;
    return tell_ammo(out);
  }
  words::Ammo ammo;
  ammo.set_player(one->player.id());
  ammo.set_clip(reload.clip);
  ammo.set_reserve(reload.reserve);
  out.say(ammo);
}

void tell_gun(std::uint8_t weapon, BackOut& out) {
  constexpr double kSlower = 1.2;  // times the server's interval, because a client's shots arrive at uneven intervals
  const Gun& full = gun(weapon);
  const double interval = full.interval_s * kSlower, range = double{kSightRange} * kMetresPerBlock;
  const double refill = weapon == kShotgun ? full.reload_s * full.clip : full.reload_s;
  tell_rule("reload", number_text(interval), out);
  tell_rule("refill", number_text(refill * kSlower), out);
  tell_rule("shot_speed", number_text(range / interval), out);  // a ray arrives before the next shot
}

}  // namespace entente::aos
