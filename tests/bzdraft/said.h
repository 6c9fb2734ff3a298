// The draft's messages as packets, for tests of its front and its back.
#pragma once

#include <google/protobuf/text_format.h>

#include <initializer_list>

#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzdraft/wire/conversions.h"
#include "adapters/bzdraft/wire/wire.h"
#include "tests/support/stage.h"

namespace entente::bzdraft {

inline Buffer packet(wire::Way way, std::initializer_list<Message> messages) {
  Buffer bytes;
  for (const Message& message : messages) make_message_codec()->write(message, way, bytes);
  return bytes;
}
inline Buffer by_client(std::initializer_list<Message> messages) { return packet(wire::Way::kToServer, messages); }
inline Buffer by_server(std::initializer_list<Message> messages) { return packet(wire::Way::kToClient, messages); }

template <class Word>
Word word(const std::string& text) {
  Word message;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

inline Enter enter_as(std::string name, std::uint8_t team = 1, std::uint8_t type = kTank) {
  Enter enter;
  enter.team = team;
  enter.type = type;
  enter.callsign.chars = std::move(name);
  enter.email.chars = "a@example.com";
  return enter;
}

inline AddPlayer entry(std::uint8_t number, std::string name, std::uint8_t team, std::uint16_t wins = 0) {
  AddPlayer add;
  add.player = number;
  add.team = team;
  add.wins = wins;
  add.callsign.chars = std::move(name);
  return add;
}

}  // namespace entente::bzdraft
