// `entente explain A B`: what a client of game A can say on a server of game B, and what it sees there, field by field.
// Law: nothing is told but what the two games' tables (wire::Mapping) say together; the worse of the two counts.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "adapters/wire/mapping.h"
#include "proxy/program/command.h"

namespace entente {

struct ExplainOptions {
  std::string client, server;  ///< URLs, or names of games
  bool json = false;
};

void declare_explain(CLI::App& app, ExplainOptions& options);
int run_explain(const ExplainOptions& options);

/// One field of a message on its way to the other game.
struct Explained {
  std::string from;  ///< "Action.direction", of the game that speaks
  std::string word;  ///< "Step.direction"; empty if no word is behind it
  std::string to;    ///< "MsgPlayerUpdate.pos", of the game that is told; empty if it is not told
  wire::Fidelity fidelity = wire::Fidelity::kExact;
  std::string reason;  ///< of the first game, then of the second
};

/// What becomes of all that `speaker`'s side says in this direction, in the order of its table.
std::vector<Explained> explain(std::span<const wire::Mapping> speaker, std::span<const wire::Mapping> listener,
                               wire::Way way);

/// What a bridge drops only in the situation that the reason names.
struct DroppedAtTimes {
  std::string what;  ///< "Fire" or "Action.piece"
  std::string reason;
};

/// What of all that `speaker`'s side says in this direction is dropped at times, by either game.
std::vector<DroppedAtTimes> explain_drops(std::span<const wire::Mapping> speaker,
                                          std::span<const wire::Mapping> listener, wire::Way way);

/// How many of each fidelity that holds always, in the order of wire::Fidelity.
std::array<std::size_t, 4> count(std::span<const Explained> all);

const char* text(wire::Fidelity fidelity);

}  // namespace entente
