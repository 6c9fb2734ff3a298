#include "proxy/program/fleet/fleet_reader.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <tuple>
#include <utility>

#include "adapters/registry.h"
#include "proxy/base/text.h"
#include "proxy/fleet/decode.h"
#include "proxy/net/named_thread.h"
#include "proxy/program/config/config.h"
#include "proxy/trace/recover.h"
#include "schema/fleet.pb.h"

namespace entente {
namespace {

constexpr Millis kConnect = 10'000, kPatience = 15'000;
constexpr std::size_t kReadAtOnce = 4 << 20;  // bytes
constexpr std::size_t kMostNodesHeard = 4'096;
constexpr std::size_t kLongestFile = 255;
constexpr std::size_t kMostNamed = 8;  // recordings, in an error

std::string joined_errors(const ConfigErrors& errors) {
  std::string text;
  for (const std::string& one : errors) text += (text.empty() ? "" : "\n") + one;
  return text;
}

/// Gives the file its name.
Outcome<Done> finish(trace::FileSink& file, const std::function<bool()>& goes_on) {
  if (const auto there = file.check(); !there) return there;
  if (!goes_on()) return Error{"interrupted"};
  if (const auto synced = file.sync(); !synced) return synced;
  return file.finish();
}

}  // namespace

Outcome<std::unique_ptr<FleetReader>> FleetReader::open(const std::string& path) {
  const auto loaded = load_config(path, games(), nullptr);
  if (!loaded) return Error{joined_errors(loaded.error())};
  const config::Config& config = loaded->config;
  if (!is_in_fleet(config)) return Error{path + " has no [fleet]"};
  auto fleet = Fleet::join(config.fleet(), Fleet::Log::kNo);  // the answer goes to standard output
  if (!fleet) return fleet.error();
  std::unique_ptr<FleetReader> reader(new FleetReader(std::move(*fleet)));
  for (Millis waited = 0; !reader->fleet_->bus().connected(); waited += 10) {
    if (waited >= kConnect) return Error{"cannot connect to NATS: " + reader->fleet_->bus().last_error()};
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return reader;
}

FleetReader::FleetReader(std::unique_ptr<Fleet> fleet)
    : fleet_(std::move(fleet)), line_(std::make_unique<fleet::BusLine>(fleet_->bus(), loop_)) {
  thread_ = net::named_thread("fleet reader", [this] { loop_.run(); });
}

FleetReader::~FleetReader() {
  (void)mailbox_.post([this] {
    line_.reset();
    mailbox_.close();
  });
  thread_.join();
}

void FleetReader::mail() {
  std::vector<Job> jobs;
  mailbox_.take(jobs);
  for (const Job& job : jobs) job();
}

void FleetReader::on_loop(const std::function<void(fleet::BusLine&, net::Loop&)>& job) {
  std::promise<void> done;
  (void)mailbox_.post([&] {
    job(*line_, loop_);
    done.set_value();
  });
  done.get_future().wait();
}

template <class Value>
Outcome<Value> FleetReader::wait(const std::function<void(std::function<void(Outcome<Value>)>)>& begin) {
  const auto done = std::make_shared<std::promise<Outcome<Value>>>();
  auto future = done->get_future();
  (void)mailbox_.post(
      [begin, done] { begin([done](Outcome<Value> outcome) { done->set_value(std::move(outcome)); }); });
  if (future.wait_for(std::chrono::milliseconds(kPatience)) != std::future_status::ready)
    return Error{"NATS does not answer"};
  return future.get();
}

Outcome<std::optional<fleet::BusMessage>> FleetReader::last_of(const std::string& subject) {
  return wait<std::optional<fleet::BusMessage>>(
      [=, this](auto answered) { line_->last(fleet_->names().recordings(), subject, std::move(answered)); });
}

Outcome<std::vector<fleet::BusMessage>> FleetReader::read(const std::string& subject, std::uint64_t from,
                                                          std::size_t most_bytes) {
  return wait<std::vector<fleet::BusMessage>>([=, this](auto answered) {
    line_->read(fleet_->names().recordings(), subject, from, most_bytes, std::move(answered));
  });
}

Outcome<std::optional<FleetRecording>> FleetReader::about(const std::string& subject) {
  const std::optional<FleetRecording> makes_no_sense;
  FleetRecording found;
  const std::string before = fleet_->names().fleet() + ".rec.";
  const auto dot = subject.find('.', before.size());
  if (!subject.starts_with(before) || dot == std::string::npos) return makes_no_sense;
  found.node = subject.substr(before.size(), dot - before.size());
  found.name = subject.substr(dot + 1);
  for (const std::string& token : {found.node, found.name})
    if (fleet::objection_to_token(token)) return makes_no_sense;
  const auto first = read(subject, 1, 1);
  if (!first) return first.error();
  const auto last = last_of(subject);
  if (!last) return last.error();
  bus::RecordingPiece begin, end;
  if (!*last) return makes_no_sense;  // gone since
  if (first->empty()) return Error{"NATS does not give its pieces yet"};
  if (!fleet::decode(first->front().bytes, begin) || !fleet::decode((*last)->bytes, end)) return makes_no_sense;
  if (begin.time() == 0 || end.time() == 0) return makes_no_sense;
  found.file = clean(whole_characters(begin.file(), kLongestFile));
  found.run = begin.run();
  found.bytes = end.offset() + end.bytes().size();
  found.began = begin.time();
  found.changed = end.time();
  found.ended = end.last();
  found.from = begin.offset();
  found.complete = end.last() && !end.torn() && begin.offset() == 0;
  return std::optional(found);
}

Outcome<FleetRecordings> FleetReader::list() {
  const auto subjects = wait<std::vector<std::string>>([this](auto answered) {
    line_->subjects(fleet_->names().recordings(), fleet_->names().recording("*", "*"), std::move(answered));
  });
  if (!subjects) return Error{"the fleet has no recordings: " + subjects.error().text};
  FleetRecordings found;
  std::map<std::string, FleetRecording> ended;
  for (const std::string& subject : *subjects) {
    const auto known = ended_.find(subject);
    const auto one = known != ended_.end() ? Outcome<std::optional<FleetRecording>>(known->second) : about(subject);
    if (!one) {
      if (!fleet_->bus().connected()) return one.error();
      found.missing = Error{subject + ": " + one.error().text};
      continue;
    }
    if (!*one) continue;
    found.all.push_back(**one);
    if ((*one)->ended) ended.emplace(subject, **one);
  }
  ended_ = std::move(ended);
  std::sort(found.all.begin(), found.all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.began, a.node, a.name) < std::tie(b.began, b.node, b.name);
  });
  return found;
}

Outcome<FleetRecording> FleetReader::find(const std::string& name) {
  auto list = this->list();
  if (!list) return list.error();
  auto& all = list->all;
  // The node chooses the file's name, which may have a slash. Names of nodes and recordings have none.
  const bool of_node = name.find('/') != std::string::npos;
  std::erase_if(all, [&](const FleetRecording& one) {
    return of_node ? one.node + "/" + one.name != name : one.name != name && one.file != name;
  });
  if (all.empty() && list->missing) return *list->missing;
  if (all.empty()) return Error{"the fleet has no recording '" + name + "'; `entente recordings --fleet` lists them"};
  if (all.size() == 1) return all.front();
  std::string which;
  for (std::size_t i = 0; i < std::min(all.size(), kMostNamed); ++i)
    which += (i == 0 ? "" : ", ") + all[i].node + "/" + all[i].name;
  return Error{"several recordings of the fleet are called '" + name + "'; name one: " + which +
               (all.size() > kMostNamed ? ", …" : "")};
}

Outcome<FleetFetched> FleetReader::fetch(const FleetRecording& recording, trace::Sink& to,
                                         const std::function<bool()>& goes_on) {
  const std::string subject = fleet_->names().recording(recording.node, recording.name);
  std::uint64_t next = 1, size = 0;
  std::optional<std::uint64_t> from;
  std::size_t repeated = 0;
  bool ended = false, whole = true;
  const auto has_enough = [&] { return ended || (from && !recording.ended && size >= recording.bytes); };
  while (!has_enough()) {
    if (!goes_on()) return Error{"interrupted"};
    const auto pieces = read(subject, next, kReadAtOnce);
    if (!pieces) return pieces.error();
    if (pieces->empty()) break;
    for (const fleet::BusMessage& message : *pieces) {
      if (has_enough()) break;
      next = message.number + 1;
      bus::RecordingPiece piece;
      if (!fleet::decode(message.bytes, piece))
        return Error{"the recording '" + recording.name + "' has an invalid piece"};
      if (piece.last()) {
        ended = true;
        whole = whole && !piece.torn();
      }
      if (!from) from = piece.offset();
      const bool adds = piece.offset() >= size && !piece.bytes().empty();
      repeated = adds ? 0 : repeated + 1;
      if (repeated > kMostRepeated)
        return Error{"the recording '" + recording.name + "' has too many pieces that add nothing"};
      if (piece.offset() < size) continue;  // a duplicate
      whole = whole && piece.offset() == size;
      size = piece.offset() + piece.bytes().size();
      if (const auto done = to.write(as_bytes(piece.bytes())); !done) return done.error();
    }
  }
  // A replica that is behind lacks the last pieces. What NATS has lost, or has kept for long enough, is older.
  if (!from || (!ended && (recording.ended || size < recording.bytes)))
    return Error{"NATS does not give all pieces of the recording '" + recording.name + "' yet; try again"};
  return FleetFetched{ended && whole, *from};
}

Outcome<FleetFetched> FleetReader::save(const FleetRecording& recording, const std::string& path,
                                        const std::string& repaired, const std::function<bool()>& goes_on) {
  if (recording.complete) {
    const auto whole = save_whole(recording, path, goes_on);
    if (!whole) return whole.error();
    if (*whole) return FleetFetched{true, 0};
  }
  auto fetched = save_repaired(recording, repaired, goes_on);
  if (fetched) fetched->whole = false;  // the file was repaired
  return fetched;
}

/// False: something is missing; then there is no file.
Outcome<bool> FleetReader::save_whole(const FleetRecording& recording, const std::string& path,
                                      const std::function<bool()>& goes_on) {
  auto file = trace::FileSink::create(path, kUnfinished);
  if (!file) return file.error();
  const auto fetched = fetch(recording, **file, goes_on);
  Outcome<bool> whole = fetched ? Outcome<bool>(fetched->whole) : Outcome<bool>(fetched.error());
  if (whole && *whole) {
    const auto done = finish(**file, goes_on);
    if (done) return true;
    whole = done.error();
  }
  (*file)->discard();
  return whole;
}

Outcome<FleetFetched> FleetReader::save_repaired(const FleetRecording& recording, const std::string& path,
                                                 const std::function<bool()>& goes_on) {
  auto file = trace::FileSink::create(path, kUnfinished);
  if (!file) return file.error();
  const auto repaired = [&]() -> Outcome<FleetFetched> {
    const auto folder = std::filesystem::path(path).parent_path().string();
    auto part = trace::ScratchFile::create(folder.empty() ? "." : folder, recording.name, 0600);
    if (!part) return part.error();
    auto into = (*part)->writer();
    const auto fetched = fetch(recording, *into, goes_on);
    into.reset();
    if (!fetched) return fetched;
    if (const auto recovered = trace::recover(**part, **file); !recovered) return recovered.error();
    if (const auto done = finish(**file, goes_on); !done) return done.error();
    return fetched;
  }();
  if (!repaired) (*file)->discard();
  return repaired;
}

void FleetReader::hear_nodes() {
  line_->subscribe(fleet_->names().state("*"), [this](const fleet::BusMessage& message) {
    const auto node = fleet_->names().node_of_state(message.subject);
    bus::NodeState state;
    if (!node || !fleet::decode(message.bytes, state)) return;
    const std::lock_guard lock(mutex_);
    if (nodes_.size() < kMostNodesHeard || nodes_.contains(*node)) nodes_[*node] = {state.run(), steady_now()};
  });
}

Millis FleetReader::silent_for(const std::string& node, std::uint64_t run) {
  std::unique_lock lock(mutex_);
  const bool hears = std::exchange(hears_, true);
  if (!hears) {
    lock.unlock();
    on_loop([this](fleet::BusLine&, net::Loop&) { hear_nodes(); });
    lock.lock();
  }
  const Millis now = steady_now();
  const auto connects = fleet_->bus().counts().connects;
  if (std::exchange(connects_, connects) != connects || fleet_->bus().lost_for())
    hears_from_ = now + (hears ? kReturn : 0);
  const auto found = nodes_.find(node);
  const Millis heard = found == nodes_.end() || found->second.first != run ? 0 : found->second.second;
  const Millis since = std::max(heard, hears_from_);
  return now - std::min(now, since);
}

}  // namespace entente
