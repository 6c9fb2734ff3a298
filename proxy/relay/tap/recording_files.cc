#include "proxy/relay/tap/recording_files.h"

#include <algorithm>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/trace/lab.h"
#include "schema/snapshot.pb.h"
#include "schema/trace.pb.h"

namespace entente::relay {
namespace {

constexpr WallTime kPatienceForWorlds = 2'000'000'000;  // ns; then a link moves without its world
constexpr WallTime kRotateAgain = 10'000'000'000;       // between attempts

constexpr std::int64_t kSetBy = 1'000'000'000;  // ns; smaller differences of the clocks are not noted

/// Whether `by` has passed since `then`. Times of several threads may come a little out of order.
bool passed(WallTime then, WallTime now, WallTime by) { return now >= then && now - then >= by; }

/// The calls as they go into a file whose times are `ahead`.
Buffer with_shown_wall(Bytes calls, std::int64_t ahead) {
  trace::Calls read;
  if (!read.ParseFromArray(calls.data(), static_cast<int>(calls.size()))) return Buffer(calls.begin(), calls.end());
  for (trace::Detail& detail : *read.mutable_details())
    if (detail.has_began()) detail.mutable_began()->set_wall(shown(detail.began().wall(), ahead));
  Buffer written(read.ByteSizeLong());
  read.SerializeWithCachedSizesToArray(written.data());
  return written;
}

/// The client's address, as the key of its files. Bots and arenas have none.
std::optional<net::Address> host_of(const trace::Opened& opened) {
  const auto client = net::Address::parse(opened.client());
  return client ? std::optional(client->unmapped().host_key()) : std::nullopt;
}

bool is_empty(const trace::Recorder& recorder) {
  return recorder.ever_recorded().bytes == 0 && recorder.lost().bytes == 0;
}

std::string name_of(const trace::Recorder& recorder) {
  return recorder.path().substr(recorder.path().rfind('/') + 1);  // all of it, if there is no '/'
}

}  // namespace

struct RecordingFiles::File {
  explicit File(const RecordingFilesOptions& options) : summary(options.kills) {}

  /// A time as this file has it.
  WallTime shown(WallTime time) const { return entente::shown(time, ahead); }

  std::unique_ptr<trace::Recorder> recorder;
  trace::RecordingInfoBuilder summary;
  std::int64_t ahead = 0;              // of its times
  LinkId session = 0;                  // 0: of all
  std::optional<net::Address> host{};  // for one of whose sessions it is
  WallTime began = 0;
  WallTime used_since = 0;  // its first frame or word; 0: none yet
  std::size_t links = 0;    // that are in it
  File* next = nullptr;     // in which it continues: its links move there
  WallTime left_at = 0;     // when that began
  std::uint32_t files = 1;  // trace::Recorder::files() when it was last asked

  void use(WallTime now) {
    if (used_since == 0) used_since = now;
  }
};

RecordingFiles::RecordingFiles(RecordingFilesOptions options, std::unique_ptr<trace::Recorder> first, bool on,
                               WordsWanted& wanted)
    : options_(std::move(options)),
      wanted_(wanted),
      on_(on),
      closer_([this](const trace::Recorder& recorder, const Outcome<Done>& closed) {
        if (!closed) return fail(closed.error());
        if (options_.completed) options_.completed(recorder.path(), is_empty(recorder));
      }) {
  wanted_.wanted.store(on, std::memory_order_relaxed);
  if (on) ask_for_worlds();
  if (first == nullptr) return;
  look_at_wall_clock(steady_wall_now());  // before there is a file: it begins with the new time
  current_ = files_.emplace_back(std::make_unique<File>(options_)).get();
  current_->recorder = std::move(first);
  current_->began = steady_wall_now();
  current_->ahead = ahead_;
  ++begun_;
}

RecordingFiles::~RecordingFiles() = default;

// -- Files ------------------------------------------------------------------------------------------------------------

Outcome<RecordingFiles::File*> RecordingFiles::begin(LinkId session, WallTime time) {
  look_at_wall_clock(time);
  if (!options_.begin) return Error{"this recording has one file only"};
  auto recorder = options_.begin(session);
  if (!recorder) return recorder.error();
  fails_ = false;
  failed_at_.reset();
  ++begun_;
  File* file = files_.emplace_back(std::make_unique<File>(options_)).get();
  file->recorder = std::move(*recorder);
  file->session = session;
  file->began = time;
  file->ahead = ahead_;
  (session == 0 ? current_ : of_sessions_[session]) = file;
  return file;
}

/// Null: it could not be begun, which was reported.
RecordingFiles::File* RecordingFiles::file_for(LinkId session, WallTime time) {
  if (!options_.each_session) return current_;
  if (const auto at = of_sessions_.find(session); at != of_sessions_.end()) return at->second;
  Link* const first = find(session);
  const auto host = first != nullptr ? host_of(first->opened) : std::nullopt;
  if (host && (first->refused || has_too_many(*host))) return first->refused = true, nullptr;
  const auto begun = begin(session, time);
  if (!begun) return fail(begun.error()), nullptr;
  if (host) ++hosts_[*host].files;
  (*begun)->host = host;
  return *begun;
}

bool RecordingFiles::has_too_many(const net::Address& host) {
  const auto at = hosts_.find(host);
  if (at == hosts_.end() || at->second.files < kMostOfAddress) return false;
  ++failures_;
  if (!std::exchange(at->second.told, true) && options_.failed)
    options_.failed({std::to_string(kMostOfAddress) + " recordings of " + host.ip_text() +
                     " are open; its other sessions are not recorded"});
  return true;
}

/// Reports only the first of several failures in a row. From any thread.
void RecordingFiles::fail(const Error& error) {
  ++failures_;
  if (!fails_.exchange(true) && options_.failed) options_.failed(error);
}

void RecordingFiles::complete(File& file) {
  done_ += file.recorder->ever_recorded();
  lost_ += file.recorder->lost();
  if (current_ == &file) current_ = nullptr;
  if (const auto at = of_sessions_.find(file.session); at != of_sessions_.end() && at->second == &file)
    of_sessions_.erase(at);
  if (file.host && --hosts_[*file.host].files == 0) hosts_.erase(*file.host);
  file.recorder->summarize(to_map(file.summary.info()));
  closer_.close(std::move(file.recorder), file.ahead);
  std::erase_if(files_, [&](const auto& one) { return one.get() == &file; });
}

bool RecordingFiles::due(const File& file, WallTime now) const {
  const trace::Recorder& recorder = *file.recorder;
  if (file.next != nullptr || recorder.failing() || recorder.recorded().bytes == 0) return false;
  if (failed_at_ && !passed(*failed_at_, now, kRotateAgain)) return false;
  return (options_.rotate_bytes != 0 && recorder.file_bytes() >= options_.rotate_bytes) ||
         (options_.rotate_after != 0 && file.used_since != 0 && passed(file.used_since, now, options_.rotate_after));
}

Outcome<Done> RecordingFiles::rotate(File& old, WallTime time) {
  const auto begun = begin(old.session, time);
  if (!begun) {
    failed_at_ = time;
    fail({begun.error().text + "; the recording continues in " + old.recorder->path()});
    return begun.error();
  }
  File& fresh = **begun;
  if (old.host) ++hosts_[*old.host].files;
  fresh.host = old.host;
  if (old.links != 0) fresh.ahead = old.ahead;  // the times of their sessions go on evenly
  if (fresh.ahead != ahead_) note_wall_clock(fresh, time);
  ++rotations_;
  for (const auto& file : files_)
    if (file->next == &old) file->next = &fresh;
  old.next = &fresh;
  old.left_at = time;
  old.recorder->note(old.shown(time), 0, kContinuesIn + name_of(*fresh.recorder));
  fresh.recorder->note(fresh.shown(time), 0, "this recording continues " + name_of(*old.recorder));
  ask_for_worlds();
  ++old.links;  // keeps the file open until here
  for (auto& [id, link] : links_)
    if (link.file == &old && !link.has_words) move(link, time);
  --old.links;
  complete_if_over(old);
  return Done{};
}

/// Notes in the open files if the wall clock was set. Recordings that begin from now on have the new time.
void RecordingFiles::look_at_wall_clock(WallTime now) {
  const std::int64_t ahead = options_.wall_is_ahead(), by = ahead - ahead_;
  if (by > -kSetBy && by < kSetBy) return;
  ahead_ = ahead;
  for (const auto& file : files_) note_wall_clock(*file, now);
}

void RecordingFiles::note_wall_clock(const File& file, WallTime now) const {
  const std::int64_t by = ahead_ - file.ahead;
  const std::string told =
      by == 0 ? "agrees with"
              : "is " + std::to_string((by < 0 ? -by : by) / kSetBy) + " s " + (by < 0 ? "behind" : "ahead of");
  file.recorder->note(file.shown(now), 0, "the wall clock was set: it " + told + " the times of this recording");
}

void RecordingFiles::tick(WallTime now) {
  look_at_wall_clock(now);
  for (std::size_t i = files_.size(); i-- > 0;) {  // a file that is begun is added, one that is completed removed
    File& file = *files_[i];
    file.recorder->tick(file.shown(now));
    if (std::exchange(file.files, file.recorder->files()) != file.files) ask_for_worlds();
    if (file.next != nullptr && passed(file.left_at, now, kPatienceForWorlds))
      move_all(file, now);
    else if (due(file, now))
      (void)rotate(file, now);
  }
}

// -- Links ------------------------------------------------------------------------------------------------------------

RecordingFiles::Link* RecordingFiles::find(LinkId id) {
  if (last_.second != nullptr && last_.first == id) return last_.second;
  const auto found = links_.find(id);
  if (found == links_.end()) return nullptr;
  last_ = {id, &found->second};
  return last_.second;
}

/// The link goes on in this file, though it began before.
void RecordingFiles::join(Link& link, File* file, WallTime time, const Before& before) {
  if (file == nullptr) return;
  trace::Opened again = link.opened;
  if (!before.name.empty() || link.has_words || link.client_sent || link.server_sent) {
    again.set_continues(true);
    again.set_before(before.name);
    again.set_before_id(before.id);
    again.set_client_sent(link.client_sent);
    again.set_server_sent(link.server_sent);
  }
  file->recorder->opened(file->shown(time), again);
  file->summary.opened(again);
  file->summary.player(link.player);
  link.file = file;
  ++file->links;
}

void RecordingFiles::move(Link& link, WallTime time) {
  File* const to = link.file->next;
  const Before before{name_of(*link.file->recorder), link.file->recorder->id()};
  ++to->links;  // keeps it open until the link is there
  leave(link);
  --to->links;
  join(link, to, time, before);
}

void RecordingFiles::move_all(const File& from, WallTime time) {
  for (auto& [id, link] : links_) {
    if (link.file != &from) continue;
    const bool last = from.links == 1;
    move(link, time);
    if (last) return;  // `from` is gone
  }
}

void RecordingFiles::leave(Link& link) {
  File* const file = std::exchange(link.file, nullptr);
  if (file == nullptr) return;
  --file->links;
  complete_if_over(*file);
}

/// Links of an older file may still have to move into this one.
void RecordingFiles::complete_if_over(File& file) {
  if (file.links != 0 || (file.next == nullptr && file.session == 0)) return;
  if (std::any_of(files_.begin(), files_.end(), [&](const auto& one) { return one->next == &file; })) return;
  File* const next = file.next;
  complete(file);
  if (next != nullptr) complete_if_over(*next);
}

/// Keeps `call` for later. False: too much was kept, and the link has a file now. REQUIRES: greets().
template <class Call>
bool RecordingFiles::waits(LinkId id, std::size_t bytes, Call&& call) {
  Link* const link = find(id);
  constexpr std::size_t kEvent = 128;  // what one costs beside its bytes
  link->early_bytes += bytes + kEvent;
  if (link->early_bytes > kMostEarly) return begin_early(*link), false;
  link->early.push_back(std::forward<Call>(call));
  return true;
}

/// The session does more than greet: it gets its file, with what came before.
void RecordingFiles::begin_early(Link& link) {
  if (!std::exchange(link.greets, false)) return;
  const auto early = std::exchange(link.early, {});
  for (const auto& call : early) call();
}

void RecordingFiles::opened(WallTime time, const trace::Opened& opened, LinkId session, bool greets) {
  if (Link* const first = opened.link() != session ? find(session) : nullptr) begin_early(*first);
  Link& link = links_[opened.link()];
  last_ = {};
  link = {.opened = opened, .session = options_.each_session ? session : 0, .player = {}};
  link.client_sent = opened.client_sent();
  link.server_sent = opened.server_sent();
  link.greets = greets && options_.each_session && on_;
  if (link.greets) return link.early.push_back([this, time, &link] { record_opening(link, time); });
  record_opening(link, time);
}

void RecordingFiles::record_opening(Link& link, WallTime time) {
  File* const file = on_ ? file_for(link.session, time) : nullptr;
  if (file == nullptr) return;
  file->recorder->opened(file->shown(time), link.opened);
  file->summary.opened(link.opened);
  link.file = file;
  ++file->links;
}

void RecordingFiles::frame(WallTime time, const trace::FrameView& frame) {
  const auto later = [&] {
    return [=, this, bytes = Buffer(frame.bytes.begin(), frame.bytes.end()), name = std::string(frame.name)] {
      trace::FrameView kept = frame;
      kept.bytes = bytes;
      kept.name = name;
      this->frame(time, kept);
    };
  };
  Link* link = find(frame.link);
  if (link != nullptr) (frame.way == trace::TO_SERVER ? link->client_sent : link->server_sent) = true;
  if (link != nullptr && link->greets && waits(frame.link, frame.bytes.size(), later())) return;
  if (!on_) return;
  if (link == nullptr || link->file == nullptr) return void(lost_ += {1, frame.bytes.size()});
  if (trace::was_passed_on(frame.lab)) link->file->summary.frame(frame.link, frame.way, frame.name, frame.bytes);
  link->file->use(time);
  link->file->recorder->frame(link->file->shown(time), frame);
}

void RecordingFiles::closed(WallTime time, LinkId id, std::string_view reason) {
  const auto at = links_.find(id);
  if (at == links_.end()) return;
  last_ = {};
  if (at->second.greets) ++greetings_;
  if (File* const file = at->second.file; file != nullptr) {
    file->recorder->closed(file->shown(time), id, reason);
    file->summary.closed(id);
  }
  leave(at->second);
  links_.erase(at);
}

void RecordingFiles::word(WallTime time, LinkId id, trace::WordKind kind, Bytes word) {
  Link* link = find(id);
  if (link == nullptr) return;
  link->has_words = true;
  if (link->greets &&
      waits(id, word.size(), [=, this, kept = Buffer(word.begin(), word.end())] { this->word(time, id, kind, kept); }))
    return;
  if (!on_) return;
  if (link->file == nullptr) return void(lost_ += {0, word.size()});
  link->file->use(time);
  link->file->recorder->word(link->file->shown(time), id, kind, word);
  kind == trace::WordKind::kFact ? link->file->summary.fact(id, word) : link->file->summary.intent(word);
}

void RecordingFiles::calls(WallTime time, LinkId id, Bytes calls) {
  if (greets(id) &&
      waits(id, calls.size(), [=, this, kept = Buffer(calls.begin(), calls.end())] { this->calls(time, id, kept); }))
    return;
  const Link* link = find(id);
  if (link == nullptr || !on_) return;
  if (link->file == nullptr) return void(lost_ += {0, calls.size()});
  File& file = *link->file;
  if (file.ahead == 0) return file.recorder->calls(time, calls);
  file.recorder->calls(file.shown(time), with_shown_wall(calls, file.ahead));
}

void RecordingFiles::player(LinkId id, std::string_view name) {
  Link* link = find(id);
  if (link == nullptr) return;
  begin_early(*link);
  link = find(id);
  link->player = name;
  if (link->file != nullptr) link->file->summary.player(name);
}

void RecordingFiles::geometry(LinkId id, const trace::Geometry& geometry) {
  if (id == 0 && current_ != nullptr) return current_->recorder->geometry(geometry);
  if (greets(id) && waits(id, geometry.ByteSizeLong(), [=, this] { this->geometry(id, geometry); })) return;
  Link* link = find(id);
  if (link == nullptr || link->file == nullptr) return;
  (link->file->next != nullptr ? link->file->next : link->file)->recorder->geometry(geometry);
}

void RecordingFiles::world(WallTime time, const trace::Snapshot& world) {
  Link* link = find(world.link());
  if (link == nullptr) return;
  link->has_words = true;
  if (link->greets && waits(world.link(), world.ByteSizeLong(), [=, this] { this->world(time, world); })) return;
  if (link->file == nullptr) return;
  if (link->file->next != nullptr) move(*link, time);
  link->file->recorder->world(link->file->shown(time), world);
  link->file->summary.world(world);
}

void RecordingFiles::note(WallTime time, LinkId id, std::string_view text, std::uint64_t bytes_lost) {
  if (greets(id) &&
      waits(id, text.size(), [=, this, kept = std::string(text)] { this->note(time, id, kept, bytes_lost); }))
    return;
  const Link* link = find(id);
  if (link != nullptr && link->file != nullptr)
    return link->file->recorder->note(link->file->shown(time), id, text, bytes_lost);
  if (current_ != nullptr) return current_->recorder->note(current_->shown(time), id, text, bytes_lost);
  if (id != 0) return;
  for (const auto& file : files_) file->recorder->note(file->shown(time), 0, text, bytes_lost);
}

// -- Orders -----------------------------------------------------------------------------------------------------------

Outcome<Done> RecordingFiles::start(WallTime time, const std::string& before) {
  if (on_) return Error{"the recording is on already"};
  if (!options_.each_session)
    if (const auto begun = begin(0, time); !begun) return begun.error();
  on_ = true;
  for (auto& [id, link] : links_) join(link, file_for(link.session, time), time, {before, 0});
  ask_for_worlds();
  wanted_.wanted.store(true, std::memory_order_relaxed);
  return Done{};
}

Outcome<Done> RecordingFiles::stop(WallTime time) {
  if (!on_) return Error{"the recording is off"};
  on_ = false;
  wanted_.wanted.store(false, std::memory_order_relaxed);
  for (auto& [id, link] : links_) {
    link.file = nullptr;
    link.greets = false;
    link.early.clear();
    link.refused = false;
  }
  while (!files_.empty()) {
    files_.back()->recorder->note(files_.back()->shown(time), 0, "the recording was stopped by an order");
    complete(*files_.back());
  }
  return Done{};
}

Outcome<Done> RecordingFiles::rotate(WallTime time) {
  if (!on_) return Error{"the recording is off"};
  Outcome<Done> all = Done{};
  for (std::size_t i = files_.size(); i-- > 0;)
    if (files_[i]->next == nullptr)
      if (auto done = rotate(*files_[i], time); !done) all = std::move(done);
  return all;
}

Outcome<Done> RecordingFiles::close(WallTime now) {
  Outcome<Done> all = Done{};
  for (const auto& file : files_) {
    file->recorder->summarize(to_map(file->summary.info()));
    auto done = file->recorder->close(file->shown(now));
    if (done && options_.completed) options_.completed(file->recorder->path(), is_empty(*file->recorder));
    if (!done) all = std::move(done);
  }
  closer_.finish();
  return all;
}

bool RecordingFiles::pending() const {
  return std::any_of(files_.begin(), files_.end(), [](const auto& file) { return file->recorder->pending(); });
}

/// If each session has its own file, and none could be begun, there is no open file that fails.
bool RecordingFiles::failing() const {
  if (on_ && options_.each_session && fails_) return true;
  return std::any_of(files_.begin(), files_.end(), [](const auto& file) { return file->recorder->failing(); });
}

RecordingStatus RecordingFiles::status() const {
  RecordingStatus status{.on = on_, .paths = {}, .failing = failing()};
  for (const auto& file : files_) {
    status.paths.push_back(file->recorder->path());
    status.bytes += file->recorder->file_bytes();
    status.began = status.began == 0 ? file->began : std::min(status.began, file->began);
  }
  return status;
}

RecordingTotals RecordingFiles::totals() const {
  RecordingTotals all{.recorded = done_, .lost = lost_};
  all.recorded += closer_.recorded();
  all.lost += closer_.lost();
  for (const auto& file : files_) {
    all.recorded += file->recorder->ever_recorded();
    all.lost += file->recorder->lost();
    all.file_bytes += file->recorder->file_bytes();
  }
  all.failing = failing();
  all.files = begun_;
  all.rotations = rotations_;
  all.greetings = greetings_;
  all.failed_rotations = failures_;
  return all;
}

}  // namespace entente::relay
