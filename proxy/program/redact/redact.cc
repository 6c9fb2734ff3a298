#include "proxy/program/redact/redact.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_option.h"
#include "proxy/program/clips/clipper.h"
#include "proxy/program/clips/made_words.h"
#include "proxy/program/import/input.h"
#include "proxy/program/redact/redactor.h"

namespace entente {
namespace {

constexpr const char* kRedact = "entente redact";
constexpr const char* kAboutRedacting =
    "Names of players become player1, player2 …, addresses become example addresses (192.0.2.1, 2001:db8::1 …), and\n"
    "host names become host1.example …. Each has the same replacement everywhere in the file. Chat, passwords, login\n"
    "tokens, mottos and the texts of servers are also replaced. Frames are decoded, changed and encoded again, so\n"
    "that they are valid. Voice chat, messages of unknown extensions, and bytes that do not decode are left out, and\n"
    "listed. In chat and texts that you keep, names, addresses, host names and passwords are still replaced. To keep\n"
    "these, too, list them: --keep chat,names.\n";

std::vector<std::string> kinds() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kPersonalGroups; ++i) all.emplace_back(text(static_cast<PersonalGroup>(i)));
  return all;
}

PersonalGroups kept(const std::vector<std::string>& keep) {
  PersonalGroups all;
  for (std::size_t i = 0; i < kPersonalGroups; ++i)
    all.set(i, std::find(keep.begin(), keep.end(), text(static_cast<PersonalGroup>(i))) != keep.end());
  return all;
}

/// Tells the progress of the second reading.
class Watching final : public RecordingFilter {
 public:
  Watching(Redactor& redactor, const trace::Recording& recording, std::uint64_t before, Progress& progress)
      : redactor_(redactor), recording_(recording), before_(before), progress_(progress) {}
  const trace::Recording::Event* pass(const trace::Recording::Event& event) override {
    progress_.reached(before_ + recording_.progress().whole);
    return redactor_.pass(event);
  }

 private:
  Redactor& redactor_;
  const trace::Recording& recording_;
  const std::uint64_t before_;
  Progress& progress_;
};

class RedactCommand {
 public:
  RedactCommand(const RedactOptions& options, Progress& progress, std::ostream& out, std::ostream& err)
      : options_(options), progress_(progress), out_(out), err_(err), file_(options.file) {}

  Outcome<Done> run() {
    std::error_code none;
    if (std::filesystem::exists(options_.out, none))
      return Error{options_.out + " exists already: choose another name or move it away"};
    if (const auto done = learn(); !done) return done;
    if (!options_.last || has_words_) return write();
    // A part begins with the world, which only words tell. To make them, all of the file is translated.
    if (!options_.words) {
      err_ << kRedact
           << ": the copy has no words, so it can be inspected, but not replayed; --words makes them, which "
              "takes longer\n";
      return write();
    }
    const MadeWords words({.file = options_.file}, options_.out, std::string(kRedact) + ": ", progress_);
    if (Interruption::came()) return Error{"interrupted"};
    if (!words.unwritten().empty()) return Error{words.unwritten()};
    if (!words.damage().empty()) return Error{words.damage() + "; `entente convert` saves the readable part"};
    err_ << words.said();
    if (!words.made()) return write();
    file_ = words.path();
    if (const auto done = learn(); !done) return done;
    return write();
  }

 private:
  static WallTime ns(double seconds) { return static_cast<WallTime>(std::llround(seconds * 1e9)); }

  /// Calls `take(event)` for each event.
  template <class Take>
  Outcome<Done> each(trace::Recording& recording, Take&& take) {
    for (;;) {
      const auto event = recording.next();
      if (!event) return damage_of(recording, event.error());
      if (Interruption::came()) return Error{"interrupted"};
      if (*event == nullptr) return Done{};
      take(**event);
    }
  }

  /// The first reading.
  Outcome<Done> learn() {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(file_, unknown);
    size_ = unknown ? 0 : size;
    progress_.begin("redacting " + options_.file, 2 * size_);
    redactor_ = std::make_unique<Redactor>(kept(options_.keep));
    start_ = end_ = 0;
    bool has_messages = false;
    const auto recording = open_recording(file_);
    if (!recording) return recording.error();
    auto done = each(**recording, [&](const trace::Recording::Event& event) {
      progress_.reached((*recording)->progress().whole);
      if (!std::exchange(has_messages, true)) start_ = event.time;
      end_ = std::max(end_, event.time);
      has_words_ = has_words_ || event.word || event.world != nullptr;
      (void)redactor_->pass(event);
    });
    if (done && !has_messages) return Error{options_.file + " has no messages"};
    return done;
  }

  /// The second one.
  Outcome<Done> write() {
    const auto recording = open_recording(file_);
    if (!recording) return recording.error();
    Watching watching(*redactor_, **recording, size_, progress_);
    const auto to = NewRecording::create(options_.out, &watching);
    if (!to) return to.error();
    WallTime from = options_.last ? std::max(start_, end_ - std::min(end_, ns(*options_.last))) : start_;
    from -= (from - start_) % 1000;
    redactor_->learned(from);
    const auto written = options_.last ? clip(from, **recording, **to) : copy(**recording, **to);
    progress_.clear();
    if (!written) return written;
    (*to)->note(last_, "this recording is redacted: names, addresses and texts are replaced");
    if (const auto done = (*to)->finish(last_); !done) return done;
    say(from, **to);
    return Done{};
  }

  Outcome<Done> copy(trace::Recording& recording, NewRecording& to) {
    (void)to.start(start_, "");
    return each(recording, [&](const trace::Recording::Event& event) {
      last_ = std::max(last_, event.time);
      words_ += event.word ? 1U : 0U;
      if (!to.failed()) to.take(event, link_of(event));
    });
  }

  Outcome<Done> clip(WallTime from, trace::Recording& recording, NewRecording& to) {
    Clipper clipper(file_, {.from = (from - start_) / 1000}, recording, to, {});
    auto done = clipper.run();
    last_ = clipper.last_written();
    words_ = clipper.words();
    return done;
  }

  void say(WallTime from, const NewRecording& to) const {
    out_ << screen_text(options_.out) << ": " << time_text((end_ - from) / 1000) << ", " << to.frames() << " frames, "
         << words_ << " words\n";
    std::string replaced;
    const Censor& censor = redactor_->censor();
    for (std::size_t i = 0; i < kPersonalGroups; ++i) {
      const auto kind = static_cast<PersonalGroup>(i);
      if (const auto times = censor.replaced(kind); times != 0)
        replaced += (replaced.empty() ? "" : ", ") + std::to_string(times) + " " + text(kind);
    }
    out_ << "replaced: " << (replaced.empty() ? "nothing" : replaced) << '\n';
    for (const auto& [why, frames] : redactor_->left_out())
      out_ << "left out: " << frames << (frames == 1 ? " frame" : " frames") << " (" << screen_text(why) << ")\n";
  }

  const RedactOptions& options_;
  Progress& progress_;
  std::ostream& out_;
  std::ostream& err_;
  std::string file_;  // that is read
  std::unique_ptr<Redactor> redactor_;
  bool has_words_ = false;
  std::uint64_t size_ = 0;
  WallTime start_ = 0, end_ = 0, last_ = 0;
  std::uint64_t words_ = 0;
};

}  // namespace

void declare_redact(CLI::App& app, RedactOptions& options) {
  app.add_option("FILE", options.file, "Recording (MCAP)")->required();
  app.add_option("--out,-o", options.out, "File to write (.mcap)")->type_name("FILE")->required();
  allow_only(
      app.add_option("--keep", options.keep, "Keep these. May be repeated, or separated by commas")->delimiter(','),
      kinds());
  add_time(
      app, "--last", [&options](double seconds) { options.last = seconds; },
      "Copy only this much of the end of the file, as a clip (default: all)");
  app.add_flag("--words", options.words,
               "For --last of a file without words: translate the whole file first, so that the copy can be replayed");
  app.footer([] { return std::string(kAboutRedacting); });
}

int run_redact(const RedactOptions& options) {
  const Interruption interruption;
  Progress progress(progress_terminal());
  return redact(options, progress, std::cout, std::cerr);
}

int redact(const RedactOptions& options, Progress& progress, std::ostream& out, std::ostream& err) {
  const auto wrong = [&](int exit, const std::string& why) {
    progress.clear();
    err << kRedact << ": " << screen_text(why) << '\n';
    return exit;
  };
  if (!options.out.ends_with(".mcap"))
    return wrong(kUsage, "--out " + options.out + ": the file name must end in .mcap");
  if (options.last && *options.last <= 0) return wrong(kUsage, "--last must be more than 0");
  if (options.words && !options.last) return wrong(kUsage, "--words works only with --last");
  const auto done = RedactCommand(options, progress, out, err).run();
  return done ? int{kOk} : wrong(kFailed, done.error().text);
}

}  // namespace entente
