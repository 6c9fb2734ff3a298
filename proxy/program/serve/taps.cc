#include "proxy/program/serve/taps.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <utility>

#include "adapters/registry.h"
#include "proxy/program/config/secrets.h"

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

Options options_of(const config::Recording& settings, const std::string& path, const std::function<void()>& give_up) {
  const bool stops = settings.on_full() == config::Recording::stop;
  Options options;
  options.on_full = stops ? Options::OnFull::kStop : Options::OnFull::kContinue;
  options.sync = sync_of(settings.sync());
  options.chunk_bytes = settings.chunk_bytes();
  options.chunk_age = settings.chunk_ms() * kMillisecond;
  options.level = static_cast<int>(settings.zstd_level());
  options.version = ENTENTE_VERSION;
  options.failed = [path, stops, give_up](const Error& error) {
    spdlog::error("recording {}: {}; {}", path, error.text,
                  stops ? "stopping, because of recording.on_full" : "traffic continues without recording");
    if (stops) give_up();
  };
  options.moved = [path](const Error& why, const std::string& now) {
    spdlog::error("recording {}: {}; it continues in {}", path, why.text, now);
  };
  options.resumed = [path](const trace::Amount& lacks) {
    spdlog::warn("recording {}: resumed; {} frames ({} bytes) are missing", path, lacks.frames, lacks.bytes);
  };
  return options;
}

void say(std::string_view sentence) { spdlog::warn("{}", sentence); }

}  // namespace

Taps::Taps(const config::Recording& settings, std::function<void()> give_up)
    : settings_(settings), give_up_(std::move(give_up)) {}

Outcome<relay::TapThread*> Taps::recording(const std::string& path) {
  auto recorder = trace::Recorder::open(path, options_of(settings_, path, give_up_));
  if (!recorder) return recorder.error();
  paths_.push_back(path);
  relay::TapThread::Options options{.recorder = std::move(*recorder), .player_name = player_name_field, .said = say};
  if (settings_.secrets() == config::Recording::blank) options.secrets = secrets_of;
  recordings_.push_back(std::make_unique<relay::TapThread>(std::move(options)));
  return recordings_.back().get();
}

relay::TapThread* Taps::counting() {
  if (!counting_)
    counting_ =
        std::make_unique<relay::TapThread>(relay::TapThread::Options{.player_name = player_name_field, .said = say});
  return counting_.get();
}

const relay::TapThread* Taps::recording_of(const relay::Tap* tap) const {
  for (const auto& one : recordings_)
    if (one.get() == tap) return one.get();
  return nullptr;
}

std::string Taps::player(relay::LinkId link) const {
  for (const relay::TapThread* tap : all())
    if (std::string name = tap->player(link); !name.empty()) return name;
  return "";
}

std::vector<const relay::TapThread*> Taps::all() const {
  std::vector<const relay::TapThread*> all;
  for (const auto& tap : recordings_) all.push_back(tap.get());
  if (counting_) all.push_back(counting_.get());
  return all;
}

Outcome<Done> Taps::stop() {
  Outcome<Done> all = Done{};
  for (const auto& tap : recordings_)
    if (auto stopped = tap->stop(); !stopped) all = std::move(stopped);
  if (counting_) (void)counting_->stop();  // has nothing that could fail
  return all;
}

void Taps::abandon() {
  (void)stop();
  std::error_code ignored;  // what is left would only be in the way
  for (const std::string& path : paths_) std::filesystem::remove(path, ignored);
}

}  // namespace entente
