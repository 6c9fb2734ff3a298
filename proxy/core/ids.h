// The ids in a word: finds them, or translates them from one room to another. Invariant: exactly the fields that the
// schema marks (room_id) are ids.
#pragma once

#include <functional>

#include "proxy/core/word.h"

namespace entente::core {

/// Replaces each room id in this message and its submessages by `translate(id)`; 0 stays 0.
void translate_ids(google::protobuf::Message& message, const std::function<Id(Id)>& translate);

/// Calls `see` for each room id, except 0, in this message and its submessages.
void each_id(const google::protobuf::Message& message, const std::function<void(Id)>& see);

}  // namespace entente::core
