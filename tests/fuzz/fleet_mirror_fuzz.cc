// An edge of a fleet whose owner sends arbitrary bytes. Invariant: the room continues, and sends only whole messages to
// the owner.
#include <cstdlib>
#include <memory>
#include <string>

#include "adapters/registry.h"
#include "proxy/core/room/room.h"
#include "proxy/fleet/arena/mirror.h"
#include "tests/fuzz/filled.h"
#include "tests/fuzz/target.h"

namespace entente::fleet_mirror_fuzz {
namespace {

constexpr std::uint64_t kRun = 7;

struct Silent final : core::Room::Host {
  void send(core::Id, Lane, Bytes) override {}
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault&) override {}
  void dial() override {}
};

std::string facts_by(fuzz::Source& input, std::uint64_t number) {
  bus::Facts message;
  for (int i = input.byte() % 6; i > 0; --i) fuzz::fill(*message.add_facts(), input);
  message.set_epoch(input.byte() % 16U == 0 ? input.byte() : 1);
  message.set_number(input.byte() % 16U == 0 ? input.byte() : number);
  return message.SerializeAsString();
}

std::string private_by(fuzz::Source& input, std::uint64_t number, std::uint64_t facts) {
  bus::ToNode message;
  fuzz::fill(message, input);
  message.set_epoch(input.byte() % 16U == 0 ? input.byte() : 1);
  message.set_run(kRun);
  message.set_number(input.byte() % 16U == 0 ? input.byte() : number);
  message.set_facts(input.byte() % 8U == 0 ? input.byte() : facts);
  if (input.byte() % 2 == 0) return message.SerializeAsString();
  bus::Snapshot snapshot;
  fuzz::fill(snapshot, input);
  for (int i = input.byte() % 8; i > 0; --i) fuzz::fill(*snapshot.add_world(), input);
  snapshot.set_facts(facts);
  auto& piece = *message.mutable_piece();
  piece.set_index(0);
  piece.set_count(1);
  piece.set_bytes(snapshot.SerializeAsString());
  return message.SerializeAsString();
}

}  // namespace

ENTENTE_FUZZ_TARGET(fleet_mirror) {
  fuzz::Source input(Bytes(data, size));
  Silent host;
  core::RoomOptions options;
  options.shared = true;
  auto back = std::make_unique<fleet::Mirror>(kRun, [](core::Id) { return bus::FromNode::Open(); });
  fleet::Mirror& mirror = *back;
  core::Room room(host, std::move(back), options);
  room.back_opened({}, 0);
  const auto& native = *find_game("native");
  core::Id seats[2];
  for (core::Id& seat : seats) {
    seat = room.seat(faces_of(native).front({1, {}}), {}, 0);
    room.received(seat, {Lane::kStream, as_bytes("{\"enter\":{\"name\":\"n\"}}\n")}, 0);
  }
  core::Micros now = 0;
  std::uint64_t facts = 0, number = 0;
  for (int i = 0; i < 100 && !input.empty() && !room.over(); ++i) {
    now += 10 * core::kMillisecond;
    const std::uint8_t what = input.byte();
    const bool for_one = what % 4 == 0;
    std::string bytes;
    if (what % 16 == 1)
      bytes = as_text(input.some(input.byte()));
    else
      bytes = for_one ? private_by(input, ++number, facts) : facts_by(input, ++facts);
    room.order(
        [&](core::Back&) {
          if (what == 255) mirror.lose_owner();
          (void)(for_one ? mirror.hear_private(as_bytes(bytes)) : mirror.hear_facts(as_bytes(bytes)));
        },
        now);
    room.received(seats[what % 2], {Lane::kStream, as_bytes("{\"say\":{\"text\":\"x\"}}\n")}, now);
    mirror.close_missing([&](core::Id seat) { return room.is_seated(seat); });
    for (const std::string& said : mirror.take(what % 16 == 0)) {
      bus::FromNode whole;
      if (!whole.ParseFromString(said) || whole.run() != kRun) std::abort();
    }
  }
  room.end("the end", now);
  return 0;
}

}  // namespace entente::fleet_mirror_fuzz
