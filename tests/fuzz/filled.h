// Fills the fields of messages from a fuzzer's input, so that even noise makes whole messages.
#pragma once

#include <google/protobuf/message.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "proxy/base/bytes.h"

namespace entente::fuzz {

class Source {
 public:
  explicit Source(Bytes bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }
  /// 0 at the end.
  std::uint8_t byte() { return empty() ? 0 : some(1)[0]; }
  Bytes some(std::size_t size) {
    const Bytes taken = left_.first(std::min(size, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  /// Mostly small, so that it is often an id in use.
  std::uint64_t number() {
    const std::uint8_t byte = this->byte();
    return byte < 240 ? byte % 12U : std::numeric_limits<std::uint64_t>::max() - byte;
  }
  double real() {
    constexpr std::array<double, 8> kOdd = {0,    1e308, -1e308, std::numeric_limits<double>::infinity(),
                                            1e-9, 1e9,   -45,    std::numeric_limits<double>::quiet_NaN()};
    const std::uint8_t byte = this->byte();
    return byte < 16 ? kOdd[byte % 8U] : byte - 128.0;
  }

 private:
  Bytes left_;
};

/// Sets some of the fields, and of the messages in them.
inline void fill(google::protobuf::Message& message, Source& input, int depth = 4) {
  using google::protobuf::FieldDescriptor;
  const auto& type = *message.GetDescriptor();
  const auto& set = *message.GetReflection();
  if (type.field_count() == 0) return;
  for (int left = input.byte() % 8; left > 0; --left) {
    const FieldDescriptor* field = type.field(input.byte() % type.field_count());
    const bool many = field->is_repeated();
    const auto put = [&](auto add, auto one, auto value) {
      many ? (set.*add)(&message, field, value) : (set.*one)(&message, field, value);
    };
    using R = google::protobuf::Reflection;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        put(&R::AddInt32, &R::SetInt32, static_cast<std::int32_t>(input.number()));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        put(&R::AddInt64, &R::SetInt64, static_cast<std::int64_t>(input.number()));
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        put(&R::AddUInt32, &R::SetUInt32, static_cast<std::uint32_t>(input.number()));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        put(&R::AddUInt64, &R::SetUInt64, input.number());
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        put(&R::AddDouble, &R::SetDouble, input.real());
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
        put(&R::AddFloat, &R::SetFloat, static_cast<float>(input.real()));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        put(&R::AddBool, &R::SetBool, input.byte() % 2 == 0);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        put(&R::AddEnumValue, &R::SetEnumValue, static_cast<int>(input.number()));
        break;
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string text(as_text(input.some(input.byte() % 9U)));
        for (char& byte : text) byte = static_cast<char>(byte & 0x7f);  // libprotobuf logs an error about other bytes
        many ? set.AddString(&message, field, text) : set.SetString(&message, field, text);
        break;
      }
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (depth > 0)
          fill(many ? *set.AddMessage(&message, field) : *set.MutableMessage(&message, field), input, depth - 1);
        break;
    }
  }
}

}  // namespace entente::fuzz
