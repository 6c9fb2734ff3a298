// One server in one public list: kept there as long as it takes players, and removed after that.
// Invariant: lives on the thread of public lists, which never waits. A list that fails is left alone for longer and
// longer. Nothing that a list answers is kept but the reason why it refuses, and that is cut.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "proxy/net/enet/enet_host.h"
#include "proxy/net/names/host_names.h"
#include "proxy/net/web/http_client.h"
#include "proxy/program/settings/public_list.h"

namespace entente {

/// A listener whose game has a list, as it is now.
struct PublicServer {
  std::string name;  ///< of the listener, as `entente ctl` calls it
  std::string game;
  std::size_t dialect = 0;
  std::uint16_t port = 0;                       ///< where players connect
  std::uint32_t players = 0, most_players = 0;  ///< most 0: any number
  std::string map = {}, mode = {};
};

struct ListTimes {
  Millis look = 5'000;     ///< how often it is seen who plays
  Millis change = 60'000;  ///< how often a list is told a change, at most
  Millis again = 900'000;  ///< how often it is told although nothing has changed
  Millis answer = 15'000;  ///< for an answer, or a connection
  Millis retry = 30'000;   ///< after a failure; twice as long after each further one
  Millis most_retry = 900'000;
  Millis at_end = 5'000;  ///< for all removals when the program stops
};

/// Thread-safe.
class AnnouncementState {
 public:
  struct Report {
    bool listed = false;
    std::uint64_t told = 0, failed = 0;
    std::string error;  ///< "": the last try did not fail
  };
  Report report() const {
    const std::lock_guard lock(mutex_);
    return report_;
  }
  void set(bool listed, const std::string& error);
  /// Counts from where `before` ended.
  void count_on(const Report& before);

 private:
  mutable std::mutex mutex_;
  Report report_;
};

class PublicAnnouncement {
 public:
  static constexpr Millis kNever = std::numeric_limits<Millis>::max();

  PublicAnnouncement(std::string its_name, std::string its_list, PublicListSettings settings, const ListTimes& times)
      : name(std::move(its_name)), list(std::move(its_list)), times_(times), settings_(std::move(settings)) {}
  virtual ~PublicAnnouncement() = default;

  /// `server`: as it is now; null: it is to be in the list no more. Returns when to call again at the latest.
  virtual Millis look(const PublicServer* server, Millis now) = 0;
  /// It is in the list, or on the way there or out of it.
  virtual bool is_open() const = 0;
  /// REQUIRES: has_same_entry() as those so far. The list is told a new title soon.
  void set(const PublicListSettings& settings) {
    settings_ = settings;
    told_at_ = 0;
  }
  /// The program stops: one try to remove it, and no more.
  void hurry() { hurries_ = true; }
  /// Another process has its place in the list, and keeps it. look(nullptr) follows.
  virtual void abandon() = 0;

  const std::string name, list;  ///< of the server's listener; and where the list is
  const std::shared_ptr<AnnouncementState> state = std::make_shared<AnnouncementState>();

 protected:
  void succeed(bool listed, Millis now);
  void fail(const std::string& why, Millis now, bool adds = true);

  const ListTimes times_;
  PublicListSettings settings_;
  Millis told_at_ = 0;  // when the list was last told something; 0: it is told at once
  bool hurries_ = false;
  unsigned failures_ = 0;  // in a row
  Millis due_ = 0;         // not to be tried before
};

/// In BZFlag's list. All outlive it. `tell`: look() is needed soon.
std::unique_ptr<PublicAnnouncement> announce_bzflag(const PublicListSettings& settings, const std::string& name,
                                                    const ListTimes& times, net::HttpClient& client,
                                                    net::HostNames& names, std::function<void()> tell);
/// At the master of Ace of Spades.
std::unique_ptr<PublicAnnouncement> announce_aos(const PublicListSettings& settings, const std::string& name,
                                                 const ListTimes& times, net::Loop& loop, net::HostNames& names,
                                                 std::function<void()> tell);

}  // namespace entente
