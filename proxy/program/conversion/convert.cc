#include "proxy/program/conversion/convert.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <vector>

#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/conversion/convert_words.h"
#include "proxy/program/conversion/foreign_format_exporter.h"
#include "proxy/program/conversion/mcap_exporter.h"
#include "proxy/program/conversion/overlaps.h"
#include "proxy/program/conversion/session_times.h"
#include "proxy/program/foxglove/scenes.h"
#include "proxy/trace/recorder.h"

namespace entente {
namespace {

constexpr const char* kConvert = "entente convert";

struct Asked {
  const std::string& to;
  const RecordedFile& file;
  std::ostream& out;
  std::ostream& err;
  ConvertLosses& losses;
};

int fail(const Asked& asked, const std::string& why) {
  asked.err << kConvert << ": " << screen_text(why) << '\n';
  return kFailed;
}

int fail_to_write(const Asked& asked, const std::string& why) {
  asked.losses.unwritten = why;
  return fail(asked, why);
}

/// Reads until the first word.
class WordSeeker final : public ImportSink {
 public:
  void opened(ConnectionId, const ImportedConnection&, WallTime) override {}
  void bytes(const Imported&) override {}
  void stream_gap(ConnectionId, wire::Way, std::uint64_t, WallTime) override {}
  void half_closed(ConnectionId, const ImportedClose&) override {}
  void connection_over(ConnectionId) override {}
  void word(ConnectionId, const words::Intent*, const words::Fact*, WallTime) override { found_ = true; }
  void remark(std::string_view) override {}
  bool enough() const override { return found_; }

 private:
  bool found_ = false;
};

bool has_words(const RecordedFile& file) {
  WordSeeker seeker;
  (void)file.read(seeker);  // what is wrong with it is said when it is read again
  return seeker.enough();
}

/// Says what could not be read as messages of the game. False: nothing could.
bool tell_unread(const Asked& asked, const std::string& file, const McapExporter& sink) {
  const std::uint64_t unknown = sink.undecoded();
  const std::string uncut = sink.uncut();
  if (unknown != 0)
    asked.err << screen_text(file) << ": " << unknown << " of " << sink.frames()
              << " messages do not decode, and were copied as they are; `entente verify` shows them\n";
  if (!uncut.empty()) asked.err << screen_text(file + ": " + uncut) << '\n';
  return (unknown == 0 && uncut.empty()) || sink.frames() > unknown;
}

int to_mcap(const Asked& asked, const ConvertOptions& options) {
  auto settings = back_settings_of(options.set);
  if (!settings) return fail(asked, settings.error().text);
  const bool make_words = (options.words || options.foxglove) && !has_words(asked.file);
  if (options.words && !make_words)
    asked.err << screen_text(options.input.file) << " already has words; keeping them\n";
  const auto opened = trace::Recorder::open(asked.to, {.on_full = trace::RecorderOptions::OnFull::kStop,
                                                       .chunk_age = trace::kAnyAge,
                                                       .index_messages = options.foxglove,
                                                       .keeps_part = options.keeps_part,
                                                       .version = ENTENTE_VERSION});
  if (!opened) return fail_to_write(asked, opened.error().text);
  trace::Recorder& recorder = **opened;
  FoxgloveScenes scenes(recorder);
  FoxgloveScenes* const drawn = options.foxglove ? &scenes : nullptr;
  ConvertWords words(recorder, std::move(*settings), drawn);
  McapExporter sink(asked.file, recorder, {.frames = true, .words = make_words ? &words : nullptr, .scenes = drawn});
  const auto read = asked.file.read(sink, make_words ? "making words of" : "reading");
  const bool nothing = !read && sink.links() == 0;
  const auto remove_part = [&] {
    std::error_code ignored;
    std::filesystem::remove(recorder.path() + ".part", ignored);
  };
  if (Interruption::came() || nothing) {
    remove_part();
    return fail(asked, nothing && !Interruption::came() ? read.error().text : "interrupted");
  }
  const auto closed = recorder.close(sink.last());
  const trace::Amount& lost = recorder.lost();
  const bool whole = !recorder.failing() && lost.frames == 0 && lost.bytes == 0;
  if (!whole)
    fail_to_write(asked, asked.to + ": lacks " + std::to_string(lost.frames) +
                             " frames; with words and worlds, that is " + std::to_string(lost.bytes) +
                             " bytes: " + recorder.why());
  if (!closed) {
    if (!options.keeps_part) remove_part();
    return fail_to_write(asked, closed.error().text);
  }
  asked.out << asked.to << ": " << recorder.recorded().frames << " frames";
  if (make_words) asked.out << ", " << words.words() << " words";
  if (options.foxglove) asked.out << ", " << scenes.messages() << " messages for 3D panels and plots";
  asked.out << '\n';
  for (const std::string& gap : words.gaps()) asked.err << screen_text(gap) << '\n';
  if (!tell_unread(asked, options.input.file, sink) && read)
    return fail(asked,
                asked.to + ": no message of " + options.input.file + " could be read; check --game and --dialect");
  asked.losses.damage = read ? asked.file.lacks() : read.error().text;
  if (!read) return fail(asked, read.error().text);
  const std::string& lacks = asked.losses.damage;
  if (!lacks.empty()) fail(asked, lacks);
  if (make_words && words.words_of_frames() == 0 && recorder.recorded().frames != 0)
    return fail(asked, asked.to + ": no words were made of its frames");
  return whole && lacks.empty() ? kOk : kFailed;
}

/// All of it, or nothing.
Outcome<Done> write(const std::string& path, Bytes bytes) {
  const auto file = trace::FileSink::create(path, ".converting");
  if (!file) return file.error();
  auto done = (*file)->write(bytes);
  if (done) done = (*file)->sync();
  if (done) done = (*file)->finish();
  if (!done) (*file)->discard();
  return done;
}

std::string session_text(const SessionTime& one) {
  return one.name + " (link " + std::to_string(one.link) + ", " + time_text(one.length() / 1000) + ")";
}

/// The sessions to try, one after another: that with this link, or all, the longest first. The file may have several
/// of one link.
Outcome<std::vector<SessionTime>> candidates(std::vector<SessionTime> all, std::uint32_t link) {
  constexpr std::size_t kMostNamed = 20;
  std::string links;
  for (std::size_t i = 0; i < std::min(all.size(), kMostNamed); ++i)
    links += (i == 0 ? "" : ", ") + session_text(all[i]);
  if (all.size() > kMostNamed) links += ", and " + std::to_string(all.size() - kMostNamed) + " more";
  if (link != 0) std::erase_if(all, [&](const SessionTime& one) { return one.link != link; });
  if (link != 0 && all.empty())
    return Error{"no session has the link " + std::to_string(link) + "; there are: " + links};
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.length() > b.length(); });
  return all;
}

/// Says which sessions the file lacks.
void tell_left_out(const Asked& asked, const std::vector<SessionTime>& all, const SessionTime& written) {
  constexpr std::size_t kMostTold = 20;
  std::size_t told = 0;
  for (const SessionTime& one : all)
    if (one.ids != written.ids && ++told <= kMostTold)
      asked.err << screen_text(session_text(one)) << ": left out: the file holds one session, that with link "
                << written.link << "; --link chooses another\n";
  if (told > kMostTold) asked.err << told - kMostTold << " more sessions are left out\n";
}

/// Reads one session of the file. Nothing: it was interrupted.
std::optional<Outcome<Done>> read_one(const Asked& asked, const SessionTime& one, const std::vector<SessionTime>& all,
                                      ForeignFormatExporter& sink) {
  std::set<ConnectionId> others;
  for (const SessionTime& other : all)
    if (other.ids != one.ids) others.insert(other.ids.begin(), other.ids.end());
  ConnectionFilter filter(sink, others);
  auto read = asked.file.read(filter);
  if (Interruption::came()) return std::nullopt;
  return read;
}

template <class Exporter>
int to_file(const Asked& asked, std::uint32_t link) {
  constexpr std::size_t kMostTries = 50;
  const SessionTimes times = session_times(asked.file);
  if (Interruption::came()) return fail(asked, "interrupted");
  const auto sessions = candidates(times.all, link);
  if (!sessions) return fail(asked, sessions.error().text);
  for (std::size_t i = 0; i < std::min(sessions->size(), kMostTries); ++i) {
    const SessionTime& one = (*sessions)[i];
    Exporter sink(asked.file, asked.err);
    const auto read = read_one(asked, one, times.all, sink);
    if (!read) return fail(asked, "interrupted");
    if (sink.file().empty()) continue;  // it has said why
    if (!*read) fail(asked, read->error().text);
    if (const auto written = write(asked.to, sink.file()); !written) return fail(asked, written.error().text);
    asked.out << asked.to << ": the session of " << sink.whose() << '\n';
    tell_left_out(asked, times.all, one);
    if (const std::string uncut = sink.uncut(); !uncut.empty()) asked.err << screen_text(uncut) << '\n';
    const std::string lacks = asked.file.lacks();
    if (!lacks.empty()) fail(asked, lacks);
    return *read && lacks.empty() ? kOk : kFailed;
  }
  return fail(asked, asked.to + " was not written: no session can be converted to this format");
}

/// What a file of this name is to be.
enum class OutputKind { kMcap, kRec, kDemo };

std::optional<OutputKind> target_of(std::string_view name) {
  if (name.ends_with(".mcap")) return OutputKind::kMcap;
  if (name.ends_with(".rec")) return OutputKind::kRec;
  if (name.ends_with(".demo") || name.ends_with(".dem")) return OutputKind::kDemo;
  return std::nullopt;
}

}  // namespace

void declare_convert(CLI::App& app, ConvertOptions& options) {
  declare_file(app, options.input);
  app.add_option("-o,--out,--to", options.to,
                 "File to write; its extension chooses the format: .mcap, .rec, .demo or .dem")
      ->type_name("FILE")
      ->required();
  app.add_flag("--words", options.words, "For .mcap: also translate the frames into words");
  app.add_flag("--foxglove", options.foxglove,
               "For .mcap: also add topics for 3D views and plots in Foxglove, Lichtblick and other viewers");
  app.add_option("--link", options.link,
                 "For .rec and .demo, which hold one session: the one with this link number (default: the longest that "
                 "can be converted)")
      ->check(integer_from(1, kLargestLinkId))
      ->type_name("N");
  declare_back_settings(app, options.set, "For --words and --foxglove: a");
}

int run_convert(const ConvertOptions& options) {
  const Interruption interruption;
  Progress progress(progress_terminal());
  return convert(options, std::cout, std::cerr, &progress);
}

int convert(const ConvertOptions& options, std::ostream& out, std::ostream& err, Progress* progress,
            ConvertLosses* losses) {
  const auto target = target_of(options.to);
  if (!target) {
    err << kConvert << ": --out " << options.to << ": the file name must end in .mcap, .rec, .demo or .dem\n";
    return kUsage;
  }
  if (*target == OutputKind::kMcap && options.link != 0) {
    err << kConvert << ": --link works only with .rec and .demo: an .mcap file holds all sessions\n";
    return kUsage;
  }
  if (*target != OutputKind::kMcap && (options.words || options.foxglove)) {
    err << kConvert << ": " << (options.words ? "--words" : "--foxglove")
        << " works only with .mcap: other formats cannot hold words\n";
    return kUsage;
  }
  if (!options.set.empty() && !options.words && !options.foxglove) {
    err << kConvert << ": --set works only with --words or --foxglove\n";
    return kUsage;
  }
  const auto file = RecordedFile::open(options.input, kConvert, err, progress);
  if (!file) return file.error();
  ConvertLosses unasked;
  const Asked asked{options.to, *file, out, err, losses != nullptr ? *losses : unasked};
  if (*target == OutputKind::kMcap) return to_mcap(asked, options);
  return *target == OutputKind::kRec ? to_file<RecExporter>(asked, options.link)
                                     : to_file<DemoExporter>(asked, options.link);
}

}  // namespace entente
