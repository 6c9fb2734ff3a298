#include "proxy/relay/sessions/web_session.h"

#include "proxy/base/steady_wall.h"
#include "proxy/net/socket.h"
#include "proxy/relay/ends/web_request.h"

namespace entente::relay {

using net::CloseFrame;
using net::Opcode;
using net::WebLink;
using wire::Way;

namespace {

bool is_message(Opcode opcode) { return opcode == Opcode::kText || opcode == Opcode::kBinary; }

std::uint16_t close_code(Reason why) {
  const wire::Parting parting = telling(why).parting;
  const bool unwanted = parting == wire::Parting::kKicked || parting == wire::Parting::kBanned;
  return is_sent_away(why) || unwanted ? CloseFrame::kPolicy : CloseFrame::kGoingAway;
}

}  // namespace

WebSession::WebSession(WorkerRoute& accept_route, Owner& owner, const AcceptedClient& newcomer)
    : TwoLinkSession(accept_route, owner, newcomer),
      heard_(newcomer.heard),
      cutter_(accept_route.route.game.cutter(Way::kToServer, accept_route.route.dialect)) {}

// -- Coming up --------------------------------------------------------------------------------------------------------

void WebSession::start(net::Fd client) {
  info_.listener = net::local_address(client.get());
  if (!client_.link.adopt(std::move(client), std::move(*heard_), info_.client)) return end(Reason::kOutOfDescriptors);
  client_.link.set_reading(true);
}

void WebSession::asked(WebLink&, const net::HttpHead& request) {
  asked_ = true;
  client_.pause(kEarly);
  WorkerRoute* const named = owner_.route_at(accept_route_.route, request.path());
  if (named != nullptr && named != worker_route_) {
    go_by(*named);
    if (chosen_ != nullptr) dial_.expect(*chosen_);
  }
  info_.server = worker_route_->route.upstreams.any_address();
  unsigned status = 101;
  if (const auto fault = objection(worker_route_->route, request, status)) {
    client_.link.decline(status, fault->what);
    return end(status == 503 ? Reason::kDraining : Reason::kBadRequest, *fault);
  }
  request_ = request;
  begin_dial();
}

int WebSession::dial(Dial&, const net::Address& server, Outgoing outgoing) {
  info_.server = server;
  server_.link.set_party(worker_route_->loop.server_party(server, info_.client));
  const Route& route = worker_route_->route;
  const auto client = route.options->proxies.empty() ? std::nullopt : std::optional(info_.client);
  net::UpgradeRequest request{outgoing.server.name,
                              route.options->web.server_path.empty() ? request_.target : route.options->web.server_path,
                              net::make_upgrade_key(), net::forwarded_headers(request_, client)};
  const int error = server_.link.connect(std::move(outgoing.sockets.tcp), server, route.options->web.server_tls.get(),
                                         outgoing.server.options.host, std::move(request), outgoing.first);
  if (error == 0) server_.link.set_reading(true);
  return error;
}

void WebSession::upgraded(WebLink&, const net::HttpHead& response) {
  dial_.succeeded();
  open_ = true;
  last_passed_ = server_.last_progress = client_.last_progress = now();
  client_.link.answer(request_, response.find("Sec-WebSocket-Protocol"));
  request_ = {};
  enter_lab();
  count_begun();
  client_.resume(kEarly);
  client_.link.hear_early();
}

void WebSession::declined(WebLink&, const net::HttpHead& response, std::string_view why) {
  dial_.declined();
  worker_route_->log_warning(
      LogKind::kServer,
      "server " + info_.server.text() + " answered " + std::to_string(response.status) + " to a WebSocket's request",
      about());
  const bool error = response.status >= 400 && response.status < 600;
  client_.link.decline(error ? response.status : 502,
                       why.empty() ? std::string_view(telling(Reason::kServerDeclined).words) : why);
  end(Reason::kServerDeclined);
}

// -- Passing on -------------------------------------------------------------------------------------------------------

void WebSession::received(WebLink& link, Opcode opcode, Bytes payload) {
  last_passed_ = now();
  const bool from_client = is_client(link);
  if (is_deaf_to(link, payload.size())) return;
  if (from_client && is_message(opcode) && !may_pass(payload)) return;
  if (from_client && !plays_) play();
  if (ending_) return;
  charge_sender(link, payload.size(), 1);  // pings and pongs, too
  pass(from_client ? Way::kToServer : Way::kToClient, opcode, payload);
}

void WebSession::received_overhead(WebLink& link, std::size_t bytes) {
  if (!is_deaf_to(link, bytes)) charge_sender(link, bytes, 0);
}

void WebSession::charge_sender(const WebLink& link, std::size_t bytes, std::size_t messages) {
  is_client(link) ? charge(bytes, messages) : charge_server(bytes, messages);
}

/// Whether received bytes are discarded, because the session ends. Closes the link if the peer sends too many of them.
bool WebSession::is_deaf_to(WebLink& link, std::size_t bytes) {
  PeerLink& from = peer_link(link);
  if (finish_at_ != 0 && !ending_) {
    if (from.talks_on(bytes, kMostUnheard)) finish();
    return true;
  }
  if (ending_ && from.talks_on(bytes, limits_.held_bytes)) settle();  // bytes may still wait for the other
  return ending_;
}

/// Whether the client may send this; ends the session if not.
bool WebSession::may_pass(Bytes message) {
  // The first message may name the dialect. info_.dialect is set when the message is passed on.
  const auto named = bytes_from_client_ == 0 ? worker_route_->route.game.named_by_client(message) : std::nullopt;
  const std::size_t dialect = named.value_or(info_.dialect);
  std::optional<Fault> wrong;
  Bytes left = message;
  const auto fault = wire::cut_message(*cutter_, left, [&](wire::Stage stage, Bytes frame) {
    if (worker_route_->strict_filter)
      wrong = worker_route_->strict_filter->objection({Way::kToServer, wire::Lane::kStream, stage, frame}, dialect);
    return !wrong;
  });
  if (fault) return refuse({content_code(*fault), fault->what}, *fault);
  if (wrong) return refuse({CloseFrame::kProtocolError, wrong->what}, *wrong);
  bytes_from_client_ += message.size();
  return true;
}

bool WebSession::refuse(const CloseFrame& parting, const Fault& fault) {
  parting_ = parting;
  end(Reason::kBadFrame, fault);
  return false;
}

/// The client's first message names the dialect, which the tap must know before any message. So what the server sends
/// earlier is kept back from the tap (MultiOgarII sends the camera's place before the client's hello).
void WebSession::tell_tap(Way way, Bytes message) {
  if (!begun_ && way == Way::kToServer) {
    info_.dialect = info_.game->named_by_client(message).value_or(info_.dialect);
    begin();
  }
  if (!worker_route_->tap) return;
  if (begun_) return worker_route_->tap->bytes(info_.link, way, wire::Lane::kStream, message, steady_wall_now());
  early_.push_back({steady_wall_now(), {message.begin(), message.end()}});
  early_bytes_ += sizeof(Early) + message.size();
  if (early_bytes_ > limits_.held_bytes) begin();
}

void WebSession::begin() {
  begun_ = true;
  tell_opened();
  if (!worker_route_->tap) return;
  open_tap(early_.empty() ? steady_wall_now() : early_.front().at);
  for (const Early& one : std::exchange(early_, {}))
    worker_route_->tap->bytes(info_.link, Way::kToClient, wire::Lane::kStream, one.message, one.at);
}

void WebSession::insert(Bytes message) {
  pass(Way::kToClient, opcode(), message);
  client_.link.flush();
}

Opcode WebSession::opcode() const {
  return info_.game->uses_text_messages(info_.dialect) ? Opcode::kText : Opcode::kBinary;
}

bool WebSession::takes_insert() const { return open_ && begun_ && !client_.ended && !client_.link.sent_close(); }

void WebSession::pass(Way way, Opcode opcode, Bytes message) {
  if (!lab_) return pass_on(way, opcode, message);
  lab_->at(way).put(message, static_cast<std::uint32_t>(opcode));
  note_lab(way);
}

void WebSession::pass_on(Way way, Opcode opcode, Bytes message) {
  const bool up = way == Way::kToServer;
  PeerLink &from = up ? client_ : server_, &to = up ? server_ : client_;
  if (to.link.sent_close()) return;
  if (is_message(opcode)) {
    tell_tap(way, message);
    auto& traffic = up ? worker_route_->counters.to_server : worker_route_->counters.to_client;
    traffic.bytes.add(message.size());
    traffic.frames.add(1);
    if (!up) bytes_from_server_ += message.size();
  }
  to.will_wait(last_passed_);
  to.link.send(opcode, message);
  note_waiting(from, to);
}

void WebSession::lab_passes(LabLine& line, const LabUnit& unit) {
  if (ending_ || finish_at_ != 0) return;
  const auto opcode = static_cast<Opcode>(unit.tag);
  if (begun_ && is_message(opcode)) tell_lab(unit);
  Session::inserting(unit.inserted);
  pass_on(line.way(), opcode, unit.bytes);
  Session::inserting(false);
  (line.way() == Way::kToServer ? server_ : client_).link.flush();
}

void WebSession::lab_keeps(LabLine& line, Bytes unit, std::uint32_t tag, bool altered) {
  if (!ending_ && begun_ && is_message(static_cast<Opcode>(tag))) tell_kept(line.way(), unit, altered);
}

/// What a peer sent before it closed has passed.
void WebSession::lab_has_ended(LabLine& line) {
  WebLink& link = sender(line.way()).link;
  auto& later = close_later_[line.way() == Way::kToClient];
  later ? close_frame(link, *std::exchange(later, std::nullopt)) : ended(link);
}

void WebSession::pass_what_waits() {
  TwoLinkSession::pass_what_waits();
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    auto& later = close_later_[way == Way::kToClient];
    if (!later || ending_) continue;
    WebLink &from = sender(way).link, &to = other(from).link;
    (is_client(from) ? client_closed_ : server_closed_) = true;
    to.send(*std::exchange(later, std::nullopt));
    to.flush();
  }
}

/// All messages of one read were passed on: sends them out.
void WebSession::messages_done(WebLink& link) {
  if (ending_ || !open_) return;
  PeerLink& to = other(link);
  to.link.flush();
  if (to.link.waiting() == 0) peer_link(link).resume(kOtherSlow);
}

// -- Going down -------------------------------------------------------------------------------------------------------

/// Passes on a close frame. Once both peers have sent one, the session ends.
void WebSession::close_frame(WebLink& link, const CloseFrame& close_frame) {
  if (ends_later(link)) {
    close_later_[!is_client(link)] = close_frame;
    leaves_[!is_client(link)] = true;
    return;
  }
  if (ending_) return;
  (is_client(link) ? client_closed_ : server_closed_) = true;
  last_passed_ = now();
  if (!first_) {
    first_ = is_client(link) ? Reason::kClientLeft : Reason::kServerLeft;
    parted_at_ = last_passed_;
  }
  other(link).link.send(close_frame);
  other(link).link.flush();
  if (client_closed_ && server_closed_) end(*first_);
}

void WebSession::protocol_error(WebLink& link, const Fault& fault, const std::string& detail) {
  (is_client(link) ? client_closed_ : server_closed_) = true;
  if (ending_) return;
  parting_ = CloseFrame{CloseFrame::kGoingAway, is_client(link) ? "" : telling(Reason::kServerProtocolError).words};
  if (is_client(link)) return end(open_ ? Reason::kBadFrame : Reason::kBadRequest, fault);
  worker_route_->log_warning(LogKind::kServer,
                             "server " + info_.server.text() + ": " + fault.what + (detail.empty() ? "" : ": ") +
                                 detail + (*fault.field ? std::string(" (") + fault.field + ")" : ""),
                             about());
  end(Reason::kServerProtocolError, fault);
}

void WebSession::ended(WebLink& link) {
  if (link_ends_later(link)) return;
  peer_link(link).ended = true;
  if (ending_) return settle();
  if (!is_client(link) && dial_.under_way()) return end(Reason::kServerDeclined);
  end(first_.value_or(is_client(link) ? Reason::kClientLeft : Reason::kServerLeft));
}

void WebSession::dismiss(Reason reason, std::string_view why) {
  if (!parting_ && !why.empty()) parting_ = {close_code(reason), std::string(why)};
  const Millis reads_for = goodbye();
  if (reads_for == 0 || finish_at_ != 0 || !takes_insert() || client_.ended) return finish();
  say_last_words();
  finish_at_ = now() + reads_for;
}

void WebSession::say_last_words() {
  if (!takes_insert() || !info_.game->has_last_words()) return;
  for (const Buffer& message : last_words(wire::ClientStage::kPlaying, reason())) client_.link.send(opcode(), message);
  client_.link.flush();
}

/// While its player reads why, nothing is passed on.
bool WebSession::on_tick(Millis now) {
  if (finish_at_ != 0 && now >= finish_at_) finish();
  return finish_at_ == 0;
}

void WebSession::tell_end() {
  if (open_ && !begun_) begin();
  Session::tell_end();
}

void WebSession::shut_down() {
  if (!open_) decline_client();
  if (finish_at_ == 0) say_last_words();
  if (parting_ && client_.link.upgraded()) client_.link.send(*parting_);
  if (reason() == Reason::kBadFrame) parting_ = {CloseFrame::kGoingAway, ""};
  if (parting_ && server_.link.upgraded()) server_.link.send(*parting_);
  TwoLinkSession::shut_down();
}

/// Answers the client's request, if it has no answer yet. A client that sends none in time is answered, too.
void WebSession::decline_client() {
  const std::string why = words(reason());
  if (client_.link.is_open() && !why.empty()) client_.link.decline(telling(reason()).http, why);
}

// -- In time ----------------------------------------------------------------------------------------------------------

std::optional<Reason> WebSession::overdue(Millis now) const {
  if (!asked_ && late(now, began_, limits_.greet_ms, client_.link)) return Reason::kGreetTimeout;
  if (const auto reason = stalled(now)) return reason;
  if (first_ && late(now, parted_at_, limits_.linger_ms)) return first_;
  if (late(now, last_passed_, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
