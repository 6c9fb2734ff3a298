#include "adapters/bzflag/back/own_shots.h"

namespace entente::bzflag {
namespace {

/// Flags that change the speed or the life of shots. bzfs computes the same values and drops shots that differ
/// (bzfs.cxx:4020 at v2.4.26).
struct Gun {
  std::string_view flag;
  const char* speed;
  const char* life;
};
constexpr Gun kGuns[] = {{"MG", "_mGunAdVel", "_mGunAdLife"},
                         {"F", "_rFireAdVel", "_rFireAdLife"},
                         {"L", "_laserAdVel", "_laserAdLife"},
                         {"TH", "_thiefAdShotVel", "_thiefAdLife"},
                         {"SW", nullptr, "_shockAdLife"}};

/// bzfs shows each shot to its shooter, too, unless it refuses the shot. It says nothing then.
constexpr core::Micros kShotPatience = 2 * core::kSecond;

}  // namespace

const MappingLine* OwnShots::why_not_shoot() const {
  return joining_.lacks_udp_link() && state_.wish->role() != words::ROBOT ? &drops::kNoDatagrams : nullptr;
}

std::optional<std::uint16_t> OwnShots::free_shot(std::optional<std::uint32_t> wished, BackOut& out) {
  const std::uint32_t shot = wished.value_or(0), gun = shot != 0 ? shot & 0xffU : core::GunReloads::kAny;
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
  begin.vel = vec3(fire.vx(), fire.vy(), fire.vz());
  begin.flag = flag_kind(fire.weapon());
  begin.life = fire.weapon() != 0 && fire.life() > 0 ? to_float(fire.life()) : tank_rules_.variables["_reloadTime"];
  begin_shot(begin, number, out);
}

/// Fires for a tank that our physics drive. Sends its place first, because the server compares a shot with the last
/// place that it received.
void OwnShots::fire_along(double yaw, words::Pose here, std::uint16_t number, BackOut& out) {
  if (out.now() != tank_.sent_at) {
    here.set_seq(++tank_.last_seq);
    tank_.report(here, out);
  }
  const Variables& variables = tank_rules_.variables;
  const std::string flag = tokens_.carried();
  ShotBegin begin;
  begin.flag = flag_kind(flag);
  float speed = variables["_shotSpeed"];
  begin.life = variables["_reloadTime"];
  for (const Gun& gun : kGuns) {
    if (gun.flag != flag) continue;
    speed *= gun.speed != nullptr ? variables.find(gun.speed).value_or(1) : 0;
    begin.life *= variables.find(gun.life).value_or(1);
  }
  const core::Flight flight = core::fired(here, yaw, {variables["_muzzleFront"], variables["_muzzleHeight"]}, speed);
  begin.pos = vec3(flight.at[0], flight.at[1], flight.at[2]);
  if (speed != 0) begin.vel = vec3(flight.velocity[0], flight.velocity[1], flight.velocity[2]);
  begin_shot(begin, number, out);
}

void OwnShots::begin_shot(ShotBegin begin, std::uint16_t number, BackOut& out) {
  begin.shot = number;
  begin.sent = own_tank_.clock(out);
  begin.player = player_id(state_.number);
  begin.team = server_players_.own()->team;
  fire_gun(static_cast<std::uint8_t>(number & 0xffU), begin.life, out);
  link_.quick(out, begin);
  tank_.claims.begin(core::Claim::kFire, kShotPatience, out);
}

}  // namespace entente::bzflag
