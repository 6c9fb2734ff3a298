// A recording with arbitrary facts, replayed to clients of every game that has a front, with pauses, seeks and faster
// play. Invariant: whatever the facts hold, nothing breaks, and only whole messages of each dialect go out.
#include <cstdlib>
#include <cstring>

#include "adapters/registry.h"
#include "proxy/core/replay/replay.h"
#include "proxy/core/room/room.h"
#include "tests/fuzz/target.h"
#include "tests/support/memory_facts.h"

namespace entente::replay_fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void require(bool truth) {
  if (!truth) std::abort();
}

/// The rest of the input; returns zeros when it is used up.
class Dice {
 public:
  explicit Dice(Bytes bytes) : left_(bytes) {}
  bool empty() const { return left_.empty(); }
  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  /// Mostly a coordinate in a world; now and then an arbitrary double.
  double number() {
    const std::uint8_t how = byte();
    if (how != 255) return (how - 128.0) * 4;
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8U | byte();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

 private:
  Bytes left_;
};

void fill(Message& message, Dice& dice, int depth);

void fill_one(Message& m, const FieldDescriptor* f, Dice& dice, int depth) {
  const auto& r = *m.GetReflection();
  const bool many = f->is_repeated();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return many ? r.AddDouble(&m, f, dice.number()) : r.SetDouble(&m, f, dice.number());
    case FieldDescriptor::CPPTYPE_FLOAT:
      return many ? r.AddFloat(&m, f, dice.byte()) : r.SetFloat(&m, f, dice.byte());
    case FieldDescriptor::CPPTYPE_UINT32: {
      const std::uint32_t value = dice.byte() % 32U == 31 ? 0x01010101U * dice.byte() : dice.byte() % 8U;
      return many ? r.AddUInt32(&m, f, value) : r.SetUInt32(&m, f, value);
    }
    case FieldDescriptor::CPPTYPE_UINT64:
      return r.SetUInt64(&m, f, dice.byte());
    case FieldDescriptor::CPPTYPE_BOOL:
      return r.SetBool(&m, f, (dice.byte() & 1U) != 0);
    case FieldDescriptor::CPPTYPE_ENUM:
      return r.SetEnumValue(&m, f, dice.byte() % 16);
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text(dice.byte() % 40U, static_cast<char>('!' + dice.byte() % 64U));
      return many ? r.AddString(&m, f, text) : r.SetString(&m, f, text);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return fill(many ? *r.AddMessage(&m, f) : *r.MutableMessage(&m, f), dice, depth + 1);
    default:
      require(false);  // a type that the schema did not have
  }
}

/// Sets a random half of the fields.
void fill(Message& message, Dice& dice, int depth) {
  const auto* type = message.GetDescriptor();
  for (int i = 0; i < type->field_count() && depth < 4; ++i) {
    const int times = type->field(i)->is_repeated() ? dice.byte() % 3 : (dice.byte() & 1);
    for (int k = 0; k < times; ++k) fill_one(message, type->field(i), dice, depth);
  }
}

core::Fact fact_of(Dice& dice, core::Micros at) {
  words::Fact message;
  const auto* kinds = words::Fact::descriptor()->FindOneofByName("kind");
  const auto* kind = kinds->field(dice.byte() % kinds->field_count());
  fill(*message.GetReflection()->MutableMessage(&message, kind), dice, 1);
  message.set_audience(dice.byte() % 8U == 0 ? words::PLAYER : words::ALL);
  auto fact = core::from_message(message);
  require(fact.ok());
  fact->at = at;
  return std::move(*fact);
}

/// Every frame must be one that its game's cutter accepts.
class Clients final : public core::Room::Host {
 public:
  struct Client {
    const wire::Game* game;
    std::size_t dialect;
    std::unique_ptr<wire::Cutter> stream{};
  };
  void send(core::Id end, Lane lane, Bytes bytes) override {
    const auto at = clients.find(end);
    Client& client = at != clients.end() ? at->second : next;
    auto datagrams =
        lane == Lane::kDatagram ? client.game->datagram_cutter(wire::Way::kToClient, client.dialect) : nullptr;
    if (!client.stream) client.stream = client.game->cutter(wire::Way::kToClient, client.dialect);
    wire::Cutter& cutter = datagrams ? *datagrams : *client.stream;
    while (!bytes.empty()) {
      const wire::Cut cut = cutter.next(bytes);
      require(!cut.fault);
      bytes = bytes.subspan(cut.size != 0 ? cut.size : bytes.size());
    }
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault&) override {}
  void dial() override {}

  std::map<core::Id, Client> clients;
  Client next{};
};

}  // namespace

// First at most 200 random facts; then commands to the replay and passing time, until the input is used up.
ENTENTE_FUZZ_TARGET(replay) {
  Dice dice(Bytes(data, size));
  std::vector<core::Fact> facts;
  core::Micros at = 0;
  for (int i = dice.byte() % 200; i >= 0; --i) {
    facts.push_back(fact_of(dice, at));
    at += dice.byte() * 5 * core::kMillisecond;
  }
  Clients host;
  core::RoomOptions options;
  options.shared = true;
  core::Replay::Options how;
  how.loop = (dice.byte() & 1U) != 0;
  core::Room room(host, std::make_unique<core::Replay>(std::make_unique<testing::MemoryFacts>(facts), how), options);
  room.back_opened({}, 0);
  for (const wire::Game* game : games())
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      if (!faces_of(*game).has_front(dialect)) continue;
      host.next = {game, dialect, nullptr};
      const core::Id seat = room.seat(faces_of(*game).front({dialect, {}}), {}, 0);
      host.clients[seat] = std::move(host.next);
      if (game->name() == "native" && game->dialects()[dialect].name == "json")
        room.received(seat, {Lane::kStream, as_bytes("{\"enter\":{\"name\":\"n\"}}\n")}, 0);
      if (game->name() == "bzflag") {
        const FrameMark header{10, Stage::kGreeting};
        room.received(seat, {Lane::kStream, as_bytes("BZFLAG\r\n\r\n"), {&header, 1}}, 0);
      }
    }
  core::Micros now = 0;
  for (int i = 0; i < 60 && !room.over(); ++i) {
    const std::uint8_t what = dice.byte(), how_much = dice.byte();
    now += how_much * 10 * core::kMillisecond;
    room.tick(now);
    room.order(
        [&](core::Back& back) {
          auto& replay = static_cast<core::Replay&>(back);
          if (what % 8 == 1) replay.pause((how_much & 1U) != 0);
          if (what % 8 == 2) replay.seek(how_much * 20 * core::kMillisecond);
          if (what % 8 == 3) replay.set_speed(how_much / 12.0);
        },
        now);
  }
  room.end("the end", now);
  return 0;
}

}  // namespace entente::replay_fuzz
