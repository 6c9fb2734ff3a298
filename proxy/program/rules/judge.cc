#include "proxy/program/rules/judge.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/table.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/rules/judging.h"
#include "proxy/program/rules/labels.h"
#include "proxy/program/rules/score.h"

namespace entente {
namespace {

constexpr const char* kJudge = "entente judge";
constexpr const char* kAboutJudge =
    "The rules hear the words of the recording as they would in a room, and call report() as they would there. Nobody\n"
    "is told anything, and nobody is kicked. The last column is the part of the recording that shows why:\n"
    "`entente clip FILE --from TIME --to TIME -o OUT` copies it.\n"
    "\n"
    "A line of the file for --labels says who is honest, and who cheats. Its columns have a tab between them: the\n"
    "recording, the player's name, `honest` or `cheat`, and for a cheat, if wanted, the kind. The intervals are\n"
    "Wilson's for shares, and Poisson's for false alarms.\n";
constexpr core::Micros kBefore = 10 * core::kSecond, kAfter = 2 * core::kSecond;  // of a report, in its clip

/// Where a report comes from. `label`: what the player is; null: there are no labels.
struct Origin {
  const std::string* recording = nullptr;
  const std::string* label = nullptr;
};

std::string numbers_text(const rules::Action& report) {
  std::string text;
  for (const auto& [name, number] : report.numbers) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.6g", number);
    text += (text.empty() ? "" : ", ") + name + " " + digits;
  }
  return text;
}

std::string clip_from(const rules::Action& report) { return time_text(report.at > kBefore ? report.at - kBefore : 0); }
std::string clip_to(const rules::Action& report) { return time_text(report.at + kAfter); }

/// A row without the columns about labels.
std::array<std::string, 6> row_of(const rules::Action& one) {
  return {time_text(one.at),
          screen_text(one.name) + " (" + std::to_string(one.player) + ")",
          one.rule,
          screen_text(one.text),
          screen_text(numbers_text(one)),
          clip_from(one) + " to " + clip_to(one)};
}
constexpr const char* kColumns[] = {"time", "player", "rule", "report", "numbers", "clip"};

std::string table_of(const std::vector<rules::Action>& reports) {
  if (reports.empty()) return "no reports\n";
  Rows<6> rows(1);
  std::copy(std::begin(kColumns), std::end(kColumns), rows[0].begin());
  for (const rules::Action& one : reports) rows.push_back(row_of(one));
  return in_columns(rows);
}

std::string json_of(const rules::Action& one, const Origin& origin) {
  std::string json = "{\"seconds\":" + std::to_string(static_cast<double>(one.at) / core::kSecond);
  if (origin.recording != nullptr) json_member("recording", *origin.recording, json);
  if (origin.label != nullptr) json_member("label", *origin.label, json);
  json += ",\"player\":" + std::to_string(one.player);
  json_member("name", one.name, json);
  json_member("rule", one.rule, json);
  json_member("report", one.text, json);
  json += ",\"numbers\":{";
  for (const auto& [name, number] : one.numbers) {
    if (&name != &one.numbers.front().first) json += ",";
    json_text(name, json);
    json += ":" + std::to_string(number);
  }
  json += "}";
  json_member("from", clip_from(one), json);
  json_member("to", clip_to(one), json);
  return json + "}";
}

std::string json_of(const std::vector<rules::Action>& reports) {
  std::string json;
  for (const rules::Action& one : reports) json += (json.empty() ? "" : ",") + json_of(one, {});
  return "[" + json + "]\n";
}

/// Calls `see(recording, report, label)` for each report.
template <class F>
void each_labelled(const std::vector<JudgedRecording>& recordings, const Score& score, F&& see) {
  std::size_t number = 0;
  for (const JudgedRecording& recording : recordings)
    for (const rules::Action& report : recording.reports)
      see(recording.path, report, score.labels_of_reports[number++]);
}

std::string table_of(const std::vector<JudgedRecording>& recordings, const Score& score) {
  Rows<8> rows(1);
  rows[0] = {"recording", "label"};
  std::copy(std::begin(kColumns), std::end(kColumns), rows[0].begin() + 2);
  each_labelled(recordings, score, [&](const std::string& path, const rules::Action& report, const std::string& label) {
    rows.push_back({screen_text(path), label.empty() ? "-" : screen_text(label)});
    const auto row = row_of(report);
    std::copy(row.begin(), row.end(), rows.back().begin() + 2);
  });
  return (rows.size() > 1 ? in_columns(rows) : "no reports\n") + "\n" + text_of_score(score);
}

std::string json_of(const std::vector<JudgedRecording>& recordings, const Score& score) {
  std::string json;
  each_labelled(recordings, score, [&](const std::string& path, const rules::Action& report, const std::string& label) {
    json += (json.empty() ? "" : ",") + json_of(report, {&path, &label});
  });
  return "{" + json_of_score(score) + ",\"reports\":[" + json + "]}\n";
}

/// With labels, each file by itself; otherwise all as one.
std::vector<numbers::Source> sources_of(const JudgeOptions& options) {
  if (options.labels.empty()) return {options.source};
  std::vector<numbers::Source> each;
  for (const std::string& file : options.source.files) {
    each.push_back(options.source);
    each.back().files = {file};
  }
  return each;
}

}  // namespace

void declare_judge(CLI::App& app, JudgeOptions& options) {
  app.add_option("RULES", options.rules, "A file with a rule, or a folder with several")
      ->required()
      ->type_name("RULES");
  numbers::declare_source(app, options.source);
  app.add_option("--labels", options.labels,
                 "Also count hits, misses and false alarms: this file says which players are honest. Then each FILE is "
                 "judged by itself, and not joined with the others")
      ->type_name("LABELS");
  app.add_flag("--json", options.json, "Print JSON: an array of reports; with --labels, an object");
  app.footer([] { return std::string(kAboutJudge); });
}

int run_judge(const JudgeOptions& options) { return judge(options, std::cout, std::cerr); }

int judge(const JudgeOptions& options, std::ostream& out, std::ostream& err) {
  const auto wrong = [&](const std::string& why) {
    err << kJudge << ": " << screen_text(why) << '\n';
    return kFailed;
  };
  const auto set = rules_at(options.rules);
  if (!set) return wrong(set.error().text);
  std::optional<std::vector<Label>> labels;
  if (!options.labels.empty()) {
    auto read = read_labels(options.labels);
    if (!read) return wrong(read.error().text);
    labels = std::move(*read);
  }
  const Interruption interruption;
  std::vector<JudgedRecording> recordings;
  for (const numbers::Source& source : sources_of(options)) {
    auto words = numbers::open(source, kJudge, err);
    if (!words) return words.error();
    auto judged = judge_words(**words, *set, kJudge, err);
    if (!judged) return wrong(judged.error().text);
    judged->path = source.files.front();
    recordings.push_back(std::move(*judged));
  }
  if (labels) {
    std::vector<std::string> names;
    for (const rules::RuleFile& rule : **set) names.push_back(rule.name);
    const auto counted = score_of(recordings, *labels, names);
    if (!counted) return wrong(counted.error().text);
    out << (options.json ? json_of(recordings, *counted) : table_of(recordings, *counted));
  } else {
    const auto& reports = recordings.front().reports;
    out << (options.json ? json_of(reports) : table_of(reports));
  }
  return out.flush() ? kOk : wrong("standard output cannot be written");
}

}  // namespace entente
