#include "proxy/program/serve/taps.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <random>
#include <utility>

#include "adapters/registry.h"
#include "proxy/program/log/say.h"
#include "proxy/program/settings/route.h"
#include "proxy/program/settings/secrets.h"

namespace entente {
namespace {

constexpr WallTime kMillisecond = 1'000'000;

using Options = trace::RecorderOptions;

Options::Sync sync_of(config::Recording::Sync sync) {
  switch (sync) {
    case config::Recording::each_chunk:
      return Options::Sync::kEachChunk;
    case config::Recording::never:
      return Options::Sync::kNever;
    default:
      return Options::Sync::kAtClose;
  }
}

std::uint64_t new_id() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | std::max(1U, random());
}

Options options_of(const config::Recording& settings, const std::string& path, const std::function<void()>& give_up) {
  const bool stops = settings.on_full() == config::Recording::stop;
  Options options;
  options.on_full = stops ? Options::OnFull::kStop : Options::OnFull::kContinue;
  options.sync = sync_of(settings.sync());
  options.chunk_bytes = settings.chunk_bytes();
  options.chunk_age = settings.chunk_ms() * kMillisecond;
  options.level = static_cast<int>(settings.zstd_level());
  options.id = new_id();
  options.version = ENTENTE_VERSION;
  options.failed = [path, stops, give_up](const Error& error) {
    log_error("recording {}: {}; {}", path, error.text,
              stops ? "stopping, because of recording.on_full" : "traffic continues without recording");
    if (stops) give_up();
  };
  options.moved = [path](const Error& why, const std::string& now) {
    log_error("recording {}: {}; it continues in {}", path, why.text, now);
  };
  options.resumed = [path](const trace::Amount& lacks) {
    log_warn("recording {}: resumed; {} frames ({} bytes) are missing", path, lacks.frames, lacks.bytes);
  };
  return options;
}

Retention::Options retention_of(const config::Recording& settings) {
  Retention::Options options;
  options.directory = settings.directory();
  options.keep_age = std::chrono::seconds(settings.keep_s());
  options.keep_bytes = settings.keep_mb() * std::uint64_t{1'000'000};
  options.deleted = [](const std::string& path, std::uint64_t bytes, const char* why) {
    log_info("deleted the recording {} ({} bytes): {}", path, bytes, why);
  };
  options.failed = [](const std::string& path, const std::string& error) {
    log_error("cannot delete the recording {}: {}", path, error);
  };
  options.unread = [](const std::string& folder, const std::string& error) {
    log_error("cannot look for old recordings in {}: {}; they are deleted once they can be read", folder, error);
  };
  return options;
}

void warn(std::string_view sentence) { log_warn("{}", sentence); }

}  // namespace

Taps::Taps(const config::Recording& settings, std::function<void()> give_up)
    : settings_(settings), give_up_(std::move(give_up)), retention_(retention_of(settings)) {}

Outcome<relay::TapThread*> Taps::recording(const RecordingTarget& target, bool start) {
  const auto path = [this, target](relay::LinkId session) {
    return recording_path(target.pattern, settings_.directory(),
                          {target.game, target.route, std::time(nullptr), session, target.name});
  };
  relay::TapThread::Options options{
      .player_name = player_name_field, .ping_message = ping_message, .joined = told_.joined, .left = told_.left};
  if (settings_.secrets() == config::Recording::blank) options.secrets = secrets_of, options.echoes = echoes_of;
  options.ring_bytes = std::size_t{settings_.buffer_mb()} << 20;
  options.record = start;
  options.files.begin = [this, path](relay::LinkId session) {
    const std::string file = path(session);
    auto begun = begin(file, true);
    // The session would not be recorded, as if a chunk of it could not be written.
    if (!begun && session != 0 && settings_.on_full() == config::Recording::stop && trace::says_full(begun.error()))
      options_of(settings_, file, give_up_).failed(begun.error());
    return begun;
  };
  options.files.each_session = names_each_session(target.pattern);
  options.files.rotate_after = settings_.rotate_s() * WallTime{1'000'000'000};
  options.files.rotate_bytes = settings_.rotate_mb() * std::uint64_t{1'000'000};
  options.files.kills = {kill_message, tells_kill, kill_counter};
  const std::string number = std::to_string(target.route);
  const std::string of =
      "recording of route " + (target.name.empty() ? number : target.name) + " (" + target.game + ")";
  options.files.failed = [of](const Error& error) { log_error("{}: {}", of, error.text); };
  options.said = [of](std::string_view sentence) { log_warn("{}: {}", of, sentence); };
  const auto discarded = std::make_shared<std::atomic<bool>>(false);
  const bool timed = start && target.pattern.find("{time}") != std::string::npos;
  options.files.completed = [this, discarded, timed, route = target.name](const std::string& file, bool empty) {
    // A file that stays is only in the way of a later one with its name. Nobody looks for the file of an idle route
    // that no operator has started: each upgrade and each restart would leave one.
    const bool goes = *discarded || (empty && timed);
    std::error_code ignored;
    if (goes && has_files()) std::filesystem::remove(file, ignored);
    log_debug("recording {} is {}", file, goes ? "removed: nothing was recorded" : "complete");
    if (!goes && told_.completed) told_.completed(route, file);
    retention_.look_soon();
  };
  std::string file;
  if (start && !options.files.each_session) {
    file = path(0);
    // Another process, from before an upgrade, may have begun in the same second.
    const bool of_this_second = target.pattern.find("{time}") != std::string::npos;
    auto recorder = begin(file, of_this_second || records(file));
    if (!recorder) return recorder.error();
    file = (*recorder)->path();
    options.recorder = std::move(*recorder);
  }
  retention_.add(target);
  auto made = std::make_unique<relay::TapThread>(std::move(options));
  if (const auto& started = made->started(); !started) {
    *discarded = true;
    return started.error();
  }
  relay::TapThread* const tap = made.get();
  const std::lock_guard lock(mutex_);
  recordings_.push_back(std::move(made));
  if (!file.empty()) paths_[tap] = file;
  discarded_[tap] = discarded;
  return tap;
}

/// `beside`: if the file exists, a new name is chosen.
Outcome<std::unique_ptr<trace::Recorder>> Taps::begin(const std::string& path, bool beside) const {
  auto options = options_of(settings_, path, give_up_);
  if (!has_files())
    return trace::Recorder::open(upload_(path), std::move(options), std::filesystem::path(path).filename());
  options.copy = upload_;
  return beside ? trace::Recorder::open_beside(path, std::move(options))
                : trace::Recorder::open(path, std::move(options));
}

bool Taps::records(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(paths_.begin(), paths_.end(), [&](const auto& one) { return one.second == path; });
}

void Taps::retire(relay::TapThread& tap) {
  const std::lock_guard lock(mutex_);
  retired_.push_back(&tap);
}

void Taps::discard(relay::TapThread& tap, const std::function<void()>& settle) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = discarded_.find(&tap); found != discarded_.end()) *found->second = true;
    paths_.erase(&tap);
  }
  end({&tap}, settle);
}

void Taps::end_retired(const std::function<void()>& settle) {
  const std::lock_guard alone(ending_);
  std::vector<relay::TapThread*> retired;
  {
    const std::lock_guard lock(mutex_);
    retired.swap(retired_);
  }
  if (!retired.empty()) end(retired, settle);
}

void Taps::end(const std::vector<relay::TapThread*>& taps, const std::function<void()>& settle) {
  for (relay::TapThread* tap : taps) tap->deafen();
  settle();
  for (relay::TapThread* tap : taps)
    if (const auto ended = tap->end(); !ended) log_error("{}", ended.error().text);
  const std::lock_guard lock(mutex_);
  for (auto& tap : recordings_)
    if (std::find(taps.begin(), taps.end(), tap.get()) != taps.end()) ended_.push_back(std::move(tap));
  std::erase(recordings_, nullptr);
}

Outcome<relay::TapThread*> Taps::counting() {
  const std::lock_guard lock(mutex_);
  if (counting_) return counting_.get();
  auto made = std::make_unique<relay::TapThread>(relay::TapThread::Options{.player_name = player_name_field,
                                                                           .ping_message = ping_message,
                                                                           .joined = told_.joined,
                                                                           .left = told_.left,
                                                                           .said = warn});
  if (const auto& started = made->started(); !started) return started.error();
  counting_ = std::move(made);
  return counting_.get();
}

relay::TapThread* Taps::recording_of(const relay::Tap* tap) const {
  const std::lock_guard lock(mutex_);
  for (const auto& one : recordings_)
    if (one.get() == tap) return one.get();
  return nullptr;
}

std::string Taps::player(relay::LinkId link) const {
  const std::lock_guard lock(mutex_);
  for (const auto& tap : recordings_)
    if (std::string name = tap->player(link); !name.empty()) return name;
  return counting_ ? counting_->player(link) : "";
}

std::vector<const relay::TapThread*> Taps::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<const relay::TapThread*> all;
  for (const auto* taps : {&recordings_, &ended_})
    for (const auto& tap : *taps) all.push_back(tap.get());
  if (counting_) all.push_back(counting_.get());
  return all;
}

Outcome<Done> Taps::stop() {
  const std::lock_guard alone(ending_);
  Outcome<Done> all = Done{};
  for (const auto& tap : recordings_)
    if (auto stopped = tap->stop(); !stopped) all = std::move(stopped);
  if (counting_) (void)counting_->stop();  // cannot fail: it has no recording
  return all;
}

void Taps::abandon() {
  (void)stop();
  std::error_code ignored;  // a file that stays is only in the way of a later one with its name
  if (!has_files()) return;
  for (const auto& tap : recordings_)
    if (const auto found = paths_.find(tap.get()); found != paths_.end())
      std::filesystem::remove(found->second, ignored);
}

}  // namespace entente
