#include "proxy/program/redact/word_redactor.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "adapters/aos/world/vxl.h"
#include "proxy/base/bytes.h"

namespace entente {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using wire::Personal;

struct Line {
  std::string_view field;  // as in schema/game.proto
  Personal kind;
};

constexpr Line kLines[] = {
    {"Enter.name", Personal::kName},         {"Enter.flags_known", Personal::kCode},
    {"Enter.password", Personal::kPassword}, {"Enter.token", Personal::kToken},
    {"Enter.motto", Personal::kMotto},       {"Enter.avatar", Personal::kMotto},
    {"Enter.skin", Personal::kMotto},        {"Enter.version", Personal::kVersion},
    {"Change.name", Personal::kName},        {"Change.motto", Personal::kMotto},
    {"Change.skin", Personal::kMotto},       {"Leave.why", Personal::kText},
    {"Say.text", Personal::kChat},           {"Room.game", Personal::kGame},
    {"Room.dialect", Personal::kGame},       {"Room.name", Personal::kText},
    {"Room.mode", Personal::kText},          {"Rule.name", Personal::kVariable},
    {"Rule.value", Personal::kValue},        {"Refused.text", Personal::kText},
    {"Kicked.text", Personal::kText},        {"ClaimRefused.why", Personal::kText},
    {"Notice.text", Personal::kText},        {"World.hash", Personal::kHash},
    {"World.name", Personal::kText},         {"World.tiles", Personal::kWorld},
    {"World.voxels", Personal::kWorld},      {"World.ground", Personal::kWorld},
    {"Player.name", Personal::kName},        {"Player.skin", Personal::kMotto},
    {"Player.motto", Personal::kMotto},      {"Player.address", Personal::kAddress},
    {"PlayerGone.why", Personal::kText},     {"Unit.name", Personal::kName},
    {"Unit.skin", Personal::kMotto},         {"UnitChanged.name", Personal::kName},
    {"UnitChanged.skin", Personal::kMotto},  {"Token.code", Personal::kCode},
    {"Board.Row.name", Personal::kName},     {"Board.lines", Personal::kText},
    {"Said.text", Personal::kChat},          {"Said.name", Personal::kName},
};

constexpr std::string_view kPackage = "entente.words.";

bool is_text(const FieldDescriptor& field) {
  return field.type() == FieldDescriptor::TYPE_STRING || field.type() == FieldDescriptor::TYPE_BYTES;
}

/// The numbers that the field may have: sums of Tile, or heights of blocks.
std::string limited(const std::string& bytes, unsigned most) {
  constexpr std::size_t kMostCells = 512U * 512U * 4U;
  const bool fits = bytes.size() <= kMostCells && std::all_of(bytes.begin(), bytes.end(), [&](char c) {
                      return static_cast<unsigned char>(c) <= most;
                    });
  return fits ? bytes : std::string();
}

/// The map, if it is exactly one.
std::string map_only(const std::string& bytes) {
  aos::VxlReader reader;
  if (reader.feed(as_bytes(bytes)) || !reader.complete()) return {};
  Buffer again;
  aos::write_vxl(reader.take(), again);
  return std::string(as_text(again));
}

}  // namespace

Personal personal_of(const FieldDescriptor& field) {
  std::string_view name = field.full_name();
  if (!name.starts_with(kPackage)) return Personal::kUnlisted;
  name.remove_prefix(kPackage.size());
  for (const Line& line : kLines)
    if (line.field == name) return line.kind;
  return Personal::kUnlisted;
}

void WordRedactor::redact(Message& word) {
  word.DiscardUnknownFields();
  walk(word);
}

void WordRedactor::walk(Message& message) {
  const auto& type = *message.GetDescriptor();
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& one = *type.field(i);
    if (is_text(one)) {
      field(message, one);
    } else if (one.message_type() != nullptr) {
      if (one.is_repeated())
        for (int nth = 0; nth < reflection.FieldSize(message, &one); ++nth)
          walk(*reflection.MutableRepeatedMessage(&message, &one, nth));
      else if (reflection.HasField(message, &one))
        walk(*reflection.MutableMessage(&message, &one));
    }
  }
}

void WordRedactor::field(Message& message, const FieldDescriptor& one) {
  const auto& reflection = *message.GetReflection();
  const auto changed = [&](const std::string& now) {
    return one.type() == FieldDescriptor::TYPE_BYTES ? bytes(one, now) : text(one, now);
  };
  std::string scratch;
  if (one.is_repeated()) {
    for (int nth = 0; nth < reflection.FieldSize(message, &one); ++nth) {
      const std::string& now = reflection.GetRepeatedStringReference(message, &one, nth, &scratch);
      reflection.SetRepeatedString(&message, &one, nth, changed(now));
    }
  } else if (reflection.HasField(message, &one)) {
    const std::string& now = reflection.GetStringReference(message, &one, &scratch);
    if (!now.empty()) reflection.SetString(&message, &one, changed(now));
  }
}

std::string WordRedactor::text(const FieldDescriptor& field, const std::string& text) {
  return censor_.text(personal_of(field), text).value_or(text);
}

std::string WordRedactor::bytes(const FieldDescriptor& field, const std::string& bytes) {
  constexpr unsigned kMostTile = 3, kHighest = 64;
  if (personal_of(field) != Personal::kWorld) return {};
  if (field.name() == "voxels") return map_only(bytes);
  return limited(bytes, field.name() == "tiles" ? kMostTile : kHighest);
}

}  // namespace entente
