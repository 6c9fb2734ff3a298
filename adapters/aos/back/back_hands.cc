// What our man's hands do, as its player says: buttons, tools, blocks, grenades; and his mouth. See back.h.
#include <cmath>

#include "adapters/aos/back/back.h"
#include "adapters/aos/cp437.h"
#include "adapters/aos/losses.h"
#include "proxy/core/chat.h"
#include "proxy/core/seconds.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::kSecond, core::micros, core::Micros;

// piqueserver throws out who changes blocks faster, ten times in a minute (constants.py: 100 ms; of a gun 50 to 300).
constexpr Micros kEditEvery = 110 * kMillisecond;
constexpr Micros kEditByGun[] = {210 * kMillisecond, 60 * kMillisecond, 310 * kMillisecond};
constexpr Micros kThrowEvery = 600 * kMillisecond;
constexpr double kLongestFuse = 3;           // seconds
constexpr float kHardestThrow = 2;           // blocks per 1/32 s
constexpr Micros kReloadLate = 2 * kSecond;  // no answer by then: it may be asked for again

// SpadesX mutes at 5 lines in 2 s and refuses two within 400 ms, piqueserver mutes at 5 in 10 s.
constexpr Micros kLineEvery = 450 * kMillisecond, kLinesWithin = 10'500 * kMillisecond;
constexpr std::size_t kMostLines = 8;

}  // namespace

void BackSession::hold(std::uint8_t tool, Outlet& out) {
  if (own_.tool == tool) return;
  own_.tool = tool;
  send(SetTool{number_, tool}, out);
}

void BackSession::press(std::uint8_t buttons, Outlet& out) {
  if (own_.buttons_sent == buttons) return;
  own_.buttons_sent = buttons;
  send(WeaponInput{number_, buttons}, out);
}

void BackSession::hear_tool(std::uint32_t number, Outlet& out) {
  if (number > kGrenades) return out.lose(loss::kNoTool);
  if (may_act()) return hold(static_cast<std::uint8_t>(number), out);
  own_.tool = static_cast<std::uint8_t>(number);
}

/// Of a client of this game, which shoots itself.
void BackSession::hear_trigger(const words::Trigger& trigger, Outlet& out) {
  if (!may_act()) return out.lose(loss::kNotInPlay, trigger);
  press(static_cast<std::uint8_t>((trigger.primary() ? kPrimary : 0) | (trigger.secondary() ? kSecondary : 0)), out);
}

void BackSession::hear_hit(const words::HitClaim& claim, Outlet& out) {
  const std::uint8_t* victim = players_.wire(claim.victim());
  if (!may_act() || victim == nullptr) return out.lose(loss::kHitNobodyInPlay);
  send(Hit{*victim, static_cast<std::uint8_t>(claim.part() <= words::HitClaim::MELEE ? claim.part() : 0)}, out);
}

void BackSession::hear_change(const words::Change& change, Outlet& out) {
  if (change.has_colour()) {
    own_.colour = change.colour();
    if (may_act()) send(SetColour{number_, wire_colour(own_.colour)}, out);
    if (Someone* me = find(number_); me != nullptr && may_act()) {
      me->player.set_colour(own_.colour);
      out.say(me->player);
    }
  }
  if (change.has_name() || change.has_motto() || change.has_skin()) out.lose(loss::kNewName);
  if (wish_ && change.has_team()) wish_->set_team(change.team());
  if (wish_ && change.has_kit()) wish_->set_kit(change.kit());
  if (stage_ != Stage::kIn) return;
  if (change.has_team()) send(ChangeTeam{number_, sides_.side_of(change.team())}, out);
  if (change.has_kit()) send(ChangeWeapon{number_, weapon_of(change.kit())}, out);
}

/// Nothing is changed here before the server says so to all. A line begins where the right button was pressed.
void BackSession::hear_edit(const words::Edit& edit, Outlet& out) {
  if (!may_act()) return out.lose(loss::kNotInPlay, edit);
  if (edit.op() == words::Edit::BLAST) return out.lose(loss::kBlast);
  const Block at = block_at({edit.x(), edit.y(), edit.z()}), to = block_at({edit.x2(), edit.y2(), edit.z2()});
  const bool line = edit.op() == words::Edit::LINE, builds = line || edit.op() == words::Edit::BUILD;
  if (!in_map(at) || (line && !in_map(to))) return out.lose(loss::kWishOutside);
  const bool by_gun = own_.tool == kGun && !builds;
  const Micros every = by_gun ? kEditByGun[find(number_)->weapon] : kEditEvery;
  if (out.now() < own_.edits_at + every) return out.lose(loss::kEditTooFast);
  own_.edits_at = out.now();
  if (!plays_itself()) hold(builds ? kBlocks : kSpade, out);
  if (builds && edit.colour() != own_.colour && edit.colour() != 0) {
    own_.colour = edit.colour();
    send(SetColour{number_, wire_colour(own_.colour)}, out);
  }
  if (!line) return send(BlockAction{number_, action_of(edit.op()), at}, out);
  const std::uint8_t pressed = own_.buttons_sent;
  press(pressed | kSecondary, out);
  send(BlockLine{number_, at, to}, out);
  press(pressed, out);
}

void BackSession::throw_grenade(const words::Fire& fire, Outlet& out) {
  if (!may_act()) return out.lose(loss::kFireNotInPlay);
  if (own_.grenades == 0) return out.lose(loss::kNoGrenades);
  if (out.now() < own_.throws_at + kThrowEvery) return out.lose(loss::kThrowTooFast);
  Grenade grenade;
  grenade.player = number_;
  grenade.fuse = static_cast<float>(std::clamp(fire.life(), 0.0, kLongestFuse));
  grenade.position = place_of({fire.x(), fire.y(), fire.z()});
  grenade.velocity = velocity_of({fire.vx(), fire.vy(), fire.vz()});
  bool sane = std::isfinite(grenade.fuse);
  for (std::size_t i = 0; i < 3; ++i) {
    sane = sane && std::isfinite(grenade.position[i]) && std::isfinite(grenade.velocity[i]);
    grenade.velocity[i] = std::clamp(grenade.velocity[i], -kHardestThrow, kHardestThrow);
  }
  if (!sane) return out.lose(loss::kFireNotFinite);  // piqueserver bans for them
  own_.throws_at = out.now();
  --own_.grenades;
  hold(kGrenades, out);
  send(grenade, out);
  on(grenade, out);  // the server tells all but the thrower
  tell_ammo(out);
}

void BackSession::reload(Outlet& out) {
  if (!may_act()) return out.lose(loss::kReloadNotInPlay);
  const std::uint8_t weapon = find(number_)->weapon;
  if (own_.reserve == 0 || out.now() < own_.reloads_until) return;
  own_.reloads_until = out.now() + micros(gun(weapon).reload_s) + kReloadLate;
  press(0, out);
  send(WeaponReload{number_, own_.clip, own_.reserve}, out);
}

void BackSession::tell_ammo(Outlet& out) {
  words::Ammo ammo;
  ammo.set_player(out.me());
  ammo.set_clip(own_.clip);
  ammo.set_reserve(own_.reserve);
  ammo.set_blocks(own_.blocks);
  ammo.set_grenades(own_.grenades);
  out.say({out.me(), ammo});
}

// -- Talk -------------------------------------------------------------------------------------------------------------

void BackSession::speak(const words::Say& say, Outlet& out) {
  if (stage_ != Stage::kIn) return out.lose(loss::kNotInPlay, say);
  // A server looks at the text of a command alone; any other line is shown to all, or to a side.
  const bool few = say.scope() != words::Say::EVERYBODY && say.scope() != words::Say::MY_TEAM;
  if (few && say.kind() != words::Say::COMMAND) return out.lose(loss::kChatForFew);
  const std::uint8_t type = say.scope() == words::Say::MY_TEAM ? 1 : 0;
  const std::string whole = say.kind() == words::Say::ACTION ? "* " + say.text() : say.text();
  bool too_fast = false;
  const auto add = [&](std::string_view line) {
    if (lines_.size() < kMostLines)
      lines_.push_back(static_cast<char>(type) + to_wire(line));
    else
      too_fast = true;
  };
  if (const Mapping* unsent = core::send_lines(say.kind(), whole, kLongestLine, CutAt::kBlank, add)) out.lose(*unsent);
  if (too_fast) out.lose(loss::kChatTooFast);
  speak_on(out);
}

void BackSession::speak_on(Outlet& out) {
  while (!lines_.empty() && stage_ == Stage::kIn) {
    const Micros oldest = spoke_[spoken_ % spoke_.size()], last = spoke_[(spoken_ + 3) % spoke_.size()];
    if (spoken_ >= spoke_.size() && out.now() < oldest + kLinesWithin) return;
    if (spoken_ > 0 && out.now() < last + kLineEvery) return;
    spoke_[spoken_++ % spoke_.size()] = out.now();
    ChatMessage chat;
    chat.player = number_;
    chat.type = static_cast<std::uint8_t>(lines_.front()[0]);
    chat.text.chars = lines_.front().substr(1) + '\0';
    lines_.pop_front();
    send(chat, out);
  }
}

}  // namespace entente::aos
