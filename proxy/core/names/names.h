// Names of players in arenas and replays, where no game server checks them: as people can read them, and so that nobody
// is taken for somebody else or for the server. ICU knows the characters (Unicode UAX #15, UTS #39).
// Invariant: a name that it gives is valid UTF-8 without invisible characters. No two names that it holds look alike,
// whatever their case. The work for a name has a bound that does not depend on how many names there are.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/word.h"

namespace entente::core {

/// The name without what cannot be seen (zero-width and bidirectional marks, controls, unassigned characters), without
/// more than two marks on a letter, and with single spaces. "player" if nothing is left, or if it looks like "server".
std::string plain_name(std::string_view name);

class NameBook {
 public:
  /// Whether somebody beside the book has this name.
  using Taken = std::function<bool(const std::string& name)>;

  /// Gives `whose` the plain form of `wish`, with a number behind it if another name looks like it. At most `most`
  /// bytes, at least 32 or so. Replaces the name that it had.
  std::string give(Id whose, std::string_view wish, std::size_t most, const Taken& taken = nullptr);
  void forget(Id whose);

 private:
  /// Two names look alike if one of these is equal: with the letters' case folded before and after characters were
  /// replaced by those that look like them.
  using Likeness = std::array<std::string, 2>;
  static Likeness likeness(std::string_view name);
  bool is_free(const Likeness& name, Id whose) const;

  std::unordered_map<std::string, Id, KeyedHash<std::string>> owners_;
  std::unordered_map<Id, Likeness, KeyedHash<Id>> names_;
};

}  // namespace entente::core
