// Finds the addresses of host names. A lookup blocks, for seconds if no name server answers, so that lookups run on
// threads of their own.
// Invariant: thread-safe. No call waits for a lookup. A name has one lookup at a time, and a fresh answer is used
// again, so that a flood of connections is no flood of queries. If a lookup fails, the addresses that were found before
// stay.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/net/address.h"

namespace entente::net {

/// Finds the addresses of a name, in the order in which to try them; their ports do not matter. May block.
using LookUp = std::function<Outcome<std::vector<Address>>(const std::string& host)>;

/// resolve(), with port 0.
Outcome<std::vector<Address>> look_up_by_system(const std::string& host);

class HostNames {
 public:
  static constexpr Millis kFresh = 1'000;     ///< how long an answer is used
  static constexpr Millis kPatience = 1'000;  ///< how long to wait for a lookup before earlier addresses are used
  static constexpr std::size_t kThreads = 4;  ///< lookups at once; further names wait for their turn

 private:
  struct Shared;

 public:
  /// One name.
  class Host : public std::enable_shared_from_this<Host> {
   public:
    Host(std::shared_ptr<Shared> shared, std::string its_name)
        : name(std::move(its_name)), shared_(std::move(shared)) {}

    const std::string name;

    /// Looks the name up, unless the last answer is fresh. Returns true if the addresses may be used now: they are
    /// fresh, or the lookup takes longer than kPatience. False: ask again soon. `now`: as of steady_now().
    bool look_up(Millis now);
    /// The addresses that the last successful lookup found; empty: none has succeeded yet.
    std::vector<Address> addresses() const;
    /// Why the last lookup failed; empty: it succeeded, or there was none.
    std::string why() const;
    /// How many lookups have ended.
    std::uint64_t answers() const;

   private:
    friend class HostNames;
    struct Answer {
      std::vector<Address> addresses = {};
      std::string why = {};
      std::uint64_t answers = 0;
    };
    const std::shared_ptr<Shared> shared_;
    // Under the mutex of shared_:
    Answer answer_;
    bool under_way_ = false;
    bool fresh_ = false;  // the last answer is used until kFresh after it
    Millis asked_at_ = 0, answered_at_ = 0;
  };

  /// `answered` is called after each lookup, on its thread; it must be quick, and must not call this object.
  /// `look_up` may be called until it returns even if this object is gone by then; `answered` and `clock` are not.
  explicit HostNames(std::function<void()> answered, LookUp look_up = look_up_by_system,
                     std::function<Millis()> clock = steady_now);
  /// Does not wait for lookups.
  ~HostNames();
  HostNames(const HostNames&) = delete;
  HostNames& operator=(const HostNames&) = delete;

  /// The host with this name. The first one starts the threads, or the first lookup for
  /// which the machine has some.
  std::shared_ptr<Host> host(const std::string& name);

  /// From now on, no answer is fresh.
  void expire();

  /// How many lookups have ended.
  std::uint64_t answers() const;

 private:
  static Outcome<Done> start(const std::shared_ptr<Shared>& shared);
  static void serve(const std::shared_ptr<Shared>& shared);

  const std::shared_ptr<Shared> shared_;
};

/// Why this can never be the name of a host (RFC 1123, RFC 1035); nothing if it can, or if it is an IP address.
std::string objection_to_host(std::string_view host);

}  // namespace entente::net
