#include "proxy/program/recordings/convert.h"

#include <iostream>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/rec/rec.h"
#include "adapters/wire/print.h"
#include "proxy/program/recordings/convert_sink.h"
#include "proxy/program/recordings/convert_words.h"
#include "proxy/program/recordings/to_mcap.h"
#include "proxy/program/screen_text.h"
#include "proxy/trace/recorder.h"

namespace entente {
namespace {

using wire::Lane, wire::Way;

void say(std::ostream& err, std::string_view text) {
  std::string line;
  wire::escape(text, line);
  err << line << '\n';
}

/// Into a recording for bzfs: of the first connection that can be one.
class ToRec final : public ConvertSink {
 public:
  ToRec(const RecordedFile& file, std::ostream& err) : ConvertSink(file), err_(err) {}

  /// Empty if no connection can be one; each of them has then said why.
  const Buffer& file() const { return file_; }
  const std::string& whose() const { return whose_; }

 private:
  struct Session {
    std::string name;
    bzflag::RecExport made;
  };

  void begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
             WallTime) override {
    if (game_dialect.game != &bzflag::game() || !bzflag::has_recordings(game_dialect.dialect))
      return remark(connection.name + ": left out: only BZFlag from 2.0 on has .rec recordings");
    links_[id] = stream_name(connection.name);
    if (links_[id] == connection.name)
      sessions_.insert_or_assign(connection.name, Session{connection.name, bzflag::RecExport(game_dialect.dialect)});
  }
  void frame(ConnectionId id, const wire::Frame& frame, WallTime time) override {
    const auto at = sessions_.find(links_[id]);
    if (at != sessions_.end()) at->second.made.hear(frame, static_cast<std::int64_t>(time / 1000));
  }
  void raw(ConnectionId, Way, Lane, Bytes, WallTime) override {}
  void end(ConnectionId, const ImportedClose&) override {}
  void over(ConnectionId id) override {
    const auto at = sessions_.find(links_[id]);
    if (at != sessions_.end() && file_.empty()) write(at->second);
    if (at != sessions_.end()) sessions_.erase(at);
    links_.erase(id);
  }
  void write(const Session& session) {
    if (const auto why = session.made.write(file_))
      remark(session.name + ": " + why->what);
    else
      whose_ = session.name;
  }
  void remark(std::string_view text) override { say(err_, text); }
  bool enough() const override { return !file_.empty(); }

  std::ostream& err_;
  std::map<ConnectionId, std::string> links_;  // whose session each belongs to
  std::map<std::string, Session> sessions_;
  Buffer file_;
  std::string whose_;
};

constexpr const char* kConvert = "entente convert";

struct Asked {
  const std::string& to;
  const RecordedFile& file;
  std::ostream& out;
  std::ostream& err;
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
  void lost(ConnectionId, Way, std::uint64_t, WallTime) override {}
  void ended(ConnectionId, const ImportedClose&) override {}
  void gone(ConnectionId) override {}
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

int to_mcap(const Asked& asked, const ConvertOptions& options) {
  auto settings = back_settings_of(options.set);
  if (!settings) return fail(asked, settings.error().text);
  const bool make_words = options.words && !has_words(asked.file);
  if (options.words && !make_words) say(asked.err, options.from.file + " already has words; keeping them");
  const auto opened =
      trace::Recorder::open(asked.to, {.on_full = trace::RecorderOptions::OnFull::kStop, .version = ENTENTE_VERSION});
  if (!opened) return fail(asked, opened.error().text);
  trace::Recorder& recorder = **opened;
  ConvertWords words(recorder, std::move(*settings));
  ToMcap sink(asked.file, recorder, {.frames = true, .words = make_words ? &words : nullptr});
  const auto read = asked.file.read(sink);
  const auto closed = recorder.close(sink.last());
  const trace::Amount& lost = recorder.lost();
  const bool whole = !recorder.failing() && lost.frames == 0 && lost.bytes == 0;
  if (!whole)
    fail(asked, asked.to + ": lacks " + std::to_string(lost.frames) + " frames, and with words and worlds " +
                    std::to_string(lost.bytes) + " bytes: " + recorder.why());
  if (!closed) return fail(asked, closed.error().text);
  asked.out << asked.to << ": " << recorder.recorded().frames << " frames";
  if (make_words) asked.out << ", " << words.words() << " words";
  asked.out << '\n';
  for (const std::string& gap : words.gaps()) say(asked.err, gap);
  if (!read) return fail(asked, read.error().text);
  if (make_words && words.words_of_frames() == 0 && recorder.recorded().frames != 0)
    return fail(asked, asked.to + ": no words were made of its frames");
  return whole ? kOk : kFailed;
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

int to_rec(const Asked& asked) {
  ToRec sink(asked.file, asked.err);
  const auto read = asked.file.read(sink);
  if (!read) fail(asked, read.error().text);
  if (sink.file().empty())
    return fail(asked, asked.to + " was not written: no connection can be converted to this format");
  if (const auto written = write(asked.to, sink.file()); !written) return fail(asked, written.error().text);
  asked.out << asked.to << ": what was said to " << sink.whose() << '\n';
  return read ? kOk : kFailed;
}

}  // namespace

void declare_convert(CLI::App& app, ConvertOptions& options) {
  declare_file(app, options.from);
  app.add_option("--to", options.to, "File to write; its extension chooses the format: .mcap or .rec")->required();
  app.add_flag("--words", options.words,
               "For .mcap: also translate the frames into words, so that the file can be replayed");
  declare_back_settings(app, options.set, "For --words: a");
}

int run_convert(const ConvertOptions& options) { return convert(options, std::cout, std::cerr); }

int convert(const ConvertOptions& options, std::ostream& out, std::ostream& err) {
  const bool rec = options.to.ends_with(".rec");
  if (!rec && !options.to.ends_with(".mcap")) {
    err << kConvert << ": --to " << options.to << ": the file name must end in .mcap or .rec\n";
    return kUsage;
  }
  if (rec && options.words) {
    err << kConvert << ": --words works only with .mcap: a .rec cannot hold words\n";
    return kUsage;
  }
  const auto file = RecordedFile::open(options.from, kConvert, err);
  if (!file) return file.error();
  const Asked asked{options.to, *file, out, err};
  return rec ? to_rec(asked) : to_mcap(asked, options);
}

}  // namespace entente
