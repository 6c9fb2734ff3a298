#include "proxy/program/recordings/inspect_line.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "adapters/native/json.h"
#include "adapters/wire/print.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/recordings/json_fields.h"

namespace entente {
namespace {

constexpr std::size_t kRow = 16;       // bytes a line of hex
constexpr std::size_t kShownRaw = 32;  // bytes of what did not decode
constexpr int kLongestText = 512;      // bytes of a word's field: more than chat has, less than geometry

/// "   12.345  #3 "
void head(WallTime since_start, ConnectionId connection, std::string& out) {
  char text[64];
  std::snprintf(text, sizeof text, "%7" PRIu64 ".%03u %4s ", since_start / 1'000'000'000U,
                static_cast<unsigned>(since_start / 1'000'000U % 1000), ("#" + std::to_string(connection + 1)).c_str());
  out += text;
}

/// Rows of 16 bytes: offset, hex, and what of it is ASCII.
void dump(Bytes bytes, std::string& out) {
  for (std::size_t at = 0; at < bytes.size(); at += kRow) {
    const Bytes row = bytes.subspan(at, std::min(kRow, bytes.size() - at));
    char offset[32];
    std::snprintf(offset, sizeof offset, "%20zx ", at);
    out += offset;
    for (std::size_t i = 0; i < kRow; ++i) {
      out += i % 2 == 0 ? " " : "";
      i < row.size() ? add_hex(row.subspan(i, 1), out) : void(out += "  ");
    }
    out += "  ";
    for (const std::uint8_t byte : row) out += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '.';
    out += '\n';
  }
}

}  // namespace

EventText& EventText::with(const char* name, std::string_view value) {
  json_member(name, value, members);
  return *this;
}
EventText& EventText::with(const char* name, bool value) {
  ((members += ",\"") += name) += value ? "\":true" : "\":false";
  return *this;
}
EventText& EventText::with(const char* name, std::uint64_t value) {
  (((members += ",\"") += name) += "\":") += std::to_string(value);
  return *this;
}
EventText& EventText::with(const char* name, std::int64_t value) {
  (((members += ",\"") += name) += "\":") += std::to_string(value);
  return *this;
}

void LineWriter::paint(Colour colour, std::string_view text) {
  static constexpr const char* kCodes[] = {"\x1b[2m", "\x1b[32m", "\x1b[36m", "\x1b[33m", "\x1b[31m", "\x1b[1m"};
  if (!colours_) return void(line_ += text);
  ((line_ += kCodes[static_cast<std::size_t>(colour)]) += text) += "\x1b[0m";
}

void LineWriter::message(const ItemContext& context, const wire::Row& row, wire::Codec& codec) {
  start(context);
  if (!json_) {
    std::string text;
    print(row, codec, text);
    paint(Colour::kName, row.name);
    line_ += std::string_view(text).substr(std::string_view(row.name).size());
    return finish(context);
  }
  json_member("message", row.name, line_);
  line_ += ",\"fields\":";
  json_fields(codec, line_);
  finish(context);
}

void LineWriter::undecoded(const ItemContext& context, const Fault* fault) {
  std::string why = fault != nullptr ? fault->what : "not cut into messages";
  if (fault != nullptr && *fault->field != '\0') (why += ", field ") += fault->field;
  if (fault != nullptr) why += ", byte " + std::to_string(fault->offset);
  start(context);
  if (json_) {
    json_member("undecoded", why, line_);
  } else {
    paint(Colour::kFault, "?? " + std::to_string(context.frame.bytes.size()) + " bytes: " + why);
    line_ += ": ";
    add_hex(context.frame.bytes.first(std::min(kShownRaw, context.frame.bytes.size())), line_);
    if (context.frame.bytes.size() > kShownRaw) line_ += "…";
  }
  finish(context);
}

void LineWriter::event(ConnectionId connection, WallTime since_start, const EventText& event) {
  start(connection, since_start);
  if (json_) {
    json_member("event", event.kind, line_);
    line_ += event.members + '}';
  } else {
    std::string text = "--- ";
    wire::escape(event.text, text);
    paint(Colour::kEvent, text);
  }
  out_ << line_ << '\n';
}

void LineWriter::word(ConnectionId connection, WallTime since_start, const char* what,
                      const google::protobuf::Message& word) {
  start(connection, since_start);
  if (json_) {
    ((line_ += ",\"") += what) += "\":";
    written_.clear();
    native::write_json(word, written_);
    (line_ += as_text(written_)) += '}';
  } else {
    std::string text;
    google::protobuf::TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    printer.SetUseUtf8StringEscaping(true);
    printer.SetTruncateStringFieldLongerThan(kLongestText);
    printer.PrintToString(word, &text);
    text = screen_text(text);
    text.resize(text.find_last_not_of(' ') + 1);
    const bool fact = std::string_view(what) == "fact";
    paint(fact ? Colour::kToClient : Colour::kToServer, what);
    line_ += fact ? "   " : " ";
    line_ += text;
  }
  out_ << line_ << '\n';
}

void LineWriter::world(ConnectionId connection, WallTime since_start, const trace::Snapshot& world) {
  std::size_t players = 0, units = 0;
  for (const auto& fact : world.facts()) players += fact.has_player(), units += fact.has_unit();
  start(connection, since_start);
  if (json_) {
    line_ += ",\"world\":{\"players\":" + std::to_string(players) + ",\"units\":" + std::to_string(units);
    json_member("geometry", world.geometry(), line_);
    line_ += "}}";
  } else {
    paint(Colour::kToClient, "world");
    line_ += "  " + std::to_string(players) + " players " + std::to_string(units) + " units ";
    line_ += world.geometry().empty() ? "no geometry" : "geometry ";
    wire::escape(world.geometry(), line_);
  }
  out_ << line_ << '\n';
}

/// The line so far: when, and of whom.
void LineWriter::start(ConnectionId connection, WallTime since_start) {
  wrote_ = true;
  line_.clear();
  if (!json_) {
    std::string text;
    head(since_start, connection, text);
    return paint(Colour::kTime, text);
  }
  char start[96];
  std::snprintf(start, sizeof start, "{\"t\":%" PRIu64 ".%06u,\"connection\":%u", since_start / 1'000'000'000U,
                static_cast<unsigned>(since_start / 1000U % 1'000'000U), connection + 1);
  line_ += start;
}

void LineWriter::start(const ItemContext& context) {
  start(context.connection, context.since_start);
  if (json_) return json_head(context);
  paint(context.frame.way == wire::Way::kToServer ? Colour::kToServer : Colour::kToClient,
        wire::text(context.frame.way));
  if (context.enet)
    ((((line_ += ' ') += wire::text(context.enet->send)) += '/') += std::to_string(context.enet->channel)) += ' ';
  else
    line_ += context.frame.lane == wire::Lane::kDatagram ? " udp " : "     ";
}

void LineWriter::json_head(const ItemContext& context) {
  json_member("name", context.name, line_);
  json_member("way", wire::text(context.frame.way), line_);
  json_member("lane", wire::text(context.frame.lane), line_);
  if (!context.enet) return;
  json_member("delivery", wire::text(context.enet->send), line_);
  line_ += ",\"channel\":" + std::to_string(context.enet->channel);
}

void LineWriter::finish(const ItemContext& context) {
  if (json_) {
    if (hex_) {
      line_ += ",\"hex\":\"";
      add_hex(context.frame.bytes, line_);
      line_ += '"';
    }
    line_ += '}';
  }
  line_ += '\n';
  if (hex_ && !json_) dump(context.frame.bytes, line_);
  out_ << line_;
}

}  // namespace entente
