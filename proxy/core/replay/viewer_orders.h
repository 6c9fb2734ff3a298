// What a viewer may ask of its clock, as words of the schema and as lines of chat ("/seek 1:20").
// Invariant: parsing changes nothing. The error for an invalid line says what is valid.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/core/word.h"

namespace entente::core {

/// The speeds that viewers may choose.
inline constexpr double kSlowestView = 0.25, kFastestView = 16;

/// A wish of a viewer; a later one is added to an earlier one that has not been carried out.
struct ViewerWish {
  std::optional<Micros> at;
  double by_s = 0;  ///< from `at`, or from where the clock is
  words::Playback::Kill kill = words::Playback::NO_KILL;
  std::optional<double> speed;
  std::optional<bool> paused;
  bool from_chat = false;  ///< it is answered in chat

  bool any() const { return at || by_s != 0 || kill != words::Playback::NO_KILL || speed || paused; }
  void add(const ViewerWish& later);
};

ViewerWish wish_of(const words::Playback& word);

/// A command in chat.
struct ChatOrder {
  enum class Kind : std::uint8_t { kWish, kFollow, kWhere, kHelp };
  Kind kind = Kind::kWish;
  ViewerWish wish = {};
  bool live = false;      ///< the wish is to go to the present of a broadcast
  std::string name = {};  ///< whom to follow; empty: nobody
};

/// An error is a line for the viewer.
Outcome<ChatOrder> parse_chat_order(std::string_view line);

/// What /help says, in two lines.
std::string chat_help_of_time();
std::string chat_help();

/// "1:20", "1:02:05".
std::string clock_text(Micros at);

}  // namespace entente::core
