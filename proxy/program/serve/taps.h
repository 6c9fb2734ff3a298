// The taps of a process: one for each route that is, or can be, recorded, and one for all routes that are only counted.
// Invariant: they outlive the relay server that feeds them; stop() and end_retired() complete a recording. Thread-safe,
// but for stop() and abandon().
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/program/storage/retention.h"
#include "proxy/relay/tap/tap.h"
#include "schema/config.pb.h"

namespace entente {

class Taps {
 public:
  /// `give_up` is called, from any thread, when a recording cannot continue and the settings say to stop then.
  Taps(const config::Recording& settings, std::function<void()> give_up);

  /// Returns a sink for a recording, given the path of its file. The sink is used beside the file, or instead of it.
  /// REQUIRES: set before the first recording.
  using Upload = std::function<std::unique_ptr<trace::Sink>(const std::string& path)>;
  void upload_by(Upload upload) { upload_ = std::move(upload); }

  /// What hooks are told; each is called on a tap's thread, or on one that completes files.
  struct Told {
    std::function<void(const relay::LinkInfo&, const std::string& player)> joined = {};
    std::function<void(const relay::LinkInfo&, const std::string& player, std::string_view reason, WallTime length)>
        left = {};
    /// A recording is complete. `route`: its name; "": it has none.
    std::function<void(const std::string& route, const std::string& file)> completed = {};
  };
  /// REQUIRES: set before the first tap.
  void tell(Told told) { told_ = std::move(told); }

  /// A tap that records into such files: at once if `start`, otherwise after TapThread::record.
  Outcome<relay::TapThread*> recording(const RecordingTarget& target, bool start);
  /// No session will use this tap again: end_retired() ends it. Waits for nothing.
  void retire(relay::TapThread& tap);
  /// Ends a tap that no route uses, and removes its recording. May wait for its disk, but not for those of others.
  /// `settle`: as for end_retired().
  void discard(relay::TapThread& tap, const std::function<void()>& settle);
  /// Ends the threads of all taps that were retired, and completes their recordings. Their totals stay. `settle`
  /// returns once each worker has answered, or has ended. May wait for a disk.
  void end_retired(const std::function<void()>& settle);
  /// The tap that only counts.
  Outcome<relay::TapThread*> counting();
  /// `tap` itself if it can record; else null.
  relay::TapThread* recording_of(const relay::Tap* tap) const;

  /// Whether a recording of this process began with this file.
  bool records(const std::string& path) const;

  /// The name of this link's player, as a tap read it; "" if no tap did. From any thread.
  std::string player(relay::LinkId link) const;

  /// All taps, also those that have ended.
  std::vector<const relay::TapThread*> all() const;

  /// From now on, old recordings are deleted, if the settings say so. `files` outlives this.
  void begin_retention(Housekeeping& files) { retention_.begin(files); }
  /// The recordings that are kept; nullopt if there is no limit.
  std::optional<Retention::Totals> kept() const {
    return retention_.wanted() ? std::optional(retention_.totals()) : std::nullopt;
  }

  /// Stops all taps and completes the recordings. REQUIRES: the server's run() has returned.
  Outcome<Done> stop();
  /// Stops all taps and removes the recordings, because nothing was served. May be called after stop().
  void abandon();

 private:
  void end(const std::vector<relay::TapThread*>& taps, const std::function<void()>& settle);
  bool has_files() const { return !upload_ || settings_.to_fleet() != config::Recording::only; }
  Outcome<std::unique_ptr<trace::Recorder>> begin(const std::string& path, bool beside) const;

  const config::Recording& settings_;
  std::function<void()> give_up_;
  Told told_;
  Upload upload_;             // null: recordings are not uploaded
  std::mutex ending_;         // held while retired taps end
  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<const relay::TapThread*, std::string> paths_;
  std::unordered_map<const relay::TapThread*, std::shared_ptr<std::atomic<bool>>> discarded_;
  Retention retention_;  // before the taps, which report complete files to it
  std::vector<std::unique_ptr<relay::TapThread>> recordings_;
  std::vector<relay::TapThread*> retired_;                // of recordings_: they are to end
  std::vector<std::unique_ptr<relay::TapThread>> ended_;  // for their totals; ended sessions point at them, too
  std::unique_ptr<relay::TapThread> counting_;
};

}  // namespace entente
