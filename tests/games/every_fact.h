// A front that has come into the game hears one fact of each kind. Each must have a handler or a line of the mapping.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "proxy/core/drops.h"
#include "proxy/core/word.h"

namespace entente::testing {

/// `hear(fact)`: a new front in the game hears the fact; returns what it did, as a Stage tells it.
template <class Hear>
void check_every_fact(Hear&& hear) {
  const auto check = [&](const core::Fact& fact) {
    const std::string said = hear(fact);
    CHECK_MESSAGE(said.find(core::drops::kNoMessage.reason) == std::string::npos,
                  "neither a handler nor a line: ", std::string(core::name_of(fact)));
  };
  [&]<class... Kinds>(std::variant<Kinds...>*) {
    (check(core::Fact(Kinds())), ...);
  }(static_cast<core::FactKind*>(nullptr));
}

}  // namespace entente::testing
