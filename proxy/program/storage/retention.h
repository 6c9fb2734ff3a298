// Deletes old recordings: recording.keep_s and keep_mb.
// Invariant: it deletes only complete recordings of this program, regular files whose names fit a pattern that it was
// given, with the words that were made of them (words_cache.h); the oldest first. Links, other files and files that are
// being written are left alone. Files age by the monotonic clock: when the wall clock is set, none is older than
// before.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/program/base/housekeeping.h"
#include "proxy/program/storage/recording_target.h"

namespace entente {

class Retention {
 public:
  struct Options {
    std::string directory;
    std::filesystem::file_time_type::duration keep_age{};  ///< 0: any
    std::uint64_t keep_bytes = 0;                          ///< 0: any
    std::function<void(const std::string& path, std::uint64_t bytes, const char* why)> deleted = {};
    std::function<void(const std::string& path, const std::string& error)> failed = {};
    /// A folder, or a file in it, cannot be read. Called once for a folder, and again only after all could be read.
    std::function<void(const std::string& folder, const std::string& error)> unread = {};
    /// When the program began. Unfinished files that were last written before are left over, and do not count.
    std::filesystem::file_time_type began = std::filesystem::file_time_type::clock::now();
  };
  struct Totals {
    std::uint64_t deleted = 0, deleted_bytes = 0;
    std::uint64_t kept = 0, kept_bytes = 0;  ///< as it last looked; with the files that are being written
  };

  explicit Retention(Options options) : options_(std::move(options)) {}
  ~Retention() { work_.reset(); }
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

  bool wanted() const { return options_.keep_bytes != 0 || options_.keep_age.count() != 0; }
  /// From now on, recordings of this target are deleted, too, when they are old. From any thread.
  void add(const RecordingTarget& target);
  /// Looks now, then every minute, on this thread, which outlives it. Does nothing if there is no limit.
  void begin(Housekeeping& files);
  /// Looks again soon: a file was completed. From any thread.
  void look_soon();

  /// Looks once, on this thread. `steady`: now, on the monotonic clock.
  void look(std::filesystem::file_time_type now, Millis steady = steady_now());
  /// From any thread.
  Totals totals() const;

 private:
  class Names;
  struct Pattern {
    std::filesystem::path folder;
    std::shared_ptr<const Names> names;
  };
  struct Found {
    std::filesystem::path path;
    std::filesystem::file_time_type changed;
    std::uint64_t bytes = 0;  // with the words that were made of it
    const Names* by = nullptr;
    std::chrono::nanoseconds age{};
    bool readable = true;  // only then it is known to be ours
  };
  /// A file that an earlier look found: how old it was then.
  struct Seen {
    std::filesystem::file_time_type changed;
    std::chrono::nanoseconds age;
    Millis at;
  };
  struct Looked {
    std::vector<Found> found;  // complete files
    std::uint64_t unfinished = 0, unfinished_bytes = 0;
    std::unordered_set<const Names*> for_names;           // whose folders could be read
    std::set<std::filesystem::path> unread;               // files and folders that may hold what they held before
    std::map<std::filesystem::path, std::string> errors;  // by folder: the first
  };
  Looked find() const;
  void look_into(const Pattern& pattern, std::map<std::filesystem::path, std::uint64_t>& caches,
                 std::set<std::filesystem::path>& known, Looked& looked) const;
  bool knows_files_in(const std::filesystem::path& folder) const;
  void judge_ages(Looked& looked, std::filesystem::file_time_type now, Millis steady);
  void tell_unread(const Looked& looked);
  bool remove(const Found& file, const char* why);

  const Options options_;
  std::map<std::filesystem::path, Seen> seen_;
  std::set<std::filesystem::path> unread_;       // folders whose errors were said
  std::unordered_set<const Names*> looked_for_;  // by the last look, at looked_at_
  Millis looked_at_ = 0;
  std::atomic<std::uint64_t> deleted_{0}, deleted_bytes_{0}, kept_{0}, kept_bytes_{0};
  std::vector<std::string> stuck_;  // could not be deleted, and that was said

  mutable std::mutex mutex_;  // of what follows
  std::vector<Pattern> patterns_;
  std::set<std::pair<std::filesystem::path, std::string>> known_;  // of them: the folder, and the expression for names
  std::optional<Housekeeping::Work> work_;
};

}  // namespace entente
