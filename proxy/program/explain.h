// `entente explain A B`: what a client of game A can say and see on a server of game B, field by field.
// Invariant: it uses only the two games' tables (wire::MappingLine) together; the worse of the two counts.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "adapters/wire/mapping.h"
#include "proxy/program/base/command.h"

namespace entente {

struct ExplainOptions {
  std::string client, server;  ///< URLs or names of games
  bool json = false;
};

void declare_explain(CLI::App& app, ExplainOptions& options);
int run_explain(const ExplainOptions& options);

/// What becomes of one field of a message.
struct Explained {
  std::string from;  ///< "Action.direction", of the sending game
  std::string word;  ///< "Step.direction"; empty if there is no word
  std::string to;    ///< "MsgPlayerUpdate.pos", of the receiving game; empty if not forwarded
  wire::Fidelity fidelity = wire::Fidelity::kExact;
  std::string reason;  ///< of the first game, then of the second
};

/// What becomes of everything that `speaker`'s side sends in this direction, in the order of its table.
std::vector<Explained> explain(std::span<const wire::MappingLine> speaker, std::span<const wire::MappingLine> listener,
                               wire::Way way);

/// What a bridge drops only in the situation that the reason names.
struct DroppedAtTimes {
  std::string what;  ///< "Fire" or "Action.piece"
  std::string reason;
};

/// What `speaker`'s side sends in this direction and either game drops in some situations.
std::vector<DroppedAtTimes> explain_drops(std::span<const wire::MappingLine> speaker,
                                          std::span<const wire::MappingLine> listener, wire::Way way);

/// Counts by fidelity, without what is dropped at times, in the order of wire::Fidelity.
std::array<std::size_t, 4> count(std::span<const Explained> all);

const char* text(wire::Fidelity fidelity);

}  // namespace entente
