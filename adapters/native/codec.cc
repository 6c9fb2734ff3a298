#include "adapters/native/codec.h"

#include <algorithm>
#include <utility>

#include "adapters/native/json.h"
#include "adapters/native/protobuf.h"
#include "adapters/native/reflect.h"

namespace entente::native {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using wire::Way;

constexpr std::size_t kLengthSize = 4;

std::uint32_t length_of(Bytes frame) {
  return static_cast<std::uint32_t>(frame[0]) << 24U | static_cast<std::uint32_t>(frame[1]) << 16U |
         static_cast<std::uint32_t>(frame[2]) << 8U | frame[3];
}

constexpr std::size_t largest(Way way) { return way == Way::kToServer ? kLargestIntent : kLargestFact; }

class LengthCutter final : public wire::Cutter {
 public:
  explicit LengthCutter(Way way) : way_(way) {}
  wire::Cut next(Bytes bytes) override {
    if (bytes.size() < kLengthSize) return {};
    const std::size_t size = kLengthSize + length_of(bytes);
    if (size > largest(way_)) return {0, wire::Stage::kPlay, Fault{"oversize frame", "length", 0}};
    return {bytes.size() >= size ? size : 0, wire::Stage::kPlay, {}};
  }

 private:
  Way way_;
};

class LineCutter final : public wire::Cutter {
 public:
  explicit LineCutter(Way way) : way_(way) {}
  wire::Cut next(Bytes bytes) override {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(searched_, bytes.size()));
    const auto end = std::find(from, bytes.end(), '\n');
    const std::size_t size = static_cast<std::size_t>(end - bytes.begin());
    if (size >= largest(way_)) return {0, wire::Stage::kPlay, Fault{"oversize frame", "line", 0}};
    searched_ = end == bytes.end() ? size : 0;  // a long line that arrives in pieces is searched only once
    return {end == bytes.end() ? 0 : size + 1, wire::Stage::kPlay, {}};
  }

 private:
  Way way_;
  std::size_t searched_ = 0;
};

/// The kinds of intents or facts.
const google::protobuf::OneofDescriptor* kinds_of(Way way) {
  static const auto* const intents = words::Intent::descriptor()->FindOneofByName("kind");
  static const auto* const facts = words::Fact::descriptor()->FindOneofByName("kind");
  return way == Way::kToServer ? intents : facts;
}

std::vector<wire::Row> make_rows() {
  std::vector<wire::Row> rows;
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    const auto* kinds = kinds_of(way);
    for (int i = 0; i < kinds->field_count(); ++i) {
      const auto code = static_cast<std::uint32_t>(kinds->field(i)->number());
      rows.push_back({kinds->field(i)->message_type()->name().c_str(), code, code, static_cast<std::uint8_t>(way),
                      static_cast<std::uint8_t>(Lane::kStream), wire::Stage::kPlay, 3});
    }
  }
  return rows;
}

class NativeCodec final : public wire::Codec {
 public:
  explicit NativeCodec(const Envelope& envelope) : envelope_(envelope), rows_(make_rows()) {}

  std::span<const wire::Row> rows() const override { return rows_; }

  /// The kind may be anywhere in a message, so finding it means decoding the message.
  const wire::Row* find(const wire::Frame& frame) const override {
    if (!finder_) finder_ = std::make_unique<NativeCodec>(envelope_);
    const auto row = finder_->decode(frame);
    return row ? row_of((*row)->first_code, frame.way) : nullptr;
  }

  Result<const wire::Row*> decode(const wire::Frame& frame) override {
    way_ = frame.way;
    free_large_fact();
    const auto inside = envelope_.open(frame.bytes);
    if (!inside) return inside.error();
    large_ = way_ == Way::kToClient && inside->size() > kLargestPlainFact;
    const auto read = way_ == Way::kToClient ? parse_fact(envelope_.dialect, *inside, fact_)
                                             : parse(envelope_.dialect, *inside, intent_);
    if (!read) {
      free_large_fact();
      return in_frame(read.error(), frame.bytes, *inside);
    }
    Message& message = kept();
    const FieldDescriptor* kind = message.GetReflection()->GetOneofFieldDescriptor(message, kinds_of(way_));
    if (kind == nullptr) return Fault{"unknown kind of word", "kind", 0};
    spelled_.assign(frame.bytes.begin(), frame.bytes.end());
    ours_ = message.SerializeAsString();
    return row_of(static_cast<std::uint32_t>(kind->number()), way_);
  }

  void make(const wire::Row& row, Way way) override {
    way_ = way;
    free_large_fact();
    Message& message = kept();
    message.Clear();
    message.GetReflection()->MutableMessage(
        &message, message.GetDescriptor()->FindFieldByNumber(static_cast<int>(row.first_code)));
    spelled_.clear();
  }

  void encode(Buffer& out) const override {
    const Message& message = kept();
    if (!spelled_.empty() && message.SerializeAsString() == ours_) return append(out, spelled_);
    envelope_.wrap(out, [&](Buffer& to) { spell(envelope_.dialect, message, to); });
  }

  /// Visits the fields outside the kind, then those of the kind.
  void visit(wire::FieldVisitor& visitor) override {
    Message& message = kept();
    const auto* kinds = kinds_of(way_);
    const auto* set = message.GetReflection()->GetOneofFieldDescriptor(message, kinds);
    native::visit(message, visitor);
    visitor.group(set->name().c_str());
    native::visit(*message.GetReflection()->MutableMessage(&message, set), visitor);
    visitor.end_group();
  }

 private:
  const wire::Row* row_of(std::uint32_t code, Way way) const {
    for (const wire::Row& row : rows_)
      if (row.first_code == code && row.ways == static_cast<std::uint8_t>(way)) return &row;
    return nullptr;
  }
  void free_large_fact() {
    if (!std::exchange(large_, false)) return;
    fact_ = words::Fact();
    spelled_ = Buffer();
    ours_ = std::string();
  }
  Message& kept() { return way_ == Way::kToServer ? static_cast<Message&>(intent_) : fact_; }
  const Message& kept() const { return way_ == Way::kToServer ? static_cast<const Message&>(intent_) : fact_; }

  Envelope envelope_;
  std::vector<wire::Row> rows_;
  Way way_ = Way::kToServer;
  words::Intent intent_;
  words::Fact fact_;
  mutable std::unique_ptr<NativeCodec> finder_;
  Buffer spelled_;      // the frame as it was received
  std::string ours_;    // the decoded message in our own encoding
  bool large_ = false;  // the fact is above kLargestPlainFact, and its memory is freed before the next message
};

}  // namespace

Result<Bytes> Envelope::open(Bytes frame) const {
  if (has_length()) {
    if (frame.size() < kLengthSize || frame.size() - kLengthSize != length_of(frame))
      return Fault{"the length field does not match the frame", "length", 0};
    return frame.subspan(kLengthSize);
  }
  if (!in_stream) return frame;
  if (frame.empty() || frame.back() != '\n') return Fault{"a line without a newline at the end", "line", frame.size()};
  return frame.first(frame.size() - 1);
}

Fault in_frame(Fault fault, Bytes frame, Bytes inside) {
  fault.offset += static_cast<std::size_t>(inside.data() - frame.data());
  return fault;
}

void Envelope::close(Buffer& out, std::size_t start) const {
  if (has_length()) {
    const std::size_t size = out.size() - start - kLengthSize;
    for (std::size_t i = 0; i < kLengthSize; ++i) out[start + i] = static_cast<std::uint8_t>(size >> (24 - 8 * i));
  } else if (in_stream) {
    out.push_back('\n');
  }
}

std::unique_ptr<wire::Cutter> make_cutter(const Envelope& envelope, Way way) {
  if (!envelope.in_stream) return std::make_unique<wire::WholeFrames>();
  if (envelope.dialect == Dialect::kProtobuf) return std::make_unique<LengthCutter>(way);
  return std::make_unique<LineCutter>(way);
}

std::unique_ptr<wire::Codec> make_codec(const Envelope& envelope) { return std::make_unique<NativeCodec>(envelope); }

Result<Message*> parse(Dialect dialect, Bytes bytes, Message& into) {
  return dialect == Dialect::kJson ? read_json(bytes, into, UnknownName::kLeaveOut, nullptr)
                                   : read_protobuf(bytes, into, nullptr);
}

Result<Message*> parse_fact(Dialect dialect, Bytes bytes, words::Fact& into) {
  if (bytes.size() <= kLargestPlainFact) return parse(dialect, bytes, into);
  static constexpr int kKinds[] = {words::Fact::kWorldFieldNumber, words::Fact::kTimelineFieldNumber};
  constexpr LongMessage kLong{kKinds, 200'000};
  return dialect == Dialect::kJson ? read_json(bytes, into, UnknownName::kLeaveOut, nullptr, &kLong)
                                   : read_protobuf(bytes, into, nullptr, &kLong);
}

Result<Message*> parse_strictly(Dialect dialect, Bytes bytes, Message& into, std::string& why) {
  return dialect == Dialect::kJson ? read_json(bytes, into, UnknownName::kRefuse, &why)
                                   : read_protobuf(bytes, into, &why);
}

void spell(Dialect dialect, const Message& message, Buffer& out) {
  if (dialect == Dialect::kProtobuf) {
    const std::size_t start = out.size();
    out.resize(start + message.ByteSizeLong());
    message.SerializeWithCachedSizesToArray(out.data() + start);
    return;
  }
  write_json(message, out);
}

}  // namespace entente::native
