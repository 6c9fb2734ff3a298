// Messages for scripted peers: built field by field, sent as bytes. Messages without a version are those of modern3.
#pragma once

#include <initializer_list>

#include "adapters/ogar/wire/dialect.h"
#include "adapters/ogar/wire/wire.h"

namespace entente::testing {

inline Buffer spoken(const ogar::Message& message, wire::Way way, std::size_t dialect = 0) {
  Buffer bytes;
  ogar::make_message_codec(dialect)->write(message, way, bytes);
  return bytes;
}

/// The index of that legacy version in game().dialects().
constexpr std::size_t legacy_dialect(std::uint32_t version) { return 1 + version - ogar::kOldestLegacy; }

// -- Messages of a client ---------------------------------------------------------------------------------------------

inline Buffer client_hello() {
  ogar::Hello hello;
  hello.opcode = 1;
  hello.version = 3;
  return spoken(hello, wire::Way::kToServer);
}

struct Wished {
  std::int32_t x = 0, y = 0;
  std::uint8_t flags = 0, splits = 0;
  const char* name = "";
  std::initializer_list<const char*> chat{};
};
inline Buffer client_update(const Wished& wished) {
  ogar::ClientUpdate update;
  update.x = wished.x;
  update.y = wished.y;
  update.flags = wished.flags;
  update.splits = wished.splits;
  update.name.chars = wished.name;
  for (const char* line : wished.chat) update.chat.emplace_back().chars = line;
  return spoken(update, wire::Way::kToServer);
}

// -- Messages of a server ---------------------------------------------------------------------------------------------

/// Builds an update part by part.
class Shown {
 public:
  Shown& border(float half = 7071) { return border({-half, half, -half, half}); }
  Shown& border(const ogar::Border& border) {
    update_.border = border;
    return has(ogar::kBorder);
  }
  Shown& teams() {
    update_.server.mode = 2;
    return has(ogar::kServerInfo);
  }
  Shown& clear() { return has(ogar::kClear); }
  Shown& add(std::uint32_t id, ogar::CellType type, float x, float y, std::uint16_t size, const char* name = "",
             bool owned = false, const ogar::Colour& colour = {255, 16, 64}) {
    ogar::AddedCell cell;
    cell.id = id;
    cell.type = type;
    cell.x = x;
    cell.y = y;
    cell.size = size;
    cell.colour = colour;
    cell.flags = static_cast<std::uint8_t>((owned ? 1 : 0) | (*name != '\0' ? 2 : 0));
    cell.name.chars = name;
    update_.added.push_back(cell);
    return has(ogar::kAdded);
  }
  Shown& move(std::uint32_t id, float x, float y, std::uint16_t size = 0) {
    ogar::UpdatedCell cell;
    cell.id = id;
    cell.flags = size != 0 ? 3 : 1;
    cell.x = x;
    cell.y = y;
    cell.size = size;
    update_.updated.push_back(cell);
    return has(ogar::kUpdated);
  }
  Shown& eat(std::uint32_t killed, std::uint32_t killer) {
    update_.eaten.push_back({killed, killer});
    has(ogar::kEaten);
    return remove(killed);
  }
  Shown& remove(std::uint32_t id) {
    update_.removed.push_back(id);
    return has(ogar::kRemoved);
  }
  Shown& camera(float x, float y, float scale) {
    update_.camera = {x, y, scale};
    return has(ogar::kCamera);
  }
  Shown& chat(const char* name, const char* line, bool by_server = false) {
    ogar::ChatLine& said = update_.chat.emplace_back();
    said.name.chars = name;
    said.text.chars = line;
    said.by_server = by_server ? 1 : 0;
    said.colour = {255, 16, 64};
    return has(ogar::kChat);
  }
  Shown& row(std::uint16_t position, std::uint8_t flags, const char* name) {
    ogar::BoardRow& row = update_.board.rows.emplace_back();
    row.position = position;
    row.flags = flags;
    row.name.chars = name;
    return has(ogar::kBoard);
  }
  Shown& slices(std::initializer_list<float> slices) {
    update_.board.type = 2;
    update_.board.slices = slices;
    return has(ogar::kBoard);
  }

  // The encoded message, where bytes are expected.
  operator Buffer() const {  // NOLINT(google-explicit-constructor)
    return spoken(update_, wire::Way::kToClient);
  }

 private:
  Shown& has(ogar::Part part) {
    update_.flags |= static_cast<std::uint16_t>(part);
    return *this;
  }
  ogar::Update update_;
};

}  // namespace entente::testing
