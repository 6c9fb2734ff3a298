#include "tests/lab/recorded.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "proxy/trace/recording.h"
#include "proxy/trace/recover.h"
#include "tests/lab/kernel/disk.h"

namespace entente::lab {
namespace {

constexpr Nanos kCrashMayCost = 2'000 * kMilli;  // of what was passed on; the manual says a second

relay::TapSink& sink_of(relay::Tap& tap, std::size_t worker) { return tap.sink(worker); }

/// Whether the parts are in the whole, in this order, with nothing else between them than what is missing.
bool are_in_order(const std::vector<Buffer>& parts, const Buffer& whole) {
  auto from = whole.begin();
  for (const Buffer& part : parts) {
    const auto found = std::search(from, whole.end(), part.begin(), part.end());
    if (found == whole.end() && !part.empty()) return false;
    from = found + static_cast<std::ptrdiff_t>(part.size());
  }
  return true;
}

std::size_t size_of(const std::vector<Buffer>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                         [](std::size_t sum, const Buffer& one) { return sum + one.size(); });
}

}  // namespace

/// Tells both what a worker tells its tap.
class Recorded::Both final : public relay::TapSink {
 public:
  Both(relay::TapSink& one, relay::TapSink& other) : one_(one), other_(other) {}

  void opened(const relay::LinkInfo& info, WallTime at) override { one_.opened(info, at), other_.opened(info, at); }
  void plays(relay::LinkId link, WallTime at) override { one_.plays(link, at), other_.plays(link, at); }
  void bytes(relay::LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime at) override {
    one_.bytes(link, way, lane, bytes, at);
    other_.bytes(link, way, lane, bytes, at);
  }
  void packet(relay::LinkId link, wire::Way way, wire::EnetCarriage how, Bytes bytes, WallTime at) override {
    one_.packet(link, way, how, bytes, at);
    other_.packet(link, way, how, bytes, at);
  }
  bool wants_words() const override { return other_.wants_words(); }
  void word(relay::LinkId link, bool fact, Bytes bytes, WallTime at) override { other_.word(link, fact, bytes, at); }
  void calls(relay::LinkId link, Bytes bytes, WallTime at) override { other_.calls(link, bytes, at); }
  std::uint32_t recording_generation() const override { return other_.recording_generation(); }
  void world(relay::LinkId link, Bytes bytes, WallTime at) override { other_.world(link, bytes, at); }
  bool geometry(relay::LinkId link, Bytes bytes, WallTime at) override { return other_.geometry(link, bytes, at); }
  void note(relay::LinkId link, std::string_view text, WallTime at) override { other_.note(link, text, at); }
  void closed(relay::LinkId link, std::string_view reason, WallTime at) override {
    one_.closed(link, reason, at);
    other_.closed(link, reason, at);
  }

 private:
  relay::TapSink &one_, &other_;
};

/// What the files have of a link.
struct Recorded::Read {
  struct Direction {
    std::vector<Buffer> stream, datagrams;
  };
  Direction to_server, to_client;
  std::size_t opened = 0, closed = 0;
};

Recorded::Recorded(Plan& plan, Verdict& verdict, Followed& followed)
    : plan_(plan), verdict_(verdict), followed_(followed) {}

Recorded::~Recorded() = default;

std::unique_ptr<trace::Recorder> Recorded::begin_file(std::string& why) const {
  Draw draw = plan_.draw("recording");
  trace::RecorderOptions options;
  options.chunk_bytes = std::size_t{1} << draw.number(kernel().disk().faults.slow != 0 ? 14 : 10, 20);
  options.sync = draw.chance(0.3) ? trace::RecorderOptions::Sync::kEachChunk : trace::RecorderOptions::Sync::kAtClose;
  options.id = draw.number(1, 1'000'000);
  auto made = trace::Recorder::open_beside(path(lives_.back().number), std::move(options));
  if (made) return std::move(*made);
  why = made.error().text;
  return nullptr;
}

void Recorded::begin() {
  followed_.begin_life();
  lives_.push_back({.number = followed_.life()});
  relay::TapThread::Options options;
  options.ring_bytes = std::size_t{1} << plan_.draw("ring").number(16, 23);
  std::string why;
  options.recorder = begin_file(why);
  lives_.back().began = options.recorder != nullptr;
  if (!lives_.back().began) plan_.tell("no recording: " + why);
  options.files.begin = [this](relay::LinkId) -> Outcome<std::unique_ptr<trace::Recorder>> {
    std::string failure;
    auto made = begin_file(failure);
    if (made) return made;
    return Error{failure};
  };
  options.said = [this](std::string_view sentence) {
    plan_.tell("tap: " + std::string(sentence));
    if (sentence.find("could not keep up") != std::string_view::npos) lives_.back().fell_behind = true;
  };
  tap_ = new relay::TapThread(std::move(options));
  sinks_.clear();
}

relay::TapSink& Recorded::sink(std::size_t worker) {
  if (worker >= sinks_.size()) sinks_.resize(worker + 1);
  if (!sinks_[worker]) sinks_[worker] = std::make_unique<Both>(sink_of(followed_, worker), sink_of(*tap_, worker));
  return *sinks_[worker];
}

void Recorded::end() {
  Life& life = lives_.back();
  const auto stopped = tap_->stop();
  const relay::TapTotals totals = tap_->totals();
  life.complete = stopped.ok() && life.began;
  life.lost = totals.unrecorded_frames + totals.dropped;
  if (!stopped) plan_.tell("the recording was not completed: " + stopped.error().text);
  sinks_.clear();
  delete std::exchange(tap_, nullptr);
}

void Recorded::die(bool machine) {
  lives_.back().died = kernel().now();
  for (Life& one : lives_) one.machine_crashed = one.machine_crashed || machine;  // files of killed programs, too
  for (auto& sink : sinks_) (void)sink.release();                                 // its threads end nowhere
  sinks_.clear();
  tap_ = nullptr;
  if (machine) kernel().disk().tear();
}

void Recorded::rotate() {
  if (tap_ != nullptr) (void)tap_->record(relay::TapThread::Order::kRotate);
}

void Recorded::check() {
  for (const Life& life : lives_) check(life);
}

void Recorded::check(const Life& life) {
  const std::string stem = "/lab/life-" + std::to_string(life.number);
  std::vector<std::string> files;
  for (const std::string& name : kernel().disk().names())
    if (name.starts_with(stem + ".") || name.starts_with(stem + "-")) files.push_back(name);
  // life-1.mcap, life-1-2.mcap, …, life-1-10.mcap
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.find(".mcap") != b.find(".mcap") ? a.find(".mcap") < b.find(".mcap") : a < b;
  });
  std::map<relay::LinkId, Read> links;
  for (std::string name : files) {
    if (name.ends_with(".part")) {
      // The folder may not have been synced when the file was renamed.
      if (life.complete && !(life.machine_crashed && kernel().disk().harmed())) wrong(life, name + " is left");
      const std::string repaired = name.substr(0, name.size() - 5);
      const auto done = trace::recover(name, repaired);
      if (!done) {
        if (!life.machine_crashed || kernel().disk().look(name)->synced != 0)
          wrong(life, "recover: " + done.error().text);
        continue;
      }
      name = repaired;
    }
    const auto opened = trace::Recording::open(name);
    if (!opened) return wrong(life, opened.error().text);
    for (;;) {
      const auto next = (*opened)->next();
      if (!next) return wrong(life, next.error().text);
      const auto* event = *next;
      if (event == nullptr) break;
      if (event->opened != nullptr && !event->opened->continues()) ++links[event->opened->link()].opened;
      if (event->closed != nullptr) ++links[event->closed->link()].closed;
      if (event->frame == nullptr) continue;
      const auto& frame = *event->frame;
      Read& its = links[frame.link()];
      auto& way = frame.way() == trace::TO_SERVER ? its.to_server : its.to_client;
      auto& lane = frame.lane() == trace::DATAGRAM ? way.datagrams : way.stream;
      lane.emplace_back(frame.data().begin(), frame.data().end());
    }
  }
  for (const auto& [key, session] : followed_.sessions())
    if (key.first == life.number) check_link(life, key, session, links[key.second]);
}

void Recorded::check_link(const Life& life, const Followed::Key& key, const Followed::Session& session,
                          const Read& read) {
  const bool whole = life.complete && life.lost == 0;
  const std::string link = "link " + std::to_string(key.second);
  if (whole && (read.opened != 1 || read.closed != 1))
    wrong(life, link + " was opened " + std::to_string(read.opened) + " times, and closed " +
                    std::to_string(read.closed) + " times");
  const auto compare = [&](const Followed::Passed& passed, const Read::Direction& its, const char* way) {
    const std::string where = link + way;
    if (!are_in_order(its.stream, passed.stream)) return wrong(life, where + " has what was not passed on");
    if (!are_in_order(its.datagrams, passed.datagrams))
      return wrong(life, where + " has a datagram that was not passed on");
    if (whole && (size_of(its.stream) != passed.stream.size() || size_of(its.datagrams) != passed.datagrams.size()))
      wrong(life, where + " lacks what was passed on");
    if (life.died == 0 || life.machine_crashed || life.fell_behind || kernel().disk().harmed()) return;
    std::size_t old = 0;
    for (const auto& [time, size] : passed.when)
      if (time + kCrashMayCost < life.died) old = size;
    if (size_of(its.stream) < old)
      wrong(life, where + " lacks " + std::to_string(old - size_of(its.stream)) + " bytes from long before the crash");
  };
  compare(session.to_server, read.to_server, " to the server");
  compare(session.to_client, read.to_client, " to the client");
}

}  // namespace entente::lab
