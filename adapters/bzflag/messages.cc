// What can be done to any message, for all of them at once. See Message.
#include "adapters/bzflag/messages.h"

namespace entente::bzflag {

Message::Message() = default;
Message::Message(const Message& other) = default;
Message::Message(Message&& other) noexcept = default;
Message& Message::operator=(const Message& other) = default;
Message& Message::operator=(Message&& other) noexcept = default;
Message::~Message() = default;

}  // namespace entente::bzflag
