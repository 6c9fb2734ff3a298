// The owner of a fleet's arena: it restores an arbitrary stored arena, then nodes send it arbitrary bytes. Invariant:
// it sends only whole messages, and what it stores can be read.
#include <cstdlib>
#include <memory>
#include <string>

#include "adapters/registry.h"
#include "proxy/fleet/arena/owner_side.h"
#include "proxy/relay/sessions/shared_room.h"
#include "tests/fuzz/filled.h"
#include "tests/fuzz/target.h"
#include "tests/relay/silent_events.h"

namespace entente::fleet_owner_fuzz {
namespace {

constexpr std::uint64_t kEpoch = 3;

/// A stored arena with arbitrary contents.
std::optional<fleet::ReadArena> stored(fuzz::Source& input) {
  bus::SavedArena saved;
  fuzz::fill(saved, input);
  for (int i = input.byte() % 4; i > 0; --i) {
    auto& player = *saved.add_players();
    fuzz::fill(player, input);
    player.set_node("a");
    player.set_run(1);
    player.set_seat(static_cast<std::uint32_t>(i));
    if (input.byte() % 4 != 0) player.mutable_client()->set_game("native");
  }
  auto read = fleet::read_arena(as_bytes(saved.SerializeAsString()));
  return read ? std::optional(std::move(*read)) : std::nullopt;
}

std::string said_by(fuzz::Source& input, std::uint64_t number) {
  bus::FromNode said;
  fuzz::fill(said, input);
  for (int i = input.byte() % 6; i > 0; --i) {
    auto& part = *said.add_parts();
    fuzz::fill(part, input);
    part.set_seat(input.byte() % 4U);
    const std::uint8_t what = input.byte();
    if (what % 4 == 0) {
      part.mutable_open()->set_game("native");
      part.mutable_open()->set_address("127.0.0.1:5");
    }
    if (what % 4 == 1) part.mutable_intent()->mutable_enter()->set_name("n");
    if (what % 4 == 2) part.mutable_intent()->mutable_spawn();
    if (what % 16 == 3) part.set_announced("news");
  }
  said.set_epoch(input.byte() % 16U == 0 ? input.byte() : kEpoch);
  said.set_run(input.byte() % 16U == 0 ? input.byte() : 1);
  said.set_number(input.byte() % 16U == 0 ? input.byte() : number);
  return said.SerializeAsString();
}

}  // namespace

ENTENTE_FUZZ_TARGET(fleet_owner) {
  fuzz::Source input(Bytes(data, size));
  testing::SilentEvents events;
  net::Loop loop;
  {
    fleet::FleetArena arena;
    arena.arena = "field";
    arena.node = "owner";
    arena.find_game = [](std::string_view game) { return find_game(game); };
    core::Arena place;
    place.rules.mode = core::ArenaMode::kFlags;
    place.rules.guided = 2;
    place.geometry = core::courtyard(60);
    fleet::SavedSeats seats;
    if (input.byte() % 2 == 0)
      if (auto before = stored(input)) {
        place.in_play = std::move(before->in_play);
        place.starts = std::move(before->starts);
        seats = std::move(before->seats);
      }
    const auto can_be_read = [](Bytes bytes) {
      if (!fleet::read_arena(bytes)) std::abort();
    };
    const fleet::OwnerPost post = {
        [](const std::string&, Bytes bytes) {
          bus::Facts facts;
          bus::ToNode one;
          const int length = static_cast<int>(bytes.size());
          if (!facts.ParseFromArray(bytes.data(), length) && !one.ParseFromArray(bytes.data(), length)) std::abort();
        },
        can_be_read, can_be_read};
    fleet::OwnerSide* owner = nullptr;
    relay::SharedRoomState state;
    state.options.name = "the arena";
    state.options.game = find_game("native");
    const auto until = std::make_shared<std::atomic<std::uint64_t>>(UINT64_MAX);
    const auto referee = std::make_shared<core::Referee*>(nullptr);
    state.options.annex = [&](relay::SharedRoom& room, net::Loop& its) {
      auto side = fleet::make_owner_side(arena, kEpoch, until, referee, seats, post, room, its);
      owner = side.get();
      return side;
    };
    state.options.back = [&] {
      auto back = std::make_unique<core::Referee>(place);
      *referee = back.get();
      return back;
    };
    relay::SharedRoom room(loop, state, 1, events);
    room.open(nullptr);
    for (std::uint64_t i = 1; i < 50 && !input.empty() && !room.over(); ++i) {
      const std::uint8_t what = input.byte();
      const std::string bytes = what % 16 == 0 ? std::string(as_text(input.some(input.byte()))) : said_by(input, i);
      owner->read(what % 8 == 1 ? "b" : "a", as_bytes(bytes));
      uv_run(loop.raw(), UV_RUN_NOWAIT);
    }
    room.stop();
    room.close_annex();
  }
  loop.run();
  return 0;
}

}  // namespace entente::fleet_owner_fuzz
