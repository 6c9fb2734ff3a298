// The words of schema/game.proto's lists as they are written in rows: "red", "shot", "team_flag".
#pragma once

#include <cstdint>
#include <string>

#include "schema/game.pb.h"

namespace entente::numbers {

// A number that the schema lacks is written as a number.
std::string name_of(words::Team team);
std::string name_of(words::Role role);
std::string name_of(words::ShotKind kind);
std::string name_of(words::DeathCause why);
std::string name_of(words::DropReason why);
std::string name_of(words::Token::Kind kind);
std::string name_of(words::Token::State state);
std::string name_of(words::Say::Scope scope);
std::string name_of(words::Say::Kind kind);

/// A weapon of words::Shot: the letters of a flag of BZFlag ("GM"), or its number; "": plain.
std::string weapon_text(std::uint32_t weapon);

}  // namespace entente::numbers
