#include "proxy/program/reproduce/reproduce.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <vector>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/import/import.h"
#include "proxy/program/import/input.h"
#include "proxy/program/reproduce/rerun.h"
#include "proxy/relay/tap/recording_files.h"
#include "proxy/trace/recorder.h"
#include "proxy/trace/recording.h"

namespace entente {
namespace {

constexpr const char* kAboutReproducing =
    "Each session of a bridge is played again: the bridge is given the recorded frames of client and server, at their\n"
    "recorded times, and each frame that it sends is compared with the recorded one. For each session that differs,\n"
    "the first difference is printed. The last line is the result:\n"
    "  same       sessions without a difference\n"
    "  different  sessions with a difference\n"
    "  failed     sessions that could not be played to their end\n"
    "  fed        frames of client and server that the bridge was given\n"
    "  equal      frames that the bridge sends now, too, with the same bytes\n"
    "  rounded    frames in which only the last digits of numbers differ, because another C library or processor\n"
    "             rounds differently; these do not count as differences\n"
    "  changed    frames that have other bytes now\n"
    "  missing    frames that are not sent any more\n"
    "  extra      frames that are sent only now\n"
    "A password that the recording shows as `*` becomes `*` in the new frame, too, before the two are compared.\n"
    "The exit code is 1 if anything differs, if a session cannot be played again, or if the recording has no session\n"
    "of a bridge.\n";

constexpr std::size_t kMostUntaken = 64U << 20U;   // bytes of frames that wait for the calls of their room
constexpr WallTime kLongUntaken = 60'000'000'000;  // ns

/// One session, and its result.
struct RerunSession {
  std::unique_ptr<Rerun> rerun;  // null: it could not begin
  std::string problem;           // why it cannot continue; empty: it can
  bool over = false;

  bool good() const { return problem.empty() && rerun != nullptr && !rerun->differs(); }
};

/// What else a file has. If no session can be played again, this shows why.
struct OtherContents {
  bool words = false, shared = false;
};

/// Whether the recording goes on in another file, of a rotation.
bool says_it_continues(const trace::Note& note) {
  return note.link() == 0 && note.text().starts_with(relay::kContinuesIn);
}

/// A copy of a recording without words, worlds and the notes that Reproduction does not need. It is removed if it is
/// not finished.
class SmallCopy {
 public:
  static Outcome<std::unique_ptr<SmallCopy>> create(const std::string& path) {
    constexpr int kSlowest = 19;  // of zstd
    auto recorder = trace::Recorder::open(path, {.on_full = trace::RecorderOptions::OnFull::kStop,
                                                 .chunk_age = trace::kAnyAge,
                                                 .level = kSlowest,
                                                 .keeps_part = false});
    if (!recorder) return recorder.error();
    return std::unique_ptr<SmallCopy>(new SmallCopy(std::move(*recorder)));
  }
  ~SmallCopy() {
    if (finished_) return;
    if (!closed_) (void)close();
    std::error_code ignored;
    std::filesystem::remove(to_->path() + (named_ ? "" : ".part"), ignored);
  }
  SmallCopy(const SmallCopy&) = delete;
  SmallCopy& operator=(const SmallCopy&) = delete;

  void take(const trace::Recording::Event& event) {
    last_ = event.time;
    if (event.opened != nullptr) to_->opened(event.time, *event.opened);
    if (event.closed != nullptr) to_->closed(event.time, event.closed->link(), event.closed->reason());
    if (event.frame != nullptr) frame(*event.frame, event.time);
    if (event.note != nullptr && says_it_continues(*event.note)) to_->note(event.time, 0, event.note->text());
    if (event.calls == nullptr) return;
    calls_.resize(event.calls->ByteSizeLong());
    event.calls->SerializeWithCachedSizesToArray(calls_.data());
    to_->calls(event.time, calls_);
  }

  Outcome<Done> finish() {
    auto done = close();
    if (to_->failing() || to_->lost().frames != 0 || to_->lost().bytes != 0)
      return Error{to_->path() + " is not written: " + to_->why()};
    finished_ = done.ok();
    return done;
  }

 private:
  explicit SmallCopy(std::unique_ptr<trace::Recorder> to) : to_(std::move(to)) {}

  Outcome<Done> close() {
    closed_ = true;
    auto done = to_->close(last_);
    named_ = done.ok();
    return done;
  }

  void frame(const trace::Frame& frame, WallTime time) {
    trace::FrameView view{frame.link(), frame.way(), frame.lane(), as_bytes(frame.data()), frame.name(), frame.raw()};
    view.delivery = frame.delivery();
    view.channel = static_cast<std::uint8_t>(frame.channel());
    view.missing = {frame.frames_missing(), frame.bytes_missing()};
    view.joined = frame.joined();
    to_->frame(time, view);
  }

  std::unique_ptr<trace::Recorder> to_;
  WallTime last_ = 0;
  bool closed_ = false, named_ = false, finished_ = false;
  Buffer calls_;
};

class Reproduction {
 public:
  /// `small`: gets everything that is read; may be null.
  Reproduction(Progress& progress, SmallCopy* small, core::Micros age)
      : progress_(progress), small_(small), age_(age) {}

  /// An error: the rest of the file cannot be read.
  Outcome<Done> read(const std::string& path) {
    const auto recording = open_input(path);
    if (!recording) return recording.error();
    (*recording)->with_calls();
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    progress_.begin("reproducing " + std::filesystem::path(path).filename().string(), unknown ? 0 : size);
    auto done = read(**recording);
    progress_.clear();
    for (auto& [link, session] : sessions_)
      if (!session.over && session.rerun != nullptr && session.problem.empty()) session.rerun->finish(false);
    return done;
  }

  const std::map<std::uint32_t, RerunSession>& sessions() const { return sessions_; }
  const OtherContents& others() const { return others_; }

 private:
  Outcome<Done> read(trace::Recording& recording) {
    for (;;) {
      if (Interruption::came()) return Error{"interrupted"};
      const auto event = recording.next();
      if (!event) return event.error();
      if (*event == nullptr) return Done{};
      take(**event);
      if (small_ != nullptr) small_->take(**event);
      progress_.reached(recording.progress().whole);
    }
  }

  void take(const trace::Recording::Event& event) {
    if (event.opened != nullptr) links_.try_emplace(event.opened->link(), *event.opened);
    if (event.frame != nullptr) frame(*event.frame, event.time);
    if (event.calls != nullptr) calls(*event.calls);
    if (event.note != nullptr) note(*event.note);
    if (event.closed != nullptr) closed(event.closed->link());
    others_.words |= event.word.has_value();
  }

  void frame(const trace::Frame& frame, WallTime time) {
    const auto link = links_.find(frame.link());
    if (link == links_.end()) return;
    link->second.add(frame, time);
    added_ += frame.data().size();
    if (added_ > kMostUntaken) forget_relays(time);
  }

  /// A relay's link has no room that takes its frames. A room takes them within seconds.
  void forget_relays(WallTime now) {
    added_ = 0;
    for (auto& [id, link] : links_)
      if (link.waiting_bytes() > kMostUntaken / 4 || link.waits_since().value_or(now) + kLongUntaken < now)
        link.ignore();
  }

  void calls(const trace::Calls& calls) {
    RerunSession* session = nullptr;
    if (const auto at = sessions_.find(calls.link()); at != sessions_.end()) session = &at->second;
    if (session == nullptr) {
      session = &sessions_[calls.link()];
      auto begun = Rerun::begin(calls, links_, age_);
      if (!begun) return fail(*session, begun.error().text);
      session->rerun = std::move(*begun);
      if (continues_) session->rerun->stop_at_last_frame();  // its first calls were written after the note
    }
    if (!session->problem.empty() || session->over) return;
    if (const auto done = session->rerun->take(calls); !done) fail(*session, done.error().text);
  }

  void note(const trace::Note& note) {
    if (says_it_continues(note)) {
      continues_ = true;
      for (auto& [link, session] : sessions_)
        if (session.rerun != nullptr && !session.over) session.rerun->stop_at_last_frame();
    }
    others_.shared |= note.text().find(": a room with seed ") != std::string::npos;
  }

  void closed(std::uint32_t id) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end() || session->second.over) return;
    session->second.over = true;
    if (session->second.rerun != nullptr && session->second.problem.empty()) session->second.rerun->finish(true);
  }

  static void fail(RerunSession& session, const std::string& why) {
    session.problem = why;
    if (session.rerun != nullptr) session.rerun->finish(false);
  }

  Progress& progress_;
  SmallCopy* const small_;
  const core::Micros age_;
  bool continues_ = false;  // in another file
  std::size_t added_ = 0;   // bytes, since relays were last forgotten
  RecordedLinks links_;
  std::map<std::uint32_t, RerunSession> sessions_;  // by link
  OtherContents others_;
};

struct RerunTotals {
  std::uint64_t same = 0, different = 0, failed = 0, fed = 0;
  ComparedFrames frames;

  void add(const RerunSession& session) {
    const bool differs = session.rerun != nullptr && session.rerun->differs();
    ++(!session.problem.empty() ? failed : differs ? different : same);
    if (session.rerun == nullptr) return;
    fed += session.rerun->fed();
    frames += session.rerun->frames();
  }
};

using Figures = std::vector<std::pair<const char*, std::uint64_t>>;

Figures figures_of(std::uint64_t fed, const ComparedFrames& frames) {
  return {{"fed", fed},
          {"equal", frames.equal},
          {"rounded", frames.rounded},
          {"changed", frames.changed},
          {"missing", frames.missing},
          {"extra", frames.extra}};
}

std::string figures_text(const Figures& figures) {
  std::string out;
  for (const auto& [name, number] : figures) out += std::string(" ") + name + "=" + std::to_string(number);
  return out;
}

void add_figures(const Figures& figures, std::string& out) {
  for (const auto& [name, number] : figures) out += std::string(",\"") + name + "\":" + std::to_string(number);
}

std::string exact_seconds(core::Micros time) {
  std::string digits = std::to_string(time % core::kSecond);
  return std::to_string(time / core::kSecond) + "." + std::string(6 - digits.size(), '0') + digits;
}

std::string shown_or_nothing(const std::string& label, const std::string& text) {
  return "  " + label + (text.empty() ? "nothing" : screen_text(text)) + "\n";
}

void add_first(const FirstDifference& first, std::string& out) {
  out += "  first difference at " + exact_seconds(first.at) + " s, " + first.where + ", after " +
         screen_text(first.after) + "\n";
  out += shown_or_nothing("expected: ", first.expected) + shown_or_nothing("got:      ", first.got);
  for (std::size_t at = 0; at < first.fields.size();) {
    const std::size_t end = std::min(first.fields.find('\n', at), first.fields.size());
    if (end > at) out += "    " + screen_text(first.fields.substr(at, end - at)) + "\n";
    at = end + 1;
  }
}

std::string session_line(std::uint32_t link, const RerunSession& session) {
  std::string out = "link " + std::to_string(link) + ":";
  if (const Rerun* rerun = session.rerun.get()) {
    if (!rerun->player().empty()) out += " \"" + screen_text(rerun->player()) + "\",";
    out += " " + screen_text(rerun->front_text() + " on " + rerun->back_text()) + ", " + time_text(rerun->now()) + ":" +
           figures_text(figures_of(rerun->fed(), rerun->frames()));
    if (rerun->closed_differently() != 0) out += " closed_differently=" + std::to_string(rerun->closed_differently());
  }
  out += "\n";
  if (!session.problem.empty()) out += "  " + screen_text(session.problem) + "\n";
  if (session.rerun != nullptr && session.rerun->first()) add_first(*session.rerun->first(), out);
  return out;
}

std::string session_json(std::uint32_t link, const RerunSession& session) {
  std::string out = "{\"link\":" + std::to_string(link);
  if (const Rerun* rerun = session.rerun.get()) {
    json_member("player", rerun->player(), out);
    json_member("front", rerun->front_text(), out);
    json_member("back", rerun->back_text(), out);
    out += ",\"seconds\":" + exact_seconds(rerun->now());
    add_figures(figures_of(rerun->fed(), rerun->frames()), out);
    add_figures({{"closed_differently", rerun->closed_differently()}}, out);
  }
  if (!session.problem.empty()) json_member("problem", session.problem, out);
  if (session.rerun != nullptr && session.rerun->first()) {
    const FirstDifference& first = *session.rerun->first();
    out += ",\"first\":{\"at\":" + exact_seconds(first.at);
    json_member("where", first.where, out);
    json_member("after", first.after, out);
    json_member("expected", first.expected, out);
    json_member("got", first.got, out);
    json_member("fields", first.fields, out);
    out += "}";
  }
  return out + "}";
}

/// Why nothing can be played again.
std::string why_nothing(const OtherContents& others) {
  if (others.shared) return "this is the recording of an arena or a replay; only bridges can be played again";
  if (others.words)
    return "the recording lacks the calls of its rooms: an older version recorded it, or it was clipped, joined, "
           "redacted or converted, or its sessions are bots'";
  return "nothing was translated in this recording, so there is nothing to play again: a relay passes bytes untouched";
}

}  // namespace

void declare_reproduce(CLI::App& app, ReproduceOptions& options) {
  app.add_option("FILE", options.file, "Recording of a bridge (.mcap)")->required();
  app.add_flag("--json", options.json, "Print one JSON object");
  app.add_option(
         "--small", options.small,
         "Also write a copy (.mcap) that has only what this command needs, without words and copies of the world")
      ->type_name("OUT");
  app.footer([] { return std::string(kAboutReproducing); });
}

int run_reproduce(const ReproduceOptions& options) {
  const Interruption interruption;
  Progress progress(progress_terminal());
  return reproduce(options, progress, std::cout, std::cerr);
}

int reproduce(const ReproduceOptions& options, Progress& progress, std::ostream& out, std::ostream& err) {
  const auto wrong = [&](const std::string& why) {
    err << "entente reproduce: " << screen_text(why) << '\n';
    return int{kFailed};
  };
  const auto format = import_format(options.file);
  if (!format) return wrong(format.error().text);
  if (*format != ImportFormat::kMcap)
    return wrong(options.file + " is not a recording of Entente; there is nothing to play again");
  std::unique_ptr<SmallCopy> small;
  if (!options.small.empty()) {
    auto created = SmallCopy::create(options.small);
    if (!created) return wrong(created.error().text);
    small = std::move(*created);
  }
  Reproduction reproduction(progress, small.get(), options.age);
  const auto read = reproduction.read(options.file);
  if (!read && read.error().text == "interrupted") return wrong("interrupted");
  if (small != nullptr && read && !reproduction.sessions().empty())
    if (const auto done = small->finish(); !done) return wrong(done.error().text);
  RerunTotals totals;
  std::string lines;
  for (const auto& [link, session] : reproduction.sessions()) {
    totals.add(session);
    if (options.json && !lines.empty()) lines += ",";
    lines += options.json ? session_json(link, session) : session_line(link, session);
  }
  const Figures sessions = {{"same", totals.same}, {"different", totals.different}, {"failed", totals.failed}};
  if (options.json) {
    out << "{\"sessions\":[" << lines << "]";
    std::string rest;
    add_figures(sessions, rest);
    add_figures(figures_of(totals.fed, totals.frames), rest);
    out << rest << "}\n";
  } else if (!lines.empty()) {
    out << lines << figures_text(sessions).substr(1) << figures_text(figures_of(totals.fed, totals.frames)) << '\n';
  }
  if (!read) return wrong(read.error().text);
  if (reproduction.sessions().empty()) return wrong(options.file + ": " + why_nothing(reproduction.others()));
  return totals.different + totals.failed == 0 ? kOk : kFailed;
}

}  // namespace entente
