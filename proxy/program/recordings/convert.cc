#include "proxy/program/recordings/convert.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

#include "proxy/program/foxglove/scenes.h"
#include "proxy/program/interruption.h"
#include "proxy/program/recordings/convert_words.h"
#include "proxy/program/recordings/foreign_format_exporter.h"
#include "proxy/program/recordings/mcap_exporter.h"
#include "proxy/program/screen_text.h"
#include "proxy/trace/recorder.h"

namespace entente {
namespace {

constexpr const char* kConvert = "entente convert";

struct Asked {
  const std::string& to;
  const RecordedFile& file;
  std::ostream& out;
  std::ostream& err;
  std::string* damage;
};

int fail(const Asked& asked, const std::string& why) {
  asked.err << kConvert << ": " << screen_text(why) << '\n';
  return kFailed;
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
  const auto opened =
      trace::Recorder::open(asked.to, {.on_full = trace::RecorderOptions::OnFull::kStop, .version = ENTENTE_VERSION});
  if (!opened) return fail(asked, opened.error().text);
  trace::Recorder& recorder = **opened;
  FoxgloveScenes scenes(recorder);
  WordWatcher* const watcher = options.foxglove ? &scenes : nullptr;
  ConvertWords words(recorder, std::move(*settings), watcher);
  McapExporter sink(asked.file, recorder, {.frames = true, .words = make_words ? &words : nullptr, .watcher = watcher});
  const auto read = asked.file.read(sink, make_words ? "making words of" : "reading");
  if (Interruption::came()) {
    std::error_code ignored;
    std::filesystem::remove(asked.to + ".part", ignored);
    return fail(asked, "interrupted");
  }
  const auto closed = recorder.close(sink.last());
  const trace::Amount& lost = recorder.lost();
  const bool whole = !recorder.failing() && lost.frames == 0 && lost.bytes == 0;
  if (!whole)
    fail(asked, asked.to + ": lacks " + std::to_string(lost.frames) + " frames, and with words and worlds " +
                    std::to_string(lost.bytes) + " bytes: " + recorder.why());
  if (!closed) return fail(asked, closed.error().text);
  asked.out << asked.to << ": " << recorder.recorded().frames << " frames";
  if (make_words) asked.out << ", " << words.words() << " words";
  if (options.foxglove) asked.out << ", " << scenes.messages() << " messages for 3D panels and plots";
  asked.out << '\n';
  for (const std::string& gap : words.gaps()) asked.err << screen_text(gap) << '\n';
  if (!tell_unread(asked, options.input.file, sink) && read)
    return fail(asked,
                asked.to + ": no message of " + options.input.file + " could be read; check --game and --dialect");
  if (!read && asked.damage != nullptr) *asked.damage = read.error().text;
  if (!read) return fail(asked, read.error().text);
  const std::string lacks = asked.file.lacks();
  if (!lacks.empty()) fail(asked, lacks);
  if (!lacks.empty() && asked.damage != nullptr) *asked.damage = lacks;
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

int to_file(const Asked& asked, ForeignFormatExporter& sink) {
  const auto read = asked.file.read(sink);
  if (Interruption::came()) return fail(asked, "interrupted");
  if (!read) fail(asked, read.error().text);
  if (sink.file().empty())
    return fail(asked, asked.to + " was not written: no connection can be converted to this format");
  if (const auto written = write(asked.to, sink.file()); !written) return fail(asked, written.error().text);
  asked.out << asked.to << ": what was said to " << sink.whose() << '\n';
  if (const std::string uncut = sink.uncut(); !uncut.empty()) asked.err << screen_text(uncut) << '\n';
  const std::string lacks = asked.file.lacks();
  if (!lacks.empty()) fail(asked, lacks);
  return read && lacks.empty() ? kOk : kFailed;
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
  declare_back_settings(app, options.set, "For --words: a");
}

int run_convert(const ConvertOptions& options) {
  const Interruption interruption;
  Progress progress(progress_terminal());
  return convert(options, std::cout, std::cerr, &progress);
}

int convert(const ConvertOptions& options, std::ostream& out, std::ostream& err, Progress* progress,
            std::string* damage) {
  const auto target = target_of(options.to);
  if (!target) {
    err << kConvert << ": --out " << options.to << ": the file name must end in .mcap, .rec, .demo or .dem\n";
    return kUsage;
  }
  if (*target != OutputKind::kMcap && (options.words || options.foxglove)) {
    err << kConvert << ": " << (options.words ? "--words" : "--foxglove")
        << " works only with .mcap: other formats cannot hold words\n";
    return kUsage;
  }
  const auto file = RecordedFile::open(options.input, kConvert, err, progress);
  if (!file) return file.error();
  const Asked asked{options.to, *file, out, err, damage};
  if (*target == OutputKind::kMcap) return to_mcap(asked, options);
  if (*target == OutputKind::kRec) {
    RecExporter sink(*file, err);
    return to_file(asked, sink);
  }
  DemoExporter sink(*file, err);
  return to_file(asked, sink);
}

}  // namespace entente
