// Shows any message of the schema to a visitor. Invariant: every field is visited, in the order of the field numbers,
// except those of a oneof, which is a choice between messages, and those that only recordings have.
#pragma once

#include "adapters/wire/field_visitor.h"
#include "proxy/core/word.h"

namespace entente::native {

void visit(google::protobuf::Message& message, wire::FieldVisitor& visitor);

}  // namespace entente::native
