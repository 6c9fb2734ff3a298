#include "proxy/program/convert.h"

#include <fstream>
#include <iostream>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/rec.h"
#include "adapters/wire/print.h"
#include "proxy/program/convert_sink.h"
#include "proxy/relay/reason.h"
#include "proxy/relay/to_trace.h"
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
  ToMcap(const RecordedFile& file, trace::Recorder& recorder) : ConvertSink(file), recorder_(recorder) {}

  WallTime last() const { return last_; }

 private:
  static std::uint32_t link(ConnectionId id) { return id + 1; }

  void begin(ConnectionId id, const ImportedConnection& connection, const Speech& speech, WallTime time) override {
    trace::Opened opened;
    opened.set_link(link(id));
    opened.set_game(std::string(speech.game->name()));
    opened.set_dialect(std::string(speech.game->dialects()[speech.dialect].name));
    opened.set_client(connection.name);
    recorder_.opened(last_ = time, opened);
    codecs_[id] = speech.game->codec(speech.dialect);
  }
  void frame(ConnectionId id, const wire::Frame& frame, WallTime time) override {
    const wire::Row* row = codecs_[id]->find(frame);
    put(id, frame.way, frame.lane, frame.bytes, row != nullptr ? row->name : "", false, time);
  }
  void raw(ConnectionId id, Way way, Lane lane, Bytes bytes, WallTime time) override {
    put(id, way, lane, bytes, "", true, time);
  }
  void put(ConnectionId id, Way way, Lane lane, Bytes bytes, std::string_view name, bool raw, WallTime time) {
    last_ = time;
    trace::FrameView view{link(id), relay::to_trace(way), relay::to_trace(lane), bytes, name, raw};
    if (carriage()) view.delivery = relay::to_trace(carriage()->send), view.channel = carriage()->channel;
    recorder_.frame(time, view);
    recorder_.tick(time);
  }
  void ended(ConnectionId id, const ImportedEnd& end) override {
    if (end.by && !reasons_.contains(id))
      reasons_[id] = relay::text(*end.by == Way::kToServer ? relay::Reason::kClientLeft : relay::Reason::kServerLeft);
    last_ = end.time;
  }
  void gone(ConnectionId id) override {
    if (codecs_.erase(id) > 0) recorder_.closed(last_, link(id), reasons_[id]);
    reasons_.erase(id);
  }
  void remark(std::string_view text) override { recorder_.note(last_, 0, text); }

  trace::Recorder& recorder_;
  WallTime last_ = 0;
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

  void begin(ConnectionId id, const ImportedConnection& connection, const Speech& speech, WallTime) override {
    if (speech.game != &bzflag::game() || !bzflag::has_recordings(speech.dialect))
      return remark(connection.name + ": not of a dialect whose servers have recordings (BZFlag from 2.0 on)");
    if (connection.name.ends_with(kDatagrams)) {
      links_[id] = connection.name.substr(0, connection.name.size() - kDatagrams.size());
    } else {
      sessions_.insert_or_assign(connection.name, Session{connection.name, bzflag::RecExport(speech.dialect)});
      links_[id] = connection.name;
    }
  }
  void frame(ConnectionId id, const wire::Frame& frame, WallTime time) override {
    const auto at = sessions_.find(links_[id]);
    if (at != sessions_.end()) at->second.made.hear(frame, static_cast<std::int64_t>(time / 1000));
  }
  void raw(ConnectionId, Way, Lane, Bytes, WallTime) override {}
  void ended(ConnectionId, const ImportedEnd&) override {}
  void gone(ConnectionId id) override {
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

  /// What a packet capture calls the datagrams beside a stream, behind the stream's name.
  static constexpr std::string_view kDatagrams = "/udp";

  std::ostream& err_;
  std::map<ConnectionId, std::string> links_;  // whose session each belongs to
  std::map<std::string, Session> sessions_;
  Buffer file_;
  std::string whose_;
};

constexpr const char* kCommand = "entente convert";

struct Asked {
  const std::string& to;
  const RecordedFile& file;
  std::ostream& out;
  std::ostream& err;
};

int fail(const Asked& asked, const std::string& why) {
  asked.err << kCommand << ": " << why << '\n';
  return kFailed;
}

int to_mcap(const Asked& asked) {
  auto recorder = trace::Recorder::open(asked.to, {.version = ENTENTE_VERSION});
  if (!recorder) return fail(asked, recorder.error().text);
  ToMcap sink(asked.file, **recorder);
  const auto read = asked.file.read(sink);
  const auto closed = (*recorder)->close(sink.last());
  if (!closed) return fail(asked, closed.error().text);
  asked.out << asked.to << ": " << sink.frames() << " frames\n";
  return read ? int{kOk} : fail(asked, read.error().text);
}

int to_rec(const Asked& asked) {
  ToRec sink(asked.file, asked.err);
  const auto read = asked.file.read(sink);
  if (!read) fail(asked, read.error().text);
  if (sink.file().empty()) return fail(asked, asked.to + ": not made, no connection can be such a recording");
  std::ofstream file(asked.to, std::ios::binary);
  file.write(reinterpret_cast<const char*>(sink.file().data()), static_cast<std::streamsize>(sink.file().size()));
  file.close();
  if (!file) return fail(asked, asked.to + ": cannot be written");
  asked.out << asked.to << ": what was said to " << sink.whose() << '\n';
  return read ? kOk : kFailed;
}

}  // namespace

void declare_convert(CLI::App& app, ConvertOptions& options) {
  declare_file(app, options.from);
  app.add_option("--to", options.to, "The new file; its ending says what it is: .mcap or .rec")->required();
}

int run_convert(const ConvertOptions& options) { return convert(options, std::cout, std::cerr); }

int convert(const ConvertOptions& options, std::ostream& out, std::ostream& err) {
  const bool rec = options.to.ends_with(".rec");
  if (!rec && !options.to.ends_with(".mcap")) {
    err << kCommand << ": --to " << options.to << ": its ending must be .mcap or .rec\n";
    return kUsage;
  }
  const auto file = RecordedFile::open(options.from, kCommand, err);
  if (!file) return file.error();
  const Asked asked{options.to, *file, out, err};
  return rec ? to_rec(asked) : to_mcap(asked);
}

}  // namespace entente
