// The list of games. A game is part of the program by its line here; games do not register themselves.
#include "adapters/registry.h"

#include <vector>

#include "adapters/aos/aos.h"
#include "adapters/aos/faces.h"
#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/native/native.h"
#include "adapters/native/page.h"
#include "adapters/ogar/ogar.h"
#include "adapters/panic/panic.h"

namespace entente {
namespace {

/// For a game that is not in the list, such as a test's.
const core::Faces& no_faces() {
  static const core::Faces none;
  return none;
}
std::span<const wire::Mapping> no_mapping() { return {}; }
std::span<const wire::PersonalField> no_fields() { return {}; }

struct Entry {
  const wire::Game* game;
  const core::Faces& (*faces)();
  std::span<const wire::Mapping> (*mapping)();
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

std::span<const wire::Mapping> mapping_of(const wire::Game& game) {
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
  if (game == "bzflag" || game == "bzdraft") return "MsgKilled";
  if (game == "aos") return "KillAction";
  return "";
}

std::string_view ping_message(const wire::Game& game) { return &game == &bzflag::game() ? "MsgLagPing" : ""; }

std::span<const Asset> page_of(const wire::Game& game, std::size_t dialect) {
  const bool for_browsers = &game == native::game().over_web() && game.says_text(dialect);
  return for_browsers ? native::page() : std::span<const Asset>();
}

}  // namespace entente
