#include "proxy/program/recordings/convert.h"

#include <iostream>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/rec/rec.h"
#include "adapters/registry.h"
#include "adapters/wire/print.h"
#include "proxy/program/config/endpoint.h"
#include "proxy/program/recordings/convert_sink.h"
#include "proxy/program/recordings/convert_words.h"
#include "proxy/program/screen_text.h"
#include "proxy/relay/sessions/reason.h"
#include "proxy/relay/tap/to_trace.h"
#include "proxy/trace/recorder.h"

namespace entente {
namespace {

using wire::Lane, wire::Way;

void say(std::ostream& err, std::string_view text) {
  std::string line;
  wire::escape(text, line);
  err << line << '\n';
}

/// Into a recording of ours.
class ToMcap final : public ConvertSink {
 public:
  /// `words`: null if none are to be made.
  ToMcap(const RecordedFile& file, trace::Recorder& recorder, ConvertWords* words)
      : ConvertSink(file), recorder_(recorder), words_(words) {}

  WallTime last() const { return last_; }

 private:
  /// Its number in the recording. What is one connection in the file may be several there, one after another.
  std::uint32_t link(ConnectionId id) {
    const auto [at, anew] = links_.try_emplace(id, last_link_ + 1);
    if (anew) ++last_link_;
    return at->second;
  }

  void begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
             WallTime time) override {
    trace::Opened opened;
    opened.set_link(link(id));
    opened.set_game(std::string(game_dialect.game->name()));
    opened.set_dialect(std::string(game_dialect.game->dialects()[game_dialect.dialect].name));
    opened.set_client(connection.name);
    opened.set_continues(connection.continues);
    opened.set_before(connection.before);
    opened.set_client_sent(connection.client_sent);
    opened.set_server_sent(connection.server_sent);
    recorder_.opened(last_ = std::max(last_, time), opened);
    codecs_[id] = game_dialect.game->codec(game_dialect.dialect);
    if (words_ != nullptr) words_->begin(id, link(id), connection, game_dialect, time);
  }
  void frame(ConnectionId id, const wire::Frame& frame, WallTime time) override {
    const wire::Row* row = codecs_[id]->find(frame);
    put(id, frame.way, frame.lane, frame.bytes, row != nullptr ? row->name : "", false, time);
    if (words_ != nullptr) words_->frame(id, frame, time);
  }
  void raw(ConnectionId id, Way way, Lane lane, Bytes bytes, WallTime time) override {
    put(id, way, lane, bytes, "", true, time);
    if (words_ != nullptr && lane == Lane::kStream) words_->lose(id, time);
  }
  void put(ConnectionId id, Way way, Lane lane, Bytes bytes, std::string_view name, bool raw, WallTime time) {
    last_ = time;
    trace::FrameView view{link(id), relay::to_trace(way), relay::to_trace(lane), bytes, name, raw};
    if (carriage()) view.delivery = relay::to_trace(carriage()->send), view.channel = carriage()->channel;
    view.missing = std::exchange(missing_, {});
    recorder_.frame(time, view);
    recorder_.tick(time);
  }
  void gap(ConnectionId id, Way, std::uint64_t messages, std::uint64_t bytes, WallTime time) override {
    missing_ = {messages, bytes};
    if (words_ != nullptr) words_->lose(id, time);
  }
  void end(ConnectionId id, const ImportedClose& end) override {
    if (end.by && !reasons_.contains(id))
      reasons_[id] = relay::text(*end.by == Way::kToServer ? relay::Reason::kClientLeft : relay::Reason::kServerLeft);
    last_ = end.time;
    if (words_ != nullptr && end.by) words_->ended(id, *end.by, end.time);
  }
  void over(ConnectionId id) override {
    if (words_ != nullptr) words_->gone(id);
    recorder_.closed(last_, link(id), reasons_[id]);
    codecs_.erase(id);
    reasons_.erase(id);
    links_.erase(id);
  }
  void word(ConnectionId id, const words::Intent* intent, const words::Fact* fact, WallTime time) override {
    const google::protobuf::MessageLite& word =
        fact != nullptr ? static_cast<const google::protobuf::MessageLite&>(*fact) : *intent;
    start(id, time);
    written_.resize(word.ByteSizeLong());
    word.SerializeWithCachedSizesToArray(written_.data());
    recorder_.word(last_ = time, link(id), fact != nullptr ? trace::Word::kFact : trace::Word::kIntent, written_);
  }
  void world(ConnectionId id, const trace::Snapshot& world, WallTime time) override {
    start(id, time);
    trace::Snapshot ours = world;
    ours.set_link(link(id));
    recorder_.world(last_ = time, ours);
  }
  void geometry(const trace::Geometry& geometry, WallTime) override { recorder_.geometry(geometry); }
  void remark(std::string_view text) override { recorder_.note(last_, 0, text); }

  trace::Recorder& recorder_;
  ConvertWords* const words_;
  WallTime last_ = 0;
  trace::Amount missing_;  // before the frame that comes next, as the file says
  std::uint32_t last_link_ = 0;
  Buffer written_;  // reused
  std::map<ConnectionId, std::uint32_t> links_;
  std::map<ConnectionId, std::unique_ptr<wire::Codec>> codecs_;
  std::map<ConnectionId, std::string> reasons_;
};

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

constexpr const char* kCommand = "entente convert";

/// Of whichever game's back has one of this name; null: none has.
const core::Setting* back_setting(std::string_view name) {
  for (const wire::Game* game : games())
    for (const core::Setting& one : faces_of(*game).back_settings)
      if (one.name == name) return &one;
  return nullptr;
}

/// "key=value" each.
Outcome<ConvertWords::Settings> settings_of(const std::vector<std::string>& set) {
  ConvertWords::Settings settings;
  for (const std::string& one : set) {
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos) return Error{"--set " + one + ": expected KEY=VALUE"};
    const std::string key = one.substr(0, equals), value = one.substr(equals + 1);
    const core::Setting* known = back_setting(key);
    if (known == nullptr) return Error{"--set " + one + ": no such setting; `entente games` lists them"};
    if (const auto wrong = objection(*known, value)) return Error{"--set " + one + ": " + wrong->text};
    settings[key] = value;
  }
  return settings;
}

struct Asked {
  const std::string& to;
  const RecordedFile& file;
  std::ostream& out;
  std::ostream& err;
};

int fail(const Asked& asked, const std::string& why) {
  asked.err << kCommand << ": " << screen_text(why) << '\n';
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
  auto settings = settings_of(options.set);
  if (!settings) return fail(asked, settings.error().text);
  const bool make_words = options.words && !has_words(asked.file);
  if (options.words && !make_words) say(asked.err, options.from.file + " already has words; keeping them");
  const auto opened =
      trace::Recorder::open(asked.to, {.on_full = trace::RecorderOptions::OnFull::kStop, .version = ENTENTE_VERSION});
  if (!opened) return fail(asked, opened.error().text);
  trace::Recorder& recorder = **opened;
  ConvertWords words(recorder, std::move(*settings));
  ToMcap sink(asked.file, recorder, make_words ? &words : nullptr);
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
  app.add_option("--set", options.set,
                 "For --words: a setting of the game, as in the URL of `entente proxy --to`, such as maps=DIR")
      ->type_name("KEY=VALUE");
}

int run_convert(const ConvertOptions& options) { return convert(options, std::cout, std::cerr); }

int convert(const ConvertOptions& options, std::ostream& out, std::ostream& err) {
  const bool rec = options.to.ends_with(".rec");
  if (!rec && !options.to.ends_with(".mcap")) {
    err << kCommand << ": --to " << options.to << ": the file name must end in .mcap or .rec\n";
    return kUsage;
  }
  if (rec && options.words) {
    err << kCommand << ": --words works only with .mcap: a .rec cannot hold words\n";
    return kUsage;
  }
  const auto file = RecordedFile::open(options.from, kCommand, err);
  if (!file) return file.error();
  const Asked asked{options.to, *file, out, err};
  return rec ? to_rec(asked) : to_mcap(asked, options);
}

}  // namespace entente
