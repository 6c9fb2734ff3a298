// The file of bans that survive a restart: one line each, "NET UNTIL WHY", with UNTIL as 2026-11-20T17:00:00Z or
// "forever". The networks that operators allow or deny are lines, too, with "allowed" or "denied" for UNTIL.
// Invariant: a reader sees either the whole old file or the whole new one, because a new file replaces the old one.
#pragma once

#include <ctime>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/program/base/housekeeping.h"
#include "proxy/relay/admission/bans.h"
#include "proxy/relay/admission/listed_networks.h"

namespace entente {

struct BanFile {
  std::vector<relay::Ban> bans;
  std::vector<relay::ListedNetwork> listed;
};

/// Empty if there is no such file. Bans that ended before `now` are skipped. An error names the line that cannot be
/// read.
Outcome<BanFile> read_bans(const std::string& path, std::time_t now);

/// Keeps lines of the old file that begin with '#', at the top. REQUIRES: no control characters in the reasons.
Outcome<Done> write_bans(const std::string& path, const BanFile& file);

/// "2026-11-20T17:00:00Z"; or "forever", also for times after the year 9999.
std::string until_text(std::time_t until);

/// The bans and listed networks of a running program and their file, if it has one. A ban that ends is removed from the
/// file at once, or by begin() if no program ran at that time. If the wall clock is set, the file gets the new ends
/// within a minute. Bans by servers are not stored. A write that failed is tried again every few seconds.
class KeptBans {
 public:
  static constexpr Millis kTryAgain = 10'000;
  static constexpr Millis kSoon = 1'000;  ///< between writes that save_soon() asks for

  /// `path`: empty = no file. The others outlive this. `files`: on it, bans that end are removed from the file.
  /// `try_again`: how long after a write that failed.
  KeptBans(relay::Bans& bans, relay::ListedNetworks& listed, std::string path, Housekeeping& files,
           Millis try_again = kTryAgain);
  /// Writes what save_soon() has asked for.
  ~KeptBans();
  KeptBans(const KeptBans&) = delete;
  KeptBans& operator=(const KeptBans&) = delete;

  /// Adds the bans and networks of the file. Another process may have the file: until begin(), nothing is written, and
  /// the others return Done. Call it once.
  Outcome<Done> load();
  /// This process has the file from now on: writes what was to be saved since load(), removes the bans that have ended,
  /// and watches for the ends of the others. REQUIRES: load() was called before.
  Outcome<Done> begin();
  /// Writes the current bans and networks. From any thread.
  Outcome<Done> save();
  /// Writes them on the thread of `files`: at once, but at most once in kSoon. Logs an error. For bans that may come in
  /// large numbers. From any thread.
  void save_soon();
  /// Writes the current bans after `ban` was added.
  Outcome<Done> save(const relay::Ban& ban);
  /// As save(), after the bans of this network were removed.
  Outcome<Done> save_without(const net::Network& who);
  /// Writes the current networks after this one was listed, or removed from its list (null).
  Outcome<Done> save_listed(const net::Network& who, const relay::ListedNetwork* network);
  /// Called with each ban that is saved, and each network whose bans were removed (null). REQUIRES: set before the
  /// first one is saved.
  using Share = std::function<void(const net::Network& who, const relay::Ban* ban)>;
  /// Called with each network that is listed, or was removed from its list (null).
  using ShareListed = std::function<void(const net::Network& who, const relay::ListedNetwork* network)>;
  void share_with(Share share, ShareListed share_listed) {
    share_ = std::move(share);
    share_listed_ = std::move(share_listed);
  }
  /// Another process is about to be told all bans, and may take over.
  void begin_leaving();
  /// The path, if what the other process has read from the file may be older than what is known here, because a write
  /// has failed; "": it is not.
  std::string stale_file();
  /// It does not take over.
  void stay();
  /// Another process has the file from now on; `tell` passes a ban on to it. Those that were saved since
  /// begin_leaving() are passed on at once.
  using Tell = std::function<Outcome<Done>(const relay::Ban& ban)>;
  void leave_file(Tell tell);

 private:
  Outcome<Done> write();
  Millis watch();

  relay::Bans& bans_;
  relay::ListedNetworks& listed_;
  const std::string path_;
  Housekeeping& files_;
  const Millis try_again_;
  Share share_;                       // may be null
  ShareListed share_listed_;          // may be null
  std::mutex mutex_;                  // guards the file and the members below
  bool waits_ = false;                // for begin(), after load()
  bool differs_ = false;              // something was to be saved meanwhile
  std::size_t in_file_ = 0;           // bans
  std::time_t ahead_in_file_ = 0;     // Bans::wall_is_ahead() when the ends in the file were written or read
  bool due_ = false;                  // save_soon() has asked for a write
  Millis tried_at_ = 0;               // when the last write was tried; 0: none
  bool owed_ = false;                 // the last write has failed
  std::optional<Millis> owed_until_;  // when the file was up to date again
  Millis next_try_ = 0;               // of a write that is owed
  Tell tell_;                         // not null: another process has the file
  std::optional<std::vector<relay::Ban>> since_;  // those saved since begin_leaving()
  std::optional<Housekeeping::Work> watch_;
};

}  // namespace entente
