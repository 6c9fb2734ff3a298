#include "proxy/fleet/lease.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "proxy/fleet/decode.h"
#include "schema/fleet.pb.h"

namespace entente::fleet {
namespace {

constexpr std::uint64_t kNanos = 1'000'000;      // in a millisecond
constexpr Millis kLook = 50;                     // how often the lease checks its own time
constexpr std::uint64_t kHighest = 1ULL << 62U;  // an epoch above is not believed

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

Buffer Lease::value(std::uint64_t epoch, bool free) const {
  bus::Lease lease;
  lease.set_node(node_);
  lease.set_run(run_);
  lease.set_epoch(epoch);
  lease.set_renewals(renewals_);
  lease.set_free(free);
  const std::string bytes = lease.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

void Lease::tick(Millis) {
  const std::uint64_t now = nanos();
  if (epoch_ != 0 && now >= *until_) lose();
  if (asks_ || now < not_before_ || !line_.connected()) return;
  if (taken_ != 0) {
    if (now >= confirm_at_) confirm();
    return;
  }
  const bool may_take = epoch_ == 0 && opened_ && looked_ && now >= free_at_;
  if (now < asked_at_ + kRenew * kNanos && !may_take) return;
  asked_at_ = now;
  if (!opened_) return open();
  if (epoch_ != 0) return renew();
  if (may_take) return take();
  line_.get(bucket_, key_, answer([this](const BucketResult& kept) { look(kept); }));
}

BusLine::BucketDone Lease::answer(std::function<void(const BucketResult&)> then) {
  asks_ = true;
  return [this, alive = alive_, then = std::move(then)](const BucketResult& kept) {
    if (!*alive) return;
    asks_ = false;
    // Perhaps the bucket is gone.
    if (kept.how == BucketResult::How::kFailed)
      opened_ = false;
    else
      then(kept);
  };
}

void Lease::open() {
  BucketOptions options;
  options.name = bucket_;
  options.replicas = replicas_;
  line_.open_bucket(options, answer([this](const BucketResult& kept) {
                      opened_ = true;
                      asked_at_ = 0;
                      // What was seen in another bucket does not hold for this one.
                      if (std::exchange(bucket_made_, kept.entry.revision) != kept.entry.revision) looked_ = false;
                    }));
}

void Lease::renew() {
  ++renewals_;
  line_.update(bucket_, key_, value(epoch_), revision_, answer([this, asked_at = asked_at_](const BucketResult& kept) {
                 if (!kept.done()) return look(kept);
                 revision_ = kept.entry.revision;
                 if (epoch_ != 0)
                   *until_ = asked_at + kValid * kNanos;
                 else
                   free_at_ = 0;  // the answer came too late: the entry is ours, but there is no owner
               }));
}

void Lease::take() {
  const std::uint64_t epoch = std::max(highest_ + 1, wall_now() / (1'000 * kNanos));
  const auto taken = answer([this, epoch](const BucketResult& kept) {
    if (!kept.done()) return look(kept);
    highest_ = epoch;
    revision_ = kept.entry.revision;
    if (nanos() < not_before_) return;
    taken_ = epoch;
    confirm_at_ = nanos() + kConfirm * kNanos;
  });
  if (revision_ == 0) return line_.create(bucket_, key_, value(epoch), taken);
  line_.update(bucket_, key_, value(epoch), revision_, taken);
}

void Lease::confirm() {
  ++renewals_;
  asked_at_ = nanos();
  const std::uint64_t epoch = std::exchange(taken_, 0);
  const std::uint64_t until = asked_at_ + kValid * kNanos;
  line_.update(bucket_, key_, value(epoch), revision_, answer([this, epoch, until](const BucketResult& kept) {
                 if (!kept.done()) return look(kept);
                 revision_ = kept.entry.revision;
                 if (nanos() < not_before_) return;
                 if (nanos() >= until) return void(free_at_ = 0);  // too late, as in renew()
                 epoch_ = epoch;
                 *until_ = until;
                 user_.owns(epoch);
               }));
}

/// Looks at the entry: another node's, or our own if the answer to a renewal was lost; or there is none.
void Lease::look(const BucketResult& kept) {
  const BusEntry& entry = kept.entry;
  bus::Lease lease;
  if (!decode(entry.value, lease)) lease.Clear();
  highest_ = std::max(highest_, std::min(lease.epoch(), kHighest));
  if (epoch_ != 0 && lease.epoch() == epoch_ && lease.node() == node_ && lease.run() == run_ && !lease.free()) {
    revision_ = entry.revision;
    return;
  }
  if (epoch_ != 0) lose();
  // Its content tells whether it was renewed. The revision does not: after a restart of a server, replicas may give the
  // same entry different ones.
  revision_ = entry.revision;
  if (std::exchange(looked_, true) && entry.value == seen_) return;
  seen_ = entry.value;
  free_at_ = nanos() + (lease.free() ? 0 : kTakeAfter * kNanos);
}

void Lease::lose() {
  epoch_ = 0;
  *until_ = 0;
  free_at_ = nanos() + kTakeAfter * kNanos;
  user_.lost();
}

void Lease::release(std::optional<Millis> pause) {
  not_before_ = pause ? nanos() + *pause * kNanos : std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t taken = std::exchange(taken_, 0);
  if (epoch_ == 0 && taken == 0) return;
  const std::uint64_t epoch = std::max(epoch_, taken);
  const Buffer free = value(epoch, true);
  if (epoch_ != 0) lose();
  const auto done = [](const BucketResult&) {};
  if (!asks_) return line_.update(bucket_, key_, free, revision_, done);
  // The order that is on its way gives the entry another revision, or ends when it has another owner.
  const auto is_ours = [epoch, node = node_, run = run_](const BusEntry& entry) {
    bus::Lease lease;
    return decode(entry.value, lease) && lease.epoch() == epoch && lease.node() == node && lease.run() == run;
  };
  line_.update_if(bucket_, key_, free, is_ours, done);
}

}  // namespace entente::fleet
