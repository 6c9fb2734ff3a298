#include "proxy/program/rules/judge.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <utility>
#include <vector>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/table.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/settings/rule_files.h"
#include "proxy/rules/judgement.h"

namespace entente {
namespace {

constexpr const char* kJudge = "entente judge";
constexpr const char* kAboutJudge =
    "The rules hear the facts of the recording as they would in a room, and call report() as they would there. Nobody\n"
    "is told anything, and nobody is kicked. The last column is the part of the recording that shows why:\n"
    "`entente clip FILE --from TIME --to TIME -o OUT` copies it.\n";
constexpr core::Micros kBefore = 10 * core::kSecond, kAfter = 2 * core::kSecond;  // of a report, in its clip

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

std::string table_of(const std::vector<rules::Action>& reports) {
  Rows<6> rows{{"time", "player", "rule", "report", "numbers", "clip"}};
  for (const rules::Action& one : reports)
    rows.push_back({time_text(one.at), screen_text(one.name) + " (" + std::to_string(one.player) + ")", one.rule,
                    screen_text(one.text), screen_text(numbers_text(one)), clip_from(one) + " to " + clip_to(one)});
  return in_columns(rows);
}

std::string json_of(const std::vector<rules::Action>& reports) {
  std::string json = "[";
  for (const rules::Action& one : reports) {
    json += json.size() == 1 ? "{" : ",{";
    json += "\"seconds\":" + std::to_string(static_cast<double>(one.at) / core::kSecond);
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
    json += "}";
  }
  return json + "]\n";
}

Outcome<std::shared_ptr<const rules::RuleSet>> rules_at(const std::string& path) {
  const auto files = rule_files_at(path);
  if (!files) return files.error();
  return read_rules({files->begin(), files->end()});
}

Outcome<std::vector<rules::Action>> reports_of(PlayedWords& words, std::shared_ptr<const rules::RuleSet> set,
                                               std::ostream& err) {
  const Interruption interruption;
  rules::Judgement judgement(std::move(set));
  std::vector<rules::Action> reports;
  constexpr std::size_t kMostReports = 100'000;
  bool begins = words.begins_with_world();
  while (const auto at = words.next_at()) {
    if (Interruption::came()) return Error{"interrupted"};
    if (std::exchange(begins, false) || words.next_is_other_session()) {
      core::WorldState world;
      if (const auto changed = words.seek(*at, world); !changed) return changed.error();
      judgement.become(std::move(world), *at);
    }
    judgement.hear(words.next());
    for (rules::Action& one : judgement.take()) {
      if (one.kind == rules::Action::Kind::kSwitchedOff)
        err << kJudge << ": a rule is switched off: " << screen_text(one.text) << '\n';
      else if (reports.size() < kMostReports)
        reports.push_back(std::move(one));
    }
  }
  if (!words.damage().empty()) err << kJudge << ": " << screen_text(words.damage()) << '\n';
  return reports;
}

}  // namespace

void declare_judge(CLI::App& app, JudgeOptions& options) {
  app.add_option("RULES", options.rules, "A file with a rule, or a folder with several")
      ->required()
      ->type_name("RULES");
  numbers::declare_source(app, options.source);
  app.add_flag("--json", options.json, "Print a JSON array");
  app.footer([] { return std::string(kAboutJudge); });
}

int run_judge(const JudgeOptions& options) { return judge(options, std::cout, std::cerr); }

int judge(const JudgeOptions& options, std::ostream& out, std::ostream& err) {
  const auto wrong = [&](const std::string& why) {
    err << kJudge << ": " << screen_text(why) << '\n';
    return kFailed;
  };
  auto set = rules_at(options.rules);
  if (!set) return wrong(set.error().text);
  auto words = numbers::open(options.source, kJudge, err);
  if (!words) return words.error();
  const auto reports = reports_of(**words, std::move(*set), err);
  if (!reports) return wrong(reports.error().text);
  out << (options.json ? json_of(*reports) : reports->empty() ? "no reports\n" : table_of(*reports));
  return out.flush() ? kOk : wrong("standard output cannot be written");
}

}  // namespace entente
