#include "proxy/program/clips/clip.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <filesystem>
#include <iostream>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_option.h"
#include "proxy/program/clips/clipper.h"
#include "proxy/program/clips/made_words.h"
#include "proxy/program/import/import.h"
#include "proxy/program/import/input.h"

namespace entente {
namespace {

constexpr const char* kClip = "entente clip";
constexpr const char* kAboutClips =
    "The clip begins with the world as it was at --from. Frames and words keep their bytes "
    "and times.\n"
    "If FILE has no words, `clip` makes them, as `entente convert --words` does. It cannot do so for a session whose\n"
    "beginning is not in FILE, so `entente replay` cannot play such a session from the clip.\n"
    "Every command that reads recordings can read the clip, except `reproduce`.\n";

class ClipCommand {
 public:
  ClipCommand(const ClipOptions& options, Progress& progress, std::ostream& out, std::ostream& err)
      : options_(options), progress_(progress), out_(out), err_(err) {
    part_.from = micros(options.from);
    if (options.to) part_.to = micros(*options.to);
  }

  Outcome<Done> run() {
    const auto format = import_format(options_.source.file);
    if (!format) return format.error();
    auto to = create();
    if (!to) return to.error();
    Clipper::Original original;
    if (*format == ImportFormat::kMcap) {
      const auto recording = open_input(options_.source.file);
      if (!recording) return recording.error();
      Clipper clipper(options_.source.file, part_, **recording, **to, {});
      if (const auto done = cut(clipper, options_.source.file); !done) return done;
      if (clipper.has_words()) return finish(clipper, **to);
      original = std::move(clipper).original();
    }
    return with_words(std::move(*to), std::move(original));
  }

 private:
  static core::Micros micros(double seconds) { return static_cast<core::Micros>(std::llround(seconds * 1e6)); }

  Outcome<std::unique_ptr<NewRecording>> create() const {
    return NewRecording::create(options_.out, nullptr, {{kAboutClip, {{kClipOf, name_of_file(options_.source.file)}}}});
  }

  Outcome<Done> cut(Clipper& clipper, const std::string& path) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    progress_.begin("reading " + name_of_file(options_.source.file), unknown ? 0 : size);
    auto done = clipper.run(&progress_);
    progress_.clear();
    return done;
  }

  Outcome<Done> with_words(std::unique_ptr<NewRecording> to, Clipper::Original original) {
    const MadeWords words(options_.source, options_.out, std::string(kClip) + ": ", progress_);
    if (Interruption::came()) return Error{"interrupted"};
    if (!words.unwritten().empty()) return Error{words.unwritten()};
    if (!words.made()) {
      err_ << words.said();
      return Error{""};  // already printed
    }
    to.reset();
    auto again = create();
    if (!again) return again.error();
    const auto recording = trace::Recording::open(words.path());
    if (!recording) return recording.error();
    Clipper clipper(options_.source.file, part_, **recording, **again, std::move(original));
    if (const auto done = cut(clipper, words.path()); !done) return done;
    if (!words.damage().empty() && !clipper.is_whole())
      return Error{words.damage() + "; `entente convert` saves the readable part"};
    if (clipper.words() == 0) err_ << words.said() << kClip << ": the clip has no words, so it cannot be replayed\n";
    return finish(clipper, **again);
  }

  Outcome<Done> finish(const Clipper& clipper, NewRecording& to) {
    if (auto done = to.finish(clipper.last_written()); !done) return done;
    out_ << screen_text(options_.out) << ": " << time_text(clipper.length()) << ", " << to.frames() << " frames, "
         << clipper.words() << " words\n";
    if (clipper.ends_early()) err_ << screen_text(options_.source.file) << " ends before --to\n";
    return Done{};
  }

  const ClipOptions& options_;
  Progress& progress_;
  std::ostream& out_;
  std::ostream& err_;
  ClipPart part_;
};

}  // namespace

void declare_clip(CLI::App& app, ClipOptions& options) {
  declare_file(app, options.source);
  add_time(
      app, "--from", [&options](double at) { options.from = at; },
      "Start of the clip, counted from the start of the file (default: 0)");
  add_time(
      app, "--to", [&options](double at) { options.to = at; },
      "End of the clip, counted from the start of the file (default: its end)");
  app.add_option("--out,-o", options.out, "File to write (.mcap)")->type_name("FILE")->required();
  app.footer([] { return std::string(kAboutClips); });
}

int run_clip(const ClipOptions& options) {
  const Interruption interruption;
  Progress progress(progress_terminal());
  return clip(options, progress, std::cout, std::cerr);
}

int clip(const ClipOptions& options, Progress& progress, std::ostream& out, std::ostream& err) {
  const auto wrong = [&](int exit, const std::string& why) {
    err << kClip << ": " << screen_text(why) << '\n';
    return exit;
  };
  if (!options.out.ends_with(".mcap"))
    return wrong(kUsage, "--out " + options.out + ": the file name must end in .mcap");
  if (options.to && *options.to <= options.from) return wrong(kUsage, "--to must be after --from");
  const auto done = ClipCommand(options, progress, out, err).run();
  if (done) return kOk;
  return done.error().text.empty() ? int{kFailed} : wrong(kFailed, done.error().text);
}

}  // namespace entente
