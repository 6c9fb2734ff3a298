// schema/config.proto as protoc read it, comments included (the build embeds it; the generated classes have no
// comments).
#pragma once

#include "proxy/base/bytes.h"

namespace entente {

/// A serialized google.protobuf.FileDescriptorSet of one file.
Bytes config_schema();

}  // namespace entente
