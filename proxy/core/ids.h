// Translates the ids in a word from one room to another. Law: exactly the fields that the schema marks (room_id) are
// ids.
#pragma once

#include <functional>

#include "proxy/core/word.h"

namespace entente::core {

/// Replaces each room id in this message and its submessages by `translate(id)`; 0 stays 0.
void translate_ids(google::protobuf::Message& message, const std::function<Id(Id)>& translate);

}  // namespace entente::core
