#include "proxy/program/control/reply.h"

#include <utility>

#include "proxy/program/base/json_text.h"
#include "proxy/program/base/screen_text.h"

namespace entente {
namespace {

std::string json_string(std::string_view text) {
  std::string json;
  json_text(text, json);
  return json;
}

std::string object_of(const ReplyRow& row) {
  std::string json = "{";
  for (const ReplyField& field : row) json += (json.size() > 1 ? "," : "") + json_string(field.name) + ":" + field.json;
  return json + "}";
}

std::string array_of(const std::vector<ReplyRow>& rows) {
  std::string json = "[";
  for (const ReplyRow& row : rows) json += (json.size() > 1 ? "," : "") + object_of(row);
  return json + "]";
}

/// A line for each row, with tabs between the fields.
std::string lines_of(const std::vector<ReplyRow>& rows) {
  std::string lines;
  for (const ReplyRow& row : rows) {
    for (const ReplyField& field : row)
      if (!field.only_json) lines += (&field != &row[0] ? "\t" : "") + field.text;
    lines += "\n";
  }
  return lines;
}

std::string_view first_line(std::string_view lines) { return lines.substr(0, lines.find('\n')); }

}  // namespace

std::string control_field(std::string_view text) {
  if (text.empty()) return "-";
  return screen_text(text);
}

ReplyField text_field(std::string name, std::string_view text) {
  return {std::move(name), control_field(text), text.empty() ? "null" : json_string(text)};
}

ReplyField number_field(std::string name, std::uint64_t number) {
  return {std::move(name), std::to_string(number), std::to_string(number)};
}

ReplyField flag_field(std::string name, bool on) { return {std::move(name), on ? "yes" : "no", on ? "true" : "false"}; }

ReplyField only_json(ReplyField field) {
  field.only_json = true;
  return field;
}

ReplyField list_field(std::string name, const std::vector<std::string>& texts) {
  ReplyField field{std::move(name), "", "["};
  for (const std::string& text : texts) {
    const char* comma = field.text.empty() ? "" : ",";
    (field.text += comma) += control_field(text);
    (field.json += comma) += json_string(text);
  }
  field.json += "]";
  return field;
}

Reply::Reply(std::string lines, bool failed, std::string array)
    : lines_(std::move(lines)), failed_(failed), array_(std::move(array)) {}

Reply::Reply(const Error& error) : Reply(screen_text(error.text), true) {}
Reply::Reply(std::string_view lines) : Reply(std::string(lines), false) {}
Reply::Reply(const std::string& lines) : Reply(lines, false) {}
Reply::Reply(const char* lines) : Reply(std::string(lines), false) {}
Reply::Reply(const Outcome<std::string>& outcome) : Reply(outcome ? Reply(*outcome) : Reply(outcome.error())) {}

Reply Reply::table(const std::vector<std::string>& header, const std::vector<ReplyRow>& rows) {
  std::string lines;
  for (const std::string& name : header) lines += (lines.empty() ? "" : "\t") + name;
  return {lines + "\n" + lines_of(rows), false, array_of(rows)};
}

Reply Reply::list(const std::vector<ReplyRow>& rows) { return {lines_of(rows), false, array_of(rows)}; }

Reply Reply::records(const std::vector<ReplyRow>& rows) {
  std::string lines;
  for (const ReplyRow& row : rows) lines += record_text(row) + "\n";
  return {std::move(lines), false, array_of(rows)};
}

Reply& Reply::with(std::string_view name, const std::vector<ReplyRow>& rows) {
  members_ += "," + json_string(name) + ":" + array_of(rows);
  return *this;
}

Reply& Reply::note(std::string text) {
  note_ = std::move(text);
  return *this;
}

std::string Reply::text() const {
  return std::string(failed_ ? kTextError : kTextDone) + lines_ + (failed_ ? "\n" : "");
}

std::string Reply::json() const {
  if (!array_.empty()) return array_ + "\n";
  std::string_view said = lines_;
  if (said.ends_with('\n')) said.remove_suffix(1);
  return std::string(failed_ ? kJsonError : kJsonDone) + json_string(said) + members_ + "}\n";
}

std::string Reply::summary() const {
  return std::string(failed_ ? kTextError : "") + std::string(first_line(lines_)) + (note_.empty() ? "" : "; ") + note_;
}

std::string record_text(const ReplyRow& row) {
  std::string line;
  for (const ReplyField& field : row)
    line += &field == &row[0] ? field.name + " " + field.text : " " + field.name + "=" + field.text;
  return line;
}

}  // namespace entente
