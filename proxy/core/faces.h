// How a game's two faces are made: the front that its clients see, the back that its servers see.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "proxy/core/session.h"

namespace entente::core {

/// One key that a game understands behind the '?' of its URL, beside those of every URL (dialect, …).
struct Setting {
  /// What it may be; all empty: any text.
  struct Values {
    std::string_view words = {};  ///< one of them: "yes|no"
    int least = 0, most = 0;      ///< a whole number
    bool folder = false;          ///< one that is there
  };

  const char* name;
  const char* about;  ///< a sentence, with unit and range, and what holds if it is not said
  Values values = {};
};

/// What is asked of a face. REQUIRES: its keys are settings of the game, and so are their values.
struct FaceOptions {
  std::size_t dialect = 0;  ///< its place in Game::dialects()
  std::map<std::string, std::string, std::less<>> settings;

  /// Empty if it was not said.
  std::string_view setting(std::string_view name) const {
    const auto at = settings.find(name);
    return at != settings.end() ? std::string_view(at->second) : std::string_view();
  }
};

/// Both null where a game has no faces yet: it can be relayed, not bridged. A maker gives null for a dialect that it
/// has none for yet.
struct Faces {
  std::unique_ptr<Front> (*front)(const FaceOptions&) = nullptr;
  std::unique_ptr<Back> (*back)(const FaceOptions&) = nullptr;
  bool has_front(std::size_t dialect) const { return front != nullptr && front({dialect, {}}) != nullptr; }
  bool has_back(std::size_t dialect) const { return back != nullptr && back({dialect, {}}) != nullptr; }

  std::span<const Setting> front_settings{};
  std::span<const Setting> back_settings{};
};

}  // namespace entente::core
