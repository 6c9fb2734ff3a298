// Shows any message of the schema to a walker. Law: every field is visited, in the order of the field numbers, except
// those of a oneof, which is a choice between messages.
#pragma once

#include "adapters/wire/walker.h"
#include "proxy/core/word.h"

namespace entente::native {

void walk(google::protobuf::Message& message, wire::Walker& walker);

}  // namespace entente::native
