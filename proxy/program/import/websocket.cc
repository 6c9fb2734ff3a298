#include "proxy/program/import/websocket.h"

namespace entente {
namespace {

using net::HttpReader, net::Opcode, net::WebSocket;
using wire::Way;

constexpr std::size_t kLargestMessage = 1u << 20;
constexpr unsigned kSwitchingProtocols = 101;

}  // namespace

WebSocketImport::Half::Half(ConnectionId id, Way way, ImportSink& to)
    : id_(id),
      way_(way),
      to_(to),
      head_(way == Way::kToServer ? HttpReader::Of::kRequest : HttpReader::Of::kResponse),
      frames_(way == Way::kToServer ? WebSocket::Role::kServer : WebSocket::Role::kClient, kLargestMessage, *this) {}

void WebSocketImport::Half::feed(Bytes bytes, WallTime time) {
  time_ = time;
  if (stopped_) return;
  if (!head_.complete()) bytes = bytes.subspan(take_head(bytes));
  if (stopped_ || bytes.empty()) return;
  if (frames_.feed(bytes)) {
    stop();
    give(bytes);
  }
}

std::size_t WebSocketImport::Half::take_head(Bytes bytes) {
  const auto taken = head_.feed(bytes);
  if (!taken) {
    stop();
    give(bytes);
    return 0;
  }
  if (!head_.complete() || way_ == Way::kToServer) return *taken;
  const net::HttpHead& answer = head_.head();
  if (answer.status != kSwitchingProtocols) {
    refused_ = true;
    stop();
    to_.remark("a WebSocket request was answered with HTTP status " + std::to_string(answer.status) + "");
  } else if (const std::string* extensions = answer.find("Sec-WebSocket-Extensions")) {
    to_.remark("a WebSocket uses extensions that are not supported: " + *extensions);
  }
  return *taken;
}

void WebSocketImport::Half::message(Opcode opcode, Bytes payload) {
  if (opcode == Opcode::kText || opcode == Opcode::kBinary) give(payload);
}

void WebSocketImport::Half::close_frame(const net::CloseFrame& close_frame) {
  to_.half_closed(id_, {way_, close_frame.code, close_frame.reason, time_});
}

void WebSocketImport::Half::give(Bytes bytes) { to_.bytes({id_, way_, Lane::kStream, time_, bytes}); }

void WebSocketImport::opened(ConnectionId id, const ImportedConnection& connection, WallTime time) {
  ImportedTalk& talk = talks_[id];
  talk[0] = std::make_unique<Half>(id, Way::kToServer, to_);
  talk[1] = std::make_unique<Half>(id, Way::kToClient, to_);
  to_.opened(id, connection, time);
}

void WebSocketImport::bytes(const Imported& piece) {
  if (piece.lane != Lane::kStream) return to_.bytes(piece);
  Half& speaks = half(piece.connection, piece.way);
  speaks.feed(piece.bytes, piece.time);
  if (speaks.refused()) half(piece.connection, Way::kToServer).stop();  // what else it asks is no WebSocket either
}

void WebSocketImport::stream_gap(ConnectionId id, Way way, std::uint64_t bytes, WallTime time) {
  half(id, way).stop();
  to_.stream_gap(id, way, bytes, time);
}

void WebSocketImport::connection_over(ConnectionId id) {
  talks_.erase(id);
  to_.connection_over(id);
}

}  // namespace entente
