#include "proxy/program/settings/limits.h"

namespace entente {

Limits limits_of(const config::Limits& settings) {
  return {
      .sessions = settings.sessions(),
      .sessions_per_address = settings.sessions_per_address(),
      .connects_per_second = settings.connects_per_second(),
      .connects_burst = settings.connects_burst(),
      .enters_per_second = settings.enters_per_second(),
      .enters_burst = settings.enters_burst(),
      .greet_ms = settings.greet_ms(),
      .connect_ms = settings.connect_ms(),
      .detect_ms = settings.detect_ms(),
      .ready_ms = settings.ready_ms(),
      .lobby_ms = settings.lobby_ms(),
      .idle_ms = settings.idle_ms(),
      .stall_ms = settings.stall_ms(),
      .half_closed_ms = settings.half_closed_ms(),
      .linger_ms = settings.linger_ms(),
      .high_water = settings.high_water(),
      .low_water = settings.low_water(),
      .held_bytes = settings.held_bytes(),
      .address_waiting_bytes = settings.address_waiting_bytes(),
      .bytes_per_second = settings.bytes_per_second(),
      .messages_per_second = settings.messages_per_second(),
      .datagrams_per_second = settings.datagrams_per_second(),
      .datagram_bytes = settings.datagram_bytes(),
      .address_bytes_per_second = settings.address_bytes_per_second(),
      .address_messages_per_second = settings.address_messages_per_second(),
      .server_bytes_per_second = settings.server_bytes_per_second(),
      .server_messages_per_second = settings.server_messages_per_second(),
  };
}

config::Limits limits_for(const config::Limits& general, const config::Limits& own) {
  config::Limits both = general;
  both.MergeFrom(own);
  return both;
}

}  // namespace entente
