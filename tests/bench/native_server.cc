#include "tests/bench/native_server.h"

#include "tests/bench/sockets.h"

namespace entente::bench {
namespace {

constexpr core::Id kPlayer = 1, kFirstOther = 2, kOwnTank = 1001, kFirstTank = 1002;

std::size_t length_at(Bytes bytes) {
  return std::size_t{bytes[0]} << 24U | std::size_t{bytes[1]} << 16U | std::size_t{bytes[2]} << 8U | bytes[3];
}

words::Unit tank(core::Id id, core::Id owner) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_owner(owner);
  unit.set_alive(owner != kPlayer);
  unit.mutable_pose()->set_unit(id);
  unit.mutable_pose()->set_x(id % 700 - 350.0);
  return unit;
}

}  // namespace

void write_native(const google::protobuf::Message& word, Buffer& out) {
  const std::size_t size = word.ByteSizeLong(), start = out.size();
  out.resize(start + 4 + size);
  for (std::size_t i = 0; i < 4; ++i) out[start + i] = static_cast<std::uint8_t>(size >> (24 - 8 * i));
  word.SerializeWithCachedSizesToArray(out.data() + start + 4);
}

template <class Kind>
void NativeServer::say(const Kind& kind, Buffer& out) {
  core::to_message(core::Fact(kind), fact_);
  write_native(fact_, out);
}

void NativeServer::greet(Buffer& out) {
  words::You you;
  you.set_player(kPlayer);
  say(you, out);
}

void NativeServer::receive(Bytes bytes, Buffer& out) {
  if (!heard_.empty()) {
    append(heard_, bytes);
    bytes = heard_;
  }
  while (bytes.size() >= 4 && bytes.size() - 4 >= length_at(bytes)) {
    const std::size_t size = length_at(bytes);
    if (!intent_.ParseFromArray(bytes.data() + 4, static_cast<int>(size))) die("an intent arrived changed");
    answer(intent_, out);
    bytes = bytes.subspan(4 + size);
  }
  heard_ = Buffer(bytes.begin(), bytes.end());
}

void NativeServer::answer(const words::Intent& intent, Buffer& out) {
  if (intent.has_pose_claim()) {
    ++claims_;
    say_pose(intent.pose_claim().seq(), out);
  } else if ((intent.has_want_world() || intent.has_enter()) && !told_) {
    tell(out);
  } else if (intent.has_spawn()) {
    words::Spawned spawned;
    spawned.set_unit(kOwnTank);
    spawned.mutable_pose()->set_unit(kOwnTank);
    say(spawned, out);
  }
}

void NativeServer::tell(Buffer& out) {
  told_ = true;
  words::Room room;
  room.set_game("native");
  room.set_mode("free for all");
  room.set_most_shots(5);
  say(room, out);
  words::World world;
  world.set_west(-400);
  world.set_east(400);
  world.set_south(-400);
  world.set_north(400);
  world.set_hash("open");
  say(world, out);
  for (core::Id player = kPlayer; player < kFirstOther + kTanks; ++player) {
    const core::Id unit = player == kPlayer ? kOwnTank : kFirstTank + player - kFirstOther;
    words::Player who;
    who.set_id(player);
    who.set_name("tank " + std::to_string(player));
    who.set_team(words::ROGUE);
    say(who, out);
    say(tank(unit, player), out);
    words::Owns owns;
    owns.set_player(player);
    owns.add_units(unit);
    owns.set_active(unit);
    say(owns, out);
  }
  say(words::Ready(), out);
}

void NativeServer::say_pose(std::uint32_t number, Buffer& out) {
  auto& pose = *std::get_if<words::Pose>(&pose_.content);
  pose.set_unit(kFirstTank + next_tank_);
  next_tank_ = (next_tank_ + 1) % kTanks;
  pose.set_x(pose.unit() % 700 - 350.0 + static_cast<double>(number % 64) / 64);
  pose.set_y(12.5);
  pose.set_vx(20);
  pose.set_yaw(0.5);
  pose.set_seq(number);
  core::to_message(pose_, fact_);
  write_native(fact_, out);
}

}  // namespace entente::bench
