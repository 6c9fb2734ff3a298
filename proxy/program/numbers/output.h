// Where rows are written to: files of one of three forms.
// Invariant: they get their name only when they are complete; until then it is NAME.writing, which is removed if
// something fails. No existing file is overwritten.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/base/fault.h"
#include "proxy/program/numbers/rows.h"
#include "proxy/trace/file.h"

namespace entente::numbers {

class Output : public RowSink {
 public:
  /// Writes what is left, or says why something could not be written. Nothing is taken after this.
  virtual Outcome<Done> complete() = 0;
  /// Gives the files their names. REQUIRES: complete() has succeeded.
  virtual Outcome<Done> finish() = 0;
};

/// A folder with a file for each table, TABLE.csv (RFC 4180), with a line of headers. Fails if it exists.
Outcome<std::unique_ptr<Output>> csv_output(const std::string& folder);
/// A JSON object in each line, with the name of its table in "table". Fails if it exists.
Outcome<std::unique_ptr<Output>> json_output(const std::string& path);
/// An SQLite database with all tables. Fails if it exists.
Outcome<std::unique_ptr<Output>> sqlite_output(const std::string& path);

/// A text file, written in large pieces. Its name is PATH.writing until finish(), and gone with an object that was not
/// finished.
class TextFile {
 public:
  static Outcome<TextFile> create(const std::string& path);
  TextFile(TextFile&&) = default;
  TextFile& operator=(TextFile&&) = default;
  ~TextFile();

  std::string& text() { return text_; }  ///< what is added here is written by flush() and finish()
  Outcome<Done> flush(bool all = false);
  /// Writes everything; it is on the disk then.
  Outcome<Done> sync();
  Outcome<Done> finish();

 private:
  explicit TextFile(std::unique_ptr<trace::FileSink> file) : file_(std::move(file)) {}

  std::unique_ptr<trace::FileSink> file_;
  std::string text_;
};

/// Appends the number in the fewest digits. REQUIRES: it is finite.
void append_number(double number, std::string& out);

}  // namespace entente::numbers
