#include "proxy/program/fleet/fleet_bans.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/base/text.h"
#include "proxy/fleet/decode.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

constexpr Millis kBansStep = 1'000;                            // between checks for changes to send
constexpr Millis kApplyStep = 100;                             // between times when changes of others are applied
constexpr std::uint64_t kFromFile = 1;                         // the time of a change from a file: older than any other
constexpr std::uint64_t kAhead = 86'400'000'000'000ull;        // ns that another node's clock may be ahead
constexpr std::uint64_t kForget = 30 * 86'400'000'000'000ull;  // ns for which a lifted ban is remembered
constexpr std::int64_t kLongestShared = 3'651 * 86'400;        // s: the longest `ban --for`, plus kAhead
constexpr std::size_t kMostSwept = 100;                        // entries, each time

/// A key may not have colons.
std::string key_of(const bus::SharedBan& ban) {
  std::string key = (ban.kind() == bus::SharedBan::ban ? "net." : "access.") + ban.network();
  std::replace(key.begin(), key.end(), ':', '_');
  return key;
}

/// The time now, but not before the ban was changed: a clock that shows less was not set since the boot.
std::time_t now_or_changed(const bus::SharedBan& ban) {
  return std::max<std::time_t>(std::time(nullptr), static_cast<std::time_t>(ban.changed() / 1'000'000'000));
}

bool is_over(const bus::SharedBan& ban) {
  return !ban.lifted() && ban.until() != relay::Ban::kForGood && ban.until() <= now_or_changed(ban);
}

/// A longer ban comes from a file, or from a malicious node; it counts as permanent.
std::int64_t shared_until(const bus::SharedBan& ban) {
  return ban.until() > now_or_changed(ban) + kLongestShared ? relay::Ban::kForGood : ban.until();
}

/// By our wall clock.
std::time_t local_end_of(const bus::SharedBan& ban) {
  if (ban.until() == relay::Ban::kForGood) return relay::Ban::kForGood;
  return static_cast<std::time_t>(ban.until()) - (now_or_changed(ban) - std::time(nullptr));
}

/// As take() accepts it. A file may have any text.
std::string shared_why(std::string_view why) { return std::string(whole_characters(clean(why), kLongestSayable)); }

bus::SharedBan shared(const net::Network& who, const relay::Ban* ban) {
  bus::SharedBan made;
  made.set_network(who.text());
  made.set_lifted(ban == nullptr);
  if (ban == nullptr) return made;
  made.set_until(ban->until);
  made.set_why(shared_why(ban->why));
  return made;
}

bus::SharedBan shared(const net::Network& who, const relay::ListedNetwork* network) {
  bus::SharedBan made;
  made.set_network(who.text());
  made.set_lifted(network == nullptr);
  made.set_kind(network != nullptr && network->list == relay::ListedNetwork::List::kAllow ? bus::SharedBan::allow
                                                                                          : bus::SharedBan::deny);
  if (network != nullptr) made.set_why(shared_why(network->why));
  return made;
}

}  // namespace

FleetBans::FleetBans(fleet::BusLine& line, net::Loop& loop, User& user, const fleet::Subjects& names, std::string node,
                     std::uint32_t replicas, const Before& before, Millis sweep_every)
    : line_(line),
      user_(user),
      bucket_(names.bans()),
      node_(std::move(node)),
      replicas_(replicas),
      sweep_every_(sweep_every),
      loop_(loop),
      applying_(loop, *this),
      ticker_(loop, *this, kBansStep) {
  for (const relay::Ban& ban : before.file.bans)
    if (!ban.by_server && ban.where.empty()) know(shared(ban.who, &ban));
  for (const relay::ListedNetwork& network : before.file.listed) know(shared(network.who, &network));
  for (const bus::SharedBan& change : before.known) {
    bus::SharedBan& known = known_[key_of(change)].ban = change;
    known.set_why(shared_why(change.why()));  // an older version did not check it
  }
  line_.on_state([this](bool connected) {
    if (connected) return void(not_before_ = 0);
    opened_ = false;
    forget_bucket();  // after a reconnect, it may be another bucket
  });
  for (const auto& [key, its] : known_) unsent_.insert(key);
  watch();
  tick(0);
}

FleetBans::~FleetBans() { *alive_ = false; }

void FleetBans::watch() {
  watch_ = line_.watch(bucket_, ">", [this](const fleet::BusEntry* entry) { hear(entry); });
}

void FleetBans::list_again() {
  forget_bucket();
  line_.unwatch(watch_);
  watch();
}

/// What is in the bucket is not known until its entries are listed again.
void FleetBans::forget_bucket() {
  complete_ = left_some_out_ = false;
  for (auto& [key, its] : known_) its.forget_entry();
  for (const auto& [key, its] : known_) unsent_.insert(key);
}

FleetBans::Version FleetBans::version_of(const bus::SharedBan& ban) {
  const bool for_good = ban.until() == relay::Ban::kForGood;
  return {ban.changed(), !ban.lifted(), for_good ? UINT64_MAX : static_cast<std::uint64_t>(ban.until()),
          ban.kind() == bus::SharedBan::deny, ban.why()};
}

void FleetBans::know(bus::SharedBan ban) {
  ban.set_changed(kFromFile);
  ban.set_until(shared_until(ban));
  ban.set_node(node_);
  known_[key_of(ban)].ban = std::move(ban);
}

void FleetBans::changed(const net::Network& who, const relay::Ban* ban) { change(shared(who, ban)); }
void FleetBans::changed(const net::Network& who, const relay::ListedNetwork* network) { change(shared(who, network)); }

std::vector<bus::SharedBan> FleetBans::all() const {
  std::vector<bus::SharedBan> all;
  for (const auto& [key, its] : known_)
    if (!news_.contains(key)) all.push_back(its.ban);  // others will hear of it from the bucket
  return all;
}

void FleetBans::change(bus::SharedBan ban) {
  const std::string key = key_of(ban);
  Known& its = known_[key];
  ban.set_changed(std::max<std::uint64_t>(wall_now(), its.ban.changed() + 1));
  ban.set_until(shared_until(ban));
  ban.set_node(node_);
  news_.erase(key);  // it is in force already, and later than what was received
  its.ban = std::move(ban);
  note_unsent(key, its);
  tell();
}

void FleetBans::note_unsent(const std::string& key, const Known& its) {
  if (its.is_unsent() && (its.in_bucket || !is_over(its.ban)))
    unsent_.insert(key);
  else
    unsent_.erase(key);
}

void FleetBans::tick(Millis now) {
  if (complete_ && now >= sweep_at_) sweep();
  if (complete_ && left_some_out_ && known_.size() < kMost) list_again();
  if (!line_.connected() || asks_ || loop_.now() < not_before_) return;
  if (opened_ && loop_.now() < look_at_) return tell();
  asks_ = true;
  fleet::BucketOptions options;
  options.name = bucket_;
  options.replicas = replicas_;
  line_.open_bucket(options, [this, alive = alive_](const fleet::BucketResult& kept) {
    if (*alive) opened(kept);
  });
}

void FleetBans::opened(const fleet::BucketResult& kept) {
  if (kept.done()) {
    opened_ = true;
    look_at_ = loop_.now() + kLookAgain;
    const std::uint64_t before = std::exchange(made_, kept.entry.revision);
    if (before != 0 && before != made_) list_again();  // NATS has lost the one before
  }
  asked(kept, "open the bucket of bans", "");
  if (opened_ && waiting_ == 0) recover();  // otherwise only a sent change shows that nothing fails
}

void FleetBans::recover() {
  if (std::exchange(failures_, 0) > 1) log_info("fleet: bans are shared again");
}

void FleetBans::asked(const fleet::BucketResult& kept, const char* what, const char* advice) {
  asks_ = false;
  if (kept.done()) return tell();
  opened_ = false;  // perhaps NATS has lost the bucket
  not_before_ = 0;
  if (!line_.connected() || ++failures_ == 1) return;  // at first, it is tried again at once
  not_before_ = loop_.now() + kRetry;
  if (failures_ == 2) log_warn("fleet: cannot {}: {}{}", what, kept.why, advice);
}

void FleetBans::hear(const fleet::BusEntry* entry) {
  if (entry != nullptr) {
    take(*entry);
    if (complete_ && !news_.empty()) applying_.set(applied_at_ + kApplyStep * 1'000'000);
    return;
  }
  complete_ = true;
  for (auto& [key, its] : known_) {
    if (std::exchange(its.listed, false)) continue;
    its.forget_entry();  // the bucket does not have it
    note_unsent(key, its);
  }
  apply();
  sweep();
  tell();
}

void FleetBans::take(const fleet::BusEntry& entry) {
  if (entry.gone) {
    // A node has swept the entry. A node that has not received the end of the ban by then keeps the ban.
    const auto found = known_.find(entry.key);
    if (found == known_.end() || !found->second.in_bucket || entry.revision < found->second.revision) return;
    Known& its = found->second;
    if (!its.is_unsent()) return forget(found);
    its.in_bucket = {};  // a later change here is still to be sent
    its.revision = entry.revision;
    its.listed = true;
    return;
  }
  bus::SharedBan ban;
  const std::uint64_t now = wall_now();
  const bool decoded = fleet::decode(entry.value, ban);
  const auto who = decoded ? net::Network::parse(ban.network()) : Outcome<net::Network>(Error{""});
  const bool is_ban = ban.kind() == bus::SharedBan::ban;
  if (!who || who->text() != ban.network() || key_of(ban) != entry.key || !bus::SharedBan::Kind_IsValid(ban.kind()) ||
      (!is_ban && ban.until() != relay::Ban::kForGood) || ban.why() != clean(ban.why()) ||
      ban.why().size() > kLongestSayable || ban.changed() == 0 || (clock_is_set(now) && ban.changed() > now + kAhead) ||
      ban.until() < 0) {
    if (refused_++ == 0)
      log_warn("fleet: the entry {} of the bucket {} is invalid and is ignored; others are only counted",
               screen_text(entry.key), bucket_);
    return;
  }
  if (known_.size() >= kMost && !known_.contains(entry.key)) {
    left_some_out_ = true;
    if (left_out_++ == 0)
      log_warn("fleet: there are more than {} bans and networks; {} is left out, and others are only counted", kMost,
               ban.network());
    return;
  }
  ban.set_until(shared_until(ban));
  const Version version = version_of(ban);
  Known& its = known_[entry.key];
  its.listed = true;
  if (entry.revision >= its.revision) {
    its.in_bucket = version;
    its.revision = entry.revision;
  }
  if (version > version_of(its.ban)) {
    if (ban.changed() == kFromFile && its.ban.node() == node_) replaced_.insert(ban.network());
    its.ban = std::move(ban);
    news_.insert(entry.key);
  }
  note_unsent(entry.key, its);
}

void FleetBans::forget(std::map<std::string, Known>::iterator one) {
  unsent_.erase(one->first);
  known_.erase(one);
}

/// The user walks through all sessions for that, and writes a file: so it is done for many changes at once.
void FleetBans::rang() {
  if (complete_ && !news_.empty()) apply();
}

void FleetBans::apply() {
  applied_at_ = loop_.nanos();
  using enum relay::ListedNetwork::List;
  std::vector<relay::Ban> bans;
  std::vector<relay::ListedNetwork> listed;
  std::vector<net::Network> lifted, unlisted;
  for (const std::string& key : std::exchange(news_, {})) {
    const auto found = known_.find(key);
    if (found == known_.end()) continue;
    const bus::SharedBan& one = found->second.ban;
    const auto who = net::Network::parse(one.network());
    const bool is_ban = one.kind() == bus::SharedBan::ban;
    if (one.lifted())
      (is_ban ? lifted : unlisted).push_back(*who);
    else if (!is_ban)
      listed.push_back({*who, one.kind() == bus::SharedBan::allow ? kAllow : kDeny, one.why()});
    else if (!is_over(one))
      bans.push_back({*who, local_end_of(one), one.why(), false});
  }
  if (const auto replaced = std::exchange(replaced_, {}); !replaced.empty())
    log_warn("fleet: access.ban_file differs from another node's about {}{}; what bans for longer, or denies, counts",
             *replaced.begin(), replaced.size() > 1 ? " and " + counted(replaced.size() - 1, "other network") : "");
  const bool old = !std::exchange(knows_, true);
  if (!bans.empty() || !lifted.empty()) user_.learn(bans, lifted, old);
  if (!listed.empty() || !unlisted.empty()) user_.learn_listed(listed, unlisted);
}

/// Sends the changes that the bucket lacks, one after another.
void FleetBans::tell() {
  while (complete_ && !asks_ && loop_.now() >= not_before_ && !unsent_.empty()) {
    const std::string key = *unsent_.begin();
    Known& its = known_.at(key);
    // The others still have the change before it.
    if (is_over(its.ban) && its.in_bucket) its.ban.set_lifted(true);
    if (is_over(its.ban))
      unsent_.erase(key);
    else
      send(key, its);
  }
  waiting_ = unsent_.size();
}

void FleetBans::send(const std::string& key, const Known& its) {
  asks_ = true;
  line_.put(bucket_, key, as_bytes(its.ban.SerializeAsString()),
            [this, alive = alive_, key, sent = version_of(its.ban)](const fleet::BucketResult& kept) {
              if (!*alive) return;
              const auto put = known_.find(key);
              const bool is_known = kept.done() && put != known_.end();
              if (is_known && put->second.revision < kept.entry.revision) {
                put->second.in_bucket = sent;
                put->second.revision = kept.entry.revision;
                note_unsent(key, put->second);
              } else if (is_known && put->second.is_unsent()) {  // a later change, or another bucket: look first
                asks_ = false;
                look_at_ = 0;
                return;
              }
              if (kept.done()) recover();
              asked(kept, "send the bans of this node to the others", "; check that its account may write them");
            });
}

/// Removes ended bans, and entries that were lifted longer than kForget ago, so that the bucket does not grow for ever.
void FleetBans::sweep() {
  sweep_at_ = loop_.now() + sweep_every_;
  const std::uint64_t now = wall_now();
  std::size_t swept = 0;
  for (auto its = known_.begin(); its != known_.end() && swept < kMostSwept;) {
    const bus::SharedBan& ban = its->second.ban;
    const bool old = is_over(ban) || (ban.lifted() && ban.changed() + kForget < now);
    if (!old || (its->second.in_bucket && its->second.is_unsent())) {
      ++its;
      continue;
    }
    if (its->second.in_bucket) {
      line_.remove(bucket_, its->first, [](const fleet::BucketResult&) {});
      ++swept;
    }
    forget(its++);
  }
}

}  // namespace entente
