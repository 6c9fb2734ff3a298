// The file of bans that survive a restart: one line each, "NET UNTIL WHY", with UNTIL as 2026-11-20T17:00:00Z or
// "forever".
// Law: a reader sees either the whole old file or the whole new one, because a new file replaces the old one.
#pragma once

#include <condition_variable>
#include <ctime>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/relay/admission/bans.h"

namespace entente {

/// No bans if there is no such file. Bans that ended before `now` are skipped. An error names the line that cannot
/// be read.
Outcome<std::vector<relay::Ban>> read_bans(const std::string& path, std::time_t now);

/// Keeps lines of the old file that begin with '#', at the top. REQUIRES: no control characters in the reasons.
Outcome<Done> write_bans(const std::string& path, const std::vector<relay::Ban>& bans);

/// "2026-11-20T17:00:00Z", "forever", which is also what comes after the year 9999.
std::string until_text(std::time_t until);

/// The bans of a running program and their file, if it has one. A ban that ends is removed from the file at once;
/// one that ended while no program ran, by load(). Bans by servers are not stored.
class KeptBans {
 public:
  /// `path`: empty = no file. `bans` outlives this.
  KeptBans(relay::Bans& bans, std::string path);
  ~KeptBans();
  KeptBans(const KeptBans&) = delete;
  KeptBans& operator=(const KeptBans&) = delete;

  /// Adds the bans of the file, and starts to watch for their ends. Once.
  Outcome<Done> load();
  /// Writes the current bans. From any thread.
  Outcome<Done> save();
  /// Writes the current bans after `ban` was added.
  Outcome<Done> save(const relay::Ban& ban);
  /// As save(), after the bans of this network were removed.
  Outcome<Done> save_without(const net::Network& who);
  /// What others are to know: each ban that is saved, and each network whose bans were removed (null). REQUIRES: before
  /// the first is saved.
  using Share = std::function<void(const net::Network& who, const relay::Ban* ban)>;
  void share_with(Share share) { share_ = std::move(share); }
  /// Another process has the file from now on; `tell` tells it of a ban.
  using Tell = std::function<Outcome<Done>(const relay::Ban& ban)>;
  void leave_file(Tell tell);

 private:
  Outcome<Done> write();
  void watch();

  relay::Bans& bans_;
  const std::string path_;
  Share share_;       // may be null
  std::mutex mutex_;  // guards the file and the members below
  std::condition_variable changed_;
  std::size_t in_file_ = 0;  // bans
  bool ends_ = false;
  Tell tell_;  // not null: another process has the file
  std::thread thread_;
};

}  // namespace entente
