// Numbers in what comes from another machine.
#pragma once

#include <google/protobuf/message.h>

namespace entente::fleet {

/// Whether all numbers in it are finite.
bool has_finite_numbers(const google::protobuf::Message& message);

}  // namespace entente::fleet
