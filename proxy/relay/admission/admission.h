// Who may come in: from where, how many are there, how many from one address, how fast they come.
// Law: knows addresses, counts and times only, no socket; what it keeps of an address that went is gone within seconds,
// and it keeps nothing of one that may not come at all. A place that is kept for somebody who lost his link counts for
// his address, and has to go when somebody else is there for it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/base/limits.h"
#include "proxy/net/address.h"
#include "proxy/relay/admission/access.h"
#include "proxy/relay/admission/bans.h"
#include "proxy/relay/admission/bucket.h"
#include "proxy/relay/sessions/reason.h"

namespace entente::relay {

/// How often a listener tidies its admission and its queries.
inline constexpr Millis kTidyEvery = 1'000;

class Admission {
 public:
  Admission() = default;
  /// Who comes must be let in by each access. `bans` may be null, and outlives it.
  Admission(std::vector<Access> access, Bans* bans) : access_(std::move(access)), bans_(bans) {}

  /// Which bans count, beside those that count everywhere.
  void set_place(BanPlace place) { place_ = std::move(place); }
  /// Of who comes from now on.
  void set_access(std::vector<Access> access) { access_ = std::move(access); }

  /// Lets one in (leave() must follow one day), or says why not.
  std::optional<Reason> enter(const net::Address& from, const Limits& limits, Millis now);
  void leave(const net::Address& from);
  /// Who is inside lost his link, and his place is kept for him: from now on that turns nobody away.
  void keep(const net::Address& from);
  /// He is inside again, or his place is given up, which is to be followed by leave().
  void take_back(const net::Address& from);
  /// Those inside from there and the places that are kept for others from there are more than may be together.
  bool crowded_from(const net::Address& from, const Limits& limits) const;
  /// The same of all.
  bool crowded(const Limits& limits) const { return limits.sessions && kept_ && inside_ + kept_ > limits.sessions; }
  /// Why nobody may enter from there now, however seldom he comes. Counts and keeps nothing: for who may be forged.
  std::optional<Reason> objection(const net::Address& from, const Limits& limits) const;

  /// Forgets who is not there and has not come lately. REQUIRES: called once in `kTidyEvery`.
  void tidy(Millis now);

  std::uint32_t inside() const { return inside_; }
  std::size_t known() const { return known_.size(); }

 private:
  struct Visitor {
    std::uint32_t inside = 0, kept = 0;
    Bucket pace;
  };
  /// Above this many addresses that nobody is inside from, a newcomer from a new one is "too fast".
  static constexpr std::size_t kMostKnown = 100'000;

  std::optional<Reason> bar(const net::Address& from) const;
  std::optional<Reason> full(std::uint32_t from_there, const Limits& limits) const;

  std::vector<Access> access_;
  Bans* bans_ = nullptr;
  BanPlace place_;
  std::uint32_t inside_ = 0, kept_ = 0;
  std::unordered_map<net::Address, Visitor, net::AddressHash> known_;
};

}  // namespace entente::relay
