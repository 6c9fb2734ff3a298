// The way from a player's client to the server: delay, jitter, losses, outages, and delays that grow and shrink.
// Invariant: what is reliable arrives once and in order. A place that a later one has overtaken is not told.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "tests/judge/chance.h"

namespace entente::judged {

/// Seconds, and shares.
struct LinkQuality {
  double delay = 0.03, jitter = 0.005;
  double loss = 0;                ///< of what is not reliable
  double outage_every = 0;        ///< on average; 0: never
  double longest_outage = 0;      ///< nothing passes meanwhile
  bool queues = false;            ///< what an outage holds up arrives after it, all at once; otherwise it is lost
  double swell = 0, swell_s = 1;  ///< the delay grows by so much and shrinks again, in this time
};

class Link {
 public:
  Link(const LinkQuality& quality, Chance chance) : quality_(quality), chance_(chance) { plan_outage(0); }

  /// When what is sent now arrives; nothing: never. `now` never decreases.
  std::optional<double> send(double now, bool reliable) {
    if (quality_.outage_every > 0 && now >= outage_until_) plan_outage(now);
    const bool out = now >= outage_from_ && now < outage_until_;
    const bool lost = chance_.happens(quality_.loss);
    if (!reliable && ((out && !quality_.queues) || lost)) return std::nullopt;
    const double begin = out ? outage_until_ : now;
    const double again = reliable && lost ? chance_.between(0.2, 0.6) : 0;
    const double wave = std::sin(std::numbers::pi * now / quality_.swell_s);
    const double at =
        begin + quality_.delay + quality_.swell * wave * wave + chance_.exponential(quality_.jitter) + again;
    double& last = reliable ? last_reliable_ : last_place_;
    if (at < last && !reliable) return std::nullopt;
    return last = std::max(last, at);
  }
  /// From the server to the client.
  double back() const { return quality_.delay; }

 private:
  void plan_outage(double now) {
    if (quality_.outage_every <= 0) return;
    outage_from_ = now + chance_.exponential(quality_.outage_every);
    outage_until_ = outage_from_ + chance_.between(0.2, std::max(0.2, quality_.longest_outage));
  }

  LinkQuality quality_;
  Chance chance_;
  double outage_from_ = 0, outage_until_ = 0;
  double last_reliable_ = 0, last_place_ = 0;
};

}  // namespace entente::judged
