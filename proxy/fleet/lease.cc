#include "proxy/fleet/lease.h"

#include <utility>

#include "schema/fleet.pb.h"

namespace entente::fleet {
namespace {

constexpr std::uint64_t kNanos = 1'000'000;  // in a millisecond
constexpr Millis kLook = 50;                 // how often the own time is looked at

}  // namespace

Lease::Lease(BusLine& line, net::Loop& loop, User& user, const Subjects& names, std::string key, std::string node,
             std::uint64_t run, std::uint32_t replicas)
    : line_(line),
      loop_(loop),
      user_(user),
      bucket_(names.leases()),
      key_(std::move(key)),
      node_(std::move(node)),
      run_(run),
      replicas_(replicas),
      ticker_(loop, *this, kLook) {}

Lease::~Lease() { *alive_ = false; }

Buffer Lease::value(std::uint64_t epoch) {
  bus::Lease lease;
  lease.set_node(node_);
  lease.set_run(run_);
  lease.set_epoch(epoch);
  lease.set_renewals(renewals_);
  const std::string bytes = lease.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

void Lease::tick(Millis) {
  const std::uint64_t now = nanos();
  if (epoch_ != 0 && now >= *until_) lose();
  if (asks_ || released_ || !line_.connected()) return;
  const bool may_take = epoch_ == 0 && revision_ != 0 && now >= seen_at_ + kTaken * kNanos;
  if (now < asked_at_ + kRenew * kNanos && !may_take) return;
  asks_ = true;
  asked_at_ = now;
  // An answer may come when this lease is gone.
  const auto answer = [this, alive = alive_, now](const Kept& kept) {
    if (!*alive) return;
    asks_ = false;
    answered(kept, now);
  };
  if (!opened_) {
    BucketOptions options;
    options.name = bucket_;
    options.replicas = replicas_;
    return line_.open_bucket(options, [this, alive = alive_](const Kept& kept) {
      if (!*alive) return;
      asks_ = false;
      opened_ = kept.done();
    });
  }
  if (epoch_ != 0) {
    ++renewals_;
    return line_.update(bucket_, key_, value(epoch_), revision_, answer);
  }
  if (may_take) return line_.update(bucket_, key_, value(0), revision_, answer);
  line_.get(bucket_, key_, answer);
}

void Lease::answered(const Kept& kept, std::uint64_t asked_at) {
  switch (kept.how) {
    case Kept::How::kMissing:
      // Nobody has it, or its owner has let go.
      if (epoch_ != 0) lose();
      if (released_) return;
      asks_ = true;
      return line_.create(bucket_, key_, value(0), [this, alive = alive_, now = nanos()](const Kept& made) {
        if (!*alive) return;
        asks_ = false;
        if (made.done())
          renewed(made.entry.revision, now);
        else if (made.how == Kept::How::kConflict)
          look(made.entry);
      });
    case Kept::How::kDone:
      // The answer to get() has a value; that to update() has none.
      return kept.entry.value.empty() ? renewed(kept.entry.revision, asked_at) : look(kept.entry);
    case Kept::How::kConflict:
      return look(kept.entry);
    case Kept::How::kFailed:
      return;
  }
}

/// Somebody's entry, or our own, if the answer to a renewal was lost.
void Lease::look(const BusEntry& entry) {
  bus::Lease lease;
  const bool ours = lease.ParseFromArray(entry.value.data(), static_cast<int>(entry.value.size())) &&
                    lease.node() == node_ && lease.run() == run_;
  if (epoch_ != 0 && ours && lease.epoch() == epoch_) {
    revision_ = entry.revision;
    return;
  }
  if (epoch_ != 0) lose();
  if (entry.revision == revision_) return;
  revision_ = entry.revision;
  seen_at_ = nanos();
}

void Lease::renewed(std::uint64_t revision, std::uint64_t asked_at) {
  if (released_) return;
  revision_ = revision;
  const bool was_owner = epoch_ != 0;
  // An answer that took too long makes nobody an owner.
  const std::uint64_t until = asked_at + kValid * kNanos;
  if (nanos() >= until) return;
  if (!was_owner) epoch_ = revision;
  *until_ = until;
  if (!was_owner) user_.owns(epoch_);
}

void Lease::lose() {
  epoch_ = 0;
  *until_ = 0;
  seen_at_ = nanos();
  user_.lost();
}

void Lease::release() {
  released_ = true;
  if (epoch_ == 0) return;
  lose();
  line_.remove(bucket_, key_, [](const Kept&) {});
}

}  // namespace entente::fleet
