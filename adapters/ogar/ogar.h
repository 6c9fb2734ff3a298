// Ogar (the family of Agar.io servers), as the registry and the tools see it.
#pragma once

#include <span>

#include "adapters/wire/game.h"
#include "adapters/wire/mapping.h"
#include "adapters/wire/personal.h"
#include "proxy/core/faces.h"

namespace entente::ogar {

/// The game object. There is only one.
const wire::Game& game();

/// A codec for the dialect with index `dialect` in game().dialects().
std::unique_ptr<wire::Codec> make_codec(std::size_t dialect);

const core::Faces& faces();
/// The table of what each field and each word becomes, for all dialects; see mapping.cc.
std::span<const wire::MappingLine> mapping();

/// The personal data in the fields of messages; see personal.cc.
std::span<const wire::PersonalField> personal();

}  // namespace entente::ogar
