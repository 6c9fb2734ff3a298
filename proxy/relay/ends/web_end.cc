#include "proxy/relay/ends/web_end.h"

#include "proxy/base/text.h"
#include "proxy/relay/ends/web_request.h"

namespace entente::relay {

using net::CloseFrame;
using net::Opcode;

namespace {

/// `code` if it is valid in a close frame (RFC 6455, 7.4; 3000 to 4999 are free for games), else kGoingAway.
std::uint16_t close_code(std::uint32_t code) {
  const bool own = code >= 3000 && code <= 4999;
  const bool common = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
  return own || common ? static_cast<std::uint16_t>(code) : CloseFrame::kGoingAway;
}

}  // namespace

WebEnd::WebEnd(WorkerRoute& worker_route, End::User& user, const EndOptions& options)
    : LinkEnd(worker_route, user, options),
      high_water_(options.limits.high_water),
      heard_(options.game, options.dialect, way_of(options.facing)),
      opcode_(options.game.uses_text_messages(options.dialect) ? Opcode::kText : Opcode::kBinary),
      client_(options.client),
      heard_request_(options.heard),
      alarm_(worker_route.loop, *this) {}

// -- Coming up --------------------------------------------------------------------------------------------------------

bool WebEnd::adopt(net::Fd client) {
  note_addresses(client);
  if (!link_.adopt(std::move(client), std::move(*heard_request_), client_)) return false;
  link_.set_reading(true);
  return true;
}

void WebEnd::asked(net::WebLink&, const net::HttpHead& request) {
  const WorkerRoute* chosen = user().route_for(request.path());
  const Route& route = chosen ? chosen->route : worker_route_.route;
  unsigned status = 101;
  if (const auto fault = objection(route, request, status)) {
    link_.decline(status, fault->what);
    return depart({status == 503 ? How::kDraining : How::kUnwanted, 0, *fault, {}});
  }
  path_ = request.path();
  link_.answer(request, nullptr);
  user().opened(*this, {peer_address_.text(), 0, path_});
  link_.hear_early();
}

int WebEnd::connect(const net::Address& server, Outgoing outgoing) {
  const Route& route = worker_route_.route;
  path_ = route.options->web.server_path.empty() ? "/" : route.options->web.server_path;
  net::UpgradeRequest request{outgoing.server.name, path_, net::make_upgrade_key(), net::forwarded_headers({})};
  const int error = connect_by(server, std::move(outgoing.sockets.tcp), [&](net::Fd tcp) {
    return link_.connect(std::move(tcp), server, route.options->web.server_tls.get(), outgoing.server.options.host,
                         std::move(request), outgoing.first);
  });
  if (error == 0) link_.set_reading(true);
  return error;
}

void WebEnd::upgraded(net::WebLink&, const net::HttpHead&) { user().opened(*this, {peer_address_.text(), 0, path_}); }

void WebEnd::declined(net::WebLink&, const net::HttpHead& response, std::string_view why) {
  const std::string said = clean(why);
  depart({How::kDeclined, 0, Fault{""},
          "it answered " + std::to_string(response.status) + " to a WebSocket's request" +
              (said.empty() ? "" : ": " + said)});
}

// -- Receiving and sending --------------------------------------------------------------------------------------------

void WebEnd::received(net::WebLink&, Opcode opcode, Bytes payload) {
  if (is_deaf_to(payload.size())) return;
  if (opcode == Opcode::kText) return hear_text(payload);
  if (opcode == Opcode::kBinary) return hear(payload);
  if (opcode == Opcode::kPing) answer_ping(payload);
  user().received_besides(*this, payload.size(), 1);
}

void WebEnd::received_overhead(net::WebLink&, std::size_t bytes) {
  if (!is_deaf_to(bytes)) user().received_besides(*this, bytes, 0);
}

/// Sends a pong unless too much waits: a peer may send pings without reading the pongs.
void WebEnd::answer_ping(Bytes payload) {
  if (link_.waiting() <= high_water_) link_.send(Opcode::kPong, payload);
}

void WebEnd::hear_text(Bytes message) {
  if (opcode_ != Opcode::kText)
    return refuse(CloseFrame::kUnsupported, Fault{"a text message in a binary protocol", "websocket"});
  if (!is_text(as_text(message)))
    return refuse(CloseFrame::kBadContent, Fault{"a text that is not UTF-8", "websocket"});
  hear(message);
}

void WebEnd::refuse(std::uint16_t code, const Fault& fault) {
  link_.send(CloseFrame{code, fault.what});
  link_.flush();
  depart({How::kWrong, 0, fault, {}});
}

void WebEnd::hear(Bytes message) {
  conclude(heard_.feed(
      Lane::kStream, message, [&](const Frames& frames) { user().on_frames(*this, frames); },
      [&] { return has_time(); }));
}

void WebEnd::go_on(net::WebLink&) {
  if (departed_ || shut_down_) return heard_.drop();
  conclude(heard_.go_on([&](const Frames& frames) { user().on_frames(*this, frames); }, [&] { return has_time(); }));
}

void WebEnd::conclude(const std::optional<Fault>& fault) {
  if (heard_.behind()) link_.call_again();
  if (fault) refuse(content_code(*fault), *fault);
}

void WebEnd::send(Lane, Bytes frame) {
  if (!shut_down_ && link_.upgraded() && !link_.sent_close()) link_.send(opcode_, frame);
}

void WebEnd::lend(Lane, const SharedBytes& frame) {
  if (!shut_down_ && link_.upgraded() && !link_.sent_close()) link_.send_shared(opcode_, frame);
}

// -- Going down -------------------------------------------------------------------------------------------------------

void WebEnd::close_frame(net::WebLink&, const CloseFrame& close_frame) {
  if (!shut_down_) link_.send(CloseFrame{close_frame.code, {}});
  link_.flush();
  depart({How::kLeft, 0, Fault{""}, close_frame.reason, close_frame.code});
}

void WebEnd::protocol_error(net::WebLink&, const Fault& fault, const std::string& detail) {
  depart({How::kWrong, 0, fault, detail});
}

void WebEnd::ended(net::WebLink&) {
  const bool answered = facing_ == Facing::kClient || link_.upgraded();
  lose({answered ? How::kLeft : How::kDeclined, 0, Fault{""}, answered ? "" : "it hung up on a WebSocket's request"});
}

void WebEnd::shut_down(std::string_view why, std::uint32_t code) {
  if (std::exchange(shut_down_, true)) return;
  if (facing_ == Facing::kClient && !link_.upgraded() && !why.empty()) link_.decline(503, why);
  close_frame_ = {close_code(code), std::string(why)};
  if (close_delay_ == 0 || !link_.upgraded() || departed_) return rang();
  alarm_.set(worker_route_.loop.nanos() + close_delay_ * 1'000'000);
  link_.flush();
  link_.set_reading(true);
}

void WebEnd::rang() {
  if (link_.upgraded() && link_.is_open()) link_.send(close_frame_);
  finish();
}

}  // namespace entente::relay
