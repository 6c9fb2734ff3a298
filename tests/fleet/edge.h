// The room of an edge without a network, with one player, and an owner that a test plays.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/core/room/room.h"
#include "proxy/fleet/arena/mirror.h"

namespace entente::fleet::testing {

using Said = std::vector<std::string>;

/// Enters, and keeps the texts that it receives.
class Listener final : public core::Front {
 public:
  Listener(Said& said, int& ready, int& gone, std::vector<std::uint32_t>* causes = nullptr)
      : said_(said), ready_(ready), gone_(gone), causes_(causes) {}
  void receive(const Frames& frames, core::FrontOut& out) override {
    if (as_text(frames.bytes) == "enter") return out.say(words::Enter());
    if (as_text(frames.bytes) == "leave") return out.say(words::Leave());
    if (as_text(frames.bytes) == "spawn") return out.say(words::Spawn());
    if (as_text(frames.bytes) == "change") {
      words::Change change;
      change.set_team(words::BLUE);
      change.set_kit(2);
      change.set_motto("gone fishing");
      change.set_skin("stripes");
      return out.say(change);
    }
    if (as_text(frames.bytes) == "motto") {
      words::Change change;
      change.set_motto("gone fishing");
      return out.say(change);
    }
    if (as_text(frames.bytes) == "skin") {
      words::Change change;
      change.set_skin("stripes");
      return out.say(change);
    }
    if (as_text(frames.bytes) == "press") {
      words::Trigger trigger;
      trigger.set_primary(true);
      return out.say(trigger);
    }
    if (as_text(frames.bytes) == "release") return out.say(words::Trigger());
    if (as_text(frames.bytes) == "claim") return out.say(words::PoseClaim());
    if (const std::string_view text = as_text(frames.bytes); text.starts_with("to ")) {
      words::Say say;
      say.set_scope(words::Say::ONE);
      say.set_to(static_cast<core::Id>(std::stoul(std::string(text.substr(3)))));
      say.set_text("for you alone");
      return out.say(say);
    }
    if (as_text(frames.bytes) == "steer") {
      words::Toward toward;
      toward.set_x(12);
      return out.say(toward);
    }
    words::Say say;
    say.set_text(std::string(as_text(frames.bytes)));
    out.say(say);
  }
  void hear(const core::Fact& fact, core::FrontOut&) override {
    if (const auto* spawned = core::as<words::Spawned>(fact))
      said_.push_back("spawned at " + std::to_string(static_cast<int>(spawned->pose().x())));
    if (core::as<words::Died>(fact) != nullptr) said_.push_back("died");
    if (const auto* notice = core::as<words::Notice>(fact)) said_.push_back("notice: " + notice->text());
    if (causes_ != nullptr && core::as<words::Notice>(fact) != nullptr) causes_->push_back(fact.cause);
    if (const auto* kicked = core::as<words::Kicked>(fact)) said_.push_back("kicked: " + kicked->text());
    if (const auto* said = core::as<words::Said>(fact))
      said_.push_back(said->text() + (said->scope() == words::Say::ONE ? " to " + std::to_string(said->to()) : ""));
    ready_ += core::as<words::Ready>(fact) != nullptr;
    gone_ += core::as<words::PlayerGone>(fact) != nullptr || core::as<words::Gone>(fact) != nullptr;
  }

 private:
  Said& said_;
  int &ready_, &gone_;
  std::vector<std::uint32_t>* causes_;  // of notices
};

struct Silent final : core::Room::Host {
  void send(core::Id, Lane, Bytes) override {}
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault&) override {}
  void dial() override {}
};

inline constexpr std::uint64_t kRun = 5, kEpoch = 9;
inline constexpr std::uint32_t kPlayer = 40;  // assigned by the owner

struct Edge {
  Edge() {
    core::RoomOptions options;
    options.shared = true;
    options.chat.every = 0;
    options.tells_drops = true;
    auto back = std::make_unique<Mirror>(kRun, [](core::Id) { return bus::FromNode::Open(); });
    mirror = back.get();
    room = std::make_unique<core::Room>(host, std::move(back), options);
    room->back_opened({}, 0);
    seat = room->seat(std::make_unique<Listener>(said, ready, gone, &causes), {}, 0);
    say("enter");
    world(0, false);
    message();  // the Enter
    world(0, true);
  }
  void say(const std::string& text) { room->received(seat, {Lane::kStream, as_bytes(text)}, ++now); }
  bool tell(const bus::Facts& facts) {
    const std::string bytes = facts.SerializeAsString();
    bool used = false;
    room->order([&](core::Back&) { used = mirror->hear_facts(as_bytes(bytes)); }, ++now);
    return used;
  }
  bool tell(bus::ToNode one) {
    one.set_epoch(kEpoch);
    one.set_run(kRun);
    one.set_number(++number);
    const std::string bytes = one.SerializeAsString();
    bool used = false;
    room->order([&](core::Back&) { used = mirror->hear_private(as_bytes(bytes)); }, ++now);
    return used;
  }
  void world(std::uint64_t facts, bool seated) {
    bus::Snapshot snapshot;
    snapshot.set_facts(facts);
    snapshot.add_world()->mutable_room()->set_name("field");
    snapshot.add_world()->mutable_ready();
    if (seated) {
      snapshot.add_seats()->set_seat(seat);
      snapshot.mutable_seats(0)->set_player(kPlayer);
      snapshot.mutable_seats(0)->set_entered(true);
    }
    bus::ToNode one;
    one.set_facts(facts);
    one.mutable_piece()->set_count(1);
    one.mutable_piece()->set_bytes(snapshot.SerializeAsString());
    CHECK(tell(one));
  }
  /// A world from some owner, in which the seat's player has the id kPlayer.
  void world(bus::Snapshot snapshot, std::uint64_t epoch, std::uint64_t as_number) {
    snapshot.add_seats()->set_seat(seat);
    snapshot.mutable_seats(0)->set_player(kPlayer);
    snapshot.mutable_seats(0)->set_entered(true);
    world_without_seat(snapshot, epoch, as_number);
  }
  void world_without_seat(const bus::Snapshot& snapshot, std::uint64_t epoch, std::uint64_t as_number) {
    bus::ToNode one;
    one.set_epoch(epoch);
    one.set_run(kRun);
    one.set_number(as_number);
    one.mutable_piece()->set_count(1);
    one.mutable_piece()->set_bytes(snapshot.SerializeAsString());
    const std::string bytes = one.SerializeAsString();
    room->order([&](core::Back&) { CHECK(mirror->hear_private(as_bytes(bytes))); }, ++now);
  }
  /// What it sends to the owner now.
  bus::FromNode message() const {
    bus::FromNode all;
    for (const std::string& one : mirror->take(true)) all.MergeFromString(one);
    return all;
  }

  Silent host;
  Mirror* mirror = nullptr;
  std::unique_ptr<core::Room> room;
  core::Id seat = 0;
  core::Micros now = 0;
  std::uint64_t number = 0;
  Said said;
  std::vector<std::uint32_t> causes;
  int ready = 0, gone = 0;
};

inline bus::Facts facts(std::uint64_t number, const Said& texts, std::uint64_t epoch = kEpoch) {
  bus::Facts message;
  message.set_epoch(epoch);
  message.set_number(number);
  for (const std::string& text : texts) message.add_facts()->mutable_said()->set_text(text);
  return message;
}

inline bus::ToNode secret(std::uint64_t with, std::uint32_t before, const std::string& text) {
  bus::ToNode message;
  message.set_facts(with);
  auto& part = *message.add_parts();
  part.set_before(before);
  part.mutable_fact()->set_audience(words::PLAYER);
  part.mutable_fact()->set_to(kPlayer);
  part.mutable_fact()->mutable_said()->set_text(text);
  return message;
}

/// A player with a unit and a team flag, with the owner's ids.
inline void add_player(bus::Snapshot& snapshot, core::Id player, core::Id unit, core::Id token) {
  auto& who = *snapshot.add_world()->mutable_player();
  who.set_id(player);
  who.set_name("carla");
  auto& body = *snapshot.add_world()->mutable_unit();
  body.set_id(unit);
  body.set_owner(player);
  body.set_alive(true);
  auto& owns = *snapshot.add_world()->mutable_owns();
  owns.set_player(player);
  owns.add_units(unit);
  owns.set_active(unit);
  auto& flag = *snapshot.add_world()->mutable_token();
  flag.set_id(token);
  flag.set_kind(words::Token::TEAM_FLAG);
  flag.set_team(words::RED);
  flag.set_state(words::Token::CARRIED);
  flag.set_carrier(player);
}

/// A world with one player, who is in play or not.
inline bus::Snapshot with_player(std::uint32_t id, const std::string& name, bool alive, double health) {
  bus::Snapshot world;
  auto& player = *world.add_world()->mutable_player();
  player.set_id(id);
  player.set_name(name);
  auto& unit = *world.add_world()->mutable_unit();
  unit.set_id(71);
  unit.set_owner(id);
  unit.set_alive(alive);
  unit.set_health(health);
  unit.set_max_health(100);
  unit.mutable_pose()->set_unit(71);
  unit.mutable_pose()->set_x(7);
  auto& owns = *world.add_world()->mutable_owns();
  owns.set_player(id);
  owns.add_units(71);
  owns.set_active(71);
  return world;
}

/// The names of the intents in this message.
inline Said intents(const bus::FromNode& message) {
  Said names;
  for (const auto& part : message.parts())
    if (const auto intent = core::from_message(part.intent())) names.emplace_back(core::name_of(*intent));
  return names;
}

}  // namespace entente::fleet::testing
