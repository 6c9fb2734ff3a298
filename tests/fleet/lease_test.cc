// A lease: one owner at a time, also when the owner is cut off, and a new one soon after.
#include "proxy/fleet/lease.h"

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/fleet/decode.h"
#include "schema/fleet.pb.h"
#include "tests/support/nats_server.h"

namespace entente::fleet::lease_test {
namespace {

struct Candidate final : Lease::User {
  Candidate(const NatsServer& nats, net::Loop& on, const std::string& name, std::uint32_t replicas = 1)
      : loop(on), bus({.servers = {nats.url()}, .client = name}), line(std::in_place, bus, loop) {
    lease.emplace(*line, loop, *this, Subjects("entente"), "arena.field", name, 1, replicas);
  }
  void owns(std::uint64_t its) override {
    epochs.push_back(its);
    owned_at = loop.nanos();
  }
  void lost() override { lost_at = loop.nanos(); }

  net::Loop& loop;
  Bus bus;
  std::optional<BusLine> line;
  std::optional<Lease> lease;
  std::vector<std::uint64_t> epochs;
  std::uint64_t owned_at = 0, lost_at = 0;
};

/// All on one loop.
struct Field {
  /// Creates the bucket for leases with this entry. Returns whether both exist.
  bool has_entry(Candidate& of, const Buffer& value) {
    bool there = false;
    BucketOptions bucket;
    bucket.name = "entente-leases";
    of.line->open_bucket(bucket, [](const BucketResult&) {});
    of.line->put(bucket.name, "arena.field", value, [&](const BucketResult& kept) { there = kept.done(); });
    return until([&] { return there; });
  }
  bool until(const std::function<bool()>& done) {
    const auto end = steady_now() + 40'000;
    while (!done() && steady_now() < end) uv_run(loop.raw(), UV_RUN_ONCE);
    return done();
  }
  /// The entry, once the orders before are carried out.
  bus::Lease entry(Candidate& of) {
    bus::Lease found;
    bool read = false, asks = false;
    CHECK(until([&] {
      if (!read && !std::exchange(asks, true))
        of.line->get("entente-leases", "arena.field", [&](const BucketResult& kept) {
          read = kept.done() && decode(kept.entry.value, found);
          asks = false;
        });
      return read;
    }));
    return found;
  }
  net::Loop loop;
};

TEST_CASE("one of two owns; when it releases, the other owns with a higher epoch") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a"), b(nats, field.loop, "b");
    CHECK(field.until([&] { return a.lease->is_owner() || b.lease->is_owner(); }));
    CHECK(a.lease->is_owner() != b.lease->is_owner());
    Candidate& first = a.lease->is_owner() ? a : b;
    Candidate& other = a.lease->is_owner() ? b : a;
    const std::uint64_t epoch = first.epochs.back();
    // It is renewed for longer than its validity.
    const auto later = steady_now() + Lease::kTakeAfter + Lease::kRenew;
    field.until([&] { return steady_now() >= later; });
    CHECK(first.lease->is_owner());
    CHECK(first.epochs.size() == 1);
    first.lease->release();
    CHECK(!first.lease->is_owner());
    CHECK(*first.lease->until() == 0);
    CHECK(field.until([&] { return other.lease->is_owner(); }));
    CHECK(other.epochs.back() > epoch);
    for (Candidate* one : {&a, &b}) {
      one->lease.reset();
      one->line.reset();
    }
  }
  field.loop.run();
}

TEST_CASE("a lease that its owner gives up is taken sooner than that of a lost owner") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a"), b(nats, field.loop, "b");
    CHECK(field.until([&] { return a.lease->is_owner() || b.lease->is_owner(); }));
    bool soon = false;
    for (int times = 0; !soon && times < 5; ++times) {  // a busy machine may be late
      Candidate& first = a.lease->is_owner() ? a : b;
      Candidate& other = a.lease->is_owner() ? b : a;
      const std::uint64_t released_at = field.loop.nanos();
      first.lease->release(Lease::kTakeAfter);
      REQUIRE(field.until([&] { return a.lease->is_owner() || b.lease->is_owner(); }));
      soon = other.lease->is_owner() && other.owned_at < released_at + Lease::kTakeAfter * 1'000'000;
    }
    CHECK(soon);
    for (Candidate* one : {&a, &b}) {
      one->lease.reset();
      one->line.reset();
    }
  }
  field.loop.run();
}

/// An owner whose renewal is on its way, because NATS answers nobody, unless the machine is too busy.
void hold_renewal(Field& field, const Candidate& owner, const NatsServer& nats) {
  REQUIRE(field.until([&] { return owner.lease->is_owner(); }));
  nats.freeze();
  const std::uint64_t frozen_at = field.loop.nanos();
  field.until([&] { return field.loop.nanos() >= frozen_at + 2 * Lease::kRenew * 1'000'000; });
}

TEST_CASE("an owner that gives up its lease while a renewal is on its way frees its entry") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    bool is_free = false;
    for (int times = 0; !is_free && times < 5; ++times) {  // a busy machine may be late
      hold_renewal(field, a, nats);
      a.lease->release(Lease::kTakeAfter);
      nats.thaw();
      is_free = field.entry(a).free();
    }
    CHECK(is_free);
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("an owner that gives up its lease never frees the entry of a later owner, however late its order comes") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  for (const std::uint64_t later_by : {1U, 0U}) {  // nodes that take it at the same moment may have the same epoch
    Candidate a(nats, field.loop, "a");
    hold_renewal(field, a, nats);
    bus::Lease later;
    later.set_node("b");
    later.set_run(1);
    later.set_epoch(a.epochs.back() + later_by);
    const std::string bytes = later.SerializeAsString();
    bool there = false;  // after the renewal, and before what follows
    a.line->put("entente-leases", "arena.field", as_bytes(bytes),
                [&](const BucketResult& kept) { there = kept.done(); });
    a.lease->release();
    nats.thaw();
    const bus::Lease entry = field.entry(a);
    if (there) CHECK(entry.SerializeAsString() == bytes);
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("an owner that is cut off stops before another one starts") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    Candidate b(nats, field.loop, "b");
    CHECK(field.until([&] { return b.line->connected(); }));
    // NATS answers nobody. To the owner this looks like being cut off.
    nats.freeze();
    CHECK(field.until([&] { return !a.lease->is_owner(); }));
    CHECK(a.lost_at >= a.owned_at + Lease::kValid * 1'000'000 / 2);
    CHECK(*a.lease->until() == 0);
    CHECK(b.epochs.empty());
    nats.thaw();
    CHECK(field.until([&] { return a.lease->is_owner() || b.lease->is_owner(); }));
    CHECK(a.lease->is_owner() != b.lease->is_owner());
    const std::uint64_t again = a.lease->is_owner() ? a.epochs.back() : b.epochs.back();
    CHECK(again > a.epochs.front());
    for (Candidate* one : {&a, &b}) {
      one->lease.reset();
      one->line.reset();
    }
  }
  field.loop.run();
}

TEST_CASE("a renewal is valid from when it was asked for, however late its answer comes") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    nats.freeze();
    const std::uint64_t frozen_at = field.loop.nanos();
    field.until([&] { return field.loop.nanos() >= frozen_at + 2 * Lease::kRenew * 1'000'000; });
    const std::uint64_t before = *a.lease->until(), thawed_at = field.loop.nanos();
    nats.thaw();
    CHECK(field.until([&] { return *a.lease->until() != before; }));
    CHECK(*a.lease->until() < thawed_at + Lease::kValid * 1'000'000);
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("an owner goes on if its own entry has another revision, as after the lost answer to a renewal") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    Buffer own;
    a.line->get("entente-leases", "arena.field", [&](const BucketResult& kept) { own = kept.entry.value; });
    CHECK(field.until([&] { return !own.empty(); }));
    std::uint64_t there_at = 0;
    a.line->put("entente-leases", "arena.field", own, [&](const BucketResult& kept) {
      if (kept.done()) there_at = field.loop.nanos();
    });
    CHECK(field.until([&] { return there_at != 0; }));
    // A renewal that was asked for later succeeds.
    CHECK(field.until(
        [&] { return a.lost_at != 0 || *a.lease->until() > there_at + Lease::kValid * std::uint64_t{1'000'000}; }));
    CHECK(a.lost_at == 0);
    CHECK(a.epochs.size() == 1);
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("an owner that released for a while owns again if no other node does") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    const std::uint64_t released_at = field.loop.nanos();
    a.lease->release(1'000);
    CHECK(!a.lease->is_owner());
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    CHECK(a.owned_at >= released_at + 1'000'000'000);
    CHECK(a.epochs.back() > a.epochs.front());
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("an invalid entry makes no node the owner before the waiting time has passed") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  for (const Buffer& value : {Buffer(), Buffer{1, 2, 3}}) {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.line->connected(); }));
    REQUIRE(field.has_entry(a, value));
    const std::uint64_t since = field.loop.nanos();
    CHECK(a.epochs.empty());
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    CHECK(a.owned_at >= since + Lease::kTakeAfter * 1'000'000);
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("an entry that gets new revisions without renewal is taken") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.line->connected(); }));
    std::uint64_t next = 0;
    CHECK(field.until([&] {
      if (field.loop.nanos() >= next && !a.lease->is_owner()) {
        REQUIRE(field.has_entry(a, {1, 2, 3}));
        next = field.loop.nanos() + Lease::kTakeAfter / 2 * 1'000'000;
      }
      return a.lease->is_owner();
    }));
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("a node that has slept does not take the entry of another one that owns meanwhile") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field, other;
  {
    Candidate a(nats, field.loop, "a"), b(nats, other.loop, "b");
    CHECK(field.until([&] { return a.line->connected(); }));
    REQUIRE(field.has_entry(a, {1, 2, 3}));
    const auto pass = [](Field& of, Millis time) {
      const Millis end = steady_now() + time;
      CHECK(of.until([&] { return steady_now() >= end; }));
    };
    pass(other, Lease::kTakeAfter / 2);  // it sees the entry
    REQUIRE(field.until([&] { return a.lease->is_owner(); }));
    const std::size_t before = b.epochs.size();
    const Millis woke = steady_now();
    pass(other, 4 * Lease::kConfirm);                           // it would take the entry now
    const bool soon = steady_now() < woke + Lease::kTakeAfter;  // not on a busy machine
    CHECK((b.epochs.size() == before || !soon));
    CHECK((field.entry(a).node() == "a" || !soon));
    for (Candidate* one : {&a, &b}) {
      one->lease.reset();
      one->line.reset();
    }
  }
  field.loop.run();
  other.loop.run();
}

TEST_CASE("a node that gives up a lease that it does not own leaves the entry as it is") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.line->connected(); }));
    const Buffer entry{1, 2, 3};
    const Millis began = steady_now();
    REQUIRE(field.has_entry(a, entry));
    const Millis seen = steady_now() + Lease::kTakeAfter / 2;
    CHECK(field.until([&] { return steady_now() >= seen; }));
    const bool soon = steady_now() < began + Lease::kTakeAfter;  // on a busy machine, it may have taken it
    a.lease->release();
    std::optional<Buffer> kept;
    a.line->get("entente-leases", "arena.field", [&](const BucketResult& its) { kept = its.entry.value; });
    CHECK(field.until([&] { return kept.has_value(); }));
    CHECK((kept == entry || !soon));
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("a bucket for leases with more copies than there are servers is not made; one that is there is used") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a", 3);
    CHECK(field.until([&] { return a.bus.counts().failures >= 2; }));
    CHECK(a.epochs.empty());
    REQUIRE(field.has_entry(a, {1, 2, 3}));
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("a node owns only after it has renewed the entry that it took") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    const bus::Lease entry = field.entry(a);
    CHECK(entry.node() == "a");
    CHECK(entry.renewals() >= 1);
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("the epoch of a new owner is higher than that of the last one, however far its clock was ahead") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.line->connected(); }));
    constexpr std::uint64_t kAhead = 1ULL << 40U;
    bus::Lease given_up;
    given_up.set_epoch(kAhead);
    given_up.set_free(true);
    const std::string bytes = given_up.SerializeAsString();
    REQUIRE(field.has_entry(a, {bytes.begin(), bytes.end()}));
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    CHECK(a.epochs.back() > kAhead);
    a.lease->release();
    Candidate b(nats, field.loop, "b");
    CHECK(field.until([&] { return b.lease->is_owner(); }));
    CHECK(b.epochs.back() > a.epochs.back());
    for (Candidate* one : {&a, &b}) {
      one->lease.reset();
      one->line.reset();
    }
  }
  field.loop.run();
}

TEST_CASE("an epoch that no owner can have is not believed") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a");
    CHECK(field.until([&] { return a.line->connected(); }));
    bus::Lease absurd;
    absurd.set_epoch(UINT64_MAX);
    absurd.set_free(true);
    const std::string bytes = absurd.SerializeAsString();
    REQUIRE(field.has_entry(a, {bytes.begin(), bytes.end()}));
    CHECK(field.until([&] { return a.lease->is_owner(); }));
    CHECK(a.epochs.back() == (1ULL << 62U) + 1);
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("an owner stops when its entry is another process's, of the same node, or of another epoch, or is free") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  const std::function<void(bus::Lease&)> changes[] = {
      [](bus::Lease& lease) { lease.set_run(2); },
      [](bus::Lease& lease) { lease.set_node("b"); },
      [](bus::Lease& lease) { lease.set_epoch(lease.epoch() + 1); },
      [](bus::Lease& lease) { lease.set_free(true); },
  };
  for (const auto& change : changes) {
    Candidate a(nats, field.loop, "a");
    REQUIRE(field.until([&] { return a.lease->is_owner(); }));
    bus::Lease entry = field.entry(a);
    change(entry);
    const std::string bytes = entry.SerializeAsString();
    a.line->put("entente-leases", "arena.field", as_bytes(bytes), [](const BucketResult&) {});
    CHECK(field.until([&] { return a.lost_at != 0; }));
    CHECK(*a.lease->until() == 0);
    a.lease.reset();
    a.line.reset();
  }
  field.loop.run();
}

TEST_CASE("a lease that was released for ever is not taken again") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a"), b(nats, field.loop, "b");
    a.lease->release();
    REQUIRE(field.until([&] { return b.lease->is_owner(); }));
    b.lease->release();
    Candidate c(nats, field.loop, "c");
    CHECK(field.until([&] { return c.lease->is_owner(); }));
    CHECK(a.epochs.empty());
    CHECK(b.epochs.size() == 1);
    CHECK_FALSE(b.lease->is_owner());
    for (Candidate* one : {&a, &b, &c}) {
      one->lease.reset();
      one->line.reset();
    }
  }
  field.loop.run();
}

/// Waits until the node has taken an entry that was free. Returns the epoch of its own; 0: it owns it already, because
/// the machine is busy.
std::uint64_t takes(Field& field, Candidate& of, std::uint64_t epoch) {
  bus::Lease given_up;
  given_up.set_epoch(epoch);
  given_up.set_free(true);
  const std::string bytes = given_up.SerializeAsString();
  REQUIRE(field.until([&] { return of.line->connected(); }));
  REQUIRE(field.has_entry(of, {bytes.begin(), bytes.end()}));
  bus::Lease entry;
  while (entry.node().empty()) entry = field.entry(of);
  return of.lease->is_owner() ? 0 : entry.epoch();
}

TEST_CASE("a node that gives up a lease that it has taken, but not confirmed, frees it, and never owns it") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  bool is_free = false;
  for (std::uint64_t times = 0; !is_free && times < 5; ++times) {
    Candidate a(nats, field.loop, "a");
    if (takes(field, a, times) != 0) {
      a.lease->release();
      is_free = field.entry(a).free();
      CHECK(a.epochs.empty());
    }
    a.lease.reset();
    a.line.reset();
  }
  CHECK(is_free);
  field.loop.run();
}

TEST_CASE("a node that gives up a lease while it confirms it does not own it") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  bool is_confirmed = false;
  for (std::uint64_t times = 0; !is_confirmed && times < 5; ++times) {
    Candidate a(nats, field.loop, "a");
    if (takes(field, a, times) != 0) {
      nats.freeze();
      const std::uint64_t later = field.loop.nanos() + 3 * Lease::kConfirm * 1'000'000;
      field.until([&] { return field.loop.nanos() >= later; });
      const bool was_owner = a.lease->is_owner();
      a.lease->release();
      nats.thaw();
      is_confirmed = !was_owner && field.entry(a).renewals() != 0;
      if (!was_owner) CHECK(a.epochs.empty());
      CHECK(*a.lease->until() == 0);
    }
    a.lease.reset();
    a.line.reset();
  }
  CHECK(is_confirmed);
  field.loop.run();
}

TEST_CASE("a node whose confirmation comes too late does not own what it has taken, but takes it again at once") {
  if (NatsServer::is_missing()) return;
  const NatsServer nats;
  Field field;
  bool was_late = false;
  for (std::uint64_t times = 0; !was_late && times < 5; ++times) {
    Candidate a(nats, field.loop, "a");
    if (const std::uint64_t taken = takes(field, a, times); taken != 0) {
      nats.freeze();
      // Later than the lease is valid, and sooner than the order fails.
      const std::uint64_t later = field.loop.nanos() + (Lease::kValid + 2 * Lease::kConfirm) * 1'000'000;
      field.until([&] { return field.loop.nanos() >= later; });
      const bool was_owner = !a.epochs.empty();
      const std::uint64_t thawed_at = field.loop.nanos();
      nats.thaw();
      CHECK(field.until([&] { return a.lease->is_owner(); }));
      if (!was_owner) CHECK(a.epochs.front() > taken);
      was_late = !was_owner && a.owned_at < thawed_at + Lease::kTakeAfter * 1'000'000;
    }
    a.lease.reset();
    a.line.reset();
  }
  CHECK(was_late);
  field.loop.run();
}

TEST_CASE("NATS loses its data: there is an owner again, with a higher epoch, and never two") {
  if (NatsServer::is_missing()) return;
  NatsServer nats;
  Field field;
  {
    Candidate a(nats, field.loop, "a"), b(nats, field.loop, "b");
    CHECK(field.until([&] { return a.lease->is_owner() || b.lease->is_owner(); }));
    Candidate& first = a.lease->is_owner() ? a : b;
    Candidate& other = a.lease->is_owner() ? b : a;
    const std::uint64_t epoch = first.epochs.back();
    nats.kill();
    nats.start_empty();
    CHECK(field.until([&] { return !first.lease->is_owner(); }));
    CHECK(other.epochs.empty());
    CHECK(field.until([&] { return a.lease->is_owner() || b.lease->is_owner(); }));
    CHECK(a.lease->is_owner() != b.lease->is_owner());
    CHECK((a.lease->is_owner() ? a : b).epochs.back() > epoch);
    for (Candidate* one : {&a, &b}) {
      one->lease.reset();
      one->line.reset();
    }
  }
  field.loop.run();
}

}  // namespace
}  // namespace entente::fleet::lease_test
