#include "proxy/program/fleet/archive.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "proxy/fleet/lease.h"
#include "proxy/program/fleet/fleet_reader.h"
#include "proxy/program/interruption.h"
#include "proxy/program/misuse.h"
#include "proxy/program/screen_text.h"

namespace entente {
namespace {

namespace fs = std::filesystem;

constexpr Millis kArchiveLook = 1'000;  // how often it looks for recordings
constexpr Millis kNap = 50;
constexpr Millis kTell = 5'000;  // a lease takes half of it

constexpr const char* kAboutArchive =
    "A recording gets its file when its node has completed it. If a node is gone, its unfinished recordings get "
    "theirs\n"
    "after --silence; what a crash cut off is repaired, as `entente recover` does it. Files are named NODE.NAME.mcap.\n"
    "Existing files are not overwritten. Several processes of `entente archive` can run for one fleet: one writes, "
    "and\n"
    "another takes over if it fails. So all must have the same DIR, for example on a network file system.\n";

/// Whether this process is the one that writes. Lives on the reader's loop.
class Turn final : private fleet::Lease::User {
 public:
  explicit Turn(FleetReader& reader) : reader_(reader) {
    reader_.on_loop([this](fleet::BusLine& line, net::Loop& loop) {
      loop_ = &loop;
      const Fleet& fleet = reader_.fleet();
      const std::string me = fleet.node() + "-archive-" + std::to_string(::getpid());
      lease_ = std::make_unique<fleet::Lease>(line, loop, static_cast<fleet::Lease::User&>(*this), fleet.names(),
                                              "archive", me, fleet.run(), fleet.replicas());
      until_ = lease_->until();
    });
  }
  ~Turn() override {
    reader_.on_loop([this](fleet::BusLine&, net::Loop&) { lease_->release(); });
    // The release is on its way to NATS before the line ends: orders keep their order.
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
  Archive(FleetReader& reader, const ArchiveOptions& options)
      : reader_(reader), into_(options.into), silence_(static_cast<Millis>(options.silence * 1'000)) {}

  /// Writes what can be written. Returns how many recordings are not archived yet.
  Outcome<std::size_t> look(const std::function<bool()>& goes_on) {
    const auto all = reader_.list();
    if (!all) return all.error();
    std::size_t left = 0;
    for (const FleetRecording& one : *all) {
      if (!goes_on()) return all->size();
      const std::string path = (fs::path(into_) / (one.node + "." + one.name + ".mcap")).string();
      std::error_code unknown;
      if (failed_.contains({one.node, one.name}) || fs::exists(path, unknown)) continue;
      if (!one.ended && !is_given_up(one)) {
        ++left;
        continue;
      }
      fs::remove(path + ".archiving", unknown);  // of an archive that died; this one has its lease
      const auto saved = reader_.save(one, path, goes_on);
      if (saved) {
        std::printf("%s: %llu bytes%s\n", screen_text(path).c_str(), static_cast<unsigned long long>(one.bytes),
                    one.complete ? "" : ", repaired: its end is missing");
        std::fflush(stdout);
        continue;
      }
      if (!goes_on()) return all->size();
      std::fprintf(stderr, "entente archive: %s.%s: %s\n", one.node.c_str(), one.name.c_str(),
                   screen_text(saved.error().text).c_str());
      failed_.emplace(one.node, one.name);
    }
    return left;
  }

 private:
  /// Nothing has come for long, and the node is gone.
  bool is_given_up(const FleetRecording& one) {
    const Millis now = steady_now();
    const auto [seen, fresh] = seen_.try_emplace({one.node, one.name}, one.bytes, now);
    if (!fresh && seen->second.first != one.bytes) seen->second = {one.bytes, now};
    const auto node_silent = reader_.silent_for(one.node, one.run);
    return now - seen->second.second >= silence_ && node_silent.value_or(silence_) >= silence_;
  }

  FleetReader& reader_;
  const std::string into_;
  const Millis silence_;
  using Key = std::pair<std::string, std::string>;        // node and name
  std::map<Key, std::pair<std::uint64_t, Millis>> seen_;  // size, and since when
  std::set<Key> failed_;                                  // not tried again
};

}  // namespace

void declare_archive(CLI::App& app, ArchiveOptions& options) {
  app.add_option("CONFIG", options.config, "Configuration file of any node of the fleet. Only its [fleet] is used")
      ->type_name("CONFIG")
      ->required();
  app.add_option("--to", options.into, "Folder for the files")->type_name("DIR")->required();
  app.add_option("--silence", options.silence, "Seconds of silence after which a node counts as gone (default: 30)")
      ->type_name("S")
      ->check(CLI::Range(3.0, 1e6).description(""));
  app.add_flag("--once", options.once, "Exit when all recordings that the fleet has now are in files");
  app.footer([] { return std::string(kAboutArchive); });
}

int run_archive(const ArchiveOptions& options) {
  std::error_code error;
  if (!fs::is_directory(options.into, error)) return failed(Error{options.into + " is no folder"});
  const auto reader = FleetReader::open(options.config);
  if (!reader) return failed(reader.error());
  const Interruption interruption;
  const Turn turn(**reader);
  Archive archive(**reader, options);
  const auto goes_on = [&] { return !Interruption::came() && turn.is_ours(); };
  std::string last_error;
  Millis told_at = steady_now() + kTell;
  for (Millis next = 0; !Interruption::came();) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kNap));
    if (!turn.is_ours() && steady_now() >= told_at) {
      std::fprintf(stderr, "entente archive: another archive writes; this one takes over when it is gone\n");
      told_at = std::numeric_limits<Millis>::max();
    }
    if (!turn.is_ours() || steady_now() < next) continue;
    next = steady_now() + kArchiveLook;
    const auto left = archive.look(goes_on);
    if (left && *left == 0 && options.once && goes_on()) return kOk;
    if (!left && left.error().text != last_error && !Interruption::came()) {
      last_error = left.error().text;
      std::fprintf(stderr, "entente archive: %s\n", screen_text(last_error).c_str());
    }
  }
  return kOk;
}

}  // namespace entente
