// A room with the owner's side of an arena, without the bus, and messages of nodes to it.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/native/native.h"
#include "proxy/fleet/arena/owner_side.h"
#include "proxy/fleet/decode.h"
#include "proxy/relay/route/rule_book.h"
#include "proxy/relay/sessions/shared_room.h"
#include "schema/fleet.pb.h"
#include "tests/relay/silent_events.h"

namespace entente::fleet::testing {

/// A room with the owner's side, and the messages that it publishes to all.
struct Owned {
  explicit Owned(const SavedSeats& seats = {}, const Limits& limits = {},
                 std::shared_ptr<relay::RuleBook> rules = nullptr,
                 core::ArenaMode mode = core::ArenaMode::kFreeForAll) {
    arena.limits->set(limits);
    arena.arena = "field";
    arena.node = "owner";
    arena.find_game = [](std::string_view name) { return name == native::game().name() ? &native::game() : nullptr; };
    state.options.name = "the arena";
    state.options.game = &native::game();
    state.options.rules = std::move(rules);
    arena.run = 9;
    const auto referee = std::make_shared<core::Referee*>(nullptr);
    const OwnerPost post = {[this](const std::string& subject, Bytes bytes) {
                              if (subject.ends_with(".facts")) {
                                REQUIRE(decode(bytes, published.emplace_back()));
                              } else {
                                REQUIRE(decode(bytes, sent.emplace_back()));
                              }
                            },
                            [this](Bytes) { ++stores; }, [this](Bytes bytes) { CHECK(decode(bytes, handed_over)); }};
    state.options.annex = [=, this](relay::SharedRoom& in, net::Loop& its) {
      auto side = make_owner_side(arena, 3, owned_until, referee, seats, post, in, its);
      owner = side.get();
      return side;
    };
    state.options.back = [referee, mode] {
      core::Arena place;
      place.rules.mode = mode;
      place.geometry = core::courtyard(60);
      auto back = std::make_unique<core::Referee>(place);
      *referee = back.get();
      return back;
    };
    room.emplace(loop, state, 1, events);
    room->open(nullptr);
  }
  ~Owned() {
    room->stop();
    room->close_annex();
    room.reset();
    loop.run();
  }

  bool until(const std::function<bool()>& done) {
    const Millis end = steady_now() + 30'000;
    while (!done() && steady_now() < end) uv_run(loop.raw(), UV_RUN_ONCE);
    return done();
  }

  const OwnedUntil owned_until = std::make_shared<std::atomic<std::uint64_t>>(UINT64_MAX);
  entente::testing::SilentEvents events;
  net::Loop loop;
  FleetArena arena;
  relay::SharedRoomState state;
  std::optional<relay::SharedRoom> room;
  OwnerSide* owner = nullptr;
  std::vector<bus::Facts> published;
  std::vector<bus::ToNode> sent;
  std::size_t stores = 0;
  bus::SavedArena handed_over;
};

/// A message of a node about the player on its seat 1. `what`: fills its parts.
inline Buffer from_edge(std::uint64_t number, const std::function<void(bus::FromNode&)>& what, std::uint64_t run = 1) {
  bus::FromNode message;
  message.set_epoch(3);
  message.set_run(run);
  message.set_number(number);
  what(message);
  for (auto& part : *message.mutable_parts()) part.set_seat(1);
  const std::string bytes = message.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

inline void open(bus::FromNode& message) {
  auto& client = *message.add_parts()->mutable_open();
  client.set_address("192.0.2.1:1");
  client.set_game("native");
  client.set_dialect("protobuf");
}

inline void enter(bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_enter()->set_name("anna"); }
inline void say_hello(bus::FromNode& message) {
  message.add_parts()->mutable_intent()->mutable_say()->set_text("hello");
}

inline void pass_time(Owned& it) {
  for (int i = 0; i < 3; ++i) uv_run(it.loop.raw(), UV_RUN_NOWAIT);
  const std::uint64_t until = it.loop.nanos() + 2 * kGatherNanos;
  for (int turns = 0; turns < 5 || it.loop.nanos() < until; ++turns) {  // several, although one may take long
    uv_run(it.loop.raw(), UV_RUN_NOWAIT);
    it.owner->turn_ends();
  }
  it.owner->turn_ends();  // much time may have passed after the last one
}

struct Says {
  void operator()(const std::function<void(bus::FromNode&)>& what) {
    it.owner->read(name, from_edge(++number, what));
    pass_time(it);
  }
  Owned& it;
  std::string name = "edge";
  std::uint64_t number = 0;
};

/// A message of the run 1. `what`: for each of the seats from `first` to `last`.
inline Buffer from_seats(std::uint64_t number, std::uint32_t last, const std::function<void(bus::FromNode&)>& what,
                         std::uint32_t first = 1) {
  bus::FromNode message;
  message.set_epoch(3);
  message.set_run(1);
  message.set_number(number);
  for (std::uint32_t seat = first; seat <= last; ++seat) {
    const int before = message.parts_size();
    what(message);
    for (int i = before; i < message.parts_size(); ++i) message.mutable_parts(i)->set_seat(seat);
  }
  const std::string bytes = message.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

/// The seats that nodes were told are closed, as "SEAT why".
inline std::vector<std::string> closed(const Owned& it) {
  std::vector<std::string> all;
  for (const bus::ToNode& one : it.sent)
    for (const auto& part : one.parts())
      if (part.has_closed()) all.push_back(std::to_string(part.closed().seat()) + " " + part.closed().why());
  return all;
}

/// A player whom the last owner has stored.
inline bus::SavedArena::Player stored(const std::string& name, const std::string& game) {
  bus::SavedArena::Player saved;
  saved.mutable_who()->set_name(name);
  saved.mutable_client()->set_address("192.0.2.1:1");
  saved.mutable_client()->set_game(game);
  saved.mutable_client()->set_dialect("protobuf");
  return saved;
}

inline void nothing(bus::FromNode&) {}
inline void leave(bus::FromNode& message) { message.add_parts()->mutable_intent()->mutable_leave(); }

/// The messages to nodes that have something for them.
inline std::vector<bus::ToNode> with_parts(const Owned& it) {
  std::vector<bus::ToNode> all;
  std::copy_if(it.sent.begin(), it.sent.end(), std::back_inserter(all),
               [](const bus::ToNode& one) { return one.parts_size() != 0; });
  return all;
}

/// The edge's messages about its player, in order.
inline std::size_t worlds(const Owned& it) {
  return static_cast<std::size_t>(
      std::count_if(it.sent.begin(), it.sent.end(), [](const bus::ToNode& one) { return one.has_piece(); }));
}

}  // namespace entente::fleet::testing
