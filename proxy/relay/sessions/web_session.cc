#include "proxy/relay/sessions/web_session.h"

#include "proxy/net/socket.h"
#include "proxy/relay/ends/web_request.h"

namespace entente::relay {

using net::CloseFrame;
using net::Opcode;
using net::WebLink;
using Role = net::WebSocket::Role;
using wire::Way;

namespace {

bool is_message(Opcode opcode) { return opcode == Opcode::kText || opcode == Opcode::kBinary; }

}  // namespace

WebSession::WebSession(WorkerRoute& listener, Owner& owner, LinkId link, const Limits& limits,
                       const net::Address& client)
    : listener_(listener),
      worker_route_(&listener),
      owner_(owner),
      limits_(limits),
      info_{link,   &listener.route.game,           listener.route.dialect,
            client, listener.route.servers.front(), listener.route.listener},
      client_(listener.loop, Role::kServer, listener.route.game.largest_from(Way::kToServer),
              static_cast<net::WebUser&>(*this)),
      server_(listener.loop, Role::kClient, listener.route.game.largest_from(Way::kToClient),
              static_cast<net::WebUser&>(*this)),
      cutter_(listener.route.game.cutter(Way::kToServer, listener.route.dialect)),
      rates_(limits, listener.loop.now()),
      began_(listener.loop.now()),
      moved_(began_) {}

// -- Coming up --------------------------------------------------------------------------------------------------------

void WebSession::start(net::Fd client) {
  info_.listener = net::local_address(client.get());
  if (!client_.link.adopt(std::move(client), listener_.route.web->client_tls.get())) return end(Reason::kNoFiles);
  client_.link.read(true);
}

void WebSession::asked(WebLink&, const net::HttpHead& request) {
  asked_ = true;
  client_.pause(kEarly);
  if (WorkerRoute* chosen = owner_.route_at(listener_.route, request.path())) worker_route_ = chosen;
  info_.server = worker_route_->route.servers.front();
  if (const Asset* file = file_for(worker_route_->route, request)) {
    client_.link.serve(request, *file);
    return end(Reason::kVisitor);
  }
  unsigned status = 101;
  if (const auto fault = objection(worker_route_->route, request, status)) return refuse_request(status, *fault);
  request_ = request;
  connect();
}

void WebSession::refuse_request(unsigned status, const Fault& fault) {
  client_.link.decline(status, fault.what);
  end(Reason::kBadRequest, {}, fault);
}

int WebSession::dial(const net::Address& server, net::Sockets sockets) {
  info_.server = server;
  const Route& route = worker_route_->route;
  net::UpgradeRequest request{route.server_name,
                              route.web->server_path.empty() ? request_.target : route.web->server_path,
                              net::make_upgrade_key(), net::forwarded_headers(request_)};
  const int error = server_.link.connect(std::move(sockets.tcp), server, route.web->server_tls.get(), route.server_host,
                                         std::move(request));
  if (error == 0) server_.link.read(true);
  return error;
}

void WebSession::upgraded(WebLink&, const net::HttpHead& response) {
  dial_.succeeded();
  open_ = true;
  moved_ = server_.took = client_.took = listener_.loop.now();
  client_.link.answer(request_, response.find("Sec-WebSocket-Protocol"));
  request_ = {};
  worker_route_->counters.opened.add();
  client_.resume(kEarly);
  client_.link.hear_early();
}

void WebSession::declined(WebLink&, const net::HttpHead& response) {
  dial_.succeeded();
  worker_route_->say(Line::kServer, "server " + info_.server.text() + " answered " + std::to_string(response.status) +
                                        " to a WebSocket's request");
  const bool error = response.status >= 400 && response.status < 600;
  client_.link.decline(error ? response.status : 502, "the server declined");
  end(Reason::kServerDeclined);
}

// -- Passing on -------------------------------------------------------------------------------------------------------

void WebSession::received(WebLink& link, Opcode opcode, Bytes payload) {
  moved_ = listener_.loop.now();
  const bool from_client = is_client(link);
  Peer& from = from_client ? client_ : server_;
  if (ending_) {
    if (from.talks_on(payload.size(), limits_.held_bytes)) settle();  // the other may have something to take yet
    return;
  }
  if (from_client && is_message(opcode) && !may_pass(payload)) return;
  if (from_client && !plays_) play();
  if (from_client) charge(payload.size());
  const Way way = from_client ? Way::kToServer : Way::kToClient;
  pass(from, other(link), way, opcode, payload);
}

/// Its server let it in and it goes on: from now on it is served before newcomers.
void WebSession::play() {
  plays_ = true;
  client_.link.set_rank(net::Rank::kPlayer);
  server_.link.set_rank(net::Rank::kPlayer);
}

/// Whether the client may send this; ends the session if not.
bool WebSession::may_pass(Bytes message) {
  // The first message may name the dialect, and is told to the tap only when it passes.
  const auto named = passed_ == 0 ? worker_route_->route.game.named_by_client(message) : std::nullopt;
  const std::size_t dialect = named.value_or(info_.dialect);
  std::optional<Fault> wrong;
  Bytes left = message;
  const auto fault = wire::cut_message(*cutter_, left, [&](wire::Stage stage, Bytes frame) {
    if (worker_route_->guard)
      wrong = worker_route_->guard->objection({Way::kToServer, wire::Lane::kStream, stage, frame}, dialect);
    return !wrong;
  });
  if (fault) {
    end(Reason::kBadFrame, CloseFrame{content_code(*fault), fault->what}, *fault);
    return false;
  }
  if (wrong) {
    end(Reason::kBadFrame, CloseFrame{CloseFrame::kProtocolError, wrong->what}, *wrong);
    return false;
  }
  passed_ += message.size();
  return true;
}

/// A client that is over its rates, pings and pongs included, is not read until it has paid.
void WebSession::charge(std::size_t bytes) {
  if (rates_.take(bytes, 1, moved_)) return;
  worker_route_->counters.throttled.add();
  client_.pause(kRate);
}

/// A client's first message tells which dialect this is, and the tap must know before it hears anything: what a server
/// says earlier waits (MultiOgarII tells the camera's place to who has not said hello).
void WebSession::tell_tap(Way way, Bytes message) {
  if (!begun_ && way == Way::kToServer) {
    info_.dialect = info_.game->named_by_client(message).value_or(info_.dialect);
    begin();
  }
  if (!worker_route_->tap) return;
  if (begun_) return worker_route_->tap->bytes(info_.link, way, wire::Lane::kStream, message, wall_now());
  early_.push_back({wall_now(), {message.begin(), message.end()}});
  early_bytes_ += sizeof(Early) + message.size();
  if (early_bytes_ > limits_.held_bytes) begin();
}

void WebSession::begin() {
  begun_ = true;
  worker_route_->opened(info_);
  if (!worker_route_->tap) return;
  worker_route_->tap_opened(info_, early_.empty() ? wall_now() : early_.front().at);
  for (const Early& one : std::exchange(early_, {}))
    worker_route_->tap->bytes(info_.link, Way::kToClient, wire::Lane::kStream, one.message, one.at);
}

void WebSession::pass(Peer& from, Peer& to, Way way, Opcode opcode, Bytes message) {
  if (to.link.sent_close()) return;
  if (is_message(opcode)) {
    tell_tap(way, message);
    auto& traffic = way == Way::kToServer ? worker_route_->counters.to_server : worker_route_->counters.to_client;
    traffic.bytes.add(message.size());
    traffic.frames.add(1);
    if (way == Way::kToClient) answered_ += message.size();
  }
  to.will_wait(moved_);
  to.link.send(opcode, message);
  note_waiting(from, to);
}

void WebSession::note_waiting(Peer& from, Peer& to) {
  const std::size_t waiting = to.link.waiting();
  if (waiting <= limits_.high_water || (from.paused & kBehind) != 0) return;
  worker_route_->counters.stalls.add();
  from.pause(kBehind);
}

/// One read's worth was passed on: out with it.
void WebSession::paused(WebLink& link) {
  if (ending_ || !open_) return;
  Peer& to = other(link);
  to.link.flush();
  if (to.link.waiting() == 0) (&to == &client_ ? server_ : client_).resume(kBehind);
}

void WebSession::wrote(WebLink& link) {
  if (ending_) return settle();
  (is_client(link) ? client_ : server_).took = listener_.loop.now();
  if (link.waiting() <= limits_.low_water) other(link).resume(kBehind);
}

// -- Going down -------------------------------------------------------------------------------------------------------

/// A close frame travels like all else; when each has said goodbye, it is over.
void WebSession::close_frame(WebLink& link, const CloseFrame& close_frame) {
  if (ending_) return;
  (is_client(link) ? client_ : server_).close_frame = true;
  moved_ = listener_.loop.now();
  if (!first_) {
    first_ = is_client(link) ? Reason::kClientLeft : Reason::kServerLeft;
    parted_at_ = moved_;
  }
  other(link).link.send(close_frame);
  other(link).link.flush();
  if (client_.close_frame && server_.close_frame) end(*first_);
}

void WebSession::wronged(WebLink& link, const Fault& fault, const std::string& detail) {
  (is_client(link) ? client_ : server_).close_frame = true;
  if (ending_) return;
  const CloseFrame away{CloseFrame::kGoingAway, ""};
  if (is_client(link)) return end(open_ ? Reason::kBadFrame : Reason::kBadRequest, away, fault);
  worker_route_->say(Line::kServer, "server " + info_.server.text() + ": " + fault.what + (detail.empty() ? "" : ": ") +
                                        detail + (*fault.field ? std::string(" (") + fault.field + ")" : ""));
  end(Reason::kServerWrong, away, fault);
}

void WebSession::ended(WebLink& link) {
  (is_client(link) ? client_ : server_).ended = true;
  if (ending_) return settle();
  if (!is_client(link) && dial_.under_way()) return end(Reason::kServerDeclined);
  end(first_.value_or(is_client(link) ? Reason::kClientLeft : Reason::kServerLeft));
}

void WebSession::broken(WebLink& link, int error) {
  if (dial_.under_way() && !ending_ && !is_client(link)) return dial_.failed(error);
  (is_client(link) ? client_ : server_).ended = true;
  if (ending_) return settle();
  end(first_.value_or(is_client(link) ? Reason::kClientReset : Reason::kServerReset));
}

/// `parting`: what peers hear who have said and heard no goodbye yet; none: their connection just ends, as the other's
/// did.
void WebSession::end(Reason reason, const Parting& parting, const Fault& fault) {
  if (ending_) return;
  ending_ = true;
  gone_by_ = listener_.loop.now() + limits_.linger_ms;
  tell_end(reason, fault);
  if (!open_) decline_client(reason);
  if (dial_.under_way()) server_.link.close();
  part(client_, parting);
  part(server_, reason == Reason::kBadFrame ? CloseFrame{CloseFrame::kGoingAway, ""} : parting);
  settle();
}

void WebSession::tell_end(Reason reason, const Fault& fault) {
  if (!open_) worker_route_->counters.opened.add();
  if (open_ && !begun_) begin();
  worker_route_->ended(info_, reason, fault, passed_);
  if (!worker_route_->tap || !begun_) return;
  std::string why = text(reason);
  if (*fault.what) why += std::string(": ") + fault.what;
  worker_route_->tap->closed(info_.link, why, wall_now());
}

/// A client that waits for an answer gets one.
void WebSession::decline_client(Reason reason) {
  if (!asked_ || !client_.link.is_open()) return;
  const bool too_late = reason == Reason::kServerTimeout || reason == Reason::kIdle;
  client_.link.decline(reason == Reason::kStopped ? 503 : too_late ? 504 : 502, text(reason));
}

/// Sends what waits, closes our side, and hears (without listening) whether the peer goes.
void WebSession::part(Peer& peer, const Parting& parting) {
  if (parting && peer.link.upgraded()) peer.link.send(*parting);
  peer.link.finish();
  peer.link.read(true);
}

void WebSession::settle() {
  for (Peer* peer : {&client_, &server_})
    if (peer->ended && peer->link.waiting() == 0) peer->link.close();
  if (client_.link.is_open() || server_.link.is_open() || done_) return;
  done_ = true;
  owner_.done(*this);
}

/// Closes at once, whatever waits.
void WebSession::hang_up() {
  client_.link.close();
  server_.link.close();
  settle();
}

SessionReport WebSession::report() const {
  return {worker_route_->route.index, info_, listener_.loop.now() - began_, passed_ + answered_, {}};
}

// -- In time ----------------------------------------------------------------------------------------------------------

void WebSession::tick(Millis now) {
  if (ending_) {
    if (now >= gone_by_) hang_up();
    return;
  }
  if ((client_.paused & kRate) != 0 && rates_.ready(now)) client_.resume(kRate);
  if (dial_.late(now, server_.link)) {
    server_.link.close();
    return dial_.timed_out();
  }
  if (const auto reason = overdue(now)) end(*reason, CloseFrame{CloseFrame::kGoingAway, text(*reason)});
}

std::optional<Reason> WebSession::overdue(Millis now) const {
  if (!asked_ && late(now, began_, limits_.greet_ms, client_.link)) return Reason::kGreetTimeout;
  if (open_ && client_.link.waiting() && late(now, client_.took, limits_.stall_ms)) return Reason::kClientStalled;
  if (open_ && server_.link.waiting() && late(now, server_.took, limits_.stall_ms)) return Reason::kServerStalled;
  if (first_ && late(now, parted_at_, limits_.linger_ms)) return *first_;
  if (late(now, moved_, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
