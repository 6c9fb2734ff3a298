// The list of games. A game is part of the program by its line here; games do not register themselves.
#include "adapters/registry.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/aos/aos.h"
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

/// A message in which a server tells a player's team.
struct TeamNaming {
  std::string_view message, player, team;
};

/// A message in which a server tells of a kill; its fields `victim` and `killer` are players.
struct KillNaming {
  const wire::Game* game;
  std::string_view message;
  std::vector<std::string_view> no_players;  // killers that are none: the server, and nobody
  std::vector<TeamNaming> teams;
  std::vector<std::string_view> no_teams;  // whose players are nobody's mates
};

const KillNaming* kill_naming(std::string_view game) {
  static const KillNaming kAll[] = {
      {&aos::game(),
       "KillAction",
       {},
       {{"ExistingPlayer", "player", "team"},
        {"ShortPlayerData", "player", "team"},
        {"CreatePlayer", "player", "team"}},
       {}},
      {&bzdraft::game(), "MsgKilled", {"0", "254"}, {{"MsgAddPlayer", "player", "team"}}, {"0"}},
      {&bzflag::game(), "MsgKilled", {"253", "255"}, {{"MsgAddPlayer", "id", "team"}}, {"0"}},
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

/// See kill_counter().
class KillCounter {
 public:
  KillCounter(const KillNaming& kill, std::string_view dialect)
      : kill_(kill), codec_(kill.game->codec(wire::find_dialect(*kill.game, dialect).value_or(0))) {}

  bool hear(std::string_view name, Bytes frame) {
    for (const TeamNaming& one : kill_.teams)
      if (name == one.message && decodes(name, frame)) learn(one);
    return name == kill_.message && decodes(name, frame) && is_kill();
  }
  bool is_kill() const {
    const std::vector<wire::Shown> fields = wire::show(*codec_);
    const std::string victim = value_of(fields, "victim"), killer = value_of(fields, "killer");
    return killer != victim && !is_among(kill_.no_players, killer) && !are_mates(killer, victim);
  }
  bool decodes(std::string_view name, Bytes frame) {
    wire::Frame message{wire::Way::kToClient, wire::Lane::kStream, wire::Stage::kPlay, frame};
    if (codec_->find(message) == nullptr) message.lane = wire::Lane::kDatagram;
    const auto row = codec_->decode(message);
    return row.ok() && (*row)->name == name;
  }

 private:
  static constexpr std::size_t kMostTeams = 1024;  // more players than any game has

  static bool is_among(const std::vector<std::string_view>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }
  bool are_mates(const std::string& a, const std::string& b) const {
    const auto one = teams_.find(a), other = teams_.find(b);
    return one != teams_.end() && other != teams_.end() && one->second == other->second &&
           !is_among(kill_.no_teams, one->second);
  }
  void learn(const TeamNaming& message) {
    const std::vector<wire::Shown> fields = wire::show(*codec_);
    const std::string player = value_of(fields, std::string(message.player));
    if (teams_.size() < kMostTeams || teams_.contains(player))
      teams_[player] = value_of(fields, std::string(message.team));
  }

  const KillNaming& kill_;
  const std::unique_ptr<wire::Codec> codec_;
  std::map<std::string, std::string> teams_;  // by player
};

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
  KillCounter counter(*kill, dialect_name);
  return counter.decodes(kill->message, frame) && counter.is_kill();
}

std::function<bool(std::string_view, Bytes)> kill_counter(std::string_view game, std::string_view dialect) {
  const KillNaming* const kill = kill_naming(game);
  if (kill == nullptr) return {};
  return [counter = std::make_shared<KillCounter>(*kill, dialect)](std::string_view name, Bytes frame) {
    return counter->hear(name, frame);
  };
}

std::string_view ping_message(const wire::Game& game) { return &game == &bzflag::game() ? "MsgLagPing" : ""; }

std::span<const Asset> page_of(const wire::Game& game, std::size_t dialect) {
  const bool for_browsers = &game == native::game().over_web() && game.uses_text_messages(dialect);
  return for_browsers ? native::page() : std::span<const Asset>();
}

}  // namespace entente
