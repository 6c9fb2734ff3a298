#include "adapters/bzflag/back/own_shots.h"

namespace entente::bzflag {
namespace {

/// bzfs shows each shot to its shooter, too, unless it refuses the shot. It says nothing then.
constexpr core::Micros kShotPatience = 2 * core::kSecond;

}  // namespace

const MappingLine* OwnShots::why_not_shoot() const {
  return joining_.lacks_udp_link() && state_.wish->role() != words::ROBOT ? &drops::kNoDatagrams : nullptr;
}

std::optional<std::uint16_t> OwnShots::free_shot(std::optional<std::uint32_t> wished, BackOut& out) {
  const std::uint32_t shot = wished.value_or(0), gun = wished ? shot & 0xffU : core::GunReloads::kAny;
  const auto slot = loaded(gun, out);
  if (!slot) return std::nullopt;
  std::uint8_t& salt = salts_[*slot];
  salt = static_cast<std::uint8_t>((*slot == gun ? shot >> 8U : salt + 1U) & 0x7fU);
  return static_cast<std::uint16_t>(std::uint32_t{salt} << 8U | *slot);
}

/// The life of a plain shot must be exactly what bzfs computes: bzfs compares it bit by bit.
void OwnShots::fire(const words::Fire& fire, std::uint16_t number, BackOut& out) {
  ShotBegin begin;
  begin.pos = vec3(fire.x(), fire.y(), fire.z());
  begin.flag = flag_kind(fire.weapon());
  fly_on_wire(fire, effect_of(code_of(begin.flag)), tank_rules_.variables, begin);
  if (fire.weapon() == 0 || !(begin.life > 0)) begin.life = tank_rules_.variables["_reloadTime"];
  begin_shot(begin, number, out);
}

/// Fires for a tank that our physics drive. Sends its place first, because the server compares a shot with the last
/// place that it received. A shock wave begins below the tank.
void OwnShots::fire_along(double yaw, words::Pose here, std::uint16_t number, BackOut& out) {
  if (out.now() != tank_.sent_at) {
    here.set_seq(++tank_.last_seq);
    tank_.report(here, out);
  }
  const Variables& variables = tank_rules_.variables;
  const FlagEffect& effect = effect_of(tokens_.carried());
  ShotBegin begin;
  // A shot of the phantom zone is one of a tank that has been zoned by a teleporter, which ours never is.
  if (effect.victim != FlagEffect::Victim::kIfZoned) begin.flag = flag_kind(effect.code);
  begin.life = variables["_reloadTime"];
  const double size = factor(effect.size, variables);
  const core::Flight flight =
      core::fired(here, yaw, {variables["_muzzleFront"] * size, variables["_muzzleHeight"]}, variables["_shotSpeed"]);
  begin.pos = vec3(flight.at[0], flight.at[1], flight.at[2]);
  begin.vel = vec3(flight.velocity[0], flight.velocity[1], flight.velocity[2]);
  if (effect.kind == words::WAVE) {
    begin.pos = vec3(here.x(), here.y(), here.z());
    begin.vel = {};
  }
  begin_shot(begin, number, out);
}

void OwnShots::begin_shot(ShotBegin begin, std::uint16_t number, BackOut& out) {
  begin.shot = number;
  begin.sent = own_tank_.clock(out);
  begin.player = player_id(state_.number);
  begin.team = server_players_.own()->team;
  const double rate = factor(effect_of(code_of(begin.flag)).fire_rate, tank_rules_.variables);
  fire_gun(static_cast<std::uint8_t>(number & 0xffU), begin.life / rate, out);
  link_.quick(out, begin);
  tank_.claims.begin(core::Claim::kFire, kShotPatience, out);
}

}  // namespace entente::bzflag
