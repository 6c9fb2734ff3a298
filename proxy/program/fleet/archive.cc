#include "proxy/program/fleet/archive.h"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "proxy/fleet/lease.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/fleet/fleet_reader.h"

namespace entente {
namespace {

namespace fs = std::filesystem;

constexpr Millis kArchiveLook = 1'000;            // how often it looks for recordings
constexpr Millis kLongestRetryPause = 3'600'000;  // longest pause before a retry
constexpr std::string_view kEnding = ".mcap";
constexpr Millis kNap = 50;
constexpr Millis kTell = 5'000;  // wait before another archive is reported; getting a lease takes half of it

constexpr const char* kAboutArchive =
    "A recording is written to NODE.NAME.mcap when its node has completed it. If a node is silent for the time of\n"
    "--silence, its unfinished recordings are written, too. A recording whose end is missing, or of which NATS has\n"
    "lost pieces, is repaired, as by `entente recover`. Such a file is named NODE.NAME.repaired-BYTES.mcap.\n"
    "BYTES is the size of what was received. If more of the recording arrives later, the file is replaced. Other\n"
    "files are not overwritten.\n"
    "Without --once, what fails is tried again, at first after a second, later once an hour. Several processes of\n"
    "`entente archive` can run for one fleet: one writes, and another takes over if it fails. So all must have the\n"
    "same DIR, for example on a network file system.\n";

/// Whether this process is the one that writes. Lives on the reader's loop.
class Turn final : private fleet::Lease::User {
 public:
  explicit Turn(FleetReader& reader) : reader_(reader) {
    reader_.on_loop([this](fleet::BusLine& line, net::Loop& loop) {
      loop_ = &loop;
      const Fleet& fleet = reader_.fleet();
      const std::string me = fleet.node() + "-archive-" + std::to_string(::getpid());
      lease_ = std::make_unique<fleet::Lease>(line, loop, static_cast<fleet::Lease::User&>(*this), fleet.names(),
                                              "archive", me, fleet.run_id(), fleet.replicas());
      until_ = lease_->until();
    });
  }
  ~Turn() override {
    reader_.on_loop([this](fleet::BusLine&, net::Loop&) { lease_->release(); });
    // The lease is destroyed in a second job, so the release is sent to NATS first.
    reader_.on_loop([this](fleet::BusLine&, net::Loop&) { lease_.reset(); });
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// From any thread.
  bool is_ours() const { return *until_ > loop_->nanos(); }

 private:
  void owns(std::uint64_t) override {}
  void lost() override {}

  FleetReader& reader_;
  net::Loop* loop_ = nullptr;
  fleet::Lease::Until until_;
  std::unique_ptr<fleet::Lease> lease_;
};

class Archive {
 public:
  static constexpr std::uint32_t kTries = 3;  ///< of --once, for each recording

  Archive(FleetReader& reader, const ArchiveOptions& options)
      : reader_(reader), into_(options.into), silence_(static_cast<Millis>(options.silence * 1'000)) {}

  struct Look {
    std::size_t left = 0;    ///< not archived yet
    std::size_t failed = 0;  ///< tried kTries times or more; they are tried again
  };
  /// Writes what can be written.
  Outcome<Look> look(const std::function<bool()>& goes_on) {
    const auto list = reader_.list();
    if (!list) return list.error();
    Look look;
    auto before = std::exchange(notes_, {});
    for (const FleetRecording& one : list->all) {
      const Key key{one.node, one.name};
      Note& note = notes_[key] = before[key];
      if (!is_archived(one, note, goes_on)) ++(note.tries < kTries ? look.left : look.failed);
      if (!goes_on()) return Error{"interrupted"};
    }
    if (list->missing) return *list->missing;
    return look;
  }

 private:
  using Key = std::pair<std::string, std::string>;  // node and name
  /// Of a recording that has no file.
  struct Note {
    std::uint64_t bytes = 0;
    Millis since = 0;  // when it got this size
    std::uint32_t tries = 0;
    Millis pause = 0, not_before = 0;  // until it is tried again
    std::string error;
  };

  /// Archives it, if its time has come.
  bool is_archived(const FleetRecording& one, Note& note, const std::function<bool()>& goes_on) {
    const std::string stem = (fs::path(into_) / (one.node + "." + one.name)).string(), repaired = stem + ".repaired-";
    const std::string whole = stem + std::string(kEnding);
    const std::string cut = repaired + std::to_string(one.bytes) + std::string(kEnding);
    std::error_code unknown;
    if (fs::exists(whole, unknown) || fs::exists(cut, unknown)) return true;
    if (!one.ended && !is_given_up(one, note)) return false;
    if (steady_now() < note.not_before) return false;
    // Left by an archive that died, maybe when the recording was shorter: this one has the lease now.
    fs::remove(whole + FleetReader::kUnfinished, unknown);
    for (const fs::path& left : of_all_sizes(repaired, std::string(kEnding) + FleetReader::kUnfinished))
      fs::remove(left, unknown);
    const auto saved = reader_.save(one, whole, cut, goes_on);
    if (saved) {
      const std::string& path = saved->whole ? whole : cut;
      const char* const missing = one.complete ? ", repaired: pieces are missing" : ", repaired: its end is missing";
      std::printf("%s: %llu bytes%s\n", screen_text(path).c_str(), static_cast<unsigned long long>(one.bytes),
                  saved->whole ? "" : missing);
      std::fflush(stdout);
      if (saved->from == 0) remove_shorter(repaired, path);  // otherwise only they have its beginning
      return true;
    }
    if (!goes_on()) return false;
    if (note.error != saved.error().text)
      std::fprintf(stderr, "entente archive: %s.%s: %s\n", one.node.c_str(), one.name.c_str(),
                   screen_text(saved.error().text).c_str());
    note.error = saved.error().text;
    ++note.tries;
    note.pause = std::clamp(note.pause * 2, kArchiveLook, kLongestRetryPause);
    note.not_before = steady_now() + note.pause;
    return false;
  }

  /// The files in the folder whose path is `repaired`, a number and `ending`.
  std::vector<fs::path> of_all_sizes(std::string_view repaired, std::string_view ending) const {
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator at(into_, error), end; !error && at != end; at.increment(error)) {
      const std::string_view name = at->path().native();
      if (name.size() <= repaired.size() + ending.size()) continue;
      if (!name.starts_with(repaired) || !name.ends_with(ending)) continue;
      const auto bytes = name.substr(repaired.size(), name.size() - repaired.size() - ending.size());
      if (bytes.find_first_not_of("0123456789") == bytes.npos) found.push_back(at->path());
    }
    return found;
  }

  /// Removes the repaired files of the same recording from when it was shorter.
  void remove_shorter(const std::string& repaired, const std::string& but) {
    std::error_code error;
    for (const fs::path& one : of_all_sizes(repaired, kEnding))
      if (one.native() != but) fs::remove(one, error);
  }

  /// Whether the recording has not grown, and the node has been silent, for the time of --silence.
  bool is_given_up(const FleetRecording& one, Note& note) {
    const Millis now = steady_now();
    if (note.since == 0 || note.bytes != one.bytes) note.bytes = one.bytes, note.since = now;
    return std::min(now - note.since, reader_.silent_for(one.node, one.run)) >= silence_;
  }

  FleetReader& reader_;
  const std::string into_;
  const Millis silence_;
  std::map<Key, Note> notes_;
};

}  // namespace

void declare_archive(CLI::App& app, ArchiveOptions& options) {
  app.add_option(
         "CONFIG", options.config,
         "Configuration file whose [fleet] names an account of NATS with the role `archive`. Only its [fleet] is used")
      ->required();
  app.add_option("--to", options.into, "Folder for the files")->type_name("DIR")->required();
  app.add_option("--silence", options.silence, "Seconds of silence after which a node counts as gone (default: 30)")
      ->type_name("S")
      ->check(CLI::Range(3.0, 1e6).description(""));
  app.add_flag(
      "--once", options.once,
      "Exit when every recording of the fleet is in a file, or has failed three times. Waits for recordings that "
      "are still being made, until they are complete or their node is silent for the time of --silence. The "
      "exit code is 1 if any has failed, or a signal ended the wait");
  app.footer([] { return std::string(kAboutArchive); });
}

int run_archive(const ArchiveOptions& options) {
  std::error_code error;
  if (!fs::is_directory(options.into, error)) return report_failure(Error{options.into + " is not a folder"});
  const auto reader = FleetReader::open(options.config);
  if (!reader) return report_failure(reader.error());
  const Interruption interruption;
  const Turn turn(**reader);
  Archive archive(**reader, options);
  const auto goes_on = [&] { return !Interruption::came() && turn.is_ours(); };
  std::string last_error;
  std::uint32_t failures = 0;
  Millis told_at = steady_now() + kTell;
  for (Millis next = 0; !Interruption::came();) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kNap));
    if (!turn.is_ours() && steady_now() >= told_at) {
      std::fprintf(stderr, "entente archive: another archive writes; this one takes over when it is gone\n");
      told_at = std::numeric_limits<Millis>::max();
    }
    if (!turn.is_ours() || steady_now() < next) continue;
    next = steady_now() + kArchiveLook;
    const auto look = archive.look(goes_on);
    if (!goes_on()) continue;
    if (look && look->left == 0 && options.once) return look->failed == 0 ? kOk : kFailed;
    const std::string why = look ? "" : look.error().text;
    if (!why.empty() && why != last_error) std::fprintf(stderr, "entente archive: %s\n", screen_text(why).c_str());
    last_error = why;
    failures = look ? 0 : failures + 1;
    if (options.once && failures == Archive::kTries) return kFailed;
  }
  return options.once ? report_failure(Error{"interrupted"}) : int{kOk};
}

}  // namespace entente
