#include "proxy/program/numbers/export.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <vector>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_option.h"
#include "proxy/program/numbers/output.h"
#include "proxy/program/numbers/tables.h"

namespace entente {
namespace {

using numbers::Output, numbers::Row;

constexpr const char* kExport = "entente export";
constexpr const char* kAboutExports =
    "The tables are the same for all games: matches, players, lives, positions, shots, hits, deaths, items, captures,\n"
    "chat, scores, team_scores and latency. Times are seconds from the start of the recording, as for `entente replay\n"
    "--at`. `chat` includes private chat that the recorded player heard; to remove it, first run `entente redact`.\n";
constexpr double kShortest = 0.05;  // seconds between positions

/// Gives each row to all of them, and counts.
class Writing final : public numbers::RowSink {
 public:
  /// `path`: of the output.
  Outcome<Done> add(const std::string& path, Outcome<std::unique_ptr<Output>> output) {
    if (!output) return output.error();
    outputs_.push_back(std::move(*output));
    paths_.push_back(path);
    return Done{};
  }
  void take(const Row& row) override {
    ++rows_[row.index()];
    for (const auto& output : outputs_) output->take(row);
  }
  /// All outputs, or none of them.
  Outcome<Done> finish() {
    for (const auto& output : outputs_)
      if (const auto done = output->complete(); !done) return done;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (const auto done = outputs_[i]->finish(); !done) {
        std::error_code ignored;
        while (i-- > 0) std::filesystem::remove_all(paths_[i], ignored);
        return done;
      }
    return Done{};
  }
  /// "12 deaths, 3 players"
  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i] != 0)
        text += (text.empty() ? "" : ", ") + std::to_string(rows_[i]) + " " + numbers::tables()[i].name;
    return text;
  }

 private:
  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<std::string> paths_;
  std::array<std::uint64_t, std::variant_size_v<Row>> rows_{};
};

struct Form {
  const std::string& path;
  Outcome<std::unique_ptr<Output>> (*open)(const std::string&);
};

std::vector<Form> forms_of(const ExportOptions& options) {
  std::vector<Form> forms;
  for (const Form& form : {Form{options.csv, numbers::csv_output}, Form{options.jsonl, numbers::json_output},
                           Form{options.sqlite, numbers::sqlite_output}})
    if (!form.path.empty()) forms.push_back(form);
  return forms;
}

Outcome<Done> write(const std::vector<Form>& forms, PlayedWords& words, const ExportOptions& options, std::ostream& out,
                    std::ostream& err) {
  Writing writing;
  for (const Form& form : forms)
    if (const auto added = writing.add(form.path, form.open(form.path)); !added) return added;
  const auto every = static_cast<core::Micros>(std::llround(options.every * 1e6));
  const auto remark = [&err](const std::string& text) { err << kExport << ": " << text << '\n'; };
  if (const auto read = numbers::read(words, numbers::name_of(options.source), every, writing, remark); !read)
    return read;
  if (const auto done = writing.finish(); !done) return done;
  for (const Form& form : forms) out << screen_text(form.path) << ": " << writing.text() << '\n';
  return Done{};
}

}  // namespace

void declare_export(CLI::App& app, ExportOptions& options) {
  numbers::declare_source(app, options.source);
  app.add_option("--csv", options.csv, "Folder to write, with a file for each table (RFC 4180)")->type_name("DIR");
  app.add_option("--jsonl", options.jsonl, "File to write, with a JSON object in each line")->type_name("FILE");
  app.add_option("--sqlite", options.sqlite, "Database to write (SQLite)")->type_name("FILE");
  add_time(
      app, "--every", [&options](double every) { options.every = every; },
      "Time between two positions of a unit (a tank, man or cell), at least 0.05 s; 0: no positions (default: 1s)");
  app.footer([] { return std::string(kAboutExports); });
}

int run_export(const ExportOptions& options) { return export_rows(options, std::cout, std::cerr); }

int export_rows(const ExportOptions& options, std::ostream& out, std::ostream& err) {
  const auto wrong = [&](int exit, const std::string& why) {
    err << kExport << ": " << screen_text(why) << '\n';
    return exit;
  };
  const std::vector<Form> forms = forms_of(options);
  if (forms.empty()) return wrong(kUsage, "give --csv DIR, --jsonl FILE or --sqlite FILE");
  if (options.every != 0 && options.every < kShortest) return wrong(kUsage, "--every must be 0, or at least 0.05 s");
  std::set<std::string> names;
  for (const Form& form : forms) {  // before long work
    std::error_code error;
    if (!names.insert(std::filesystem::absolute(form.path, error).lexically_normal().string()).second)
      return wrong(kUsage, form.path + " is given twice: choose another name for one of the files");
    if (std::filesystem::exists(std::filesystem::symlink_status(form.path, error)))
      return wrong(kFailed, form.path + " exists already: choose another name or move it away");
  }
  const Interruption interruption;
  auto words = numbers::open(options.source, kExport, err);
  if (!words) return words.error();
  if (const auto written = write(forms, **words, options, out, err); !written)
    return wrong(kFailed, written.error().text);
  if ((*words)->damage().empty()) return kOk;
  return wrong(kFailed, "the rest cannot be read: " + (*words)->damage());
}

}  // namespace entente
