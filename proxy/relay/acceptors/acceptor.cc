#include "proxy/relay/acceptors/acceptor.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "proxy/net/socket.h"
#include "proxy/net/udp_twin.h"

namespace entente::relay {

Acceptor::Acceptor(WorkerRoute& worker_route, ServerProbes& probes, Dispatcher& dispatcher)
    : worker_route_(&worker_route),
      dispatcher_(dispatcher),
      admission_(worker_route.route.listener->admission),
      probes_(&probes) {
  const Route& route = worker_route.route;
  admission_.set_rules(worker_route.rules->access, route.options->bans, &route.listener->draining);
  queries_.emplace(worker_route, static_cast<Queries::User&>(*this));
  probes_->set_user(this);
}

void Acceptor::serve(WorkerRoute& worker_route, ServerProbes& probes) {
  probes_->set_user(nullptr);
  worker_route_ = &worker_route;
  routes_.clear();
  probes_ = &probes;
  rules_changed();
  set_ban_scope(worker_route.route.listen_address);
  queries_.emplace(worker_route, static_cast<Queries::User&>(*this));
  probes_->set_user(this);
  route_changed();
}

void Acceptor::set_routes(std::vector<const WorkerRoute*> routes) {
  routes_ = std::move(routes);
  set_ban_scope(worker_route_->route.listen_address);
}

void Acceptor::set_ban_scope(const net::Address& at) {
  BanScope scope{worker_route_->route.upstreams.names(), at.text()};
  for (const WorkerRoute* one : routes_) {
    if (one == worker_route_) continue;
    const auto names = one->route.upstreams.names();
    scope.servers.insert(scope.servers.end(), names.begin(), names.end());
  }
  admission_.set_ban_scope(std::move(scope));
}

Limits Acceptor::limits_of_caller() const {
  const auto loosen = [](std::uint32_t& limit, std::uint32_t other) {
    limit = limit == 0 || other == 0 ? 0 : std::max(limit, other);
  };
  Limits loosest = limits();
  for (const WorkerRoute* one : routes_) {
    const Limits& its = one->rules->limits;
    loosen(loosest.sessions, its.sessions);
    loosen(loosest.sessions_per_address, its.sessions_per_address);
    loosen(loosest.connects_per_second, its.connects_per_second);
    loosest.connects_burst = std::max(loosest.connects_burst, its.connects_burst);
  }
  return loosest;
}

void Acceptor::tick(Millis now) {
  if (now >= tidy_at_) {
    admission_.tidy(now);
    tidy_at_ = now + kTidyEvery;
  }
  queries_->tick(now);
}

void Acceptor::answer(const Queries::Asker& to, Bytes datagram) {
  worker_route_->to_clients->push(to.local_address, to.from, datagram);
}

wire::Status Acceptor::status() { return worker_route_->status(admission_.inside(), limits().sessions); }

Outcome<Done> Acceptor::offer_twin(std::vector<OfferedSocket>& out) {
  const net::Address& at = worker_route_->route.listen_address;
  twin_ = net::udp_twin(at.family());
  net::Fd copy = twin_ ? net::copy_of(twin_.get()) : net::Fd();
  if (!copy) return cannot_share();
  out.push_back({std::move(copy), at});
  return Done{};
}

/// Clients that connect during this call become peers of this process, too.
Outcome<Done> Acceptor::release_datagrams(net::UdpReader& reader,
                                          const std::function<std::vector<net::UdpReader::Peer>()>& peers) {
  const int listening = route().listener->datagrams->get();
  if (!reader.give_sockets(peers) || !net::bind_twin(twin_.get(), listening)) return cannot_share();
  reader.read_all();
  if (!reader.give_sockets(peers)) return cannot_share();
  net::refuse_twins(twin_.get());
  return Done{};
}

Error Acceptor::cannot_share() const {
  return net::lack_error("cannot share the port of " + route().listen_address.text(), errno);
}

void Acceptor::drop_twin() {
  if (twin_) net::silence_twin(twin_.get());
  twin_.reset();
  if (route().listener->datagrams) net::refuse_twins(route().listener->datagrams->get());
}

Error Acceptor::cannot_watch() const {
  return net::lack_error("cannot watch the listener " + worker_route_->route.listen_address.text(), errno);
}

std::optional<Reason> Acceptor::objection_to_dialect(std::uint32_t data) {
  const auto dialect = worker_route_->route.game.named_by_connect(data);
  if (!dialect) return Reason::kClientDialect;
  if (*dialect == worker_route_->route.dialect) return std::nullopt;
  worker_route_->log_wrong_client(*dialect);
  return Reason::kDialectMismatch;
}

std::string Acceptor::words_for(const net::Address& from, Reason why, const Fault& fault) const {
  const bool banned = why == Reason::kBanned || why == Reason::kNotAllowed;
  return banned ? worker_route_->why_banned(from) : worker_route_->route.words_for(why, fault);
}

std::vector<Buffer> Acceptor::refusal(Reason why, const std::string& words) const {
  const Route& its = worker_route_->route;
  return its.game.last_words(its.dialect, wire::ClientStage::kNew, telling(why).parting, words);
}

std::optional<Acceptor::Farewell> Acceptor::command_waiting(const SessionCommand& command, Inquiry::Part& part,
                                                            const AcceptedClient& client, Millis since) {
  using Action = SessionCommand::Action;
  const Route& its = worker_route_->route;
  if (command.none || !command.means(client.link, its.index)) return std::nullopt;
  if (command.action == Action::kLeaveServer) return std::nullopt;  // it is on no server yet
  SessionReport report{its.index, info_of_waiting(client), now() - since, 0, {}, ""};
  if (command.action == Action::kSay) report.told = AnnounceResult::kNotIn;
  if (command.action == Action::kMove) command.move->answer_stays("it waits until its server can be reached");
  part.found(std::move(report));
  const auto why = reason_to_end(command.action);
  if (!why) return std::nullopt;
  tell_waiting_ended(client, since, *why);
  std::string words = is_sent_away(*why) ? words_for_sent_away(*why, command.text) : command.text;
  return Farewell{*why, words.empty() ? its.words_for(*why, Fault{""}) : std::move(words)};
}

LinkInfo Acceptor::info_of_waiting(const AcceptedClient& client) const {
  const Route& its = worker_route_->route;
  return {client.link, &its.game, its.dialect, client.client, its.upstreams.any_address(), its.listen_address};
}

void Acceptor::tell_waiting_ended(const AcceptedClient& client, Millis since, Reason why) {
  worker_route_->ended(info_of_waiting(client), {why, now() - since});
}

void Acceptor::tell_turned_away(const net::Address& from, const net::Address& here, Reason why, const Fault& fault) {
  const Route& route = worker_route_->route;
  worker_route_->ended(LinkInfo{0, &route.game, route.dialect, from, route.upstreams.any_address(), here}, {why},
                       fault);
}

}  // namespace entente::relay
