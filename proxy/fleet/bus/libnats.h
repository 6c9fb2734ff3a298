// Converts what libnats says to the bus's own types.
#pragma once

#include <nats/nats.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "proxy/fleet/bus.h"

namespace entente::fleet {

/// The text of libnats for the last failure on this thread.
inline std::string failure(natsStatus status) {
  const char* last = nats_GetLastError(nullptr);
  const std::string text = last != nullptr ? last : "";
  if (text.empty()) return natsStatus_GetText(status);
  const std::size_t place = text.starts_with('(') ? text.find("): ") : text.npos;  // in the source of libnats
  return place == text.npos ? text : text.substr(place + 3);
}

/// Why the connection last failed; empty: it did not.
inline std::string why_failed(natsConnection* connection) {
  const char* text = nullptr;
  const natsStatus status = natsConnection_GetLastError(connection, &text);
  if (status == NATS_OK) return "";
  return text != nullptr && *text != '\0' ? text : natsStatus_GetText(status);
}

inline Buffer buffer_of(const void* data, int size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  return size > 0 ? Buffer(bytes, bytes + size) : Buffer();
}

inline BusMessage message_of(const natsMsg* message) {
  const char* reply = natsMsg_GetReply(message);
  return {natsMsg_GetSubject(message), reply != nullptr ? reply : "",
          buffer_of(natsMsg_GetData(message), natsMsg_GetDataLength(message)), 0};
}

inline BusEntry entry_of(kvEntry* entry) {
  return {kvEntry_Key(entry), buffer_of(kvEntry_Value(entry), kvEntry_ValueLen(entry)), kvEntry_Revision(entry),
          kvEntry_Operation(entry) != kvOp_Put};
}

/// Bytes that a message takes while it waits.
inline std::size_t size_of(const BusMessage& message) {
  return message.subject.size() + message.reply.size() + message.bytes.size() + 128;
}

inline bool is_tls(const std::string& url) { return url.starts_with("tls://"); }

struct ServerPlace {
  std::string host;  ///< a name, or an address (IPv6: in brackets)
  std::uint16_t port;
};
/// Of "nats://host:port" or "tls://host:port"; without a port, that of NATS. REQUIRES: `url` has "://".
inline ServerPlace place_of(const std::string& url) {
  std::string host = url.substr(url.find("://") + 3);
  host.resize(std::min(host.find('/'), host.size()));
  std::uint16_t port = 4222;
  if (const auto colon = host.rfind(':'); colon != std::string::npos && host.find(']', colon) == std::string::npos) {
    port = static_cast<std::uint16_t>(std::atoi(host.c_str() + colon + 1));
    host.resize(colon);
  }
  return {host, port};
}

constexpr std::int64_t kJetStreamWait = 2'000;  // ms

}  // namespace entente::fleet
