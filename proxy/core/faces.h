// Creates a game's two faces: the front that its clients see, and the back that its servers see.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "proxy/core/room_member.h"

namespace entente::core {

/// A key that a game accepts after the '?' of its URL, in addition to those of every URL (dialect, …).
struct Setting {
  /// Allowed values; if all are empty, any text.
  struct Values {
    std::string_view words = {};  ///< one of them: "yes|no"
    int least = 0, most = 0;      ///< an integer
    bool folder = false;          ///< an existing folder
    /// Looks for the value on this machine, for a URL that does not give one. Empty: there is none.
    std::string (*find)() = nullptr;
  };

  const char* name;
  const char* about;  ///< a sentence with unit, range and default
  Values values = {};
};

/// What all faces of one URL share, such as files that they need. It never changes, so threads may share it.
struct Preparation {
  virtual ~Preparation() = default;
};

/// The options of a face. REQUIRES: its keys are settings of the game, with allowed values.
struct FaceOptions {
  std::size_t dialect = 0;  ///< index in Game::dialects()
  std::map<std::string, std::string, std::less<>> settings;
  bool follows = false;  ///< the session is somebody else's: nothing that the face sends reaches a peer
  /// Of Faces::prepare() for these settings. Null: the face prepares itself.
  std::shared_ptr<const Preparation> prepared{};

  /// Empty if it was not given.
  std::string_view setting(std::string_view name) const {
    const auto at = settings.find(name);
    return at != settings.end() ? std::string_view(at->second) : std::string_view();
  }
};

/// Both are null if a game has no faces yet: it can be relayed, but not bridged. A maker returns null for a dialect
/// without a face.
struct Faces {
  std::unique_ptr<Front> (*front)(const FaceOptions&) = nullptr;
  std::unique_ptr<Back> (*back)(const FaceOptions&) = nullptr;
  bool has_front(std::size_t dialect) const { return front != nullptr && front({dialect, {}}) != nullptr; }
  bool has_back(std::size_t dialect) const { return back != nullptr && back({dialect, {}}) != nullptr; }

  std::span<const Setting> front_settings{};
  std::span<const Setting> back_settings{};

  /// Reads what faces with these settings need, so that it is not read for each connection. Null: they need nothing.
  std::shared_ptr<const Preparation> (*prepare)(const FaceOptions&) = nullptr;
};

}  // namespace entente::core
