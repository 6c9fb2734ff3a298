// The ids in a word, of one room made another's. Law: what the schema marks (room_id) is an id, and nothing else is.
#pragma once

#include <functional>

#include "proxy/core/word.h"

namespace entente::core {

/// Replaces each id of a room, in this message and those inside it, by `translate(id)`; 0 stays.
/// REQUIRES: an Intent, a Fact, or one of the messages in them.
void translate_ids(google::protobuf::Message& message, const std::function<Id(Id)>& translate);

}  // namespace entente::core
