#include "proxy/program/recordings/recordings.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <vector>

#include "adapters/registry.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/table.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/fleet/fleet_reader.h"
#include "proxy/program/storage/words_cache.h"
#include "proxy/trace/lab.h"
#include "proxy/trace/recording.h"
#include "proxy/trace/recording_info.h"

namespace entente {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAboutRecordings =
    "A complete recording has an index at its end, so that the rest need not be read. A .mcap file without an index\n"
    "is read whole; of an unfinished file (.part), only the beginning is read. If the end of a file is missing or\n"
    "cannot be read, the column `remarks` says so. Only `entente verify` checks the contents; `entente recover`\n"
    "saves what can be read.\n"
    "For a relay's recording, the players are those who played through the relay. Only the index has their names, so\n"
    "a relay's recording without an index shows none. Kills are counted in a relay's recording only for BZFlag and\n"
    "Ace of Spades.\n";
constexpr std::uint64_t kMostOfUnfinished = 1000;  // messages
constexpr std::size_t kMostNames = 8;              // in the table

struct Listed {
  std::string name;
  std::uint64_t bytes = 0;
  WallTime start = 0, end = 0;  // 0: it has no messages
  trace::RecordingInfo info;
  bool finished = true;
  std::string problem;
};

/// Reads the file itself, as far as it can be read.
void read_all(const std::string& path, Listed& listed) {
  const auto recording = trace::Recording::open(path);
  if (!recording) return void(listed.problem = recording.error().text);
  trace::RecordingInfoBuilder summary({kill_message, tells_kill, kill_counter});
  Buffer bytes;
  const auto written = [&](const google::protobuf::MessageLite& message) -> Bytes {
    bytes.resize(message.ByteSizeLong());
    message.SerializeWithCachedSizesToArray(bytes.data());
    return bytes;
  };
  for (std::uint64_t messages = 0; listed.finished || messages < kMostOfUnfinished; ++messages) {
    const auto next = (*recording)->next();
    if (!next) {
      if (listed.finished) listed.problem = next.error().text;
      break;
    }
    if (*next == nullptr) break;
    const trace::Recording::Event& event = **next;
    listed.start = listed.start == 0 ? event.time : std::min(listed.start, event.time);
    listed.end = std::max(listed.end, event.time);
    if (event.opened != nullptr) summary.opened(*event.opened);
    if (event.closed != nullptr) summary.closed(event.closed->link());
    if (event.frame != nullptr) {
      const trace::Frame& frame = *event.frame;
      if (trace::was_passed_on(frame)) summary.frame(frame.link(), frame.way(), frame.name(), as_bytes(frame.data()));
    }
    if (event.world != nullptr) summary.world(*event.world);
    if (event.word && event.word->intent != nullptr) summary.intent(written(*event.word->intent));
    if (event.word && event.word->fact != nullptr) summary.fact(event.word->link, written(*event.word->fact));
  }
  listed.info = summary.info();
}

/// When an unfinished file was last written.
WallTime changed_at(const fs::path& path) {
  std::error_code error;
  const auto changed = fs::last_write_time(path, error);
  if (error) return 0;
  const auto since = std::chrono::file_clock::to_sys(changed).time_since_epoch();
  return static_cast<WallTime>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

Listed look_at(const fs::path& path) {
  Listed listed;
  listed.name = path.filename().string();
  listed.finished = !listed.name.ends_with(".part");
  std::error_code error;
  listed.bytes = fs::file_size(path, error);
  if (error) listed.bytes = 0;
  const auto end = trace::read_end(path.string());
  if (!end) return listed.problem = end.error().text, listed;
  if (*end && (*end)->info) {
    listed.start = (*end)->start, listed.end = (*end)->end;
    listed.info = *(*end)->info;
    return listed;
  }
  read_all(path.string(), listed);
  if (listed.finished) return listed;
  if (listed.start != 0) listed.end = std::max(listed.end, changed_at(path));
  listed.info.kills.reset();  // of its beginning only
  listed.problem = "unfinished: it is being recorded, or was cut off";
  return listed;
}

bool is_recording(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".mcap") || name.ends_with(".mcap.part");
}

Outcome<std::vector<fs::path>> files_in(const std::string& place) {
  std::error_code error;
  if (fs::is_regular_file(place, error)) return std::vector<fs::path>{place};
  std::vector<fs::path> all;
  for (fs::directory_iterator at(place, error), end; !error && at != end; at.increment(error))
    if (std::error_code gone; is_recording(at->path()) && at->is_regular_file(gone) && !is_words_cache(at->path()))
      all.push_back(at->path());
  if (error) return Error{"cannot read " + place + ": " + error.message()};
  std::sort(all.begin(), all.end());
  return all;
}

std::string utc_text(WallTime time) {
  if (time == 0) return "-";
  const auto seconds = static_cast<std::time_t>(time / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string size_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", number / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", number / 1e6);
  return fmt::format("{:.1f} GB", number / 1e9);
}

std::string names_text(const std::set<std::string>& names, bool more = false) {
  std::string out;
  std::size_t left = kMostNames;
  for (const std::string& name : names) {
    if (left-- == 0) break;
    out += (out.empty() ? "" : ", ") + screen_text(name);
  }
  if (names.size() > kMostNames || more)
    out += ", and " + (more ? std::string("more") : std::to_string(names.size() - kMostNames) + " more");
  return out.empty() ? "-" : out;
}

std::string table_of(const std::vector<Listed>& all) {
  Rows<9> rows{{"file", "began (UTC)", "length", "size", "games", "servers", "kills", "players", "remarks"}};
  for (const Listed& one : all)
    rows.push_back({screen_text(one.name), utc_text(one.start),
                    one.start == 0 ? "-" : time_text((one.end - std::min(one.start, one.end)) / 1000),
                    size_text(one.bytes), names_text(one.info.games), names_text(one.info.servers),
                    one.info.kills ? std::to_string(*one.info.kills) : "-",
                    names_text(one.info.players, one.info.more_players), screen_text(one.problem)});
  return in_columns(rows);
}

std::string json_list(const std::set<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    out += out.empty() ? "[" : ",";
    json_text(text, out);
  }
  return out.empty() ? "[]" : out + "]";
}

std::string json_time(WallTime time) {
  if (time == 0) return "null";
  std::string out;
  json_text(utc_text(time).replace(10, 1, "T") + "Z", out);
  return out;
}

std::string json_of(const Listed& one) {
  std::string out = "{\"file\":";
  json_text(one.name, out);
  out += ",\"began\":" + json_time(one.start) + ",\"seconds\":";
  out += one.start == 0 ? "null"
                        : fmt::format("{:.3f}", static_cast<double>(one.end - std::min(one.start, one.end)) / 1e9);
  out += fmt::format(",\"bytes\":{},\"games\":{},\"servers\":{},\"kills\":{},\"players\":{},\"complete\":{}", one.bytes,
                     json_list(one.info.games), json_list(one.info.servers),
                     one.info.kills ? std::to_string(*one.info.kills) : "null", json_list(one.info.players),
                     one.problem.empty());
  if (one.info.more_players) out += ",\"more_players\":true";
  if (!one.problem.empty()) json_member("problem", one.problem, out);
  return out + "}\n";
}

std::string fleet_table_of(const std::vector<FleetRecording>& all) {
  Rows<7> rows{{"name", "node", "began (UTC)", "length", "size", "state", "file"}};
  for (const FleetRecording& one : all)
    rows.push_back({one.name, one.node, utc_text(one.began),
                    time_text((one.changed - std::min(one.began, one.changed)) / 1000), size_text(one.bytes),
                    one.complete ? "complete"
                    : one.ended  ? "torn"
                                 : "unfinished",
                    screen_text(one.file)});
  return in_columns(rows);
}

std::string json_of(const FleetRecording& one) {
  std::string out = "{\"name\":";
  json_text(one.name, out);
  json_member("node", one.node, out);
  json_member("file", one.file, out);
  out += ",\"began\":" + json_time(one.began);
  return out + fmt::format(",\"seconds\":{:.3f},\"bytes\":{},\"complete\":{}}}\n",
                           static_cast<double>(one.changed - std::min(one.began, one.changed)) / 1e9, one.bytes,
                           one.complete);
}

int fleet_recordings(const RecordingsOptions& options, std::ostream& out, std::ostream& err) {
  const auto reader = FleetReader::open(options.fleet);
  const auto list = reader ? (*reader)->list() : Outcome<FleetRecordings>(reader.error());
  const auto failure = [&](const Error& error) {
    err << "entente recordings: " << screen_text(error.text, "\n") << '\n';
    return kFailed;
  };
  if (!list) return failure(list.error());
  if (options.json)
    for (const FleetRecording& one : list->all) out << json_of(one);
  else
    out << fleet_table_of(list->all);
  return list->missing ? failure(*list->missing) : kOk;
}

}  // namespace

void declare_recordings(CLI::App& app, RecordingsOptions& options) {
  app.add_option("DIR", options.place,
                 "Folder with recordings (.mcap and .mcap.part), or a single recording. Needed without --fleet");
  app.add_option("--fleet", options.fleet,
                 "List the recordings of a fleet instead. CONFIG is a configuration file whose [fleet] names an "
                 "account of NATS with the role `reader`. Only its [fleet] is used")
      ->type_name("CONFIG");
  app.add_flag("--json", options.json, "Print one JSON object per line");
  app.footer([] { return std::string(kAboutRecordings); });
}

int run_recordings(const RecordingsOptions& options) {
  if (options.place.empty() == options.fleet.empty())
    return usage_error("entente recordings", "give either DIR or --fleet CONFIG");
  if (!options.fleet.empty()) return fleet_recordings(options, std::cout, std::cerr);
  return recordings(options, std::cout, std::cerr, ::isatty(STDERR_FILENO) != 0);
}

int recordings(const RecordingsOptions& options, std::ostream& out, std::ostream& err, bool progress) {
  const auto files = files_in(options.place);
  if (!files) {
    err << "entente recordings: " << screen_text(files.error().text) << '\n';
    return kFailed;
  }
  std::vector<Listed> all;
  for (const fs::path& file : *files) {
    if (progress) err << "\r" << all.size() + 1 << "/" << files->size() << " files" << std::flush;
    all.push_back(look_at(file));
  }
  if (progress && !files->empty()) err << "\r\x1b[K" << std::flush;
  std::stable_sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.start < b.start; });
  if (options.json)
    for (const Listed& one : all) out << json_of(one);
  else if (all.empty())
    err << "no recordings in " << screen_text(options.place) << '\n';
  else
    out << table_of(all);
  // Of a folder, other files are listed with a remark. What is asked for by name is to be a recording.
  const bool unreadable =
      all.size() == 1 && all.front().finished && all.front().start == 0 && !all.front().problem.empty();
  std::error_code error;
  return unreadable && !fs::is_directory(options.place, error) ? kFailed : kOk;
}

}  // namespace entente
