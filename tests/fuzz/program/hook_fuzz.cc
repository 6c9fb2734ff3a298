// Events for the hooks' receivers. Invariant: whatever players call themselves and servers say, an event is one JSON
// object with the fields of its kind, each value is one line without control characters, and so is each value that a
// template puts in. A template that is accepted always makes JSON. What waits for a receiver is bounded.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <cstdlib>

#include "proxy/base/bytes.h"
#include "proxy/program/hooks/hook_line.h"
#include "tests/fuzz/target.h"

namespace entente::hook_fuzz {
namespace {

/// Takes a size and as many bytes off `left`.
std::string take_text(Bytes& left) {
  if (left.empty()) return "";
  const Bytes text = left.subspan(1, std::min<std::size_t>(left[0], left.size() - 1));
  left = left.subspan(1 + text.size());
  return std::string(as_text(text));
}

relay::News read_news(Bytes& left) {
  const auto rows = relay::news_rows();
  const relay::NewsRow& row = rows[left[0] % rows.size()];
  left = left.subspan(1);
  relay::News news(row.kind);
  for (const relay::NewsField field : row.fields) {
    const relay::NewsFieldRow::Type type = relay::row_of(field).type;
    if (type == relay::NewsFieldRow::Type::kText) {
      news.set(field, take_text(left));
    } else if (type == relay::NewsFieldRow::Type::kNumber) {
      news.set(field, std::uint64_t{left.empty() ? 0U : left[0]} << 56U);
    } else {
      std::vector<relay::NewsScore> scores(left.empty() ? 0 : left[0]);
      for (relay::NewsScore& one : scores) one = {take_text(left), take_text(left), 1, 2, left.empty()};
      news.set(field, std::move(scores));
    }
  }
  return news;
}

google::protobuf::Struct object_of(const std::string& json) {
  google::protobuf::Struct object;
  if (!google::protobuf::util::JsonStringToMessage(json, &object).ok()) std::abort();
  return object;
}

void check_line(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) std::abort();
}

void check_event(const HookEvent& event) {
  const HookView view{.addresses = true, .lost = 7};
  const google::protobuf::Struct object = object_of(event_json(event, view));
  const relay::NewsRow& row = relay::row_of(event.news.kind());
  if (object.fields().at("event").string_value() != row.name) std::abort();
  for (const relay::NewsField field : row.fields) {
    const relay::NewsFieldRow& its = relay::row_of(field);
    if (!object.fields().contains(its.name)) std::abort();
    if (its.is_address && !event_value(event, {}, its.name).empty()) std::abort();
  }
  for (const auto& [name, value] : object.fields()) check_line(value.string_value());

  static const auto frame = HookTemplate::parse(R"({"content":"<{{text}}>","who":"{{player}}"})", is_hook_value);
  const auto look = [&](std::string_view name) { return event_value(event, view, name); };
  const google::protobuf::Struct filled = object_of(frame->body(look));
  check_line(event_value(event, view, "player"));
  if (filled.fields_size() != 2 || filled.fields().at("who").string_value() != event_value(event, view, "player") ||
      filled.fields().at("content").string_value() != "<" + event_sentence(event.news, view) + ">")
    std::abort();
}

}  // namespace

ENTENTE_FUZZ_TARGET(hook) {
  if (size < 2) return 0;
  Bytes left(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    const auto parsed = HookTemplate::parse(std::string(as_text(left)), is_hook_value);
    if (parsed) {
      google::protobuf::Value value;
      const std::string body = parsed->body([](std::string_view) { return std::string("\"}{\\ \xff"); });
      if (!google::protobuf::util::JsonStringToMessage(body, &value).ok()) std::abort();
    }
    return 0;
  }
  HookLine line(HookSettings{.name = "h"});
  while (!left.empty()) {
    const auto event = std::make_shared<const HookEvent>(HookEvent{read_news(left), "id"});
    check_event(*event);
    line.put(event, 0);
    const HookLine::Report report = line.report();
    if (report.waiting > HookLine::kMostEvents || report.waiting_bytes > HookLine::kMostBytes) std::abort();
  }
  return 0;
}

}  // namespace entente::hook_fuzz
