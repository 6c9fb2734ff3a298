#include "adapters/native/protobuf.h"

#include <google/protobuf/stubs/common.h>

#include <algorithm>
#include <cassert>
#include <optional>

#include "adapters/native/schema_table.h"

namespace entente::native {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

enum class Look : std::uint8_t {
  kAtTexts,       ///< skips messages that cannot have a text
  kAtEverything,  ///< for the place of a mistake
};

constexpr const char* kNotAMessage = "not a message of the schema";

/// Goes through the fields of a message on the wire.
class WireWalk {
 public:
  WireWalk(Bytes all, Look look, const LongMessage* limits) : all_(all), look_(look), limits_(limits) {}

  /// The first mistake from `at` to `end`, which are offsets.
  std::optional<Fault> mistake(const MessageType& type, std::size_t at, std::size_t end) {
    const bool outermost = depth_++ == 0;
    std::size_t groups = 0;  // open groups; the schema has none, so what is in them is of a later one
    while (at != end) {
      const std::size_t start = at;
      const auto tag = varint(at, end, 5);
      std::size_t size = 0;
      const auto wire_type = static_cast<unsigned>(tag.value_or(0) & 7U);
      if (wire_type == kStartGroup) ++groups;
      if (!tag || *tag >> 3U == 0 || !skip_to_value(wire_type, at, end, size, groups))
        return Fault{kNotAMessage, "word", start};
      const FieldType* const field =
          wire_type == kLength && groups == 0 ? type.numbered(static_cast<std::uint32_t>(*tag) >> 3U) : nullptr;
      if (outermost && limits_ != nullptr && field != nullptr && field->inner != nullptr &&
          std::ranges::find(limits_->kinds, field->is->number()) == limits_->kinds.end())
        return Fault{kTooLong, in_schema(*field->is), start};
      if (field != nullptr)
        if (auto found = mistake_in(*field, at, at + size)) return found;
      at += size;
    }
    --depth_;
    if (groups != 0) return Fault{kNotAMessage, "word", end};
    return std::nullopt;
  }

 private:
  enum : unsigned { kVarint, kFixed64, kLength, kStartGroup, kEndGroup, kFixed32 };

  std::optional<Fault> mistake_in(const FieldType& field, std::size_t at, std::size_t end) {
    if (field.inner != nullptr && limits_ != nullptr && ++inside_ > limits_->most_inside)
      return Fault{kTooManyInside, in_schema(*field.is), at};
    if (field.inner != nullptr && (field.inner->has_text || look_ == Look::kAtEverything || limits_ != nullptr))
      return mistake(*field.inner, at, end);
    if (field.is->type() != FieldDescriptor::TYPE_STRING) return std::nullopt;
    const auto text = as_text(all_.subspan(at, end - at));
    const auto valid =
        static_cast<std::size_t>(google::protobuf::internal::UTF8SpnStructurallyValid({text.data(), text.size()}));
    if (valid == text.size()) return std::nullopt;
    return Fault{"text that is not UTF-8", in_schema(*field.is), at + valid};
  }

  /// `size`: of the value that begins at `at`. False: there is none.
  bool skip_to_value(unsigned wire_type, std::size_t& at, std::size_t end, std::size_t& size, std::size_t& groups) {
    if (wire_type == kVarint) return varint(at, end, 10).has_value();
    if (wire_type == kEndGroup) return groups-- != 0;
    if (wire_type == kLength) {
      const auto length = varint(at, end, 5);
      if (!length) return false;
      size = static_cast<std::size_t>(*length);
    }
    if (wire_type == kFixed64) size = 8;
    if (wire_type == kFixed32) size = 4;
    return wire_type <= kFixed32 && size <= end - at;
  }

  std::optional<std::uint64_t> varint(std::size_t& at, std::size_t end, unsigned longest) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < longest && at != end; ++i) {
      const std::uint64_t byte = all_[at++];
      value |= (byte & 0x7fU) << 7U * i;
      if (byte < 0x80) return longest == 5 ? value & 0xffffffffU : value;
    }
    return std::nullopt;
  }

  Bytes all_;
  Look look_;
  const LongMessage* limits_;
  std::size_t depth_ = 0, inside_ = 0;  // the messages that it is in; that it has seen inside others
};

std::string sentence(const Fault& fault, const Message& message) {
  const std::string place = " at byte " + std::to_string(fault.offset);
  if (fault.what == kTooLong || fault.what == kTooManyInside)
    return std::string(fault.field) + ": " + fault.what + place;
  if (fault.what != kNotAMessage) return std::string(fault.field) + ": expected UTF-8" + place;
  return "not a message " + message.GetDescriptor()->name() + " of schema/game.proto" + place;
}

}  // namespace

Result<Message*> read_protobuf(Bytes bytes, Message& into, std::string* why, const LongMessage* limits) {
  const MessageType* const type = message_type(into.GetDescriptor());
  assert(type != nullptr);
  auto fault = WireWalk(bytes, Look::kAtTexts, limits).mistake(*type, 0, bytes.size());
  if (!fault && into.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return &into;
  if (!fault) fault = WireWalk(bytes, Look::kAtEverything, limits).mistake(*type, 0, bytes.size());
  if (!fault) fault = Fault{kNotAMessage, "word", 0};
  if (why != nullptr) *why = sentence(*fault, into);
  return *fault;
}

}  // namespace entente::native
