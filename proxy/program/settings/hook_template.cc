#include "proxy/program/settings/hook_template.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "proxy/program/base/json_text.h"

namespace entente {
namespace {

using google::protobuf::Value;

constexpr std::string_view kOpen = "{{", kShut = "}}", kMarkdown = ":markdown";

/// Calls `plain` with each piece of a string of a template that is not a placeholder, and `named` with each name.
template <class Plain, class Named>
void take_apart(std::string_view text, Plain&& plain, Named&& named) {
  for (;;) {
    const std::size_t open = text.find(kOpen), shut = text.find(kShut, open == text.npos ? 0 : open);
    if (open == text.npos || shut == text.npos) return plain(text);
    plain(text.substr(0, open));
    named(text.substr(open + kOpen.size(), shut - open - kOpen.size()));
    text.remove_prefix(shut + kShut.size());
  }
}

std::string_view without_markdown(std::string_view name) {
  return name.ends_with(kMarkdown) ? name.substr(0, name.size() - kMarkdown.size()) : name;
}

/// Finds a name that is not known, and counts the placeholders.
class Judge {
 public:
  explicit Judge(const std::function<bool(std::string_view)>& known) : known_(known) {}

  void look_at(const Value& value) {
    if (value.kind_case() == Value::kStringValue) look_at(value.string_value());
    for (const auto& [name, member] : value.struct_value().fields()) {
      look_at(name);
      look_at(member);
    }
    for (const Value& one : value.list_value().values()) look_at(one);
  }

  std::string unknown;
  std::size_t values = 0;

 private:
  void look_at(const std::string& text) {
    take_apart(
        text, [](std::string_view) {},
        [&](std::string_view name) {
          ++values;
          if (!known_(without_markdown(name)) && unknown.empty()) unknown = name;
        });
  }
  const std::function<bool(std::string_view)>& known_;
};

std::string number_text(double number) {
  if (std::abs(number) < 9e15 && number == std::floor(number)) return std::to_string(static_cast<std::int64_t>(number));
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

class Writer {
 public:
  explicit Writer(const HookTemplate::Look& look) : look_(look) {}

  void write(const Value& value) {
    switch (value.kind_case()) {
      case Value::kStringValue:
        return write(value.string_value());
      case Value::kNumberValue:
        out += number_text(value.number_value());
        return;
      case Value::kBoolValue:
        out += value.bool_value() ? "true" : "false";
        return;
      case Value::kStructValue:
        return write(value.struct_value());
      case Value::kListValue:
        return write(value.list_value());
      default:
        out += "null";
    }
  }

  std::string out;

 private:
  void write(const std::string& text) {
    std::string filled;
    take_apart(
        text, [&](std::string_view plain) { filled += plain; },
        [&](std::string_view name) {
          const std::string value = look_(without_markdown(name));
          filled += name.ends_with(kMarkdown) ? escape_markdown(value) : value;
        });
    json_text(filled, out);
  }
  /// In the order of the names, so that the same event makes the same body.
  void write(const google::protobuf::Struct& object) {
    std::map<std::string, const Value*> members;
    for (const auto& [name, member] : object.fields()) members[name] = &member;
    out += '{';
    for (const auto& [name, member] : members) {
      if (out.back() != '{') out += ',';
      write(name);
      out += ':';
      write(*member);
    }
    out += '}';
  }
  void write(const google::protobuf::ListValue& list) {
    out += '[';
    for (int i = 0; i < list.values_size(); ++i) {
      if (i != 0) out += ',';
      write(list.values(i));
    }
    out += ']';
  }
  const HookTemplate::Look& look_;
};

}  // namespace

Outcome<HookTemplate> HookTemplate::parse(const std::string& json, const std::function<bool(std::string_view)>& known) {
  if (json.size() > kMostBytes) return Error{"has more than " + std::to_string(kMostBytes) + " bytes"};
  const auto value = std::make_shared<Value>();
  if (!google::protobuf::util::JsonStringToMessage(json, value.get()).ok()) return Error{"is not JSON"};
  if (value->kind_case() != Value::kStructValue) return Error{"must be a JSON object, {…}"};
  Judge judge(known);
  judge.look_at(*value);
  if (!judge.unknown.empty()) return Error{"has {{" + judge.unknown + "}}, which no event has"};
  if (judge.values > kMostValues) return Error{"has more than " + std::to_string(kMostValues) + " placeholders"};
  HookTemplate its;
  its.json_ = value;
  return its;
}

std::string HookTemplate::body(const Look& look) const {
  Writer writer(look);
  writer.write(*json_);
  return std::move(writer.out);
}

std::string escape_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]()<>#+-.!|~@:/&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace entente
