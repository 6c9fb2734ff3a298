#include "proxy/relay/acceptors/queries.h"

#include <algorithm>
#include <utility>

#include "proxy/net/socket.h"

namespace entente::relay {
namespace {

constexpr Millis kFresh = 1'000;     // how long an answer is reused
constexpr Millis kPatience = 3'000;  // how long to wait for the server's answer
constexpr Millis kKeepSocket = 30'000;
constexpr std::size_t kMostQueriesWaiting = 64, kMostAskers = 4096;

}  // namespace

Queries::Queries(WorkerRoute& worker_route, User& user)
    : worker_route_(worker_route), user_(user), all_(kForAll, kForAll, worker_route.loop.now()) {
  for (const wire::Query& query : worker_route.route.game.queries())
    desks_.push_back(std::make_unique<Desk>(worker_route, *this, query));
}

bool Queries::take(const Asker& who, Bytes datagram) {
  for (auto& desk : desks_) {
    if (!desk->is(datagram)) continue;
    may_ask(who.from, worker_route_.loop.now()) ? desk->ask(who) : worker_route_.dropped(Drop::kTooFast);
    return true;
  }
  return false;
}

bool Queries::may_ask(const net::Address& from, Millis now) {
  auto known = askers_.find(from.host_key());
  if (known == askers_.end()) {
    if (askers_.size() >= kMostAskers) return false;
    known = askers_.emplace(from.host_key(), Bucket(kPerAddress, kBurst, now)).first;
  }
  return known->second.take_one(now) && all_.take_one(now);
}

void Queries::tick(Millis now) {
  for (auto& desk : desks_) desk->tick(now);
  if (now < tidy_at_) return;
  tidy_at_ = now + 1'000;
  std::erase_if(askers_, [&](const auto& one) { return one.second.full(now); });
}

void Queries::close() {
  for (auto& desk : desks_) desk->close();
}

// -- One question -----------------------------------------------------------------------------------------------------

void Queries::Desk::ask(const Asker& who) {
  const Millis now = worker_route_.loop.now();
  if (worker_route_.route.options->bridge) return answer_ourselves(who);
  if (answered_at_ && now < *answered_at_ + kFresh) return owner_.user_.answer(who, answer_);
  const bool sleeps = silent_ && &chosen(now) == asked_ && worker_route_.route.upstreams.holds();
  if (!sleeps && waiting_.size() >= kMostQueriesWaiting) return worker_route_.dropped(Drop::kQueueFull);
  if (sleeps)
    answer_ourselves(who);
  else
    wait(who, now);
  if (asked_at_ && now < *asked_at_ + kFresh) return;
  asked_at_ = now;
  if (!unanswered_since_) unanswered_since_ = now;
  if (!ask_server()) worker_route_.dropped(Drop::kNotLinked);
}

void Queries::Desk::answer_ourselves(const Asker& who) {
  const std::string said = worker_route_.route.game.answer(query_, owner_.user_.status());
  said.empty() ? worker_route_.dropped(Drop::kNotLinked) : owner_.user_.answer(who, as_bytes(said));
}

void Queries::Desk::wait(const Asker& who, Millis now) {
  if (waiting_.empty()) waits_since_ = now;
  waiting_.push_back(who);
}

/// The server does not answer. A route that keeps players meanwhile, and may start the server for them, answers itself.
void Queries::Desk::give_up() {
  silent_ = true;
  if (worker_route_.route.upstreams.holds())
    for (const Asker& one : std::exchange(waiting_, {})) answer_ourselves(one);
  close();  // another server may answer the next
}

/// Where a new player would go. If no server takes one: the server that was asked last, else the first.
const Upstream& Queries::Desk::chosen(Millis now) const {
  const Upstreams& upstreams = worker_route_.route.upstreams;
  if (const Upstream* const one = upstreams.choose({}, now)) return *one;
  return asked_ != nullptr ? *asked_ : upstreams.at(0);
}

bool Queries::Desk::ask_server() {
  const Millis now = worker_route_.loop.now();
  const Upstream& server = chosen(now);
  (void)server.addresses.look_up(now);  // the answer is for the next question
  const auto addresses = server.addresses.all(now);
  const bool has_moved = !addresses.empty() && std::find(addresses.begin(), addresses.end(), at_) == addresses.end();
  if (&server != asked_ || has_moved) hang_up();
  if (!server_) {
    if (addresses.empty()) return false;
    for (const net::Address& address : addresses) {
      auto made = net::datagrams_towards(at_ = address);
      if (!made) continue;  // perhaps this machine cannot use this kind of address
      server_ = std::move(made->udp);
      break;
    }
    if (!server_) return false;
    if (!reader_.open_connected(server_.get())) return server_.reset(), false;
    asked_ = &server;
    if (unanswered_since_) unanswered_since_ = now;
  }
  return net::udp_send(server_.get(), as_bytes(query_.question));
}

void Queries::Desk::hang_up() {
  reader_.close();
  server_.reset();
}

void Queries::Desk::datagram(const net::Address&, Bytes bytes) {
  if (bytes.empty() || bytes.size() > query_.largest_answer) return worker_route_.dropped(Drop::kTooLarge);
  wire::Status status = owner_.user_.status();
  status.server = bytes;
  const std::string said = worker_route_.route.game.answer(query_, status);
  if (said.empty()) return worker_route_.dropped(Drop::kBadFrame);
  answer_.assign(said.begin(), said.end());
  answered_at_ = worker_route_.loop.now();
  silent_ = false;
  unanswered_since_.reset();
  for (const Asker& one : std::exchange(waiting_, {})) owner_.user_.answer(one, answer_);
}

void Queries::Desk::tick(Millis now) {
  if (!asked_at_) return;
  if (!waiting_.empty() && now > waits_since_ + kPatience) return give_up();
  if (unanswered_since_ && now > *unanswered_since_ + kPatience) return give_up();
  if (now > *asked_at_ + kKeepSocket) close();
}

void Queries::Desk::close() {
  hang_up();
  asked_at_.reset();
  unanswered_since_.reset();
  if (!waiting_.empty()) worker_route_.dropped(Drop::kNotLinked, waiting_.size());
  waiting_.clear();
}

}  // namespace entente::relay
