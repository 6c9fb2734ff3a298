// The protobuf schemas of a recording, as MCAP embeds them.
#pragma once

#include <google/protobuf/descriptor.h>

#include "proxy/trace/mcap.h"

namespace entente::trace {

/// The schema of `type`: its FileDescriptorSet has the file of `type` and all that it imports, imports first, so that a
/// reader needs no .proto file.
mcap::Schema protobuf_schema(std::uint16_t id, const google::protobuf::Descriptor& type);

}  // namespace entente::trace
