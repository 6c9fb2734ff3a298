// The two kinds of words in a room: an Intent (what a player wants or claims) and a Fact (what is true).
// Invariant: a word is a value. Its content is one message of schema/game.proto, stored in place, so that a flat
// message needs no heap memory.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "schema/game.pb.h"

namespace entente::core {

/// Ids of players, units and tokens are the room's own; 0 is none. A shot's number is its shooter's own and is not an
/// Id.
using Id = std::uint32_t;

/// Microseconds: a duration, or a time since the room began.
using Micros = std::uint64_t;

inline constexpr Micros kSecond = 1'000'000;
inline constexpr Micros kMillisecond = 1'000;

// The kinds are in the order of the oneofs in schema/game.proto; a test compares them.
using IntentKind =
    std::variant<words::Enter, words::Change, words::Spawn, words::Leave, words::Select, words::Watch, words::Resume,
                 words::Step, words::Toward, words::Keys, words::PoseClaim, words::Fire, words::Trigger, words::Reload,
                 words::Tool, words::Split, words::Eject, words::Button, words::Freeze, words::HitClaim,
                 words::DeathClaim, words::ShotMoveClaim, words::ShotEndClaim, words::TokenWish, words::TeleportClaim,
                 words::ScoreClaim, words::Pause, words::Autopilot, words::Ping, words::Query, words::WantWorld,
                 words::Edit, words::Say, words::Playback>;

using FactKind =
    std::variant<words::Room, words::Rule, words::Refused, words::Kicked, words::ClaimRefused, words::Notice,
                 words::Waiting, words::World, words::WorldEdit, words::WorldProgress, words::You, words::Player,
                 words::PlayerGone, words::Owns, words::Unit, words::UnitChanged, words::Pose, words::Corrected,
                 words::Hidden, words::Gone, words::Teleported, words::Spawned, words::Died, words::Health, words::Ammo,
                 words::Input, words::Shot, words::ShotMoved, words::ShotEnded, words::Token, words::TokenTaken,
                 words::TokenDropped, words::TokenCaptured, words::Zone, words::Score, words::TeamScore, words::Board,
                 words::Round, words::Said, words::View, words::Lag, words::Clock, words::Ready, words::Timeline>;

template <class T, class Kinds>
struct IsKind;
template <class T, class... All>
struct IsKind<T, std::variant<All...>> : std::bool_constant<(std::is_same_v<T, All> || ...)> {};
/// T is one of the messages that such a word can hold.
template <class T, class Kinds>
concept KindOf = IsKind<T, Kinds>::value;

// Making, copying, moving and destroying a word is compiled once, in word.cc, because with so many kinds it takes
// seconds.
struct Intent {
  using Kind = IntentKind;
  using Schema = words::Intent;

  Intent();
  ~Intent();
  Intent(Intent&& other) noexcept;
  Intent(const Intent& other);
  Intent& operator=(Intent&& other) noexcept;
  Intent& operator=(const Intent& other);
  // Implicit on purpose: a message can be passed wherever a word is expected.
  template <KindOf<Kind> T>
  Intent(T word);  // NOLINT(google-explicit-constructor)

  Micros at = 0;             ///< filled in by the room
  Id by = 0;                 ///< the player; filled in by the room
  std::uint32_t number = 0;  ///< counts each player's intents; filled in by the room, or by a front that hears only
                             ///< what is for its player (Room::seat)
  Kind content;
};

struct Fact {
  using Kind = FactKind;
  using Schema = words::Fact;

  Fact();
  ~Fact();
  Fact(Fact&& other) noexcept;
  Fact(const Fact& other);
  Fact& operator=(Fact&& other) noexcept;
  Fact& operator=(const Fact& other);
  // Implicit on purpose: a message can be passed wherever a word is expected.
  template <KindOf<Kind> T>
  Fact(T word);  // NOLINT(google-explicit-constructor)
  template <KindOf<Kind> T>
  Fact(Id player, T word)  ///< for this player alone
      : Fact(std::move(word)) {
    audience = words::PLAYER;
    to = player;
  }

  Micros at = 0;            ///< filled in by the room
  std::uint32_t cause = 0;  ///< the number of the intent it answers; 0 = none
  words::Audience audience = words::ALL;
  std::uint32_t to = 0;  ///< a player, or a words::Team
  Id scene = 0;  ///< only for those who see this scene of the room (BackOut::switch_scene); 0: the room's own scene
  Kind content;
};

/// Several lambdas as one visitor.
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// The message if the word is of this kind; otherwise null.
template <class T, class Word>
const T* as(const Word& word) {
  return std::get_if<T>(&word.content);
}

/// The message in the word, for code that treats all kinds alike: a visit of all kinds takes seconds to compile.
google::protobuf::Message& message_in(Intent& word);
google::protobuf::Message& message_in(Fact& word);
const google::protobuf::Message& message_in(const Intent& word);
const google::protobuf::Message& message_in(const Fact& word);

/// The name of the kind, such as "Pose"; lives as long as the program.
const char* name_of(const Intent& word);
const char* name_of(const Fact& word);
template <class T>
requires(KindOf<T, IntentKind> || KindOf<T, FactKind>) const char* name_of(const T& /*kind*/) {
  return T::descriptor()->name().c_str();
}

/// Converts to the message Intent or Fact of schema/game.proto; replaces what `message` held.
void to_message(const Intent& word, words::Intent& message);
void to_message(const Fact& word, words::Fact& message);
/// Fault: the message's kind is not set or not known.
Result<Intent> from_message(const words::Intent& message);
Result<Fact> from_message(const words::Fact& message);

/// Appends the word, serialised as such a message.
void write(const Intent& word, Buffer& out);
void write(const Fact& word, Buffer& out);

/// Parses such a message. Fault: it does not parse, or its kind is not set or not known.
Result<Intent> read_intent(Bytes bytes);
Result<Fact> read_fact(Bytes bytes);

}  // namespace entente::core
