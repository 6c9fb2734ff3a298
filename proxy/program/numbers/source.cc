#include "proxy/program/numbers/source.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/clips/new_recording.h"
#include "proxy/program/conversion/convert_words.h"
#include "proxy/program/playback/playable.h"

namespace entente::numbers {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};

/// What is logged meanwhile goes to `err`, a line each.
class Remarks {
 public:
  Remarks(const char* command, std::ostream& err) : before_(spdlog::default_logger()) {
    auto logger = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_st>(err));
    logger->set_pattern(std::string(command) + ": %v");
    spdlog::set_default_logger(std::move(logger));
  }
  ~Remarks() { spdlog::set_default_logger(before_); }
  Remarks(const Remarks&) = delete;
  Remarks& operator=(const Remarks&) = delete;

 private:
  const std::shared_ptr<spdlog::logger> before_;
};

}  // namespace

void declare_source(CLI::App& app, Source& source) {
  app.add_option("FILE", source.files,
                 std::string(kReadableFiles) +
                     ". A file without words is translated first. Several recordings (MCAP), in any order, are joined "
                     "first, as by `entente join`")
      ->required();
  app.add_option("--link", source.link,
                 "Read only the session with this link number. Without this option, the longest session is "
                 "read, and other sessions on the same server fill the time before and after it")
      ->check(integer_from(1, kLargestLinkId))
      ->type_name("N");
  declare_reading(app, source.input);
  declare_back_settings(app, source.set, "For a file without words: a");
}

std::string name_of(const Source& source) {
  const std::string first = name_of_file(source.files.front());
  return source.files.size() == 1 ? first : first + " and " + std::to_string(source.files.size() - 1) + " more";
}

Expected<std::unique_ptr<PlayedWords>, int> open(const Source& source, const char* command, std::ostream& err) {
  const Remarks remarks(command, err);
  FileOptions input = source.input;
  input.file = source.files.front();
  auto words = open_playable({.input = input,
                              .more = {source.files.begin() + 1, source.files.end()},
                              .set = source.set,
                              .link = source.link,
                              .once = true});
  if (words) return std::move(*words);
  err << command << ": " << screen_text(words.error().text, "\n") << '\n';
  return int{words.error().exit};
}

Outcome<Done> read(PlayedWords& words, const std::string& name, core::Micros every, RowSink& to,
                   const std::function<void(const std::string&)>& end) {
  Progress progress(progress_terminal(), kPatience);
  progress.begin("counting " + name, words.end_time());
  RowBuilder builder(to, {every, words.begins(), words.first()});
  const auto done = read_rows(words, builder, progress);
  if (const auto at = builder.positions_end(); done && at && end)
    end("positions end at " + time_text(*at) + ": the recording has too few facts for more");
  return done;
}

}  // namespace entente::numbers
