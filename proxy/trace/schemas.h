// The protobuf schemas that a recording embeds.
#pragma once

#include <google/protobuf/descriptor.h>

#include "proxy/trace/mcap.h"

namespace entente::trace {

/// The schema of `type`: a FileDescriptorSet with the file of `type` and everything that it imports, imports first,
/// so that readers need no .proto file.
mcap::Schema protobuf_schema(std::uint16_t id, const google::protobuf::Descriptor& type);

}  // namespace entente::trace
