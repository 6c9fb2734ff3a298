#include "proxy/program/recordings/json_fields.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "adapters/wire/print.h"
#include "proxy/program/base/json_text.h"

namespace entente {
namespace {

using wire::Kind;

template <class T>
void json_number(T value, std::string& out) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <class T>
void quoted_number(T value, std::string& out) {
  out += '"';
  json_number(value, out);
  out += '"';
}

template <class T>
void real(T value, std::string& out) {
  if (std::isfinite(value)) return json_number(value, out);
  out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

void scalar_json(const wire::Scalar& s, std::string& out) {
  switch (s.kind) {
    case Kind::kI8:
      return json_number(static_cast<int>(static_cast<std::int8_t>(s.bits)), out);
    case Kind::kI16:
      return json_number(static_cast<std::int16_t>(s.bits), out);
    case Kind::kI32:
      return json_number(static_cast<std::int32_t>(s.bits), out);
    case Kind::kI64:
      return quoted_number(static_cast<std::int64_t>(s.bits), out);
    case Kind::kU64:
      return quoted_number(s.bits, out);
    case Kind::kF32:
      return real(std::bit_cast<float>(static_cast<std::uint32_t>(s.bits)), out);
    case Kind::kF64:
      return real(std::bit_cast<double>(s.bits), out);
    case Kind::kBool:
      out += s.bits != 0 ? "true" : "false";
      return;
    default:
      return json_number(s.bits, out);
  }
}

class JsonVisitor final : public wire::FieldVisitor {
 public:
  explicit JsonVisitor(std::string& out) : out_(out) {}

  void code(std::uint32_t& code, std::uint32_t, std::uint32_t) override {
    begin("code");
    json_number(code, out_);
  }
  void scalar(const char* name, wire::Scalar& value) override {
    begin(name);
    scalar_json(value, out_);
  }
  void fixed_text(const char* name, std::span<char> chars) override {
    begin(name);
    json_text(wire::readable({chars.data(), chars.size()}, wire::TextEnd::kFixed), out_);
  }
  void text(const char* name, std::string& chars, wire::TextEnd end, bool&) override {
    begin(name);
    json_text(wire::readable(chars, end), out_);
  }
  void padding(const char* name, std::span<std::uint8_t> bytes) override { hex(name, bytes); }
  void rest(const char* name, Buffer& bytes, wire::Kept) override { hex(name, bytes); }
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }

  std::size_t list(const char* name, wire::ListEnd, std::size_t count, std::size_t) override {
    begin(name);
    out_ += '[';
    first_ = true;
    return count;
  }
  void item(std::size_t) override { in_list_ = true; }
  void end_list() override { close(']'); }
  void group(const char* name) override {
    begin(name);
    out_ += '{';
    first_ = true;
    keys_.emplace_back();
  }
  void end_group() override {
    keys_.pop_back();
    close('}');
  }

 private:
  /// What stands before a value: a comma, and its name unless it is an item of a list.
  void begin(const char* name) {
    if (!std::exchange(first_, false)) out_ += ',';
    if (std::exchange(in_list_, false)) return;
    json_text(key_for(name), out_);
    out_ += ':';
  }
  /// A message may have two fields of one name: the second is "name_2".
  std::string key_for(const char* name) {
    std::vector<std::string>& used = keys_.back();
    std::string key = name;
    for (int nth = 2; std::find(used.begin(), used.end(), key) != used.end(); ++nth)
      key = std::string(name) + "_" + std::to_string(nth);
    used.push_back(key);
    return key;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
    in_list_ = false;
  }
  void hex(const char* name, Bytes bytes) {
    begin(name);
    out_ += '"';
    add_hex(bytes, out_);
    out_ += '"';
  }

  std::string& out_;
  std::vector<std::vector<std::string>> keys_{1};  // of the objects that are open
  bool first_ = true;                              // of its object or list
  bool in_list_ = false;                           // the next value is an item
};

}  // namespace

void json_fields(wire::Codec& codec, std::string& out) {
  out += '{';
  JsonVisitor visitor(out);
  codec.visit(visitor);
  out += '}';
}

}  // namespace entente
