#include "proxy/relay/acceptors/http_caller.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/ends/web_request.h"

namespace entente::relay {

HttpCaller::HttpCaller(WorkerRoute& accept_route, Owner& owner, AcceptedClient client)
    : accept_route_(accept_route),
      owner_(owner),
      client_(std::move(client)),
      listener_(net::local_address(client_.fd.get())),
      link_(make_link<net::WebLink>(accept_route.loop, Facing::kClient, accept_route.route.game,
                                    static_cast<net::WebUser&>(*this))),
      share_(accept_route.route.address_bytes, client_.client),
      began_(accept_route.loop.now()),
      wait_{began_, 0},
      cut_by_(began_ + kLongestCall + client_.limits.linger_ms) {
  link_.set_party(accept_route.loop.client_party(client_.client));
}

HttpCaller::~HttpCaller() {
  if (calls_) accept_route_.route.listener->admission.stop_calling(client_.client);
}

void HttpCaller::start() {
  accept_route_.counters.http_connections.add();
  if (link_.adopt(std::move(client_.fd), accept_route_.route.options->web.client_tls.get(), client_.client))
    return link_.set_reading(true);
  tell_refused(Reason::kOutOfDescriptors, Fault{""});
  settle();
}

// -- Requests ---------------------------------------------------------------------------------------------------------

void HttpCaller::asked(net::WebLink&, const net::HttpHead&) {
  if (close_by_ != 0) return;
  link_.set_reading(false);
  // The first request was counted with the connection.
  waits_for_turn_ = requests_++ > 0;
  waits_for_turn_ ? tick(now()) : respond();
}

void HttpCaller::respond() {
  const net::HttpHead& request = link_.request();
  if (!net::asks_for_file(request)) return ask_for_session();
  const WorkerRoute* const chosen = owner_.route_at(accept_route_.route, request.path());
  const Route& route = chosen != nullptr ? chosen->route : accept_route_.route;
  wait_ = wait_from(now(), link_);
  const bool keep = keeps_open();
  bool later = false;
  if (const Asset* const file = file_for(route, request)) {
    link_.serve(*file, keep);
  } else if (const auto document = document_for(route, request)) {
    later = document->status == 503;
    link_.serve(*document, keep);
  } else {
    unsigned status = 404;
    const auto fault = objection(route, request, status);
    accept_route_.counters.http_missing.add();
    link_.decline(status, fault ? fault->what : "nothing is served under this path");
    close_by_ = now() + client_.limits.linger_ms;
    return read_on();
  }
  (later ? accept_route_.counters.http_later : accept_route_.counters.http_found).add();
  if (!keep) close_by_ = now() + client_.limits.linger_ms;
  read_on();
}

/// Behind a proxy that names its clients in each request, the next request may be another client's. After a take-over,
/// the client is to connect to the other process.
bool HttpCaller::keeps_open() const {
  const Route& route = accept_route_.route;
  const bool one_client =
      route.options->proxies.empty() || route.options->proxies.naming == net::ClientNaming::kProxyHeader;
  return one_client && link_.request().persistent && requests_ < kMostRequests && now() < began_ + kLongestCall &&
         !route.retired && !route.listener->draining && !route.listener->given_away && !peer_ended_;
}

/// The next request is read when the client has taken the answer to the last one.
void HttpCaller::read_on() {
  if (!link_.is_open()) return settle();
  link_.set_reading(link_.waiting() == 0 || close_by_ != 0);
}

void HttpCaller::ask_for_session() {
  wants_session_ = true;
  if (link_.waiting() == 0) owner_.wants_session(*this);
}

AcceptedClient HttpCaller::take() {
  calls_ = false;
  auto [fd, heard] = link_.release();
  client_.fd = std::move(fd);
  client_.heard = std::make_shared<net::HeardRequest>(std::move(heard));
  over_ = true;
  owner_.over(*this);
  return std::move(client_);
}

// -- Going down -------------------------------------------------------------------------------------------------------

void HttpCaller::refuse(Reason why, const Fault& fault) {
  const bool barred = why == Reason::kBanned || why == Reason::kNotAllowed;
  link_.decline(telling(why).http, barred ? route_asked().why_banned(client_.client) : words_for_player(why, fault));
  tell_refused(why, fault);
  close_by_ = now() + client_.limits.linger_ms;
  cut_by_ = std::max(cut_by_, close_by_);
  waits_for_turn_ = wants_session_ = false;
  read_on();
}

/// The route by which a client that asks for a session would come.
WorkerRoute& HttpCaller::route_asked() const {
  WorkerRoute* const named = wants_session_ ? owner_.route_at(accept_route_.route, link_.request().path()) : nullptr;
  return named != nullptr ? *named : accept_route_;
}

void HttpCaller::tell_refused(Reason why, const Fault& fault) {
  if (client_.health_check) return;
  WorkerRoute& its = route_asked();
  const Route& route = its.route;
  its.ended(LinkInfo{0, &route.game, route.dialect, client_.client, route.upstreams.any_address(), listener_}, {why},
            fault);
}

void HttpCaller::stop() {
  cut_by_ = now() + client_.limits.linger_ms;
  if (wants_session_ || (waits_for_turn_ && !net::asks_for_file(link_.request()))) return refuse(Reason::kDraining);
  link_.decline(telling(Reason::kStopped).http, telling(Reason::kStopped).words);
  close_by_ = now() + client_.limits.linger_ms;
  waits_for_turn_ = wants_session_ = false;
  read_on();
}

/// The client was told what is wrong, if it could still be told.
void HttpCaller::protocol_error(net::WebLink&, const Fault& fault, const std::string&) {
  if (close_by_ != 0) return;
  tell_refused(Reason::kBadRequest, fault);
  link_.shut_down();
  close_by_ = now() + client_.limits.linger_ms;
  waits_for_turn_ = wants_session_ = false;
  read_on();
}

void HttpCaller::wrote(net::WebLink&) {
  wait_ = wait_from(now(), link_);
  if (peer_ended_) return settle();
  if (link_.waiting() != 0) return;
  wants_session_ ? owner_.wants_session(*this) : read_on();
}

/// It may still read what it asked for.
void HttpCaller::ended(net::WebLink&) {
  peer_ended_ = true;
  settle();
}

void HttpCaller::broken(net::WebLink&, int) { settle(); }

void HttpCaller::settle() {
  if (over_) return;
  if (peer_ended_ && link_.waiting() == 0) link_.hang_up();
  if (link_.is_open()) return;
  over_ = true;
  owner_.over(*this);
}

// -- In time ----------------------------------------------------------------------------------------------------------

void HttpCaller::tick(Millis now) {
  if (over_) return;
  const Limits& limits = client_.limits;
  const bool waits = link_.waiting() != 0;
  const bool stalled = waits && late(now, wait_.since, limits.stall_ms);
  const bool lingers = close_by_ != 0 && !waits && now >= close_by_;
  const bool too_long = now >= cut_by_ && !wants_session_;
  const bool cut = too_long && (waits || close_by_ != 0 || waits_for_turn_);
  if (stalled || lingers || cut || !share_.set(link_.weight(), limits.address_waiting_bytes)) {
    link_.hang_up();
    return settle();
  }
  if (close_by_ != 0) return;
  if (wants_session_) {
    if (waits || !link_.peer_has_ended()) return;
    link_.hang_up();
    return settle();
  }
  if (waits_for_turn_) {
    Admission& admission = accept_route_.route.listener->admission;
    const auto why = client_.health_check ? std::nullopt : admission.request(client_.client, limits, now);
    if (why == Reason::kTooFast) return;
    waits_for_turn_ = false;
    return why ? refuse(*why) : respond();
  }
  if (waits || (!too_long && !late(now, wait_, limits.greet_ms, link_))) return;
  const WebOptions& web = accept_route_.route.options->web;
  const bool for_browsers = !web.page.empty() || web.documents;  // they open connections that they do not use
  if (link_.has_part_of_request() || (requests_ == 0 && !for_browsers)) return refuse(Reason::kGreetTimeout);
  link_.hang_up();
  settle();
}

}  // namespace entente::relay
