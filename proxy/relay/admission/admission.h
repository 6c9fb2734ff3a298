// Decides who may come in, by address, number of sessions, sessions per address, and rate.
// Invariant: thread-safe, because players who are moved come from any worker. It knows addresses, counts and times, but
// no sockets. It forgets an address seconds after the last client from it left, and keeps nothing about an address that
// is not allowed. A place that is kept for an absent player counts for that player's address, but is given up when a
// connected player needs it.
// A listener has several parts if its routes are told apart by path: those of one path are one part. Each part counts
// its own sessions. Callers, who have not named a path yet, belong to none.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/base/limits.h"
#include "proxy/base/steady_wall.h"
#include "proxy/net/address.h"
#include "proxy/relay/admission/access.h"
#include "proxy/relay/admission/bans.h"
#include "proxy/relay/admission/bucket.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay {

/// How often a listener tidies its admission and its queries.
inline constexpr Millis kTidyEvery = 1'000;

class Admission {
 public:
  Admission() = default;
  /// A client must be allowed by each of `access`. `bans` may be null. While `*draining`, clients may come in only from
  /// addresses that have a kept place or seat, and only to resume (AcceptedClient::only_resumes); it may be null, too.
  /// Both outlive this.
  Admission(std::vector<Access> access, Bans* bans, const std::atomic<bool>* draining = nullptr)
      : access_(std::move(access)), bans_(bans), draining_(draining) {}

  /// As the constructor.
  void set_rules(std::vector<Access> access, Bans* bans, const std::atomic<bool>* draining);
  /// Sets the scope whose bans apply, in addition to those that apply everywhere.
  void set_ban_scope(BanScope scope);
  /// Sets who may come from now on.
  void set_access(std::vector<Access> access);

  /// Lets a client in (then leave() must follow at the end of its session), or returns why not.
  std::optional<Reason> enter(const net::Address& from, const Limits& limits, Millis now);
  /// The same for a player whom the operator moves here: the rate of its address does not count.
  std::optional<Reason> enter_moved(const net::Address& from, const Limits& limits, Millis now, std::size_t part = 0);
  void leave(const net::Address& from, std::size_t part = 0);

  // Callers: connections to a WebSocket listener whose clients have not asked for a WebSocket (http_caller.h). They are
  // no sessions, but share the rate of new ones; further requests have a rate of their own. As many may be open as
  // sessions, or this many if that is more: a browser opens several at once.
  static constexpr std::uint32_t kCallers = 1'024, kCallersOfAddress = 256;
  /// The same for further requests of an address: a second, and at once.
  static constexpr std::uint32_t kRequestsPerSecond = 100, kRequestsAtOnce = 1'024;
  /// Lets a caller in (then stop_calling() or begin_session() must follow), or returns why not.
  std::optional<Reason> call(const net::Address& from, const Limits& limits, Millis now);
  /// The same for a load balancer's health check, on any listener: neither bans nor access lists nor the rate of new
  /// clients count, because it is no player's.
  std::optional<Reason> call_for_check(const net::Address& from, const Limits& limits, Millis now);
  /// Whether a caller may have another request answered now. kTooFast: later.
  std::optional<Reason> request(const net::Address& from, const Limits& limits, Millis now);
  /// The caller begins a session (then leave() must follow), or the reason why it cannot and is still a caller.
  std::optional<Reason> begin_session(const net::Address& from, const Limits& limits, std::size_t part = 0);
  /// As begin_session(), for a client that has named its route: the bans in the scope of the route, and the rate of new
  /// clients of this part count, too.
  std::optional<Reason> begin_session_at(const net::Address& from, const Limits& limits, std::size_t part,
                                         const BanScope& scope, Millis now);
  void stop_calling(const net::Address& from);

  /// The rates that all clients of this address share. They are forgotten some seconds after its last client left.
  std::shared_ptr<SharedRates> rates(const net::Address& from, const Limits& limits, Millis now, std::size_t part = 0);
  /// A client inside lost its link, and its place is kept. Kept places do not cause anybody to be refused.
  void keep(const net::Address& from, std::size_t part = 0);
  /// Undoes keep(): the client is back, or its place is given up, and leave() follows.
  void unkeep(const net::Address& from, std::size_t part = 0);
  /// A player of this address left a shared room, which keeps the seat until `until` (as steady_seconds()). Until then,
  /// clients may come in from there while the route drains, as for keep(). The seat takes no place here.
  /// REQUIRES: called before leave().
  void may_return(const net::Address& from, std::time_t until);
  /// Whether the clients and the kept places of this address together exceed Limits::sessions_per_address.
  bool crowded_from(const net::Address& from, const Limits& limits, std::size_t part = 0) const;
  /// Whether the clients and the kept places of all addresses together exceed Limits::sessions.
  bool crowded(const Limits& limits, std::size_t part = 0) const;
  /// Why enter() would refuse this address, apart from its rate. Changes nothing, because the address may be forged.
  std::optional<Reason> objection(const net::Address& from, const Limits& limits) const;

  /// Why a client of this address that was let in, and has waited since, may not stay: a ban, or the lists of access.
  /// Whether the route drains does not count, because that keeps only newcomers out.
  std::optional<Reason> barred(const net::Address& from) const;
  /// The same for a client of the route with this scope.
  std::optional<Reason> barred(const net::Address& from, const BanScope& scope) const;

  /// Forgets addresses from which no client is inside, and none has come lately. REQUIRES: called once in `kTidyEvery`.
  void tidy(Millis now);

  /// Nobody is inside or calls, and no place is kept.
  bool empty() const;
  std::uint32_t inside() const;
  std::size_t known() const;

 private:
  struct Counts {
    std::uint32_t inside = 0, kept = 0, calling = 0;
  };
  using Count = std::uint32_t Counts::*;
  /// The sessions of an address in one part. `calling` is not used.
  struct OfPart : Counts {
    std::optional<Bucket> pace;  // of sessions, if there are several parts
    std::shared_ptr<SharedRates> rates;
  };
  struct AddressRecord : Counts {
    Bucket pace;      // of clients
    Bucket requests;  // of callers, beside the first of each
    std::vector<OfPart> parts = {};
    std::time_t seat_until = 0;  // as steady_seconds(): until when a seat of a shared room is kept
    bool keeps() const { return kept != 0 || steady_seconds() <= seat_until; }
  };
  /// Once this many addresses are known, a client from a new address is refused as "too fast".
  static constexpr std::size_t kMostKnown = 100'000;

  /// Null: too many addresses are known.
  AddressRecord* record_of(const net::Address& from, const Limits& limits, Millis now);
  std::optional<Reason> add_caller(AddressRecord& record, const Limits& limits);
  /// Counts the address against its rate, unless the player is moved here. Null: `why`.
  AddressRecord* admit(const net::Address& from, const Limits& limits, Millis now, bool moved, Reason& why);
  std::optional<Reason> let_in(const net::Address& from, const Limits& limits, Millis now, std::size_t part,
                               bool moved);
  std::optional<Reason> seat_caller(AddressRecord& record, const Limits& limits, std::size_t part);
  /// A client of this address is in another count now. Null: in none.
  void count(AddressRecord& record, Count from, Count to);
  void count(AddressRecord& record, std::size_t part, Count from, Count to);
  static void shift(Counts& counts, Count from, Count to);
  std::optional<Reason> bar(const net::Address& from, const BanScope& scope) const;
  std::optional<Reason> bar_by_address(const net::Address& from, const BanScope& scope) const;
  std::optional<Reason> full_part(const AddressRecord* record, const Limits& limits, std::size_t part) const;
  static std::optional<Reason> full(std::uint32_t all, std::uint32_t from_there, std::uint32_t most,
                                    std::uint32_t most_from_there);

  mutable std::mutex mutex_;
  std::vector<Access> access_;
  Bans* bans_ = nullptr;
  const std::atomic<bool>* draining_ = nullptr;
  BanScope ban_scope_;
  Counts all_;
  std::vector<Counts> parts_;  // of `all_`
  std::unordered_map<net::Address, AddressRecord, net::AddressHash> known_;
};

/// The place of a player who was moved to a route of another listener or path than its own, for as long as it is there.
class MovedPlace {
 public:
  MovedPlace() = default;
  /// REQUIRES: admission.enter_moved(from) let it into this part. `admission` outlives it.
  MovedPlace(Admission& admission, const net::Address& from, std::size_t part = 0)
      : admission_(&admission), from_(from), part_(part) {}
  MovedPlace(MovedPlace&& other) noexcept
      : admission_(std::exchange(other.admission_, nullptr)), from_(other.from_), part_(other.part_) {}
  MovedPlace& operator=(MovedPlace&& other) noexcept {
    std::swap(admission_, other.admission_);
    std::swap(from_, other.from_);
    std::swap(part_, other.part_);
    return *this;
  }
  ~MovedPlace() {
    if (admission_ != nullptr) admission_->leave(from_, part_);
  }
  bool is_in(const Admission& admission, std::size_t part = 0) const {
    return admission_ == &admission && part_ == part;
  }

 private:
  Admission* admission_ = nullptr;
  net::Address from_;
  std::size_t part_ = 0;
};

}  // namespace entente::relay
