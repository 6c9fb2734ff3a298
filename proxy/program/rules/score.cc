#include "proxy/program/rules/score.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "proxy/program/base/json_text.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/table.h"

namespace entente {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// The recording that a label means: by its path, as given, or by its file's name.
Outcome<std::size_t> recording_of(const Label& label, const std::vector<JudgedRecording>& recordings) {
  std::size_t found = recordings.size();
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    if (recordings[i].path == label.recording) return i;
    if (file_name(recordings[i].path) != label.recording) continue;
    if (found != recordings.size())
      return Error{label.where + ": several of the recordings are called " + label.recording + "; write their paths"};
    found = i;
  }
  if (found == recordings.size()) return Error{label.where + ": the recording " + label.recording + " was not judged"};
  return found;
}

/// What is known about a labelled player.
struct Judged {
  const Label* label;
  core::Micros played;
  std::map<std::string, std::size_t> reports;  // by rule
};

using Players = std::vector<std::map<std::string, Judged>>;  // by recording and name

Outcome<Players> players_of(const std::vector<JudgedRecording>& recordings, const std::vector<Label>& labels) {
  Players all(recordings.size());
  for (const Label& label : labels) {
    const auto number = recording_of(label, recordings);
    if (!number) return number.error();
    const auto& players = recordings[*number].players;
    const auto player =
        std::find_if(players.begin(), players.end(), [&](const auto& one) { return one.name == label.player; });
    if (player == players.end())
      return Error{label.where + ": nobody called '" + label.player + "' plays in " + label.recording};
    if (!all[*number].try_emplace(label.player, Judged{&label, player->played, {}}).second)
      return Error{label.where + ": '" + label.player + "' of " + label.recording + " has a label already"};
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].empty()) return Error{"no player of " + recordings[i].path + " has a label"};
  return all;
}

void count_found(const Players& players, const std::vector<std::string>& rules, Score& score) {
  std::set<std::string> kinds;
  for (const auto& of_recording : players)
    for (const auto& [name, one] : of_recording)
      if (one.label->cheats) kinds.insert(one.label->kind);
  if (kinds.size() > 1) kinds.insert("");
  std::vector<std::string> by_name(kinds.begin(), kinds.end());
  std::stable_partition(by_name.begin(), by_name.end(), [](const auto& kind) { return !kind.empty(); });
  for (const std::string& kind : by_name)
    for (std::size_t i = 0; i <= rules.size(); ++i) {
      Found found{kind, i < rules.size() ? rules[i] : ""};
      for (const auto& of_recording : players)
        for (const auto& [name, one] : of_recording) {
          if (!one.label->cheats || (!kind.empty() && one.label->kind != kind)) continue;
          ++found.cheats;
          if (found.rule.empty() ? !one.reports.empty() : one.reports.contains(found.rule)) ++found.found;
        }
      found.share = share_interval(found.found, found.cheats);
      if (found.found > 0 || found.rule.empty()) score.found.push_back(std::move(found));
    }
}

void count_alarms(const Players& players, const std::vector<std::string>& rules, Score& score) {
  for (std::size_t i = 0; i <= rules.size(); ++i) {
    FalseAlarms alarms{i < rules.size() ? rules[i] : ""};
    for (const auto& of_recording : players)
      for (const auto& [name, one] : of_recording) {
        if (one.label->cheats) continue;
        std::size_t reports = 0;
        for (const auto& [rule, count] : one.reports)
          if (alarms.rule.empty() || rule == alarms.rule) reports += count;
        alarms.reports += reports;
        alarms.players += reports > 0 ? 1 : 0;
      }
    const double thousands = score.honest_minutes / 1000;
    const Interval interval = count_interval(alarms.reports);
    if (thousands > 0) {
      alarms.per_1000_minutes = static_cast<double>(alarms.reports) / thousands;
      alarms.interval = {interval.low / thousands, interval.high / thousands};
    }
    score.alarms.push_back(std::move(alarms));
  }
}

std::string or_any(const std::string& rule) { return rule.empty() ? "any rule" : rule; }

}  // namespace

Outcome<Score> score_of(const std::vector<JudgedRecording>& recordings, const std::vector<Label>& labels,
                        const std::vector<std::string>& rules) {
  auto players = players_of(recordings, labels);
  if (!players) return players.error();
  Score score;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    score.unlabelled += recordings[i].players.size() - (*players)[i].size();
    for (const rules::Action& report : recordings[i].reports) {
      const auto player = (*players)[i].find(report.name);
      const bool known = player != (*players)[i].end();
      if (known) ++player->second.reports[report.rule];
      const Label* const label = known ? player->second.label : nullptr;
      score.labels_of_reports.push_back(label == nullptr ? "" : label->cheats ? label->kind : "honest");
    }
    for (const auto& [name, one] : (*players)[i]) {
      if (!one.label->cheats) score.honest_minutes += static_cast<double>(one.played) / (60.0 * core::kSecond);
      if (one.label->cheats && one.reports.empty()) score.missed.push_back(*one.label);
    }
  }
  count_found(*players, rules, score);
  count_alarms(*players, rules, score);
  return score;
}

std::string text_of_score(const Score& score) {
  Rows<7> found{{"cheat", "rule", "players", "found", "missed", "share", "95 % interval"}};
  for (const Found& one : score.found)
    found.push_back({one.kind.empty() ? "all" : screen_text(one.kind), or_any(one.rule), std::to_string(one.cheats),
                     std::to_string(one.found), std::to_string(one.cheats - one.found),
                     fmt::format("{:.1f} %", 100.0 * static_cast<double>(one.found) / static_cast<double>(one.cheats)),
                     fmt::format("{:.1f} % to {:.1f} %", 100 * one.share.low, 100 * one.share.high)});
  Rows<5> alarms{{"rule", "false alarms", "of players", "in 1,000 honest minutes", "95 % interval"}};
  for (const FalseAlarms& one : score.alarms)
    alarms.push_back(
        {or_any(one.rule), std::to_string(one.reports), std::to_string(one.players),
         score.honest_minutes > 0 ? fmt::format("{:.2f}", one.per_1000_minutes) : "-",
         score.honest_minutes > 0 ? fmt::format("{:.2f} to {:.2f}", one.interval.low, one.interval.high) : "-"});
  std::string text;
  if (!score.found.empty()) text += in_columns(found) + "\n";
  text +=
      in_columns(alarms) + fmt::format("\nhonest players were in the game for {:.1f} minutes\n", score.honest_minutes);
  for (const Label& one : score.missed)
    text += "missed: " + screen_text(one.player) + " of " + screen_text(one.recording) + ", " + screen_text(one.kind) +
            "\n";
  if (score.unlabelled > 0) text += std::to_string(score.unlabelled) + " players without a label were not counted\n";
  return text;
}

std::string json_of_score(const Score& score) {
  std::string json = "\"cheats\":[";
  for (const Found& one : score.found) {
    if (&one != &score.found.front()) json += ',';
    json +=
        fmt::format("{{\"players\":{},\"found\":{},\"missed\":{},\"share\":{:.6f},\"low\":{:.6f},\"high\":{:.6f}",
                    one.cheats, one.found, one.cheats - one.found,
                    static_cast<double>(one.found) / static_cast<double>(one.cheats), one.share.low, one.share.high);
    if (!one.kind.empty()) json_member("kind", one.kind, json);
    if (!one.rule.empty()) json_member("rule", one.rule, json);
    json += '}';
  }
  json += "],\"false_alarms\":[";
  for (const FalseAlarms& one : score.alarms) {
    if (&one != &score.alarms.front()) json += ',';
    json += fmt::format("{{\"reports\":{},\"players\":{},\"per_1000_minutes\":{:.6f},\"low\":{:.6f},\"high\":{:.6f}",
                        one.reports, one.players, one.per_1000_minutes, one.interval.low, one.interval.high);
    if (!one.rule.empty()) json_member("rule", one.rule, json);
    json += '}';
  }
  json += fmt::format("],\"honest_minutes\":{:.3f},\"missed\":[", score.honest_minutes);
  for (const Label& one : score.missed) {
    json += &one != &score.missed.front() ? ",{" : "{";
    json += "\"recording\":";
    json_text(one.recording, json);
    json_member("player", one.player, json);
    json_member("kind", one.kind, json);
    json += '}';
  }
  return json + "],\"unlabelled\":" + std::to_string(score.unlabelled);
}

}  // namespace entente
