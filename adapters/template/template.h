// The template of a game: a chat room over TCP. Copy this folder, rename `sample`, and go on from there.
#pragma once

#include <memory>
#include <span>

#include "adapters/template/messages.h"
#include "adapters/wire/mapping.h"
#include "adapters/wire/message_link.h"
#include "adapters/wire/personal.h"
#include "proxy/core/faces.h"

namespace entente::sample {

/// The game as the program sees it. Lives as long as the program.
const wire::Game& game();
/// Creates its fronts and backs.
const core::Faces& faces();
/// The table of what each field and each word becomes; see mapping.cc.
std::span<const wire::MappingLine> mapping();
/// The personal data in the fields of messages; see personal.cc.
std::span<const wire::PersonalField> personal();

/// Reads and writes messages, for the front and back.
std::unique_ptr<wire::MessageCodec<Message>> make_message_codec();

}  // namespace entente::sample
