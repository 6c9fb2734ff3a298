#include "proxy/program/import/json.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "proxy/base/keyed_hash.h"

namespace entente {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;
using wire::Way;

constexpr std::size_t kLongestLine = 16u << 20;
constexpr int kMostInLine = 1'000, kMostInMeta = 200'000;  // values of JSON
/// Of a file that none of the importers knows.
constexpr const char* kNorElse = " (and it is neither a recording nor a packet capture)";

/// Whether it has more than `most` values. Each takes hundreds of bytes of memory, and may be two bytes of the file.
bool has_too_many_values(std::string_view json, int most) {
  bool in_text = false;
  int values = 0;
  for (std::size_t i = 0; i < json.size() && values <= most; ++i) {
    if (in_text && json[i] == '\\')
      ++i;
    else if (json[i] == '"')
      in_text = !in_text;
    else if (!in_text && (json[i] == ',' || json[i] == '[' || json[i] == '{'))
      ++values;
  }
  return values > most;
}

/// Protobuf's parser says where it failed and quotes the text there: only its first line is for a person.
Outcome<Struct> parse(std::string_view json) {
  Struct out;
  const auto status = google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &out);
  if (status.ok()) return out;
  std::string text(status.message().data(), status.message().size());
  text.resize(std::min(text.find('\n'), text.size()));
  return Error{text};
}

const Value* find(const Struct& object, const char* name) {
  const auto at = object.fields().find(name);
  return at == object.fields().end() ? nullptr : &at->second;
}

std::optional<double> number_of(const Struct& object, const char* name) {
  const Value* value = find(object, name);
  if (value == nullptr || value->kind_case() != Value::kNumberValue) return std::nullopt;
  const double number = value->number_value();
  return std::isfinite(number) && std::abs(number) < 1e15 ? std::optional(number) : std::nullopt;
}

/// A string, or a number as people write it; "" if there is none.
std::string text_of(const Struct& object, const char* name) {
  const Value* value = find(object, name);
  if (value == nullptr) return "";
  if (value->kind_case() == Value::kStringValue) return value->string_value();
  const auto number = number_of(object, name);
  return number ? std::to_string(std::llround(*number)) : "";
}

/// Clamped: negative times (before the recorder's start) are 0, and very large ones are kLast.
WallTime time_of(const Struct& object, WallTime otherwise) {
  constexpr double kLast = 1e13;
  const auto ms = number_of(object, "t_ms");
  return ms ? static_cast<WallTime>(std::clamp(*ms, 0.0, kLast) * 1e6) : otherwise;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool decode_hex(std::string_view hex, Buffer& out) {
  out.clear();
  if (hex.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return false;
    out.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return true;
}

std::optional<Way> way_of(std::string_view dir) {
  if (dir == "c2s") return Way::kToServer;
  if (dir == "s2c") return Way::kToClient;
  return std::nullopt;
}

/// What a remark says of a connection's end, by the words that the recorders use.
struct End {
  std::string connection;
  std::string reason;
  ImportedClose end;
};

std::optional<End> end_of(const Struct& remark, WallTime time) {
  std::string event = text_of(remark, "event");
  if (event.empty()) event = text_of(remark, "ev");
  constexpr std::string_view kEnds[] = {"close", "client-close", "server-close",      "fin",
                                        "rst",   "disconnect",   "client disconnect", "server disconnect"};
  if (std::find(std::begin(kEnds), std::end(kEnds), event) == std::end(kEnds)) return std::nullopt;
  End out{text_of(remark, "conn"), text_of(remark, "reason"), {}};
  out.end.time = time;
  out.end.by = way_of(text_of(remark, "dir"));
  if (event.starts_with("client")) out.end.by = Way::kToServer;
  if (event.starts_with("server")) out.end.by = Way::kToClient;
  const auto code = number_of(remark, event.ends_with("disconnect") ? "data" : "code");
  if (code) out.end.code = static_cast<int>(std::clamp(*code, -1e9, 1e9));
  return out;
}

/// The data of a client's asking to connect by ENet, by the words that the recorders use.
std::optional<std::uint32_t> connect_of(const Struct& remark) {
  const std::string event = text_of(remark, "event");
  if (event != "connecting" && event != "client connect") return std::nullopt;
  const auto data = number_of(remark, "data");
  if (!data || *data < 0 || *data > 0xFFFFFFFF) return std::nullopt;
  return static_cast<std::uint32_t>(*data);
}

class JsonImport {
 public:
  JsonImport(std::string_view meta, const std::string& name, ImportSink& sink) : name_(name), sink_(sink) {
    if (!meta.empty()) read_meta(meta);
  }

  Outcome<Done> run(std::istream& lines) {
    auto done = read(lines);
    if (done) flush_ends(~WallTime{0});
    for (ConnectionId id = 0; id < open_; ++id) sink_.connection_over(id);
    return done;
  }

 private:
  Outcome<Done> read(std::istream& lines) {
    std::string line;
    while (!sink_.enough() && read_line(lines, line)) {
      ++number_;
      sink_.read_to(read_ += line.size() + 1);
      if (line.size() > kLongestLine) return wrong("longer than 16 MiB");
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      const auto done = take(line);
      if (!done) return done;
    }
    if (lines.bad()) return wrong("cannot be read");
    return Done{};
  }

  /// As std::getline, but takes no more than one byte over the limit into memory.
  static bool read_line(std::istream& lines, std::string& line) {
    line.clear();
    std::streambuf& from = *lines.rdbuf();
    for (int c = from.sbumpc(); c != EOF; c = from.sbumpc()) {
      if (c == '\n') return true;
      line += static_cast<char>(c);
      if (line.size() > kLongestLine) return true;
    }
    return !line.empty();
  }

  Outcome<Done> take(const std::string& line) {
    if (has_too_many_values(line, kMostInLine)) return wrong("not a JSON object with at most 1000 values");
    const auto object = parse(line);
    if (!object) return wrong("not a JSON object: " + object.error().text + (number_ == 1 ? kNorElse : ""));
    const std::string dir = text_of(*object, "dir");
    time_ = time_of(*object, time_);
    flush_ends(time_);
    if (find(*object, "ev") != nullptr || dir == "note" || dir == "event") return remark(*object);
    const auto way = way_of(dir);
    if (!way) return wrong("`dir` is \"" + dir + "\"; expected c2s, s2c, note or event");
    const Value* hex = find(*object, "hex");
    if (hex == nullptr || hex->kind_case() != Value::kStringValue) return wrong("has no `hex`");
    if (!decode_hex(hex->string_value(), bytes_)) return wrong("`hex` is not pairs of hexadecimal digits");
    const auto id = connection(*object);
    if (!id) return id.error();
    sink_.bytes({*id, *way, wire::Lane::kStream, time_, bytes_});
    return Done{};
  }

  Outcome<Done> remark(const Struct& object) {
    if (const auto end = end_of(object, time_)) tell(*end);
    const auto data = connect_of(object);
    if (!data) return Done{};
    const auto id = connection(object);
    if (!id) return id.error();
    sink_.connected(*id, *data, time_);
    return Done{};
  }

  void tell(const End& end) {
    const auto at = ids_.find(end.connection);
    if (at == ids_.end()) return;  // it has no data
    ImportedClose told = end.end;
    told.reason = end.reason;
    sink_.half_closed(at->second, told);
  }

  /// Whose line it is.
  Outcome<ConnectionId> connection(const Struct& object) {
    const std::string name = text_of(object, "conn");
    if (const auto at = ids_.find(name); at != ids_.end()) return at->second;
    if (ids_.size() == kMostConnections) return wrong("more than 65536 connections");
    ids_.emplace(name, open_);
    sink_.opened(open_, {name, "", ""}, time_);
    return open_++;
  }

  void read_meta(std::string_view meta) {
    const auto object =
        has_too_many_values(meta, kMostInMeta) ? Outcome<Struct>(Error{"too many values"}) : parse(meta);
    if (!object) return sink_.remark("the .meta.json file beside it is not a JSON object, or is too large; ignored");
    const Value* events = find(*object, "events");
    if (events == nullptr) return;
    for (const Value& event : events->list_value().values()) {
      const Struct& remark = event.struct_value();
      if (const auto end = end_of(remark, time_of(remark, 0))) ends_.push_back(*end);
    }
    std::stable_sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) { return a.end.time < b.end.time; });
  }

  /// Passes on the ends in the meta file that are before `time`. Data of the same millisecond comes before an end.
  void flush_ends(WallTime time) {
    for (; told_ < ends_.size() && ends_[told_].end.time < time; ++told_) tell(ends_[told_]);
  }

  Error wrong(const std::string& what) const { return {name_ + ":" + std::to_string(number_) + ": " + what}; }

  const std::string& name_;
  ImportSink& sink_;
  std::size_t number_ = 0;
  std::uint64_t read_ = 0;
  WallTime time_ = 0;
  Buffer bytes_;
  std::unordered_map<std::string, ConnectionId, KeyedHash<std::string>> ids_;
  ConnectionId open_ = 0;
  std::vector<End> ends_;
  std::size_t told_ = 0;
};

}  // namespace

Outcome<Done> import_json(std::istream& lines, std::string_view meta, const std::string& name, ImportSink& sink) {
  return JsonImport(meta, name, sink).run(lines);
}

}  // namespace entente
