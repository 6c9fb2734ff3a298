// What wire.cc (layouts) and frames.cc (cutting) share: the greetings, the sizes, the factories.
// Invariant: a greeting is recognised by its bytes alone, so that a frame decodes without its connection.
#pragma once

#include <bitset>
#include <memory>

#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/wire/messages.h"
#include "adapters/wire/codec.h"
#include "adapters/wire/message_codec.h"

namespace entente::bzflag {

inline constexpr std::string_view kHeaderWord = "BZFLAG\r\n\r\n";
inline constexpr std::string_view kMagicWord = "BZFS";
inline constexpr std::string_view kLateWord = "\r\n\r\n";
inline constexpr std::string_view kRefusedWord = "REFUSED:";
/// MsgSuperKill. A client does not notice a closed connection (ServerLink.cxx:517 at v2.4.26) and plays on.
inline constexpr std::uint8_t kSuperKillFrame[] = {0, 0, 0x73, 0x6b};
inline constexpr std::size_t kWelcomeSize = 9, kTooLateSize = 12;
inline constexpr std::size_t kFrameHead = 4;  // the size, then the code

/// Bytes. A real server drops a client that announces more (NetHandler.cxx:581 at v2.4.26).
inline constexpr std::size_t kLargestPayload = 1024;

/// The codes of greetings in the table of messages.
enum class Greeting : std::uint8_t { kClientHeader, kWelcome, kTooLate, kRefused, kRefusedMore };

Greeting greeting(wire::Way way, Bytes bytes);

/// The kinds of messages (indices into Message) that this dialect has in that direction.
std::bitset<std::variant_size_v<AnyMessage>> kinds_of(std::size_t dialect, wire::Way way);

std::unique_ptr<wire::Codec> make_codec(std::size_t dialect);
std::unique_ptr<wire::MessageCodec<Message>> make_message_codec(std::size_t dialect);
std::unique_ptr<wire::Cutter> make_cutter(wire::Way way, std::size_t dialect);
std::unique_ptr<wire::Cutter> make_datagram_cutter();

}  // namespace entente::bzflag
