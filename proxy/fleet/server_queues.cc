#include "proxy/fleet/server_queues.h"

#include <algorithm>

#include "proxy/base/hash.h"
#include "proxy/fleet/decode.h"
#include "proxy/net/network.h"
#include "schema/fleet.pb.h"

namespace entente::fleet {
namespace {

bool is_of_this_machine(const std::string& host) {
  const auto address = net::Address::parse(host, 0);
  return host == "localhost" || host == "::1" || (address && net::is_loopback_v4(*address));
}

template <class Map, class Before>
void erase_first(Map& map, Before&& before) {
  map.erase(std::min_element(map.begin(), map.end(),
                             [&](const auto& a, const auto& b) { return before(a.second, b.second); }));
}

}  // namespace

std::string queue_key(const relay::UpstreamOptions& server, const std::string& machine) {
  const std::string here = is_of_this_machine(server.host) ? " " + machine : "";
  return std::to_string(fnv1a(as_bytes(server.host + " " + std::to_string(server.port) + here + "\n")));
}

std::shared_ptr<relay::SlotQueue> SlotQueues::of(const relay::UpstreamOptions& server) {
  const std::string key = queue_key(server, machine_);
  const std::lock_guard lock(mutex_);
  std::weak_ptr<relay::SlotQueue>& known = queues_[key];
  auto queue = known.lock();
  if (queue == nullptr) known = queue = std::make_shared<relay::SlotQueue>();
  return queue;
}

std::vector<std::pair<std::string, std::shared_ptr<relay::SlotQueue>>> SlotQueues::all() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::shared_ptr<relay::SlotQueue>>> all;
  for (auto at = queues_.begin(); at != queues_.end();) {
    auto queue = at->second.lock();
    if (queue == nullptr) {
      at = queues_.erase(at);
      continue;
    }
    all.emplace_back((at++)->first, std::move(queue));
  }
  return all;
}

// -- What others claim ------------------------------------------------------------------------------------------------

ForeignClaims::Heard ForeignClaims::hear(const std::string& name, Bytes bytes, Millis now) {
  bus::SeatClaims said;
  const auto is_absurd = [](const auto& claim) { return claim.waited_ms() > kLongestWait; };
  if (!decode(bytes, said) || said.claims_size() > static_cast<int>(relay::SlotQueue::kMostClaims) ||
      std::any_of(said.claims().begin(), said.claims().end(), is_absurd))
    return Heard::kNonsense;
  const auto longer_silent = [](const auto& a, const auto& b) { return a.heard < b.heard; };
  if (nodes_.size() >= kMostNodes && !nodes_.contains(name)) erase_first(nodes_, longer_silent);
  Node& node = nodes_.try_emplace(name, Node{began_, {}}).first->second;
  if (node.runs.size() >= kMostRuns && !node.runs.contains(said.run())) erase_first(node.runs, longer_silent);
  const auto [at, fresh] = node.runs.try_emplace(said.run());
  Run& run = at->second;
  const Millis first = node.heard - std::min(node.heard, kSlack);
  ++run.messages;
  for (const auto& told : said.claims()) {
    const Millis since = std::max(first, now - std::min<Millis>(now, told.waited_ms()));
    Claim& claim = run.claims.try_emplace(told.link(), Claim{since}).first->second;
    claim.told_at = now;
    claim.message = run.messages;
  }
  const bool many = run.claims.size() > kMostRemembered;
  std::erase_if(run.claims, [&](const auto& one) {
    return one.second.message != run.messages && (many || one.second.told_at + kKept < now);
  });
  node.heard = run.heard = now;
  const bool freed = !fresh && said.freed() > run.freed && now >= hinted_ + kHint;
  run.freed = said.freed();
  if (freed) hinted_ = now;
  return freed ? Heard::kFreed : Heard::kNothing;
}

std::optional<Millis> ForeignClaims::oldest(Millis now) const {
  std::optional<Millis> oldest;
  for (const auto& [name, node] : nodes_)
    for (const auto& [number, run] : node.runs)
      if (now <= run.heard + kFresh)
        for (const auto& [link, claim] : run.claims)
          if (claim.message == run.messages) oldest = std::min(oldest.value_or(claim.since), claim.since);
  return oldest;
}

// -- This process and the others --------------------------------------------------------------------------------------

QueuePost::QueuePost(BusLine& line, net::Loop& loop, SlotQueues& queues, const Subjects& names, std::string node,
                     std::uint64_t run)
    : line_(line),
      loop_(loop),
      queues_(queues),
      names_(names),
      node_(std::move(node)),
      run_(run),
      ticker_(loop, *this, kLook) {}

QueuePost::~QueuePost() {
  for (const auto& [key, queue] : known_)
    if (const auto its = queue.its.lock()) its->set_elsewhere(std::nullopt);
}

void QueuePost::tick(Millis now) {
  for (const auto& [key, its] : queues_.all()) {
    const auto [at, fresh] = known_.try_emplace(key, Queue{its, ForeignClaims(now), 0, {}, its->times_freed(), 0});
    Queue& queue = at->second;
    queue.its = its;
    if (fresh)
      queue.subscription =
          line_.subscribe(names_.queue(key, "*"), [this, of = key](const BusMessage& message) { hear(of, message); });
    its->set_elsewhere(line_.connected() ? queue.foreign.oldest(now) : std::nullopt);
    tell(key, queue, *its, now);
  }
  std::erase_if(known_, [this](const auto& one) {
    if (!one.second.its.expired()) return false;
    line_.unsubscribe(one.second.subscription);
    return true;
  });
}

void QueuePost::tell(const std::string& key, Queue& queue, const relay::SlotQueue& its, Millis now) {
  auto claims = its.claims(now);
  const std::uint64_t freed = its.times_freed();
  const bool is_news = claims != queue.told || freed != queue.told_freed;
  if (!is_news && (claims.empty() || now < queue.told_at + kTell)) return;
  bus::SeatClaims said;
  said.set_run(run_);
  said.set_freed(freed);
  for (const relay::SlotQueue::Claim& one : claims) {
    auto& claim = *said.add_claims();
    claim.set_link(one.number);
    claim.set_waited_ms(
        static_cast<std::uint32_t>(std::min<Millis>(now - std::min(now, one.since), ForeignClaims::kLongestWait)));
  }
  if (!line_.publish(names_.queue(key, node_), as_bytes(said.SerializeAsString()))) return;
  queue.told = std::move(claims);
  queue.told_freed = freed;
  queue.told_at = now;
}

void QueuePost::hear(const std::string& key, const BusMessage& message) {
  const auto at = known_.find(key);
  const auto node = names_.node_of_queue(key, message.subject);
  if (at == known_.end() || !node) return;
  bus::SeatClaims said;
  if (*node == node_ && decode(message.bytes, said) && said.run() == run_) return;  // this process
  Queue& queue = at->second;
  const Millis now = loop_.now();
  const auto heard = queue.foreign.hear(*node, message.bytes, now);
  if (heard == ForeignClaims::Heard::kNonsense) ++refused_;
  const auto its = queue.its.lock();
  if (its == nullptr) return;
  if (heard == ForeignClaims::Heard::kFreed) its->freed_elsewhere(now);
  its->set_elsewhere(queue.foreign.oldest(now));
}

}  // namespace entente::fleet
