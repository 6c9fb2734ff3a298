// The words on the wire: which spelling (protobuf or JSON), in which envelope, and the codec that the tools use.
// Law: whatever parses re-encodes to the bytes that came. Protobuf and JSON spell one message in many ways, so the
// spelling is kept with it; a message that was changed is spelled in our own.
#pragma once

#include <memory>

#include "adapters/wire/codec.h"
#include "adapters/wire/frame.h"
#include "proxy/core/word.h"

namespace entente::native {

enum class Dialect : std::size_t { kProtobuf, kJson };

/// The version of the contract that we speak, as a server tells it by You.
inline constexpr std::uint32_t kContract = 1;

inline constexpr std::size_t kLargestIntent = 64 * 1024, kLargestFact = 16 * 1024 * 1024;

/// Bytes that may wait for a client before poses and shots are left out, and before it is closed.
inline constexpr std::size_t kSlowReader = 256 * 1024, kHopelessReader = 4 * 1024 * 1024;

/// What stands around a message.
struct Envelope {
  Dialect dialect = Dialect::kProtobuf;
  bool in_stream = true;  ///< TCP: a length or a line's end; else the transport keeps messages apart

  /// The message inside a whole frame. Fault: the envelope is not this.
  Result<Bytes> open(Bytes frame) const;
  /// Appends a frame around what `write(Buffer&)` appends.
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

std::unique_ptr<wire::Cutter> make_cutter(const Envelope& envelope, wire::Way way);
std::unique_ptr<wire::Codec> make_codec(const Envelope& envelope);

/// Reads a message of type words::Intent or words::Fact in that spelling. What a later schema has added is left out.
Result<google::protobuf::Message*> parse(Dialect dialect, Bytes bytes, google::protobuf::Message& into);
/// The same of what somebody's program wrote for us: the name of an enum value that does not exist is a fault, too.
/// After a fault `why` says to whoever wrote the program what is wrong, and where. The fault's field names the message
/// and the field of the schema, such as "Enter.role".
Result<google::protobuf::Message*> parse_strictly(Dialect dialect, Bytes bytes, google::protobuf::Message& into,
                                                  std::string& why);
/// Appends it.
void spell(Dialect dialect, const google::protobuf::Message& message, Buffer& out);

}  // namespace entente::native
