// The special members of Message, which are compiled once for all messages.
#include "adapters/bzflag/wire/messages.h"

namespace entente::bzflag {

Message::Message() = default;
Message::Message(const Message& other) = default;
Message::Message(Message&& other) noexcept = default;
Message& Message::operator=(const Message& other) = default;
Message& Message::operator=(Message&& other) noexcept = default;
Message::~Message() = default;

}  // namespace entente::bzflag
