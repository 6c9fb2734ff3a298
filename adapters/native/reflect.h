// Any message of the schema before a walker, and the ids in it before a translator. Law: every field is visited, in the
// order of the schema's numbers; but not those of a oneof, which is a choice between messages.
#pragma once

#include <functional>

#include "adapters/wire/walker.h"
#include "proxy/core/word.h"

namespace entente::native {

void walk(google::protobuf::Message& message, wire::Walker& walker);

/// Replaces each id of a room, in this message and those inside it, by `translate(id)`; 0 stays.
/// REQUIRES: an Intent, a Fact, or one of the messages in them.
void translate_ids(google::protobuf::Message& message, const std::function<core::Id(core::Id)>& translate);

}  // namespace entente::native
