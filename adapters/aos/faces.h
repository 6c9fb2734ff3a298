// The front and back of Ace of Spades, for the registry.
#pragma once

#include <memory>
#include <span>

#include "adapters/wire/mapping.h"
#include "adapters/wire/personal.h"
#include "proxy/core/faces.h"

namespace entente::aos {

/// A front or back for the dialect of `options`.
std::unique_ptr<core::Front> make_front(const core::FaceOptions& options);
std::unique_ptr<core::Back> make_back(const core::FaceOptions& options);

const core::Faces& faces();

/// The table of what each field and each word becomes; see mapping.cc.
std::span<const wire::MappingLine> mapping();

/// The personal data in the fields of messages; see personal.cc.
std::span<const wire::PersonalField> personal();

}  // namespace entente::aos
