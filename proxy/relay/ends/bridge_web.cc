#include "proxy/relay/ends/bridge_web.h"

#include "proxy/base/text.h"
#include "proxy/relay/ends/web_request.h"

namespace entente::relay {

using How = BridgeEnd::Departure::How;
using net::CloseFrame;
using net::Opcode;
using Role = net::WebSocket::Role;
using wire::Way;

namespace {

/// A code that may stand in a close frame (RFC 6455, 7.4; 3000 to 4999 are free for games).
std::uint16_t close_code(std::uint32_t code) {
  const bool own = code >= 3000 && code <= 4999;
  const bool common = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
  return own || common ? static_cast<std::uint16_t>(code) : CloseFrame::kGoingAway;
}

}  // namespace

BridgeWeb::BridgeWeb(WorkerRoute& worker_route, BridgeEnd::User& user, const BridgeEndOptions& options)
    : worker_route_(worker_route),
      user_(user),
      side_(options.side),
      high_water_(options.limits.high_water),
      cutter_(options.game.cutter(way_of(options.side), options.dialect)),
      opcode_(options.game.says_text(options.dialect) ? Opcode::kText : Opcode::kBinary),
      link_(worker_route.loop, options.side == BridgeSide::kFront ? Role::kServer : Role::kClient,
            options.game.largest_from(way_of(options.side)), *this),
      alarm_(worker_route.loop, *this) {}

// -- Coming up --------------------------------------------------------------------------------------------------------

bool BridgeWeb::adopt(net::Fd client) {
  here_ = net::local_address(client.get());
  there_ = net::peer_address(client.get());
  if (!link_.adopt(std::move(client), worker_route_.route.web->client_tls.get())) return false;
  link_.read(true);
  return true;
}

void BridgeWeb::asked(net::WebLink&, const net::HttpHead& request) {
  const WorkerRoute* chosen = user_.route_for(request.path());
  const Route& route = chosen ? chosen->route : worker_route_.route;
  if (const Asset* file = file_for(route, request)) {
    link_.serve(request, *file);
    return depart({How::kVisited, 0, Fault{""}, {}});
  }
  unsigned status = 101;
  if (const auto fault = objection(route, request, status)) {
    link_.decline(status, fault->what);
    return depart({How::kUnwanted, 0, *fault, {}});
  }
  path_ = request.path();
  link_.answer(request, nullptr);
  user_.opened(*this, {there_.text(), 0, path_});
  link_.hear_early();
}

int BridgeWeb::connect(const net::Address& server, net::Sockets sockets) {
  departed_ = peer_ended_ = over_ = false;
  there_ = server;
  const Route& route = worker_route_.route;
  path_ = route.web->server_path.empty() ? "/" : route.web->server_path;
  net::UpgradeRequest request{route.server_name, path_, net::make_upgrade_key(), net::forwarded_headers({})};
  const int tcp = sockets.tcp.get();
  const int error =
      link_.connect(std::move(sockets.tcp), server, route.web->server_tls.get(), route.server_host, std::move(request));
  if (error != 0) return error;
  here_ = net::local_address(tcp);
  link_.read(true);
  return 0;
}

void BridgeWeb::upgraded(net::WebLink&, const net::HttpHead&) { user_.opened(*this, {there_.text(), 0, path_}); }

void BridgeWeb::declined(net::WebLink&, const net::HttpHead& response) {
  depart(
      {How::kDeclined, 0, Fault{""}, "it answered " + std::to_string(response.status) + " to a WebSocket's request"});
}

// -- Hearing and speaking ---------------------------------------------------------------------------------------------

void BridgeWeb::received(net::WebLink&, Opcode opcode, Bytes payload) {
  if (departed_ || parted_) {
    unheard_ += payload.size();
    if (unheard_ <= kMostUnheard) return;
    link_.close();
    return settle();
  }
  if (opcode == Opcode::kText) return hear_text(payload);
  if (opcode == Opcode::kBinary) return hear(payload);
  if (opcode == Opcode::kPing) answer_ping(payload);
  user_.received_control(*this, payload.size());
}

/// Who sends pings and takes no pongs is owed only those that there is room for.
void BridgeWeb::answer_ping(Bytes payload) {
  if (!link_.sent_close() && link_.waiting() <= high_water_) link_.send(Opcode::kPong, payload);
}

void BridgeWeb::hear_text(Bytes message) {
  if (opcode_ != Opcode::kText)
    return refuse(CloseFrame::kUnsupported, Fault{"a text where binary is spoken", "websocket"});
  if (!is_text(as_text(message)))
    return refuse(CloseFrame::kBadContent, Fault{"a text that is not UTF-8", "websocket"});
  hear(message);
}

void BridgeWeb::refuse(std::uint16_t code, const Fault& fault) {
  link_.send(CloseFrame{code, fault.what});
  link_.flush();
  depart({How::kWrong, 0, fault, {}});
}

void BridgeWeb::hear(Bytes message) {
  Bytes left = message;
  std::size_t frames = 0;
  const auto fault = wire::cut_message(*cutter_, left, [&](wire::Stage, Bytes) { return ++frames != 0; });
  if (!fault) return user_.received(*this, Lane::kStream, message, frames);
  refuse(content_code(*fault), *fault);
}

void BridgeWeb::send(Lane, Bytes frame) {
  if (!parted_ && link_.upgraded() && !link_.sent_close()) link_.send(opcode_, frame);
}

void BridgeWeb::wrote(net::WebLink&) {
  user_.wrote(*this);
  settle();
}

// -- Going down -------------------------------------------------------------------------------------------------------

void BridgeWeb::close_frame(net::WebLink&, const CloseFrame& close_frame) {
  if (!parted_) link_.send(CloseFrame{close_frame.code, {}});
  link_.flush();
  depart({How::kLeft, 0, Fault{""}, close_frame.reason, close_frame.code});
}

void BridgeWeb::wronged(net::WebLink&, const Fault& fault, const std::string& detail) {
  depart({How::kWrong, 0, fault, detail});
}

void BridgeWeb::ended(net::WebLink&) {
  peer_ended_ = true;
  const bool answered = side_ == BridgeSide::kFront || link_.upgraded();
  depart({answered ? How::kLeft : How::kDeclined, 0, Fault{""}, answered ? "" : "it hung up on a WebSocket's request"});
  settle();
}

void BridgeWeb::broken(net::WebLink&, int error) {
  depart({How::kBroke, error, Fault{""}, {}});
  settle();
}

void BridgeWeb::depart(const Departure& departure) {
  if (departed_ || parted_) return;
  departed_ = true;
  user_.departed(*this, departure);
}

void BridgeWeb::part(std::string_view why, std::uint32_t code) {
  if (std::exchange(parted_, true)) return;
  close_frame_ = {close_code(code), std::string(why)};
  if (closes_after_ == 0 || !link_.upgraded() || departed_) return rang();
  alarm_.set(worker_route_.loop.nanos() + closes_after_ * 1'000'000);
  link_.flush();
  link_.read(true);
}

void BridgeWeb::rang() {
  if (link_.upgraded() && link_.is_open()) link_.send(close_frame_);
  link_.finish();
  if (link_.is_open()) link_.read(true);
}

void BridgeWeb::settle() {
  if (peer_ended_ && parted_ && link_.waiting() == 0) link_.close();
  if (link_.is_open() || over_ || !(departed_ || parted_)) return;
  over_ = true;
  user_.over(*this);
}

}  // namespace entente::relay
