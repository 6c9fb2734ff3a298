#include "adapters/ogar/front/notices.h"

#include <cmath>

#include "adapters/ogar/front/looks.h"
#include "adapters/ogar/wire/text.h"
#include "proxy/core/bodies.h"
#include "proxy/core/chat.h"

namespace entente::ogar {
namespace {

constexpr double kLongestWait = 3600;  // seconds; longer waits are not shown

std::string over(const words::Round& round, const core::WorldState& world) {
  return round.state() == words::Round::OVER ? core::line_of(round, world) : std::string();
}

/// The line for a death that the player has suffered or caused. None for cells: the client shows who eats whom.
std::string death(const words::Died& died, const core::WorldState& world, core::Id me) {
  const core::UnitState* unit = world.unit(died.unit());
  if (me == 0 || unit == nullptr || !core::is_body(unit->unit.kind())) return {};
  const auto name = [&](core::Id id) {
    const core::PlayerState* player = world.player(id);
    return player != nullptr ? player->player.name() : std::string();
  };
  const bool mine = died.player() == me;
  const std::string other = name(mine ? died.killer() : died.player());
  if (mine) {
    const double wait = std::ceil(died.respawn_s());
    const std::string line = died.killer() == me || other.empty() ? "you are dead" : other + " has killed you";
    return wait >= 1 && wait <= kLongestWait ? line + "; " + std::to_string(std::lround(wait)) + " s until you may play"
                                             : line;
  }
  return died.killer() == me && !other.empty() ? "you have killed " + other : std::string();
}

}  // namespace

std::string keys_of(const core::Fact& fact, const core::WorldState& world, core::Id me) {
  const auto* spawned = core::as<words::Spawned>(fact);
  const core::UnitState* unit = spawned != nullptr && me != 0 ? world.unit(spawned->unit()) : nullptr;
  if (unit == nullptr || unit->unit.owner() != me || !core::is_body(unit->unit.kind())) return {};
  return unit->unit.kind() == words::Unit::MAN ? "you walk to the mouse; Space shoots, W reloads"
                                               : "your tank drives to the mouse; Space shoots";
}

std::string notice_of(const core::Fact& fact, const core::WorldState& world, core::Id me) {
  return std::visit(core::Overloaded{[](const words::Notice& word) { return word.text(); },
                                     [](const words::Waiting& word) { return core::line_of(word); },
                                     [&](const words::Round& word) { return over(word, world); },
                                     [](const words::Refused& word) { return "you cannot join: " + word.text(); },
                                     [&](const words::Died& word) { return death(word, world, me); },
                                     [](const words::Kicked& word) { return "you were kicked: " + word.text(); },
                                     [](const words::ClaimRefused& word) { return "refused: " + word.why(); },
                                     [](const auto&) { return std::string(); }},
                    fact.content);
}

ChatLine server_line(std::string_view text) {
  ChatLine line;
  set(line.name, "Server");
  line.colour = {63, 63, 192};
  line.by_server = 1;
  set(line.text, text);
  return line;
}

ChatLine chat_line(const words::Said& said, const core::WorldState& world) {
  const core::PlayerState* player = world.player(said.from());
  std::string name = said.name();
  if (name.empty() && player != nullptr) name = player->player.name();
  if (said.from() == 0 && name.empty()) return server_line(said.text());
  ChatLine line;
  set(line.name, name);
  line.colour = said.colour() != 0 ? colour_of(said.colour()) : colour_of(world, said.from(), words::TEAM_ANY);
  const char* aside = said.scope() == words::Say::EVERYBODY ? ""
                      : said.scope() == words::Say::MY_TEAM ? "(team) "
                                                            : "(to you) ";
  set(line.text, aside + said.text());
  return line;
}

}  // namespace entente::ogar
