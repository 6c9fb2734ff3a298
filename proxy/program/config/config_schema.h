// schema/config.proto as parsed by protoc, with comments, embedded by the build. (The generated classes have no
// comments.)
#pragma once

#include "proxy/base/bytes.h"

namespace entente {

/// A serialized google.protobuf.FileDescriptorSet of one file.
Bytes config_schema();

}  // namespace entente
