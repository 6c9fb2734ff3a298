#include "proxy/relay/acceptors/acceptor.h"

namespace entente::relay {
namespace {

constexpr Millis kPartsFor = 1'000;
constexpr std::size_t kMostParting = 256;

std::string http(std::string_view status, std::string_view why) {
  return "HTTP/1.1 " + std::string(status) +
         "\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
         std::to_string(why.size()) + "\r\n\r\n" + std::string(why);
}

/// What a newcomer hears who is turned away unheard. Behind TLS nothing can be said so soon.
Buffer last_word(const WorkerRoute& worker_route, const net::Address& from, Reason reason) {
  const Route& route = worker_route.route;
  const bool banned = reason == Reason::kBanned || reason == Reason::kNotAllowed;
  if (route.by_web()) {
    if (route.web->client_tls) return {};
    const std::string said =
        banned ? http("403 Forbidden", worker_route.why_banned(from)) : http("503 Service Unavailable", "");
    return Buffer(said.begin(), said.end());
  }
  if (banned) return route.game.banned(route.dialect, worker_route.why_banned(from));
  const Bytes goodbye = route.game.goodbye(route.dialect);
  return Buffer(goodbye.begin(), goodbye.end());
}

}  // namespace

Acceptor::Acceptor(WorkerRoute& worker_route, Seating& seating, const Limits& limits)
    : worker_route_(worker_route),
      route_(worker_route.route),
      seating_(seating),
      limits_(limits),
      admission_(worker_route.route.access, worker_route.route.bans),
      table_(worker_route.route.game),
      listener_(worker_route.loop, *this),
      datagrams_(worker_route.loop, *this),
      finder_(worker_route, *this),
      queries_(worker_route, *this) {}

Outcome<Done> Acceptor::open(net::Fd listening) {
  const bool watched =
      listener_.open(std::move(listening)) && (!route_.datagrams || datagrams_.open(route_.datagrams.get()));
  if (!watched) return Error{"cannot watch the listener " + route_.listener.text() + "; raise the limit of open files"};
  admission_.set_place(worker_route_.place());
  return Done{};
}

void Acceptor::close() {
  listener_.close();
  datagrams_.close();
  finder_.close();
  queries_.close();
  for (Newcomer& one : waiting_) turn_away(std::move(one.fd), one.client, Reason::kStopped);
  waiting_.clear();
  parting_.clear();
}

void Acceptor::tick(Millis now) {
  listener_.resume();
  while (!parting_.empty() && now >= parting_.front().second) parting_.pop_front();
  if (now >= tidy_at_) {
    admission_.tidy(now);
    tidy_at_ = now + kTidyEvery;
  }
  finder_.tick(now, limits_);
  queries_.tick(now);
}

void Acceptor::accepted(net::Fd fd, const net::Address& from) {
  if (const auto why = admission_.enter(from, limits_, worker_route_.loop.now()))
    return turn_away(std::move(fd), from, *why);
  admit(Newcomer{route_.index, seating_.next_link(), std::move(fd), from, limits_});
}

void Acceptor::starved(const net::Address& from) { turn_away(net::Fd(), from, Reason::kNoFiles); }

/// A last word without waiting for anything: a crowd of newcomers must cost next to nothing.
void Acceptor::turn_away(net::Fd fd, const net::Address& from, Reason why) {
  const Buffer goodbye = last_word(worker_route_, from, why);
  if (fd && !goodbye.empty()) {
    net::say_last(fd.get(), goodbye);
    part(std::move(fd));
  }
  const SessionInfo who{0, &route_.game, route_.dialect, from, route_.servers.front(), route_.listener};
  worker_route_.ended(who, why);
}

/// What it still says arrives unheard; bytes that nobody has read would make of our close a reset, and of that its
/// error.
void Acceptor::part(net::Fd fd) {
  if (parting_.size() >= kMostParting) parting_.pop_front();
  parting_.emplace_back(std::move(fd), worker_route_.loop.now() + kPartsFor);
}

void Acceptor::admit(Newcomer newcomer) {
  if (!finder_.known()) {
    waiting_.push_back(std::move(newcomer));
    finder_.want(limits_);
    if (finder_.failed()) found_out();
    return;
  }
  newcomer.server_dialect = finder_.dialect();
  const Seat seat{newcomer.link, seating_.next_worker(route_)};
  if (route_.with_datagrams()) table_.enter(newcomer.client, seat);
  seating_.seat(seat.worker, std::move(newcomer));
}

void Acceptor::left(LinkId link, const net::Address& client, bool server_unreached) {
  admission_.leave(client);
  table_.leave(link);
  if (server_unreached) finder_.lost();
}

void Acceptor::datagram(const net::Address& from, Bytes bytes) {
  const auto seat = table_.find(from, bytes);
  if (!seat)
    return queries_.take({from, datagrams_.here()}, bytes) ? void() : worker_route_.dropped(Drop::kUnknownSource);
  if (!seating_.pass_on(*seat, from, bytes)) worker_route_.dropped(Drop::kQueueFull);
}

void Acceptor::answer(const Queries::Asker& to, Bytes datagram) {
  worker_route_.to_clients->push(to.here, to.from, datagram);
}

void Acceptor::found_out() {
  for (Newcomer& one : std::exchange(waiting_, {})) {
    if (finder_.known()) {
      admit(std::move(one));
    } else {
      admission_.leave(one.client);
      turn_away(std::move(one.fd), one.client, finder_.why());
    }
  }
}

}  // namespace entente::relay
