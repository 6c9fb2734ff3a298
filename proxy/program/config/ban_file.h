// The bans that outlast a process, in a file: a line each, "NET UNTIL WHY", UNTIL as 2026-11-20T17:00:00Z or "forever".
// Law: whoever reads the file sees all of it as it was, or all of it as it is: a new one takes the old one's place.
#pragma once

#include <condition_variable>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/relay/admission/bans.h"

namespace entente {

/// None if there is no such file; those that ended before `now` are left out. What cannot be read is an error with its
/// line.
Outcome<std::vector<relay::Ban>> read_bans(const std::string& path, std::time_t now);

/// Lines of the old file that begin with '#' stay, at the top. REQUIRES: no control characters in the reasons.
Outcome<Done> write_bans(const std::string& path, const std::vector<relay::Ban>& bans);

/// "2026-11-20T17:00:00Z", "forever".
std::string until_text(std::time_t until);

/// The bans of a running program and their file, if it has one. A ban that ends leaves the file at once; one that ended
/// while no program ran leaves it by load(). What servers banned is not kept.
class KeptBans {
 public:
  /// `path`: empty = no file. `bans` outlives this.
  KeptBans(relay::Bans& bans, std::string path);
  ~KeptBans();
  KeptBans(const KeptBans&) = delete;
  KeptBans& operator=(const KeptBans&) = delete;

  /// Adds the bans of the file, and begins to watch for their ends. Once.
  Outcome<Done> load();
  /// Writes the bans as they are now. From any thread.
  Outcome<Done> save();

 private:
  Outcome<Done> write();
  void watch();

  relay::Bans& bans_;
  const std::string path_;
  std::mutex mutex_;  // of the file and what follows
  std::condition_variable changed_;
  std::size_t in_file_ = 0;  // bans
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace entente
