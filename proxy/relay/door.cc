#include "proxy/relay/door.h"

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
Buffer last_word(const Branch& branch, const net::Address& from, Reason reason) {
  const Route& route = branch.route;
  const bool banned = reason == Reason::kBanned || reason == Reason::kNotAllowed;
  if (route.by_web()) {
    if (route.web->client_tls) return {};
    const std::string said =
        banned ? http("403 Forbidden", branch.why_banned(from)) : http("503 Service Unavailable", "");
    return Buffer(said.begin(), said.end());
  }
  if (banned) return route.game.banned(route.dialect, branch.why_banned(from));
  const Bytes goodbye = route.game.goodbye(route.dialect);
  return Buffer(goodbye.begin(), goodbye.end());
}

}  // namespace

Door::Door(Branch& branch, Seating& seating, const Limits& limits)
    : branch_(branch),
      route_(branch.route),
      seating_(seating),
      limits_(limits),
      gate_(branch.route.access, branch.route.bans),
      table_(branch.route.game),
      listener_(branch.loop, *this),
      datagrams_(branch.loop, *this),
      finder_(branch, *this),
      queries_(branch, *this) {}

Outcome<Done> Door::open(net::Fd listening) {
  const bool watched =
      listener_.open(std::move(listening)) && (!route_.datagrams || datagrams_.open(route_.datagrams.get()));
  if (!watched) return Error{"cannot watch the listener " + route_.listener.text() + "; raise the limit of open files"};
  gate_.set_place(branch_.place());
  return Done{};
}

void Door::close() {
  listener_.close();
  datagrams_.close();
  finder_.close();
  queries_.close();
  for (Newcomer& one : waiting_) turn_away(std::move(one.fd), one.client, Reason::kStopped);
  waiting_.clear();
  parting_.clear();
}

void Door::tick(Millis now) {
  listener_.resume();
  while (!parting_.empty() && now >= parting_.front().second) parting_.pop_front();
  if (now >= tidy_at_) {
    gate_.tidy(now);
    tidy_at_ = now + kTidyEvery;
  }
  finder_.tick(now, limits_);
  queries_.tick(now);
}

void Door::accepted(net::Fd fd, const net::Address& from) {
  if (const auto why = gate_.enter(from, limits_, branch_.loop.now())) return turn_away(std::move(fd), from, *why);
  admit(Newcomer{route_.index, seating_.next_link(), std::move(fd), from, limits_});
}

void Door::starved(const net::Address& from) { turn_away(net::Fd(), from, Reason::kNoFiles); }

/// A last word without waiting for anything: a crowd at the door must cost next to nothing.
void Door::turn_away(net::Fd fd, const net::Address& from, Reason why) {
  const Buffer goodbye = last_word(branch_, from, why);
  if (fd && !goodbye.empty()) {
    (void)::send(fd.get(), goodbye.data(), goodbye.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    part(std::move(fd));
  }
  const SessionInfo who{0, &route_.game, route_.dialect, from, route_.servers.front(), route_.listener};
  branch_.ended(who, why);
}

/// What it still says arrives unheard; bytes that nobody has read would make of our close a reset, and of that its
/// error.
void Door::part(net::Fd fd) {
  (void)::shutdown(fd.get(), SHUT_WR);
  if (parting_.size() >= kMostParting) parting_.pop_front();
  parting_.emplace_back(std::move(fd), branch_.loop.now() + kPartsFor);
}

void Door::admit(Newcomer newcomer) {
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

void Door::left(LinkId link, const net::Address& client, bool server_unreached) {
  gate_.leave(client);
  table_.leave(link);
  if (server_unreached) finder_.lost();
}

void Door::datagram(const net::Address& from, Bytes bytes) {
  const auto seat = table_.find(from, bytes);
  if (!seat) return queries_.take({from, datagrams_.here()}, bytes) ? void() : branch_.dropped(Drop::kUnknownSource);
  if (!seating_.pass_on(*seat, from, bytes)) branch_.dropped(Drop::kQueueFull);
}

void Door::answer(const Queries::Asker& to, Bytes datagram) { branch_.to_clients->push(to.here, to.from, datagram); }

void Door::found_out() {
  for (Newcomer& one : std::exchange(waiting_, {})) {
    if (finder_.known()) {
      admit(std::move(one));
    } else {
      gate_.leave(one.client);
      turn_away(std::move(one.fd), one.client, finder_.why());
    }
  }
}

}  // namespace entente::relay
