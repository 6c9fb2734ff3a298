#include "proxy/program/numbers/stats.h"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/numbers/page.h"
#include "proxy/program/numbers/report.h"

namespace entente {
namespace {

constexpr const char* kStats = "entente stats";
constexpr const char* kAboutStats =
    "A player who kills a teammate gets a team kill, not a kill. A death that no other player caused is counted in\n"
    "`own deaths` and in `deaths`. A death by the capture of a flag counts for nobody, as in the score of bzfs.\n"
    "The column `server's score` has the last score that the server sent. Hits are counted only in games that report\n"
    "every hit; Ace of Spades does not.\n"
    "The page of --html is one file that needs no network. It shows names, but no chat and no addresses.\n";

/// For a flag that an environment variable sets, whatever its value is.
std::string to_set(std::string& value) {
  value = "true";
  return "";
}

Outcome<Done> report(const StatsOptions& options, PlayedWords& words, std::ostream& out, std::ostream& err) {
  const std::string name = numbers::name_of(options.source);
  numbers::Statistics statistics;
  numbers::PagePlaces places;
  std::vector<numbers::RowSink*> sinks{&statistics};
  if (!options.html.empty()) sinks.push_back(&places);
  numbers::RowFanOut all(sinks);
  // Positions are for the heat map alone.
  const core::Micros every = options.html.empty() ? 0 : core::kSecond;
  const auto remark = [&err](const std::string& text) { err << kStats << ": the heat maps' " << text << '\n'; };
  if (const auto read = numbers::read(words, name, every, all, remark); !read) return read;
  statistics.finish();
  if (!options.html.empty()) {
    if (const auto written = numbers::write_page(options.html, statistics, places, name); !written) return written;
  }
  if (!options.json) {
    out << numbers::report_text(statistics, name, options.colours);
    return Done{};
  }
  std::string json = "{";
  numbers::report_json(statistics, name, json);
  out << json << "}\n";
  return Done{};
}

}  // namespace

void declare_stats(CLI::App& app, StatsOptions& options) {
  numbers::declare_source(app, options.source);
  app.add_flag("--json", options.json, "Print one JSON object");
  app.add_option(
         "--html", options.html,
         "Page to write: the printed statistics, heat maps and a timeline, in one file that works without a network")
      ->type_name("FILE");
  app.add_flag("--no-color", options.no_colours, "No colours, even on a terminal")
      ->transform(CLI::Validator(to_set, "", "any value"))
      ->envname("NO_COLOR");
  app.footer([] { return std::string(kAboutStats); });
}

int run_stats(const StatsOptions& options) {
  StatsOptions here = options;
  here.colours = !options.no_colours && !options.json && ::isatty(STDOUT_FILENO) != 0;
  return stats(here, std::cout, std::cerr);
}

int stats(const StatsOptions& options, std::ostream& out, std::ostream& err) {
  const auto wrong = [&](int exit, const std::string& why) {
    err << kStats << ": " << screen_text(why) << '\n';
    return exit;
  };
  std::error_code error;
  if (!options.html.empty() && std::filesystem::exists(std::filesystem::symlink_status(options.html, error)))
    return wrong(kFailed, options.html + " exists already: choose another name or move it away");
  const Interruption interruption;
  auto words = numbers::open(options.source, kStats, err);
  if (!words) return words.error();
  if (const auto done = report(options, **words, out, err); !done) return wrong(kFailed, done.error().text);
  if ((*words)->damage().empty()) return kOk;
  return wrong(kFailed, "the rest cannot be read: " + (*words)->damage());
}

}  // namespace entente
