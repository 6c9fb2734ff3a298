#include "proxy/relay/upstream/upstreams.h"

#include <algorithm>
#include <cmath>

#include "proxy/base/hash.h"

namespace entente::relay {
namespace {

constexpr std::size_t kTurns = 64;   // how many of the queue may connect at once when a server is up
constexpr double kFirstShare = 0.1;  // of its weight, for a server that has just come up

/// FNV's low bits depend on few bits of the text: mixes them (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

UpstreamSet bit(const Upstream& server) { return UpstreamSet{1} << server.index; }

std::optional<std::size_t> index_in(std::int64_t dialect) {
  return dialect < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(dialect));
}

}  // namespace

// -- One server -------------------------------------------------------------------------------------------------------

Upstream::Upstream(std::size_t its_index, UpstreamOptions its_options, std::string its_name,
                   ServerAddresses its_addresses)
    : index(its_index),
      options(std::move(its_options)),
      name(std::move(its_name)),
      addresses(std::move(its_addresses)) {}

bool Upstream::succeeded(Millis now) {
  known_->succeeded_at = now;
  if (known_->state == State::kUp) return false;
  const std::lock_guard lock(known_->mutex);  // changes are told in their order
  const State before = known_->state.exchange(State::kUp);
  if (before == State::kUp) return false;
  known_->since = before == State::kDown ? now : 0;  // a server that was never down gets its whole share at once
  if (before == State::kDown && changed_) changed_(name, true, "");
  return before == State::kDown;
}

bool Upstream::failed(Millis now, const std::string& why) {
  const std::lock_guard lock(known_->mutex);
  known_->why = why;
  known_->failed_at = now;
  set_dialect(std::nullopt);
  if (known_->state.exchange(State::kDown) == State::kDown) return false;
  known_->since = now;
  if (changed_) changed_(name, false, why);
  return true;
}

void Upstream::set_dialect(std::optional<std::size_t> dialect) {
  if (options.dialect) return;
  known_->dialect = dialect ? static_cast<std::int64_t>(*dialect) : -1;
  if (dialect) known_->last_dialect = static_cast<std::int64_t>(*dialect);
}

std::optional<std::size_t> Upstream::dialect() const {
  return options.dialect ? options.dialect : index_in(known_->dialect);
}

std::optional<std::size_t> Upstream::last_dialect() const {
  return options.dialect ? options.dialect : index_in(known_->last_dialect);
}

std::string Upstream::why() const {
  const std::lock_guard lock(known_->mutex);
  return known_->why;
}

// -- All of a route ---------------------------------------------------------------------------------------------------

void Upstreams::open(std::vector<std::unique_ptr<Upstream>> servers, const UpstreamRules& rules) {
  servers_ = std::move(servers);
  rules_ = rules;
}

void Upstreams::share(const Upstreams& before) {
  for (const auto& server : servers_)
    for (const auto& other : before.servers_)
      if (server->name == other->name) server->share(*other);
}

void Upstreams::share_runs(const Upstreams& other) {
  if (rules_.launch.start == other.rules_.launch.start) starts_ = other.starts_;
  if (rules_.launch.stop == other.rules_.launch.stop) stops_ = other.stops_;
}

/// The server's weight, less while it starts slowly.
double Upstreams::share_of(const Upstream& server, Millis now) const {
  const Millis since = server.since();
  const double weight = server.options.weight;
  if (rules_.slow_start_ms == 0 || since == 0 || now >= since + rules_.slow_start_ms) return weight;
  const Millis up = now - std::min(now, since);  // the loops' times differ by a turn
  return weight * std::max(kFirstShare, static_cast<double>(up) / static_cast<double>(rules_.slow_start_ms));
}

/// The server with the highest rank is chosen.
double Upstreams::rank(const Upstream& server, const net::Address& client, Millis now) const {
  switch (rules_.policy) {
    case Policy::kFirst:
      return -static_cast<double>(server.index);
    case Policy::kLeast:
      return -(server.sessions() + 1.0) / share_of(server, now);
    case Policy::kHash:
      break;
  }
  // Rendezvous hashing with weights: if a server goes, only its own clients go elsewhere.
  const std::uint64_t bits = mixed(fnv1a(as_bytes(client.host_key().ip_text()), fnv1a(as_bytes(server.name))));
  const double uniform = (static_cast<double>(bits >> 11) + 0.5) / static_cast<double>(std::uint64_t{1} << 53);
  return -share_of(server, now) / std::log(uniform);
}

std::vector<std::string> Upstreams::names() const {
  std::vector<std::string> names;
  for (const auto& server : servers_) names.push_back(server->name);
  return names;
}

Upstream* Upstreams::choose(const net::Address& client, Millis now, UpstreamSet tried,
                            std::optional<std::size_t> dialect, bool only_up) const {
  Upstream* best = nullptr;
  int best_class = 3;
  double best_rank = 0;
  for (const auto& one : servers_) {
    Upstream& server = *one;
    if ((tried & bit(server)) != 0 || is_closed_to(server, client)) continue;
    if (!fits(server, dialect)) continue;
    const int its_class = server.is_down(now) ? 2 : server.is_full(now) ? 1 : 0;
    if (only_up && its_class == 2) continue;
    const double its_rank = rank(server, client, now);
    if (best != nullptr && (its_class > best_class || (its_class == best_class && its_rank <= best_rank))) continue;
    best = &server;
    best_class = its_class;
    best_rank = its_rank;
  }
  return best;
}

bool Upstreams::fits(const Upstream& server, std::optional<std::size_t> dialect) const {
  const auto speaks = server.dialect();
  if (!speaks && (rules_.needs_dialect || (dialect && rules_.detects_in_session))) return false;
  return !dialect || speaks.value_or(0) == *dialect;
}

bool Upstreams::any_up(Millis now) const {
  return std::any_of(servers_.begin(), servers_.end(),
                     [now](const auto& one) { return !one->drained() && !one->is_down(now); });
}

bool Upstreams::any_takes(Millis now, UpstreamSet among, bool only_up) const {
  return std::any_of(servers_.begin(), servers_.end(), [&](const auto& one) {
    return (among & bit(*one)) != 0 && !one->drained() && fits(*one, std::nullopt) && !(only_up && one->is_down(now));
  });
}

bool Upstreams::all_full(Millis now, UpstreamSet but) const {
  return any_up(now) && std::all_of(servers_.begin(), servers_.end(), [now, but](const auto& one) {
           return one->drained() || one->is_down(now) || one->is_full(now) || (but & bit(*one)) != 0;
         });
}

bool Upstreams::all_drained() const {
  return std::all_of(servers_.begin(), servers_.end(), [](const auto& one) { return one->drained(); });
}

net::Address Upstreams::any_address() const {
  const auto known = servers_.front()->addresses.all(0);
  return known.empty() ? net::Address() : known.front();
}

bool Upstreams::detects_any_in_session() const {
  return rules_.detects_in_session && std::any_of(servers_.begin(), servers_.end(),
                                                  [](const auto& one) { return !one->options.dialect.has_value(); });
}

// -- The queue --------------------------------------------------------------------------------------------------------

Upstreams::QueueTicket Upstreams::wait(std::uint64_t number, Millis since) {
  QueueTicket ticket;
  ticket.queue_ = this;
  ticket.claim_ = {since, number};
  for (const auto& server : servers_)
    if (server->options.slots != nullptr) server->options.slots->add(this, ticket.claim_);
  const std::lock_guard lock(mutex_);
  queue_.insert(number);
  return ticket;
}

std::size_t Upstreams::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size() + passing_;
}

UpstreamSet Upstreams::wanted_by_others(Millis now) const {
  UpstreamSet all = 0;
  for (const auto& server : servers_)
    if (others_want(*server, now)) all |= bit(*server);
  return all;
}

UpstreamSet Upstreams::QueueTicket::turn(Millis now) const {
  const bool up = std::any_of(queue_->servers_.begin(), queue_->servers_.end(), [now](const auto& one) {
    return !one->drained() && one->state() == Upstream::State::kUp && !one->is_scarce(now);
  });
  std::unique_lock lock(queue_->mutex_);
  std::size_t before = 0;
  for (const std::uint64_t other : queue_->queue_) {
    if (other >= claim_.number) break;
    if (++before >= (up ? kTurns : 1)) return 0;
  }
  lock.unlock();
  UpstreamSet its = 0;
  for (const auto& server : queue_->servers_) {
    const auto& slots = server->options.slots;
    if (!server->is_full(now) && (slots == nullptr || slots->has_turn(queue_, now))) its |= bit(*server);
  }
  return its;
}

void Upstreams::QueueTicket::set_passes(bool on) {
  if (queue_ == nullptr || passes_ == on) return;
  passes_ = on;
  const std::lock_guard lock(queue_->mutex_);
  if (on) {
    queue_->queue_.erase(claim_.number);
    ++queue_->passing_;
  } else {
    queue_->queue_.insert(claim_.number);
    --queue_->passing_;
  }
}

void Upstreams::QueueTicket::leave() {
  if (queue_ == nullptr) return;
  set_passes(false);
  for (const auto& server : queue_->servers_)
    if (server->options.slots != nullptr) server->options.slots->remove(queue_, claim_);
  const std::lock_guard lock(queue_->mutex_);
  queue_->queue_.erase(claim_.number);
  queue_ = nullptr;
}

// -- One session ------------------------------------------------------------------------------------------------------

const net::Address* UpstreamWalk::next(Millis now, const std::string& why) {
  if (upstreams_ == nullptr) return nullptr;
  std::string blame = why;
  if (server_ != nullptr && !looks_up_ && !blame.empty()) not_reached(now);
  while (looks_up_ || server_ == nullptr || next_ == addresses_.size()) {
    const bool closed = looks_up_ && upstreams_->is_closed_to(*server_, client_);  // since its lookup began
    if (!looks_up_ || closed) {
      if (server_ != nullptr && !looks_up_ && !blame.empty()) server_->failed(now, blame);
      looks_up_ = false;
      if (!choose(now)) return nullptr;
    }
    looks_up_ = !server_->addresses.look_up(now);
    if (looks_up_) return nullptr;
    addresses_ = server_->addresses.all(now);
    next_ = 0;
    blame = server_->addresses.why_none();
  }
  return &addresses_[next_++];
}

/// Chooses the next server. False: there is none.
bool UpstreamWalk::choose(Millis now) {
  server_ = std::exchange(first_, nullptr);
  if (server_ != nullptr && ((tried_ & bit(*server_)) != 0 || upstreams_->is_closed_to(*server_, client_) ||
                             !upstreams_->fits(*server_, dialect_)))
    server_ = nullptr;
  if (server_ == nullptr) server_ = upstreams_->choose(client_, now, tried_, dialect_, only_up_);
  if (server_ != nullptr) tried_ |= bit(*server_);
  return server_ != nullptr;
}

}  // namespace entente::relay
