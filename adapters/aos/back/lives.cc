#include "adapters/aos/back/lives.h"

#include "proxy/core/bodies.h"

namespace entente::aos {

/// A player who was there before us. The next snapshot contains its place.
void Lives::hear(const ExistingPlayer& existing, BackOut& out) {
  if (existing.player == server_.number && server_.in()) return out.drop(drops::kExistingIsUs);
  ServerPlayer& one = players_.meet(existing.player, out);
  one.team = player_team(existing.team);
  one.weapon = weapon_of(kit_of(existing.weapon));
  one.tool = existing.tool;
  one.kills = existing.kills;
  one.player.set_name(text_of(existing.name.view()));
  one.player.set_team(server_.sides.team_of(one.team));
  one.player.set_role(one.team == kSpectator ? words::WATCH : words::PLAY);
  one.player.set_kit(kit_of(one.weapon));
  one.player.set_colour(colour_of(existing.colour));
  if (server_.loaded()) players_.tell(one, out);
}

/// A player comes into play: a new one, or one that has died or changed its side or weapon. Spectators, too.
void Lives::hear(const CreatePlayer& created, BackOut& out) {
  if (!may_be(created.position)) return out.drop(drops::kCreatedOutside);
  ServerPlayer& one = players_.meet(created.player, out);
  const words::Player before = one.player;
  one.team = player_team(created.team);
  one.weapon = weapon_of(kit_of(created.weapon));
  one.tool = kGun;
  one.keys = one.buttons = 0;
  one.player.set_team(server_.sides.team_of(one.team));
  one.player.set_role(one.team == kSpectator ? words::WATCH : words::PLAY);
  one.player.set_kit(kit_of(one.weapon));
  if (one.player.colour() != 0) one.player.set_colour(kPlainColour);
  if (!created.name.view().empty()) one.player.set_name(text_of(created.name.view()));
  one.died = false;
  if (!server_.loaded()) return;  // reported when the map is loaded, and shown by the next snapshot
  const bool known = (one.unit != 0) == (one.team != kSpectator);
  if (!known && one.unit != 0) {
    words::Gone gone;
    gone.set_unit(std::exchange(one.unit, 0));
    out.say(gone);
  }
  const bool same = before.team() == one.player.team() && before.kit() == one.player.kit() &&
                    before.name() == one.player.name() && before.role() == one.player.role();
  if (!known || !same || out.world().player(one.player.id()) == nullptr) players_.tell(one, out);
  one.position = created.position;
  one.velocity = {};
  if (one.unit != 0) players_.tell_spawned(one, out);
  if (created.player == server_.number) begin_own(created, out);
}

void Lives::begin_own(const CreatePlayer& created, BackOut& out) {
  if (!server_.in()) server_.last_server_line.let_in(out.now());
  server_.stage = Server::Stage::kIn;
  for (const core::Claim claim : {core::Claim::kEnter, core::Claim::kSpawn, core::Claim::kChange})
    server_.claims.answered(claim);
  const bool plays = is_side(created.team);
  hands_.begin_life(plays, players_.own()->weapon, out);
  man_.begin_life(created, out);
  if (plays) hands_.tell_ammo(out);
}

void Lives::hear(const PlayerLeft& left, BackOut& out) {
  if (left.player == server_.number) return out.drop(drops::kLeftIsUs);
  if (!players_.forget(left.player, out)) out.drop(drops::kLeftNobody);
}

void Lives::hear(const KillAction& kill, BackOut& out) {
  ServerPlayer* victim = players_.find(kill.victim);
  if (victim == nullptr) return out.drop(drops::kKilledNobody);
  ServerPlayer* killer = kill.killer != kill.victim ? players_.find(kill.killer) : nullptr;
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
  players_.tell_score(*victim, out);
  if (killer != nullptr) {
    ++killer->kills;
    players_.tell_score(*killer, out);
  }
  if (kill.victim != server_.number) return;
  man_.end_life();
  server_.claims.end_life();
  server_.claims.answered(core::Claim::kChange);
  server_.claims.begin(core::Claim::kSpawn, kill.respawn * core::kSecond + kSpawnPatience, out);
}

/// The colour of the blocks that the player builds from now on.
void Lives::hear(const SetColour& set, BackOut& out) {
  ServerPlayer* one = players_.find(set.player);
  if (one == nullptr) return out.drop(drops::kColourOfNobody);
  one->player.set_colour(colour_of(set.colour));
  out.say(one->player);
}

/// The packet does not name the shooter, so the player nearest to the source is reported.
void Lives::hear(const SetHp& hp, BackOut& out) {
  const ServerPlayer* me = players_.own();
  if (me == nullptr || me->unit == 0) return out.drop(drops::kHpOfDead);
  words::Health health = core::health_word(me->unit, hp.hp, kFullHealth);
  if (is_finite(hp.source)) {
    const Point from = point_of(hp.source);
    health.set_from_x(from.x);
    health.set_from_y(from.y);
    health.set_from_z(from.z);
    float nearest = kSightRange;
    for (const auto& [number, one] : players_) {
      const float far = distance(one.position, hp.source);
      if (hp.cause != kHurtByWeapon || number == server_.number || !one.alive || far >= nearest) continue;
      nearest = far;
      health.set_by(one.player.id());
    }
  }
  out.say(health);
}

}  // namespace entente::aos
