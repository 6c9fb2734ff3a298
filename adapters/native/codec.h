// Words on the wire: the encoding (protobuf or JSON), the envelope, and the codec that tools use.
// Invariant: whatever parses is encoded to the same bytes again. Protobuf and JSON can encode a message in many ways,
// so the received bytes are kept with it; a message that was changed is encoded in our own way.
#pragma once

#include <memory>

#include "adapters/wire/codec.h"
#include "adapters/wire/frame.h"
#include "proxy/core/word.h"

namespace entente::native {

enum class Dialect : std::size_t { kProtobuf, kJson };

/// The version of the protocol that we speak. A server sends it in You.
inline constexpr std::uint32_t kContract = 2;

inline constexpr std::size_t kLargestIntent = 64 * 1024, kLargestFact = 16 * 1024 * 1024;
/// Of a fact that is neither a World nor a Timeline; see parse_fact().
inline constexpr std::size_t kLargestPlainFact = 64 * 1024;

/// Bytes that may wait for a client before poses and inputs of keys are dropped. Its session disconnects a client that
/// is slower still (relay::CountedEnd::overflows()).
inline constexpr std::size_t kSlowReader = 256 * 1024;

/// What surrounds a message on the wire.
struct Envelope {
  Dialect dialect = Dialect::kProtobuf;
  bool in_stream = true;  ///< TCP: with a length or a line end; otherwise the transport keeps messages apart

  /// The message inside a whole frame. A fault if the frame does not have this envelope.
  Result<Bytes> open(Bytes frame) const;
  /// Appends a frame with what `write(Buffer&)` appends as its content.
  template <class Write>
  void wrap(Buffer& out, Write&& write) const {
    const std::size_t start = out.size();
    if (has_length()) out.resize(start + 4);
    write(out);
    close(out, start);
  }

 private:
  bool has_length() const { return in_stream && dialect == Dialect::kProtobuf; }
  void close(Buffer& out, std::size_t start) const;
};

/// A fault of the message, with its offset in the frame. REQUIRES: Envelope::open() has returned `inside`.
Fault in_frame(Fault fault, Bytes frame, Bytes inside);

std::unique_ptr<wire::Cutter> make_cutter(const Envelope& envelope, wire::Way way);
std::unique_ptr<wire::Codec> make_codec(const Envelope& envelope);

/// Reads a words::Intent or words::Fact. Fields of a later schema are ignored.
Result<google::protobuf::Message*> parse(Dialect dialect, Bytes bytes, google::protobuf::Message& into);
/// As parse(), for messages of servers: a fact above kLargestPlainFact is also a fault if its kind needs no more, or if
/// there are more messages inside it than a World or a Timeline has.
Result<google::protobuf::Message*> parse_fact(Dialect dialect, Bytes bytes, words::Fact& into);
/// As parse(), for messages of client programs: an unknown name of an enum value is also a fault. After a fault, `why`
/// tells the program's author what is wrong and where. The fault's field is the message and field of the schema, such
/// as "Enter.role".
Result<google::protobuf::Message*> parse_strictly(Dialect dialect, Bytes bytes, google::protobuf::Message& into,
                                                  std::string& why);
/// Appends the encoded message.
void spell(Dialect dialect, const google::protobuf::Message& message, Buffer& out);

}  // namespace entente::native
