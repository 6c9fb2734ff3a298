#include "proxy/program/fleet/fleet_answers.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <map>
#include <optional>

#include "proxy/program/base/json_text.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/control/reply.h"

namespace entente {
namespace {

constexpr const char* kSilent = "does not answer";
constexpr const char* kNonsense = "sent an invalid answer";
constexpr std::ptrdiff_t kMostColumns = 64;
// Of all nodes together. Every row of a table has every column.
constexpr std::size_t kMostLinesOfAll = 200'000, kMostColumnsOfAll = 256;
constexpr const char* kTooMuch = "its answer is left out, because the answers of all nodes are too long together";
constexpr double kHighestNumber = 9'007'199'254'740'992;  // 2^53: a double has all integers up to there

std::vector<std::string_view> split_at(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(between), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string failure_of(const NodeAnswer& answer) {
  if (answer.text.empty()) return kSilent;
  const std::string_view text = answer.text;
  if (!text.starts_with(kTextError)) return kNonsense;
  return screen_text(text.substr(kTextError.size(), text.find('\n') - kTextError.size()));
}

/// Whether the text is a valid answer to a command.
bool is_answer(std::string_view text) {
  const auto columns = text.substr(0, text.find('\n', kTextDone.size()));
  return text.starts_with(kTextDone) && text.size() <= kLongestAnswer &&
         std::count(text.begin(), text.end(), '\n') <= kMostAnswerLines &&
         std::count(columns.begin(), columns.end(), '\t') < kMostColumns;
}

/// The place of a column in `header`; adds the column if it is missing. The first column, `node`, is never matched.
std::size_t column_place(std::string_view column, std::vector<std::string>& header) {
  const auto at = std::find(header.begin() + 1, header.end(), column);
  if (at != header.end()) return static_cast<std::size_t>(at - header.begin());
  header.emplace_back(column);
  return header.size() - 1;
}

/// Whether the columns of a node, which are the first of `lines`, are too many beside those of the others.
bool are_too_many(std::string_view columns, std::vector<std::string> header) {
  for (const std::string_view column : split_at(columns, '\t')) column_place(screen_text(column), header);
  return header.size() > kMostColumnsOfAll;
}

bool is_table(const std::vector<NodeAnswer>& answers) {
  const auto has_tabs = [](const NodeAnswer& one) {
    const std::string_view text = one.text;
    return is_answer(text) &&
           text.substr(kTextDone.size(), text.find('\n', kTextDone.size()) - kTextDone.size()).find('\t') != text.npos;
  };
  return std::any_of(answers.begin(), answers.end(), has_tabs);
}

/// `header` and `rows` as lines, with fields separated by tabs. A row may be shorter than the header.
std::string lines_of(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::string lines;
  for (const std::string& column : header) lines += (&column == &header[0] ? "" : "\t") + column;
  lines += "\n";
  for (const auto& row : rows) {
    for (const std::string& field : row) lines += (&field == &row[0] ? "" : "\t") + field;
    for (std::size_t at = row.size(); at < header.size(); ++at) lines += "\t-";
    lines += "\n";
  }
  return lines;
}

std::string merged_text(const std::vector<NodeAnswer>& answers) {
  const bool table = is_table(answers);
  std::vector<std::string> header = {"node"};
  std::vector<std::vector<std::string>> rows;
  std::string lines, failures;
  std::size_t lines_so_far = 0;
  for (const NodeAnswer& answer : answers) {
    if (!is_answer(answer.text)) {
      failures += "# " + answer.node + ": " + failure_of(answer) + "\n";
      continue;
    }
    const auto all = split_at(std::string_view(answer.text).substr(kTextDone.size()), '\n');
    if (lines_so_far + all.size() > kMostLinesOfAll || (table && !all.empty() && are_too_many(all[0], header))) {
      failures += "# " + answer.node + ": " + kTooMuch + "\n";
      continue;
    }
    lines_so_far += all.size();
    if (!table) {
      for (const std::string_view line : all) lines += answer.node + ": " + screen_text(line, "\t") + "\n";
      continue;
    }
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto fields = split_at(all[i], '\t');
      if (i > 0) rows.push_back({answer.node});
      for (std::size_t at = 0; at < fields.size(); ++at) {
        const std::string field = screen_text(fields[at]);
        if (i == 0) {
          places.push_back(column_place(field, header));
        } else if (at < places.size()) {
          if (rows.back().size() <= places[at]) rows.back().resize(places[at] + 1, "-");
          rows.back()[places[at]] = field;
        }
      }
    }
  }
  return std::string(kTextDone) + (table ? lines_of(header, rows) : lines) + failures;
}

/// The objects of an answer in JSON; nullopt if it is not a valid one.
std::optional<google::protobuf::ListValue> objects_of(const std::string& text) {
  google::protobuf::Value value;
  if (text.size() > kLongestAnswer) return std::nullopt;
  if (!google::protobuf::util::JsonStringToMessage(text, &value).ok()) return std::nullopt;
  google::protobuf::ListValue all;
  if (value.has_struct_value())
    *all.add_values() = value;
  else if (value.has_list_value())
    all = value.list_value();
  else
    return std::nullopt;
  if (all.values_size() > kMostAnswerLines) return std::nullopt;
  for (const auto& one : all.values())
    if (!one.has_struct_value() || one.struct_value().fields_size() > kMostColumns) return std::nullopt;
  return all;
}

std::string merged_json(const std::vector<NodeAnswer>& answers) {
  std::string json = "[";
  for (const NodeAnswer& answer : answers) {
    std::string node = "{";
    json_member("node", answer.node, node);
    node.erase(1, 1);  // the comma
    const auto add = [&json](const std::string& object) { json += (json.size() > 1 ? "," : "") + object; };
    const auto all = answer.text.empty() ? std::nullopt : objects_of(answer.text);
    if (!all) {
      json_member("error", answer.text.empty() ? kSilent : kNonsense, node);
      add(node + "}");
      continue;
    }
    for (const auto& one : all->values()) {
      const auto& fields = one.struct_value().fields();  // in no order
      std::string object = node;
      for (const auto& [name, value] : std::map<std::string, google::protobuf::Value>(fields.begin(), fields.end())) {
        if (name == "node") continue;  // added above
        std::string text;
        if (value.has_string_value())
          json_text(value.string_value(), text);
        else
          (void)google::protobuf::util::MessageToJsonString(value, &text);
        json_text(name, object += ",");
        object += ":" + text;
      }
      add(object + "}");
    }
  }
  return json + "]\n";
}

std::string text_in(const google::protobuf::Struct& row, const std::string& name) {
  const auto at = row.fields().find(name);
  if (at == row.fields().end()) return "";
  if (!at->second.has_number_value()) return at->second.string_value();
  const double number = at->second.number_value();
  return number >= 0 && number <= kHighestNumber ? std::to_string(static_cast<std::uint64_t>(number)) : "";
}

}  // namespace

std::string merged_answers(const std::vector<NodeAnswer>& answers, bool json) {
  return json ? merged_json(answers) : merged_text(answers);
}

std::vector<AnswerRow> rows_of_answers(const std::vector<NodeAnswer>& json_answers) {
  std::vector<AnswerRow> rows;
  for (const NodeAnswer& answer : json_answers) {
    const auto all = objects_of(answer.text);
    if (!all) continue;
    for (const auto& one : all->values()) {
      const google::protobuf::Struct& row = one.struct_value();
      if (row.fields().contains("error")) continue;
      rows.push_back({answer.node, text_in(row, "link"), text_in(row, "client"), text_in(row, "player"),
                      text_in(row, "game"), text_in(row, "place"), text_in(row, "address")});
    }
  }
  return rows;
}

}  // namespace entente
