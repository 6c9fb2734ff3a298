// Panic's messages as bytes, and words from text, for tests.
#pragma once

#include <doctest/doctest.h>
#include <google/protobuf/text_format.h>

#include <string>

#include "adapters/panic/wire/wire.h"

namespace entente::panic {

struct Lines {
  explicit Lines(std::size_t its) : dialect(its), codec(make_message_codec(its)) {}

  Buffer state(std::uint16_t player, std::vector<std::uint32_t> tanks, std::uint8_t map = 2,
               std::uint8_t version = 1) const {
    GameState state;
    state.map = map;
    state.map_version = version;
    state.player = player;
    state.tank_count = static_cast<std::uint8_t>(tanks.size());
    state.tanks = std::move(tanks);
    return written(state, wire::Way::kToClient, kGameState);
  }
  Buffer create(std::uint32_t code, std::int32_t value, std::uint32_t piece, int x, int y) const {
    CreatePiece create;
    create.value = value;
    create.piece = piece;
    create.x = static_cast<std::uint8_t>(x);
    create.y = static_cast<std::uint8_t>(y);
    return written(create, wire::Way::kToClient, code);
  }
  Buffer event(std::uint32_t code, int direction, std::int32_t value, std::uint32_t piece) const {
    Event event;
    event.direction = static_cast<Direction>(direction);
    event.value = value;
    event.piece = piece;
    return written(event, wire::Way::kToClient, code);
  }
  Buffer move(int direction, std::int32_t value, std::uint32_t piece) const {
    return event(kMove, direction, value, piece);
  }
  Buffer action(std::uint16_t player, int action, int direction, std::uint32_t piece) const {
    const Action wish = {player, static_cast<ActionType>(action), static_cast<Direction>(direction), piece};
    return written(wish, wire::Way::kToServer, 0);
  }

  std::size_t dialect;
  std::unique_ptr<wire::MessageCodec<Message>> codec;

 private:
  Buffer written(const Message& message, wire::Way way, std::uint32_t code) const {
    Buffer bytes;
    codec->write(message, way, bytes, code);
    return bytes;
  }
};

inline Buffer joined(std::initializer_list<Buffer> parts) {
  Buffer all;
  for (const Buffer& part : parts) append(all, part);
  return all;
}

/// Removes the padding, which differs between dialects.
inline std::string unpadded(std::string text) {
  for (const std::string_view name : {" padding=", " count_padding=", " end_padding="})
    for (std::size_t at; (at = text.find(name)) != std::string::npos;)
      text.erase(at, std::min(text.find_first_of(" \n", at + 1), text.size()) - at);
  return text;
}

/// The word with these fields, in protobuf's text format.
template <class Word>
Word word_of(const std::string& text) {
  Word message;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

}  // namespace entente::panic
