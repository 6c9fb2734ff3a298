#include "proxy/program/clips/join.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/clips/join_plan.h"
#include "proxy/program/clips/new_recording.h"

namespace entente {
namespace {

constexpr const char* kJoin = "entente join";
constexpr const char* kAboutJoins =
    "The files may be given in any order, because their messages are sorted by time. They may overlap in time, but\n"
    "no message may be in two of them. A session that goes on in the next file of a rotation becomes one session\n"
    "again. If two sessions have the same link number, one of them gets a new number. Frames and words keep their\n"
    "bytes and times.\n";

/// One of the files, while it is joined. It is open only while it has to be.
class Part {
 public:
  explicit Part(JoinFile& file) : file_(file), at_(file.start.value_or(0)), over_(!file.start) {}

  bool over() const { return over_; }
  bool is_open() const { return event_ != nullptr; }
  /// The time of its next event.
  WallTime at() const { return at_; }
  // REQUIRES: is_open().
  /// The next event, and its link; null: of none.
  const trace::Recording::Event& event() const { return *event_; }
  JoinLink* link() {
    const auto found = file_.links.find(link_of(*event_));
    return found == file_.links.end() ? nullptr : &found->second;
  }
  std::uint32_t id() const { return link_of(*event_); }

  Outcome<Done> open() {
    auto recording = open_recording(file_.path);
    if (!recording) return recording.error();
    recording_ = std::move(*recording);
    return next();
  }
  Outcome<Done> next() {
    const auto event = recording_->next();
    if (!event) return event.error();
    event_ = *event;
    over_ = event_ == nullptr;
    if (over_)
      recording_.reset();
    else
      at_ = event_->time;
    return Done{};
  }

 private:
  JoinFile& file_;
  std::unique_ptr<trace::Recording> recording_;
  const trace::Recording::Event* event_ = nullptr;
  WallTime at_;
  bool over_;
};

class Joiner {
 public:
  /// `reached`: called with the time of each event.
  Joiner(std::vector<JoinFile>& files, NewRecording& to, std::function<void(WallTime)> reached)
      : files_(files), to_(to), reached_(std::move(reached)) {
    for (JoinFile& file : files) parts_.emplace_back(file);
  }

  Outcome<Done> run() {
    for (;;) {
      auto part = earliest();
      if (!part) return part.error();
      if (*part == nullptr || to_.failed()) break;
      if (Interruption::came()) return Error{"interrupted"};
      take(**part);
      reached_(last_);
      if (const auto done = (*part)->next(); !done) return done;
    }
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (!parts_[i].over() && !to_.failed()) return Error{files_[i].path + ": a file was changed while it was read"};
    return Done{};
  }

  WallTime last() const { return last_; }

 private:
  /// The part with the earliest event that may be written now; null: all are over.
  Outcome<Part*> earliest() {
    for (;;) {
      Part* best = nullptr;
      for (Part& part : parts_)
        if (!part.over() && !blocked(part) && (best == nullptr || part.at() < best->at())) best = &part;
      if (best == nullptr || best->is_open()) return best;
      if (const auto opened = best->open(); !opened) return opened.error();
    }
  }

  /// Whether an earlier file still has a part of the session of the next event.
  bool blocked(Part& part) {
    if (!part.is_open()) return false;
    const JoinLink* link = part.link();
    if (link == nullptr) return false;
    for (auto earlier = link->previous_part; earlier; earlier = files_[*earlier].links.at(part.id()).previous_part)
      if (files_[*earlier].links.at(part.id()).events != 0) return true;
    return false;
  }

  void take(Part& part) {
    JoinLink* link = part.link();
    const bool counts = link != nullptr && part.event().note == nullptr;
    if (counts && link->events != 0) --link->events;
    last_ = std::max(last_, part.at());
    if (part.event().opened != nullptr && link != nullptr && link->previous_part) return;  // it is open already
    to_.take(part.event(), link != nullptr ? link->number : 0);
  }

  std::vector<JoinFile>& files_;
  NewRecording& to_;
  const std::function<void(WallTime)> reached_;
  std::vector<Part> parts_;
  WallTime last_ = 0;
};

}  // namespace

void declare_join(CLI::App& app, JoinOptions& options) {
  app.add_option("FILE", options.files, "Recordings (MCAP)")->required();
  app.add_option("--out,-o", options.out, "File to write (.mcap)")->type_name("FILE")->required();
  app.footer([] { return std::string(kAboutJoins); });
}

int run_join(const JoinOptions& options) {
  const Interruption interruption;
  return join(options, std::cout, std::cerr);
}

Outcome<Joined> join_recordings(const std::vector<std::string>& files, const std::string& out, Progress& progress) {
  const auto made = NewRecording::create(out);
  if (!made) return made.error();
  std::vector<JoinFile> parts;
  for (const std::string& path : files) {
    auto file = read_join_file(path);
    if (!file) return file.error();
    parts.push_back(std::move(*file));
  }
  if (const auto planned = plan_join(parts); !planned) return planned.error();
  std::optional<WallTime> first;
  WallTime end = 0;
  for (const JoinFile& file : parts) {
    if (file.start) first = std::min(first.value_or(*file.start), *file.start);
    end = std::max(end, file.end);
  }
  const WallTime start = first.value_or(0);
  (void)(*made)->start(start, "");
  progress.begin("joining " + std::to_string(files.size()) + " recordings", end - start);
  Joiner joiner(parts, **made, [&](WallTime at) { progress.reached(at - start); });
  const auto joined = joiner.run();
  progress.clear();
  if (!joined) return joined.error();
  if (const auto done = (*made)->finish(joiner.last()); !done) return done.error();
  Joined all{end - start, (*made)->frames()};
  if (std::any_of(parts.begin(), parts.end(), [](const JoinFile& file) { return file.has_words; }))
    for (const JoinFile& file : parts)
      if (file.has_frames && !file.has_words) all.without_words.push_back(file.path);
  return all;
}

int join(const JoinOptions& options, std::ostream& out, std::ostream& err) {
  const auto wrong = [&](int exit, const std::string& why) {
    err << kJoin << ": " << screen_text(why) << '\n';
    return exit;
  };
  if (!options.out.ends_with(".mcap"))
    return wrong(kUsage, "--out " + options.out + ": the file name must end in .mcap");
  if (options.files.size() < 2) return wrong(kUsage, "give at least two recordings");
  Progress progress(progress_terminal());
  const auto joined = join_recordings(options.files, options.out, progress);
  if (!joined) return wrong(kFailed, joined.error().text);
  out << screen_text(options.out) << ": " << time_text(joined->length / 1000) << ", " << joined->frames << " frames of "
      << options.files.size() << " recordings\n";
  for (const std::string& file : joined->without_words)
    err << kJoin << ": " << screen_text(file)
        << " has no words, but other recordings have: its sessions will not be played or counted. First run `entente "
           "convert --words` for it\n";
  return kOk;
}

}  // namespace entente
