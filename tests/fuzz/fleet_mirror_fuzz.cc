// An edge of a fleet whose owner says anything. Law: the room goes on; what it says to the owner is whole messages;
// what is kept is bounded.
#include <cstdlib>
#include <string>

#include "adapters/registry.h"
#include "proxy/core/room.h"
#include "proxy/fleet/arena/mirror.h"
#include "tests/fuzz/target.h"

namespace entente::fleet_mirror_fuzz {
namespace {

constexpr std::uint64_t kRun = 7;

struct Silent final : core::Room::Host {
  void send(core::Id, Lane, Bytes) override {}
  std::size_t waiting(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault&) override {}
  void dial() override {}
};

class Input {
 public:
  explicit Input(Bytes bytes) : left_(bytes) {}
  bool empty() const { return left_.empty(); }
  std::uint8_t byte() { return empty() ? 0 : some(1)[0]; }
  Bytes some(std::size_t size) {
    const Bytes taken = left_.first(std::min(size, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  template <class Message>
  void fill(Message& message) {
    const Bytes bytes = some(byte());
    message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }

 private:
  Bytes left_;
};

std::string facts_by(Input& input) {
  bus::Facts message;
  message.set_epoch(input.byte() % 3U);
  message.set_number(input.byte() % 16U);
  for (int i = input.byte() % 4; i > 0; --i) input.fill(*message.add_facts());
  return message.SerializeAsString();
}

std::string private_by(Input& input) {
  bus::ToNode message;
  input.fill(message);
  message.set_epoch(input.byte() % 3U);
  message.set_run(kRun);
  message.set_number(input.byte() % 16U);
  message.set_facts(input.byte() % 16U);
  if (input.byte() % 2 == 0) return message.SerializeAsString();
  bus::Snapshot snapshot;
  snapshot.set_facts(input.byte() % 16U);
  for (int i = input.byte() % 8; i > 0; --i) input.fill(*snapshot.add_world());
  for (int i = input.byte() % 3; i > 0; --i) input.fill(*snapshot.add_seats());
  auto& piece = *message.mutable_piece();
  piece.set_index(0);
  piece.set_count(1);
  piece.set_bytes(snapshot.SerializeAsString());
  return message.SerializeAsString();
}

}  // namespace

ENTENTE_FUZZ_TARGET(fleet_mirror) {
  Input input(Bytes(data, size));
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
    room.received(seat, Lane::kStream, as_bytes("{\"enter\":{\"name\":\"n\"}}\n"), 0);
  }
  core::Micros now = 0;
  for (int i = 0; i < 200 && !input.empty() && !room.over(); ++i) {
    now += 10 * core::kMillisecond;
    const std::uint8_t what = input.byte();
    std::string bytes;
    if (what % 8 == 0) bytes = as_text(input.some(input.byte()));
    if (what % 8 == 1 || what % 8 == 2) bytes = private_by(input);
    if (what % 8 > 2) bytes = facts_by(input);
    room.order(
        [&](core::Back&) {
          if (what == 255) mirror.lose_owner();
          (void)(what % 8 == 1 || what % 8 == 2 ? mirror.hear_private(as_bytes(bytes))
                                                : mirror.hear_facts(as_bytes(bytes)));
        },
        now);
    room.received(seats[what % 2], Lane::kStream, as_bytes("{\"say\":{\"text\":\"x\"}}\n"), now);
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
