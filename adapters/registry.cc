// The list of games. A game is part of the program by its line here; games do not register themselves.
#include "adapters/registry.h"

#include <algorithm>
#include <string>
#include <vector>

#include "adapters/aos/aos.h"
#include "adapters/aos/faces.h"
#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/native/native.h"
#include "adapters/native/page.h"
#include "adapters/ogar/ogar.h"
#include "adapters/panic/panic.h"
#include "adapters/wire/print.h"

namespace entente {
namespace {

/// For a game that is not in the list, such as a test's.
const core::Faces& no_faces() {
  static const core::Faces none;
  return none;
}
std::span<const wire::MappingLine> no_mapping() { return {}; }
std::span<const wire::PersonalField> no_fields() { return {}; }

struct Entry {
  const wire::Game* game;
  const core::Faces& (*faces)();
  std::span<const wire::MappingLine> (*mapping)();
  std::span<const wire::PersonalField> (*personal)();
};

/// A message in which a client names its player, and the text field with the name.
struct Naming {
  const wire::Game* game;
  std::string_view message, field;
};

std::span<const Naming> namings() {
  static const Naming kAll[] = {
      {&aos::game(), "ExistingPlayer", "name"},  {&bzdraft::game(), "MsgEnter", "callsign"},
      {&bzflag::game(), "MsgEnter", "callsign"}, {&native::game(), "Enter", "name"},
      {&native::game(), "Change", "name"},       {&ogar::game(), "ClientUpdate", "name"},
      {&ogar::game(), "Join", "name"},  // Panic's players have no names
  };
  return kAll;
}

/// A message in which a server tells of a kill; its fields `victim` and `killer` are players.
struct KillNaming {
  const wire::Game* game;
  std::string_view message;
  std::vector<std::string_view> no_players;  // killers that are none: the server, and nobody
};

const KillNaming* kill_naming(std::string_view game) {
  static const KillNaming kAll[] = {
      {&aos::game(), "KillAction", {}},
      {&bzdraft::game(), "MsgKilled", {"0", "254"}},
      {&bzflag::game(), "MsgKilled", {"253", "255"}},
  };
  for (const KillNaming& one : kAll)
    if (one.game->name() == game) return &one;
  return nullptr;
}

/// As it is printed, also that of a group of fields.
std::string value_of(const std::vector<wire::Shown>& fields, const std::string& name) {
  std::string value;
  for (const wire::Shown& field : fields)
    if (field.path == name || field.path.starts_with(name + ".")) value += field.value;
  return value;
}

std::span<const Entry> entries() {
  static const Entry kAll[] = {
      {&aos::game(), aos::faces, aos::mapping, aos::personal},
      {&bzdraft::game(), bzdraft::faces, bzdraft::mapping, bzdraft::personal},
      {&bzflag::game(), bzflag::faces, bzflag::mapping, bzflag::personal},
      {&native::game(), native::faces, native::mapping, no_fields},
      {&ogar::game(), ogar::faces, ogar::mapping, ogar::personal},
      {&panic::game(), panic::faces, panic::mapping, panic::personal},
  };
  return kAll;
}

const Entry* entry_of(const wire::Game& game) {
  for (const Entry& entry : entries())
    if (entry.game == &game || entry.game->over_web() == &game) return &entry;
  return nullptr;
}

}  // namespace

std::span<const wire::Game* const> games() {
  static const auto all = [] {
    std::vector<const wire::Game*> list;
    for (const Entry& entry : entries()) list.push_back(entry.game);
    return list;
  }();
  return all;
}

const wire::Game* find_game(std::string_view name) {
  for (const wire::Game* game : games())
    if (game->name() == name)
      return game;
    else if (const wire::Game* web = game->over_web(); web != nullptr && web->name() == name)
      return web;
  return nullptr;
}

const core::Faces& faces_of(const wire::Game& game) {
  const Entry* entry = entry_of(game);
  return entry != nullptr ? entry->faces() : no_faces();
}

std::span<const wire::MappingLine> mapping_of(const wire::Game& game) {
  const Entry* entry = entry_of(game);
  return entry != nullptr ? entry->mapping() : no_mapping();
}

std::span<const wire::PersonalField> personal_of(const wire::Game& game) {
  const Entry* entry = entry_of(game);
  return entry != nullptr ? entry->personal() : no_fields();
}

std::string_view player_name_field(const wire::Game& game, const wire::Row& row) {
  if ((row.ways & static_cast<std::uint8_t>(wire::Way::kToServer)) == 0) return "";
  for (const Naming& naming : namings())
    if ((naming.game == &game || naming.game->over_web() == &game) && naming.message == row.name) return naming.field;
  return "";
}

std::string_view kill_message(std::string_view game) {
  const KillNaming* const kill = kill_naming(game);
  return kill != nullptr ? kill->message : "";
}

bool tells_kill(std::string_view game_name, std::string_view dialect_name, Bytes frame) {
  const KillNaming* const kill = kill_naming(game_name);
  if (kill == nullptr) return false;
  const auto codec = kill->game->codec(wire::find_dialect(*kill->game, dialect_name).value_or(0));
  wire::Frame message{wire::Way::kToClient, wire::Lane::kStream, wire::Stage::kPlay, frame};
  if (codec->find(message) == nullptr) message.lane = wire::Lane::kDatagram;
  if (const auto row = codec->decode(message); !row || (*row)->name != kill->message) return false;
  const std::vector<wire::Shown> fields = wire::show(*codec);
  const std::string victim = value_of(fields, "victim"), killer = value_of(fields, "killer");
  return killer != victim &&
         std::find(kill->no_players.begin(), kill->no_players.end(), killer) == kill->no_players.end();
}

std::string_view ping_message(const wire::Game& game) { return &game == &bzflag::game() ? "MsgLagPing" : ""; }

std::span<const Asset> page_of(const wire::Game& game, std::size_t dialect) {
  const bool for_browsers = &game == native::game().over_web() && game.uses_text_messages(dialect);
  return for_browsers ? native::page() : std::span<const Asset>();
}

}  // namespace entente
