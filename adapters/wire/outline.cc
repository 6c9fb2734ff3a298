#include "adapters/wire/outline.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/wire/print.h"

namespace entente::wire {
namespace {

/// The fields of one message as lines "offset  type  name". After a field of variable size, lines have no offset.
class Sketch final : public FieldVisitor {
 public:
  std::string lines;

  void scalar(const char* name, Scalar& value) override {
    std::string type = wire::text(value.kind);
    if (value.byte_swapped) type += " (other byte order)";
    line(type, name, width(value.kind));
  }
  void fixed_text(const char* name, std::span<char> chars) override {
    line("text[" + std::to_string(chars.size()) + "]", name, chars.size());
  }
  void text(const char* name, std::string&, TextEnd end, bool&) override { line(ended(end), name, kVariable); }
  void exact(const char*, std::string_view bytes) override {
    std::string shown;
    escape(bytes, shown);
    line("exactly", ('"' + shown + '"').c_str(), bytes.size());
  }
  void padding(const char* name, std::span<std::uint8_t> bytes) override {
    line("padding[" + std::to_string(bytes.size()) + "]", name, bytes.size());
  }
  void rest(const char* name, Buffer&, Kept kept) override {
    line(kept == Kept::kOpaque ? "bytes to the end, not decoded" : "bytes to the end", name, kVariable);
  }

  bool part(const char* condition, bool there, bool) override {
    // A part that depends on the dialect alone needs no condition: each dialect has its own sketch.
    const bool by_dialect = std::string_view(condition).starts_with("dialect.");
    if (by_dialect && !there) return false;
    by_dialect_.push_back(by_dialect);
    if (!by_dialect) open(std::string("if ") + condition + ":");
    return true;
  }
  void end_part() override {
    if (!by_dialect_.back()) close();
    by_dialect_.pop_back();
  }
  std::size_t form(const char* name, std::size_t now, std::span<const std::size_t> sizes) override {
    std::string all;
    for (const std::size_t size : sizes) all += (all.empty() ? "" : ", ") + std::to_string(size);
    note(std::string(name) + ": told by the bytes left here (" + all + ")");
    return now;
  }

  std::size_t list(const char* name, ListEnd end, std::size_t count, std::size_t most) override {
    if (end == ListEnd::kFixed) {
      array_ = count;
      arrays_.push_back(true);
      return count;
    }
    arrays_.push_back(false);
    open(std::string(name) + ", " + repeats(end, most) + ":");
    return 1;
  }
  void item(std::size_t i) override {
    repeated_ = arrays_.back() && i > 0;
    in_item_ = true;
  }
  void end_list() override {
    if (!arrays_.back()) close();
    repeated_ = false;
    in_item_ = false;
    arrays_.pop_back();
  }
  void group(const char* name) override {
    // List items get no heading: their list already has one.
    grouped_.push_back(!in_item_);
    in_item_ = false;
    if (!grouped_.back()) return;
    note(std::string(name) + ":");
    ++depth_;
  }
  void end_group() override {
    if (grouped_.back()) --depth_;
    grouped_.pop_back();
  }

 private:
  static constexpr std::size_t kVariable = SIZE_MAX;

  static const char* ended(TextEnd end) {
    switch (end) {
      case TextEnd::kZero:
        return "text, NUL";
      case TextEnd::kZero16:
        return "UCS-2 text, 0";
      case TextEnd::kCount8:
        return "text, u8 length first";
      case TextEnd::kCount16:
        return "text, u16 length first";
      case TextEnd::kCount32:
        return "text, u32 length first";
      default:
        return "text to the end";
    }
  }
  static std::string repeats(ListEnd end, std::size_t most) {
    if (end == ListEnd::kZero) return "until an item's first number is 0";
    if (end == ListEnd::kFrame) return "until the end";
    if (end == ListEnd::kField) return "as many as the count above says";
    return most == 0xFF ? "u8 count first" : most == 0xFFFF ? "u16 count first" : "u32 count first";
  }

  void line(const std::string& type, const char* name, std::size_t size) {
    if (fixed_ && size != kVariable) offset_ += repeated_ ? size : 0;
    if (repeated_) return;
    in_item_ = false;
    std::string shown = type;
    if (array_ > 0) shown += "[" + std::to_string(array_) + "]";
    array_ = 0;
    char text[160];
    const std::string at = fixed_ ? std::to_string(offset_) : "";
    std::snprintf(text, sizeof text, "%5s  %-*s%-22s %s\n", at.c_str(), static_cast<int>(2 * depth_), "", shown.c_str(),
                  name);
    lines += text;
    if (size == kVariable)
      fixed_ = false;
    else if (fixed_)
      offset_ += size;
  }
  void note(const std::string& what) { lines += "       " + std::string(2 * depth_, ' ') + what + "\n"; }
  void open(const std::string& what) {
    note(what);
    ++depth_;
    fixed_ = false;
  }
  void close() { --depth_; }

  std::size_t offset_ = 0;
  bool fixed_ = true;
  std::size_t depth_ = 0;
  std::size_t array_ = 0;  // how often the next field repeats
  bool repeated_ = false;  // inside an array, after its first item
  bool in_item_ = false;
  std::vector<bool> by_dialect_, arrays_, grouped_;
};

std::string ways(const Row& row) {
  if (row.ways == 3) return "both ways";
  return row.ways == static_cast<std::uint8_t>(Way::kToServer) ? "client to server" : "server to client";
}

std::string code(const Row& row) {
  char text[32];
  const bool letters = row.first_code > 0xFF;
  const auto on_the_wire = row.first_code & 0xFFFFU;  // higher bits distinguish messages that share a code
  std::snprintf(text, sizeof text, letters ? "0x%04x" : "%u", on_the_wire);
  std::string all = text;
  if (row.last_code != row.first_code) {
    std::snprintf(text, sizeof text, letters ? "-0x%04x" : "-%u", row.last_code);
    all += text;
  }
  return all;
}

std::string sketch(const Row& row, Codec& codec) {
  codec.make(row, (row.ways & 1) != 0 ? Way::kToServer : Way::kToClient);
  Sketch sketch;
  codec.visit(sketch);
  return sketch.lines.empty() ? "       (no payload)\n" : sketch.lines;
}

/// The names of dialects; five or more in a row are written as "first to last".
std::string names(const Game& game, const std::vector<std::size_t>& dialects) {
  constexpr std::size_t kLong = 5;
  std::string out;
  for (std::size_t i = 0; i < dialects.size();) {
    std::size_t end = i + 1;
    while (end < dialects.size() && dialects[end] == dialects[i] + (end - i)) ++end;
    const auto name = [&](std::size_t at) { return std::string(game.dialects()[dialects[at]].name); };
    if (end - i < kLong) end = i + 1;
    out += (out.empty() ? "" : ", ") + name(i) + (end - i > 1 ? " to " + name(end - 1) : "");
    i = end;
  }
  return out;
}

/// The layouts of one row. Dialects with the same layout are listed together.
std::string layouts(const Game& game, const Row& row) {
  std::vector<std::pair<std::vector<std::size_t>, std::string>> groups;  // dialects, lines
  for (std::size_t i = 0; i < game.dialects().size(); ++i) {
    if ((row.dialects >> i & 1U) == 0) continue;
    const auto codec = game.codec(i);
    std::string lines = sketch(row, *codec);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](auto& group) { return group.second == lines; });
    if (same != groups.end())
      same->first.push_back(i);
    else
      groups.emplace_back(std::vector{i}, std::move(lines));
  }
  std::string out;
  for (const auto& [dialects, lines] : groups)
    out += "Dialects " + names(game, dialects) + ":\n```\n" + lines + "```\n";
  return out;
}

}  // namespace

std::string outline(const Game& game) {
  std::string out =
      "# Wire format of " + std::string(game.name()) +
      "\n\nMade from the layouts in `wire.cc`; do not edit (a test compares it).\n"
      "Offsets count from the payload's first byte; a line without one follows something of variable size.\n\n";
  for (const auto& dialect : game.dialects())
    out += "- `" + std::string(dialect.name) + "`: " + std::string(dialect.about) + "\n";
  const auto codec = game.codec(0);
  for (const Row& row : codec->rows()) {
    out += "\n## " + std::string(row.name) + " (";
    if (row.stage == Stage::kGreeting)
      out += "greeting, ";
    else
      out += code(row) + ", ";
    out += ways(row);
    if (row.lanes == 2)
      out += ", datagram only";
    else if (row.lanes == 3)
      out += ", stream or datagram";
    out += ")\n\n";
    if (*row.note != '\0') out += std::string(row.note) + "\n\n";
    out += layouts(game, row);
  }
  return out;
}

}  // namespace entente::wire
