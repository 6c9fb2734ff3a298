#include "adapters/panic/wire/wire.h"

#include "adapters/panic/wire/dialect.h"
#include "adapters/panic/wire/messages.h"
#include "adapters/wire/typed_codec.h"
#include "proxy/base/mapping.h"

namespace entente::panic {
namespace {

constexpr std::size_t kActionSize = 8;
constexpr std::size_t kType = 1;  // the byte that a server message starts with

}  // namespace

template <class V>
void fields(V& v, Action& m) {
  v("player", m.player)("action", m.action)("direction", m.direction)("piece", m.piece);
}

template <class V>
void fields(V& v, GameState& m) {
  const Dialect& d = v.dialect;
  v("map", m.map)("map_version", m.map_version);
  v.when("dialect.padded", d.padded, [&] { v("padding", m.padding); });
  v("player", m.player)("tank_count", m.tank_count);
  v.when("dialect.padded", d.padded, [&] { v("count_padding", m.count_padding); });
  v.when("dialect.swapped_ids", d.swapped_ids, [&] { v.list_byte_swapped("tanks", m.tank_count, m.tanks); });
  v.when("dialect.own_order_ids", !d.swapped_ids, [&] { v.list("tanks", m.tank_count, m.tanks); });
}

template <class V>
void fields(V& v, CreatePiece& m) {
  v.when("dialect.padded", v.dialect.padded, [&] { v("padding", m.padding); });
  v("value", m.value)("piece", m.piece)("x", m.x)("y", m.y);
  v.when("dialect.padded", v.dialect.padded, [&] { v("end_padding", m.end_padding); });
}

template <class V>
void fields(V& v, Event& m) {
  const Dialect& d = v.dialect;
  v("direction", m.direction);
  v.when("dialect.padded_events", d.padded_events, [&] { v("padding", m.padding); });
  v.when("dialect.swapped_events", d.swapped_events,
         [&] { v.byte_swapped("value", m.value).byte_swapped("piece", m.piece); });
  v.when("dialect.own_order_events", !d.swapped_events, [&] { v("value", m.value)("piece", m.piece); });
}

namespace {

struct Panic {
  using Dialect = panic::Dialect;
  using Message = panic::Message;
  static constexpr std::size_t kEnvelope = 0;
  static std::size_t envelope(const wire::Row& row) { return row.first_code == 0 ? 0 : kType; }
  /// An Action has no type byte; 0 is a type that the document keeps for later.
  static std::uint32_t code(const wire::Frame& frame) {
    return frame.way == wire::Way::kToServer || frame.bytes.empty() ? 0 : frame.bytes[0];
  }
  static void seal(Buffer& out, std::size_t start, std::uint32_t code) { out[start] = static_cast<std::uint8_t>(code); }
  static std::span<const wire::TypedRow<Panic>> rows();
};

constexpr std::uint8_t kStream = static_cast<std::uint8_t>(wire::Lane::kStream);
constexpr std::uint32_t kAllDialects = 7;

template <class T>
constexpr wire::TypedRow<Panic> down(const char* name, std::uint32_t first, std::uint32_t last, const char* note = "") {
  return wire::row_of<Panic, T>({name, first, last, kDown, kStream, wire::Stage::kPlay, kAllDialects, note});
}

std::span<const wire::TypedRow<Panic>> Panic::rows() {
  static constexpr const char* kReserved =
      "Reserved by the document, which gives its length; the released client dies of it.";
  static const wire::TypedRow<Panic> kRows[] = {
      wire::row_of<Panic, Action>({"Action", 0, 0, kUp, kStream, wire::Stage::kPlay, kAllDialects,
                                   "Has no type byte: a client says nothing else. Action: 0 none, 1 drive, 2 shoot, 3 "
                                   "quit. Direction: 0 none, 1 north, "
                                   "2 east, 3 south, 4 west; other values are ignored or echoed."}),
      down<GameState>(
          "GameState", kGameState, kGameState,
          "Comes when the last player has connected. In le-padded the ids are big endian, all else is not."),
      down<CreatePiece>("CreateBrick", kFirstPiece, 7, "The code is the style, the value its health."),
      down<CreatePiece>("CreateHealth", 8, 8, "The value is the amount."),
      down<CreatePiece>("CreateAmmo", 9, 9, "The value is the amount."),
      down<CreatePiece>("CreateDecoration", 10, 10, "The value is the style."),
      down<CreatePiece>("CreateReserved", 11, 15, kReserved),
      down<CreatePiece>(
          "CreateTank", kFirstTank, kFirstEvent - 1,
          "The code is 16 + 4 * team + model (team: 0 red, 1 blue, 2 yellow, 3 green; model: 0 Commander, 1 "
          "Interceptor, 2 Eliminator, 3 Negotiator), the value its health."),
      down<Event>("UpdateAmmo", kUpdateAmmo, kUpdateAmmo, "To the shooter only; all his tanks share it."),
      down<Event>("UpdateHealth", kUpdateHealth, kUpdateHealth),
      down<Event>("Destroy", kDestroy, kDestroy),
      down<Event>("Move", kMove, kMove, "A value of 0 only turns the piece: it was blocked, or it fired."),
      down<Event>("GameStart", kGameStart, kGameStart),
      down<Event>("GameOver", kGameOver, kGameOver, "The value is 0 for the loser, 1 for the winner."),
      down<Event>("EventReserved", kGameOver + 1, kLastEvent, kReserved),
  };
  return kRows;
}

std::size_t game_state_size(const Dialect& d, Bytes bytes) {
  const std::size_t head = d.padded ? 8 : 6;
  const std::size_t count_at = d.padded ? 6 : 5;
  return bytes.size() <= count_at ? head : head + 4 * std::size_t{bytes[count_at]};
}

/// Bytes of the server message that starts with `bytes` (at least 1), as far as they tell; 0 if its type is unknown.
std::size_t size_of(const Dialect& d, Bytes bytes) {
  const std::uint8_t type = bytes[0];
  if (type == kGameState) return game_state_size(d, bytes);
  if (type >= kFirstPiece && type < kFirstEvent) return d.padded ? 16 : 11;
  if (type >= kFirstEvent && type <= kLastEvent) return d.padded_events ? 12 : 10;
  return 0;
}

}  // namespace

std::unique_ptr<wire::Codec> make_codec(std::size_t dialect) {
  return std::make_unique<wire::TypedCodec<Panic>>(kDialects[dialect], dialect);
}

std::unique_ptr<wire::MessageCodec<Message>> make_message_codec(std::size_t dialect) {
  return std::make_unique<wire::TypedCodec<Panic>>(kDialects[dialect], dialect);
}

wire::Cut cut(wire::Way way, std::size_t dialect, Bytes bytes) {
  if (bytes.empty()) return {};
  const std::size_t size = way == wire::Way::kToServer ? kActionSize : size_of(kDialects[dialect], bytes);
  if (size == 0) return {0, wire::Stage::kPlay, Fault{"unknown message type", "type", 0}};
  return {bytes.size() >= size ? size : 0, wire::Stage::kPlay, {}};
}

}  // namespace entente::panic
