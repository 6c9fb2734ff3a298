#include "proxy/program/numbers/output.h"

#include <charconv>
#include <filesystem>
#include <vector>

#include "proxy/core/word.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/numbers/tables.h"

namespace entente::numbers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 256U << 10U;  // bytes that are written at once
constexpr const char* kSuffix = ".writing";

void append(std::int64_t number, std::string& out) { out += std::to_string(number); }
void append(double number, std::string& out) { append_number(number, out); }

/// RFC 4180: quoted if it has a quote, a comma or a line break. An empty text would be taken for null, which it is.
/// Spreadsheets run a cell that begins with one of kFormula. An apostrophe before it makes it text.
void append_csv(std::string_view text, std::string& out) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const char* const before = !text.empty() && kFormula.find(text.front()) != std::string_view::npos ? "'" : "";
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return void((out += before) += text);
  (out += '"') += before;
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

class JsonOutput final : public Output {
 public:
  explicit JsonOutput(TextFile file) : file_(std::move(file)) {}

  void take(const Row& row) override {
    if (failed_) return;
    const Table& table = table_of(row);
    std::string& out = file_.text();
    ((out += "{\"table\":\"") += table.name) += '"';
    for (const Column& column : table.columns) {
      ((out += ",\"") += column.name) += "\":";
      std::visit(core::Overloaded{
                     [&](std::monostate) { out += "null"; }, [&](bool yes) { out += yes ? "true" : "false"; },
                     [&](std::string_view text) { json_text(text, out); }, [&](auto number) { append(number, out); }},
                 column.cell(row));
    }
    out += "}\n";
    if (const auto flushed = file_.flush(); !flushed) failed_ = flushed.error();
  }
  Outcome<Done> complete() override { return failed_ ? *failed_ : file_.sync(); }
  Outcome<Done> finish() override { return file_.finish(); }

 private:
  TextFile file_;
  std::optional<Error> failed_;
};

class CsvOutput final : public Output {
 public:
  CsvOutput(std::string folder, std::string part) : folder_(std::move(folder)), part_(std::move(part)) {}
  ~CsvOutput() override {
    files_.clear();
    std::error_code ignored;
    if (!complete_) fs::remove_all(part_, ignored);
  }
  CsvOutput(const CsvOutput&) = delete;
  CsvOutput& operator=(const CsvOutput&) = delete;

  Outcome<Done> open() {
    for (const Table& table : tables()) {
      auto file = TextFile::create(part_ + "/" + table.name + ".csv");
      if (!file) return file.error();
      files_.push_back(std::move(*file));
      std::string& out = files_.back().text();
      for (const Column& column : table.columns) (out += &column == table.columns.data() ? "" : ",") += column.name;
      out += "\r\n";
    }
    return Done{};
  }

  void take(const Row& row) override {
    if (failed_) return;
    const Table& table = table_of(row);
    TextFile& file = files_[row.index()];
    std::string& out = file.text();
    for (const Column& column : table.columns) {
      if (&column != table.columns.data()) out += ',';
      std::visit(core::Overloaded{[](std::monostate) {}, [&](bool yes) { out += yes ? "true" : "false"; },
                                  [&](std::string_view text) { append_csv(text, out); },
                                  [&](auto number) { append(number, out); }},
                 column.cell(row));
    }
    out += "\r\n";
    if (const auto flushed = file.flush(); !flushed) failed_ = flushed.error();
  }

  Outcome<Done> complete() override {
    if (failed_) return *failed_;
    for (TextFile& file : files_)
      if (const auto done = file.finish(); !done) return done;
    return Done{};
  }
  Outcome<Done> finish() override {
    std::error_code error;
    fs::rename(part_, folder_, error);  // fails if there is a folder with files, or a file
    if (error) return Error{"cannot rename " + part_ + " to " + folder_ + ": " + error.message()};
    complete_ = true;
    return Done{};
  }

 private:
  const std::string folder_, part_;
  std::vector<TextFile> files_;  // in the order of tables()
  std::optional<Error> failed_;
  bool complete_ = false;
};

}  // namespace

void append_number(double number, std::string& out) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  out.append(text, end);
}

Outcome<TextFile> TextFile::create(const std::string& path) {
  auto file = trace::FileSink::create(path, kSuffix);
  if (!file) return file.error();
  return TextFile(std::move(*file));
}

TextFile::~TextFile() {
  if (file_) file_->discard();
}

Outcome<Done> TextFile::flush(bool all) {
  if (text_.empty() || (!all && text_.size() < kPiece)) return Done{};
  auto written = file_->write(as_bytes(text_));
  text_.clear();
  return written;
}

Outcome<Done> TextFile::sync() {
  if (auto flushed = flush(true); !flushed) return flushed;
  return file_->sync();
}

Outcome<Done> TextFile::finish() {
  if (auto synced = sync(); !synced) return synced;
  if (auto finished = file_->finish(); !finished) return finished;
  file_.reset();
  return Done{};
}

Outcome<std::unique_ptr<Output>> json_output(const std::string& path) {
  auto file = TextFile::create(path);
  if (!file) return file.error();
  return std::unique_ptr<Output>(std::make_unique<JsonOutput>(std::move(*file)));
}

Outcome<std::unique_ptr<Output>> csv_output(const std::string& folder) {
  std::string path = folder;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    return Error{path + " exists already: choose another name or move it away"};
  const std::string part = path + kSuffix;
  if (!fs::create_directory(part, error))
    return Error{error ? "cannot create " + part + ": " + error.message()
                       : part + " exists already: another program writes it, or was killed; then remove it"};
  auto output = std::make_unique<CsvOutput>(path, part);
  if (const auto opened = output->open(); !opened) return opened.error();
  return std::unique_ptr<Output>(std::move(output));
}

}  // namespace entente::numbers
