#include "tests/judge/match.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "proxy/core/gameplay/claims.h"
#include "proxy/core/gameplay/steering.h"
#include "proxy/core/seconds.h"

namespace entente::judged {
namespace {

constexpr double kStep = 0.05;  // seconds
constexpr double kMuzzleHeight = 1.57, kMuzzleFront = 4.4;
constexpr double kSight = 250;  // metres
constexpr double kRespawn = 4;
constexpr double kAimsBefore = 0.8;  // it shoots; until then, it drives about
constexpr double kRemembers = 3;     // seconds that the places of a tank are kept

double distance(double x, double y, double to_x, double to_y) { return std::hypot(to_x - x, to_y - y); }

words::Rule rule(const char* name, double value) {
  words::Rule word;
  word.set_name(name);
  word.set_value(std::to_string(value));
  return word;
}

}  // namespace

Match::Match(std::uint64_t seed, const std::vector<CheatKind>& cheats, Sink sink)
    : chance_(seed), field_(make_field(chance_)), sink_(std::move(sink)) {
  for (const CheatKind kind : cheats) {
    const auto number = static_cast<std::uint32_t>(players_.size() + 1);
    players_.push_back(std::make_unique<Player>(make_player(number, kind, Chance(chance_.next()))));
    Player& player = *players_.back();
    player.team = !field_.teams ? words::ROGUE : number % 2 == 0 ? words::RED : words::BLUE;
    player.joins = chance_.happens(0.7) ? 0 : chance_.between(0, 120);
    player.loaded_at.assign(static_cast<std::size_t>(field_.guns), 0);
  }
  for (const FlagKind& kind : field_.flags) {
    const auto at = field_.open_place(chance_);
    flags_.push_back({kind, at[0], at[1]});
  }
  open();
}

void Match::play(double seconds) {
  const double end = now_ + seconds;
  while (now_ < end) {
    now_ += kStep;
    while (!events_.empty() && events_.begin()->first <= now_) {
      const auto event = events_.extract(events_.begin());
      const double later = std::exchange(now_, event.key());
      event.mapped()();
      now_ = later;
    }
    for (const auto& player : players_) step(*player);
    fly(kStep);
  }
}

// -- At the server ----------------------------------------------------------------------------------------------------

void Match::tell(core::Fact fact) {
  fact.at = core::micros(now_);
  sink_(fact);
}

void Match::open() {
  words::Room room;
  room.set_game("judged");
  room.set_name("a match for judges");
  room.set_mode(field_.teams ? "teams" : "free for all");
  room.set_most_players(static_cast<std::uint32_t>(players_.size()));
  room.set_most_shots(static_cast<std::uint32_t>(field_.guns));
  room.set_teams(field_.teams);
  tell(room);
  tell(rule("speed", field_.model.speed));
  tell(rule("turn_rate", field_.model.turn_rate));
  tell(rule("reload", field_.reload));
  tell(rule("shot_speed", field_.shot_speed));
  tell(rule("shot_range", field_.shot_range));
  tell(field_.world);
  for (const Flag& flag : flags_) tell(token_of(flag));
  tell(words::Ready());
}

void Match::enter(Player& player) {
  player.in_there = true;
  words::Player word;
  word.set_id(player.id);
  word.set_name(player.name);
  word.set_team(player.team);
  tell(word);
  words::Unit unit;
  unit.set_id(player.unit);
  unit.set_owner(player.id);
  unit.set_team(player.team);
  unit.mutable_pose()->set_unit(player.unit);
  tell(unit);
  words::Owns owns;
  owns.set_player(player.id);
  owns.add_units(player.unit);
  owns.set_active(player.unit);
  tell(owns);
}

void Match::leave(Player& player) {
  for (Flag& flag : flags_)
    if (flag.carrier == &player) drop(flag, player.tank.x, player.tank.y);
  player.in_there = player.alive_there = false;
  words::Gone gone;
  gone.set_unit(player.unit);
  tell(gone);
  words::PlayerGone word;
  word.set_id(player.id);
  tell(word);
}

void Match::take_place(Player& player, const words::Pose& pose) {
  if (!player.alive_there) return;
  player.told.push_back({now_, pose});
  while (player.told.size() > 1 && player.told.front().at < now_ - kRemembers) player.told.pop_front();
  tell(pose);
}

void Match::die_there(Player& player, std::uint32_t killer, std::uint32_t shot) {
  if (!std::exchange(player.alive_there, false)) return;
  for (Flag& flag : flags_)
    if (flag.carrier == &player) drop(flag, player.tank.x, player.tank.y);
  words::Died died;
  died.set_player(player.id);
  died.set_unit(player.unit);
  died.set_killer(killer);
  died.set_shot(shot);
  died.set_why(words::BY_SHOT);
  died.set_respawn_s(kRespawn);
  tell(died);
}

words::Token Match::token_of(const Flag& flag) const {
  words::Token token;
  token.set_id(static_cast<std::uint32_t>(500 + (&flag - flags_.data())));
  token.set_code(flag.kind.code);
  token.set_state(flag.carrier != nullptr ? words::Token::CARRIED : words::Token::GROUND);
  token.set_carrier(flag.carrier != nullptr ? flag.carrier->id : 0);
  token.set_x(flag.x);
  token.set_y(flag.y);
  return token;
}

void Match::drop(Flag& flag, double x, double y) {
  words::TokenDropped dropped;
  dropped.set_by(flag.carrier->id);
  flag.carrier = flag.wanted_by = nullptr;
  flag.x = x;
  flag.y = y;
  *dropped.mutable_token() = token_of(flag);
  tell(dropped);
}

// -- At a client ------------------------------------------------------------------------------------------------------

void Match::step(Player& player) {
  if (!player.in) {
    if (now_ < player.joins || now_ >= player.leaves) return;
    player.in = true;
    player.spawns_at = now_ + player.chance.between(0.5, 3);
    at_server(*player.link.send(now_, true), [&] { enter(player); });
  }
  if (!player.alive) {
    if (now_ >= player.spawns_at) spawn(player);
    return;
  }
  player.before = player.tank;
  core::Controls controls;
  act(player, controls);
  core::TankModel model = field_.model;
  model.speed = speed_of(player);
  core::drive(model, field_.terrain, controls, kStep, player.tank);
  use_flags(player);
  teleport_if_there(player);
  cheat_place(player);
  send_place(player, false);
}

void Match::spawn(Player& player) {
  const auto at = field_.open_place(player.chance);
  player.alive = true;
  player.tank = {};
  player.tank.x = at[0];
  player.tank.y = at[1];
  player.tank.yaw = player.chance.between(-3, 3);
  player.before = player.tank;
  player.target = nullptr;
  player.goal_until = 0;
  words::Spawned spawned;
  spawned.set_unit(player.unit);
  put(player.tank, *spawned.mutable_pose());
  spawned.mutable_pose()->set_unit(player.unit);
  at_server(*player.link.send(now_, true), [this, &player, spawned] {
    if (!player.in_there) return;
    player.alive_there = true;
    player.told.assign(1, {now_, spawned.pose()});
    tell(spawned);
  });
}

void Match::act(Player& player, core::Controls& controls) {
  if (now_ >= player.watched_until) {
    const bool stuck = distance(player.tank.x, player.tank.y, player.watched[0], player.watched[1]) < 3;
    if (stuck) choose_goal(player), player.backs_until = now_ + player.chance.between(0.5, 2);
    player.watched = {player.tank.x, player.tank.y};
    player.watched_until = now_ + 1;
  }
  if (now_ >= player.goal_until || distance(player.tank.x, player.tank.y, player.goal[0], player.goal[1]) < 8)
    choose_goal(player);
  roam(player, controls);
  choose_target(player);
  const bool spams = player.cheat.kind == CheatKind::kReload && player.cheat.on(now_);
  const double loaded_at = *std::min_element(player.loaded_at.begin(), player.loaded_at.end());
  const bool shoots_soon = std::max(loaded_at, player.may_shoot_at) < now_ + kAimsBefore;
  if (player.target != nullptr && now_ >= player.knows_target_at && (shoots_soon || player.skill.sprays))
    aim(player, controls);
  else if (player.skill.sprays || spams)
    fire_if_loaded(player, player.tank.yaw);
}

void Match::choose_goal(Player& player) const {
  player.goal = field_.open_place(player.chance);
  player.goal_until = now_ + player.chance.between(3, 12);
}

void Match::roam(const Player& player, core::Controls& controls) const {
  core::TankModel model = field_.model;
  model.speed = speed_of(player);
  controls = core::steer_to(model, player.tank, player.goal[0], player.goal[1], 1, kStep);
  controls.ahead = now_ < player.backs_until ? -1 : std::max(controls.ahead, 0.7);  // people seldom stand
}

/// The nearest enemy in sight. Who shoots through walls looks for one behind a wall.
void Match::choose_target(Player& player) {
  if (now_ < player.look_at) return;
  player.look_at = now_ + player.chance.between(0.3, 1);
  const bool walls = player.cheat.kind == CheatKind::kWall && player.cheat.on(now_);
  const Player* nearest = nullptr;
  double least = kSight;
  for (const auto& other : players_) {
    if (!other->alive_there || other->told.empty() || !enemies(player, *other)) continue;
    const words::Pose pose = known(player, *other, false);
    const double far = distance(player.tank.x, player.tank.y, pose.x(), pose.y());
    if (far >= least || sees(player, pose) == walls) continue;
    nearest = other.get();
    least = far;
  }
  if (nearest == player.target) return;
  player.target = nearest;
  player.knows_target_at = now_ + player.skill.reaction;
  player.aim_error = player.skill.aim * player.chance.normal();
  player.lead_share = 1 + player.skill.lead * player.chance.normal();
}

/// Turns the hull to where the enemy and the shot would meet, and shoots when it looks there.
void Match::aim(Player& player, core::Controls& controls) {
  if (player.cheat.kind == CheatKind::kAim && player.cheat.on(now_)) {
    if (now_ >= player.may_shoot_at) fire_if_loaded(player, yaw_of_cheat(player));
    return;
  }
  const words::Pose target = known(player, *player.target, false);
  const double yaw = lead(player, target, player.lead_share) + player.aim_error;
  core::TankModel model = field_.model;
  model.speed = speed_of(player);
  controls = core::turn_to(model, player.tank, yaw, kStep);
  const bool fast = player.cheat.kind == CheatKind::kSpeed && player.cheat.on(now_);
  controls.ahead = fast ? 1 : player.skill.drives;
  const bool looks_there = std::abs(core::wrap_angle(yaw - player.tank.yaw)) < player.skill.tolerance;
  const bool spams = player.skill.sprays || (player.cheat.kind == CheatKind::kReload && player.cheat.on(now_));
  if (spams || (looks_there && now_ >= player.may_shoot_at)) fire_if_loaded(player, player.tank.yaw);
}

double Match::yaw_of_cheat(Player& player) {
  if (!player.chance.happens(player.cheat.share))
    return lead(player, known(player, *player.target, false), player.lead_share) + player.aim_error;
  const words::Pose target = known(player, *player.target, !player.cheat.variant);
  return lead(player, target, 1) + player.cheat.strength * player.chance.between(-1, 1);
}

/// The direction in which a shot meets the target, or with another share of the lead passes it.
double Match::lead(const Player& player, const words::Pose& target, double share) const {
  const double dx = target.x() - player.tank.x, dy = target.y() - player.tank.y;
  double vx = target.vx(), vy = target.vy();
  if (field_.shots_inherit) vx -= player.tank.vx, vy -= player.tank.vy;
  double t = 0;
  for (int i = 0; i < 20; ++i)
    t = std::max(0.0, std::hypot(dx + vx * t, dy + vy * t) - kMuzzleFront) / field_.shot_speed;
  return std::atan2(dy + vy * t * share, dx + vx * t * share);
}

void Match::fire_if_loaded(Player& player, double yaw) {
  const auto gun = std::min_element(player.loaded_at.begin(), player.loaded_at.end());
  if (*gun > now_) return;
  const FlagKind* const flag = flag_of(player);
  double takes = field_.reload * (flag != nullptr ? flag->reload : 1);
  if (player.cheat.kind == CheatKind::kReload && player.cheat.on(now_)) takes *= player.cheat.strength;
  *gun = now_ + takes;
  player.may_shoot_at = now_ + player.chance.between(0, player.skill.pause);
  fire(player, yaw);
  player.aim_error = player.skill.aim * player.chance.normal();
  player.lead_share = 1 + player.skill.lead * player.chance.normal();
}

void Match::fire(Player& player, double yaw) {
  const bool walls = player.cheat.kind == CheatKind::kWall && player.cheat.on(now_) && player.target != nullptr;
  Shot shot{&player, ++player.shots, {}, {}, now_ + field_.shot_range / field_.shot_speed, false};
  const double dx = std::cos(yaw), dy = std::sin(yaw);
  shot.at = {player.tank.x + kMuzzleFront * dx, player.tank.y + kMuzzleFront * dy, kMuzzleHeight};
  if (walls && player.cheat.variant) {
    const words::Pose target = known(player, *player.target, false);
    const double far = distance(player.tank.x, player.tank.y, target.x(), target.y());
    const double muzzle = std::max(kMuzzleFront, far - player.chance.between(10, 20));
    shot.at = {player.tank.x + muzzle * dx, player.tank.y + muzzle * dy, kMuzzleHeight};
  }
  shot.through = walls && !player.cheat.variant;
  shot.velocity = {field_.shot_speed * dx, field_.shot_speed * dy, 0};
  if (field_.shots_inherit) shot.velocity[0] += player.tank.vx, shot.velocity[1] += player.tank.vy;
  shots_.push_back(shot);

  const FlagKind* const flag = flag_of(player);
  words::Shot word;
  word.set_shooter(player.id);
  word.set_unit(player.unit);
  word.set_shot(shot.number);
  word.set_team(player.team);
  word.set_life(field_.shot_range / field_.shot_speed);
  word.set_range(field_.shot_range);
  core::set_way(shot.at, shot.velocity, word);
  if (flag != nullptr && flag->shot) word.set_weapon(static_cast<std::uint32_t>(flag->code[0]));
  if (flag != nullptr && flag->code[0] == 'G') word.set_kind(words::GUIDED);
  send_place(player, true);
  at_server(*player.link.send(now_, true), [this, &player, word] {
    if (player.in_there) tell(word);
  });
}

void Match::teleport_if_there(Player& player) {
  constexpr double kInside = 4, kAgain = 3;
  if (now_ < player.teleported_at + kAgain) return;
  for (std::size_t i = 0; i < field_.teleporters.size(); ++i) {
    const auto& [x, y] = field_.teleporters[i];
    if (distance(player.tank.x, player.tank.y, x, y) > kInside) continue;
    const auto& to = field_.teleporters[(i + 1) % field_.teleporters.size()];
    player.tank.x = player.before.x = to[0];
    player.tank.y = player.before.y = to[1];
    player.teleported_at = now_;
    words::Teleported teleported;
    teleported.set_unit(player.unit);
    teleported.set_from(static_cast<std::uint32_t>(2 * i));
    teleported.set_to(static_cast<std::uint32_t>(2 * ((i + 1) % field_.teleporters.size())));
    at_server(*player.link.send(now_, true), [this, &player, teleported] {
      if (player.in_there) tell(teleported);
    });
    return send_place(player, true);
  }
}

void Match::cheat_place(Player& player) {
  if (player.cheat.kind != CheatKind::kTeleport || now_ < player.jump_at) return;
  player.jump_at = now_ + player.chance.between(4, 20);
  if (!player.cheat.on(now_)) return;
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    const double way = player.chance.between(-3.15, 3.15), far = player.cheat.strength * player.chance.between(1, 1.5);
    const bool to_enemy = player.cheat.variant && player.target != nullptr && i < kTries / 2;
    const double x = to_enemy ? player.target->tank.x + 15 * std::cos(way) : player.tank.x + far * std::cos(way);
    const double y = to_enemy ? player.target->tank.y + 15 * std::sin(way) : player.tank.y + far * std::sin(way);
    if (!field_.terrain.free(field_.model, x, y, 0, player.tank.yaw)) continue;
    if (x < field_.world.west() || x > field_.world.east() || y < field_.world.south() || y > field_.world.north())
      continue;
    player.tank.x = player.before.x = x;
    player.tank.y = player.before.y = y;
    return send_place(player, true);
  }
}

/// Takes what lies there, and drops it after a while.
void Match::use_flags(Player& player) {
  constexpr double kReach = 4;
  if (player.flag >= 0) {
    Flag& flag = flags_[static_cast<std::size_t>(player.flag)];
    if (flag.carrier == &player && now_ < player.flag_until) return;
    const int number = std::exchange(player.flag, -1);
    player.flag_until = now_ + kRespawn;
    at_server(*player.link.send(now_, true), [this, &player, number, x = player.tank.x, y = player.tank.y] {
      Flag& its = flags_[static_cast<std::size_t>(number)];
      if (its.carrier == &player) drop(its, x, y);
    });
    return;
  }
  if (now_ < player.flag_until) return;
  for (Flag& flag : flags_) {
    if (flag.wanted_by != nullptr || distance(player.tank.x, player.tank.y, flag.x, flag.y) > kReach) continue;
    flag.wanted_by = &player;
    const auto number = static_cast<int>(&flag - flags_.data());
    player.flag_until = now_ + 1;
    const double there = *player.link.send(now_, true);
    at_server(there, [this, &player, &flag] {
      if (!player.alive_there || flag.carrier != nullptr) return void(flag.wanted_by = flag.carrier);
      flag.carrier = &player;
      words::TokenTaken taken;
      taken.set_by(player.id);
      *taken.mutable_token() = token_of(flag);
      tell(taken);
    });
    at_server(there + player.link.back(), [this, &player, &flag, number] {
      if (flag.carrier != &player || !player.alive) return;
      player.flag = number;
      player.flag_until = now_ + player.chance.between(8, 40);
    });
    return;
  }
}

/// As clients do: if the others would expect the tank elsewhere, and now and then.
void Match::send_place(Player& player, bool at_once) {
  constexpr double kOff = 0.3, kTurned = 0.05, kEvery = 0.5;
  const double gone = now_ - player.sent_at;
  const double x = player.sent.x() + player.sent.vx() * gone, y = player.sent.y() + player.sent.vy() * gone;
  const double turned = core::wrap_angle(player.sent.yaw() + player.sent.yaw_rate() * gone - player.tank.yaw);
  if (!at_once && gone < kEvery && distance(x, y, player.tank.x, player.tank.y) < kOff && std::abs(turned) < kTurned)
    return;
  put(player.tank, player.sent);
  player.sent.set_unit(player.unit);
  player.sent.set_seq(++player.seq);
  player.sent_at = now_;
  words::Pose pose = player.sent;
  const bool hides = player.cheat.kind == CheatKind::kSpeed && player.cheat.variant && player.cheat.on(now_);
  if (hides) {
    pose.set_vx(pose.vx() / player.cheat.strength);
    pose.set_vy(pose.vy() / player.cheat.strength);
  }
  if (const auto at = player.link.send(now_, false))
    at_server(*at, [this, &player, pose] { take_place(player, pose); });
}

/// The client of the victim says so.
void Match::die(Player& player, const Shot& shot) {
  player.alive = false;
  player.flag = -1;
  player.spawns_at = now_ + kRespawn + player.chance.between(0, 2);
  at_server(*player.link.send(now_, true),
            [this, &player, killer = shot.shooter->id, number = shot.number] { die_there(player, killer, number); });
}

void Match::fly(double dt) {
  for (Shot& shot : shots_) {
    std::array<double, 3> to = shot.at;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += shot.velocity[i] * dt;
    if (!shot.through)
      if (const auto strike = field_.terrain.strike(shot.at, shot.velocity, dt, false)) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = shot.at[i] + shot.velocity[i] * strike->after;
        shot.until = 0;
      }
    for (const auto& player : players_) {
      if (!player->alive || player.get() == shot.shooter || !enemies(*shot.shooter, *player)) continue;
      if (!core::met(field_.model, player->before, player->tank, shot.at, to)) continue;
      die(*player, shot);
      shot.until = 0;
      break;
    }
    shot.at = to;
  }
  std::erase_if(shots_, [&](const Shot& shot) { return shot.until <= now_; });
}

// -- What a client knows ----------------------------------------------------------------------------------------------

bool Match::enemies(const Player& one, const Player& other) const {
  return &one != &other && (!field_.teams || one.team != other.team);
}

bool Match::sees(const Player& one, const words::Pose& other) const {
  const double dx = other.x() - one.tank.x, dy = other.y() - one.tank.y, far = std::hypot(dx, dy);
  if (far < 1) return true;
  return field_.terrain.clear_way(one.tank.x, one.tank.y, kMuzzleHeight, dx / far, dy / far, far) > far - 1;
}

const FlagKind* Match::flag_of(const Player& player) const {
  return player.flag < 0 ? nullptr : &flags_[static_cast<std::size_t>(player.flag)].kind;
}

double Match::speed_of(const Player& player) const {
  const FlagKind* const flag = flag_of(player);
  const bool fast = player.cheat.kind == CheatKind::kSpeed && player.cheat.on(now_);
  return field_.model.speed * (flag != nullptr ? flag->speed : 1) * (fast ? player.cheat.strength : 1);
}

/// Where a client shows another tank: by what the server has told it. `truth`: what the server knows at this moment.
words::Pose Match::known(const Player& viewer, const Player& other, bool truth) const {
  const double then = truth ? now_ : now_ - viewer.link.back();
  const Told* last = &other.told.front();
  for (const Told& one : other.told)
    if (one.at <= then) last = &one;
  return core::place_at(last->pose, core::micros(last->at), core::micros(std::max(last->at, then)));
}

}  // namespace entente::judged
