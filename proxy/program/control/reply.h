// The answer to a line of the control socket: text for people, JSON for programs.
// Invariant: the text has no control characters but tabs and line ends, whatever players call themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/fault.h"

namespace entente {

/// How the text of an answer begins.
inline constexpr std::string_view kTextDone = "ok\n", kTextError = "error: ";
/// How the JSON of an answer that is no table begins.
inline constexpr std::string_view kJsonDone = "{\"done\":", kJsonError = "{\"error\":";

/// A tab-separated field with foreign text, made harmless.
std::string control_field(std::string_view text);

/// A named value, as text and as JSON.
struct ReplyField {
  std::string name, text, json;
  bool only_json = false;
};
ReplyField text_field(std::string name, std::string_view text);  ///< empty: "-" and null
ReplyField number_field(std::string name, std::uint64_t number);
ReplyField flag_field(std::string name, bool on);  ///< "yes" or "no"
/// Leaves the field out of the text, because scripts count the text's columns.
ReplyField only_json(ReplyField field);
/// The texts with commas between them, and a JSON array.
ReplyField list_field(std::string name, const std::vector<std::string>& texts);

using ReplyRow = std::vector<ReplyField>;

class Reply {
 public:
  Reply(const Error& error);                   // NOLINT: implicit on purpose
  Reply(std::string_view lines);               // NOLINT: implicit on purpose
  Reply(const std::string& lines);             // NOLINT: implicit on purpose
  Reply(const char* lines);                    // NOLINT: implicit on purpose
  Reply(const Outcome<std::string>& outcome);  // NOLINT: implicit on purpose

  /// A header, and a line for each row.
  static Reply table(const std::vector<std::string>& header, const std::vector<ReplyRow>& rows);
  /// A line for each row.
  static Reply list(const std::vector<ReplyRow>& rows);
  /// A line for each row: the name and the text of the first field, then "name=text" for each other.
  static Reply records(const std::vector<ReplyRow>& rows);

  /// Adds a member to the JSON object of an error, or of a reply that is not a table.
  Reply& with(std::string_view name, const std::vector<ReplyRow>& rows);
  /// Appends to the log line of the order, after the first line of the text.
  Reply& note(std::string text);

  /// The order has changed nothing: it was a question.
  Reply& only_asked() { return asked_ = true, *this; }
  /// Marks an error as one that came after the order was carried out.
  Reply& though_done() { return done_ = true, *this; }

  bool failed() const { return failed_; }
  /// Whether the order has changed something.
  bool has_changed() const { return (!failed_ && !asked_) || done_; }
  /// "ok\n…" or "error: …\n".
  std::string text() const;
  /// One line: an array of a table's rows, {"done":"…"} or {"error":"…"}.
  std::string json() const;
  /// For the log: the first line of the text, and the note.
  std::string summary() const;

 private:
  Reply(std::string lines, bool failed, std::string array = "");

  std::string lines_;  // without "ok" or "error"
  bool failed_, done_ = false, asked_ = false;
  std::string array_;    // of a table, as JSON
  std::string members_;  // JSON, each with a comma before it
  std::string note_;
};

/// A line of records(), without its end.
std::string record_text(const ReplyRow& row);

}  // namespace entente
