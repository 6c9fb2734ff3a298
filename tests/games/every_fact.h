// One fact, or one intent, of each kind. A front that has come into the game hears each kind of fact: it must have a
// handler or a line of the mapping.
#pragma once

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "proxy/base/mapping.h"
#include "proxy/core/drops.h"
#include "proxy/core/word.h"

namespace entente::testing {

/// Calls `take(core::Fact)` with an empty fact of each kind.
template <class Take>
void for_each_fact(Take&& take) {
  [&]<class... Kinds>(std::variant<Kinds...>*) {
    (take(core::Fact(Kinds())), ...);
  }(static_cast<core::FactKind*>(nullptr));
}

/// Calls `take(core::Intent)` with an empty intent of each kind.
template <class Take>
void for_each_intent(Take&& take) {
  [&]<class... Kinds>(std::variant<Kinds...>*) {
    (take(core::Intent(Kinds())), ...);
  }(static_cast<core::IntentKind*>(nullptr));
}

/// `hear(fact)`: a new front in the game hears the fact; returns what it did, as a Stage tells it.
template <class Hear>
void check_every_fact(Hear&& hear) {
  for_each_fact([&](const core::Fact& fact) {
    const std::string said = hear(fact);
    CHECK_MESSAGE(said.find(core::drops::kNoMessage.reason) == std::string::npos,
                  "neither a handler nor a line: ", std::string(core::name_of(fact)));
  });
}

/// The line by which a game says that it has no message for this word; null if it has one. `mapping`: of the game.
inline const MappingLine* line_against(std::span<const MappingLine> mapping, std::string_view word) {
  for (const MappingLine& line : mapping)
    if (*line.message == '\0' && line.word == word && line.fidelity == Fidelity::kDropped) return &line;
  return nullptr;
}

/// `hear(intent)`: a new back in the game hears the intent; returns what it did, as a Stage tells it. An intent for
/// which the game has no message must be counted, by its line, and have no other effect, except that a claim to be dead
/// is refused.
template <class Hear>
void check_every_intent(std::span<const MappingLine> mapping, Hear&& hear) {
  for_each_intent([&](const core::Intent& intent) {
    const std::string word = core::name_of(intent);
    const MappingLine* const line = line_against(mapping, word);
    if (line == nullptr) return;
    std::string effect = "loses " + word + ": " + line->reason + "\n";
    if (core::as<words::DeathClaim>(intent) != nullptr)
      effect += std::string("says ClaimRefused why: \"") + line->reason + "\" (to 1)\n";
    CHECK(hear(intent) == effect);
  });
}

}  // namespace entente::testing
