// Converts messages between the first dialect and another one. Front and back use only messages of the first dialect.
// The codec handles the layouts, and front and back the order of joining.
// Invariant: what a dialect cannot express is not sent, or (a flag) replaced by something harmless; never by something
// with another meaning.
#pragma once

#include <bitset>
#include <concepts>
#include <span>
#include <string>
#include <vector>

#include "adapters/bzflag/wire/addresses.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/wire/wire.h"
#include "proxy/core/word.h"

namespace entente::bzflag {

/// Types of players in a dialect where spectators are a type (Dialect::watcher_type).
inline constexpr std::uint16_t kWatcherType = 1, kLateRobotType = 2;

class DialectTranslator {
 public:
  /// `says`: the direction of our messages.
  DialectTranslator(std::size_t dialect, wire::Way says);

  const Dialect& dialect() const { return dialect_; }
  /// Whether nothing needs to be converted, because this is the first dialect.
  bool plain() const { return plain_; }

  /// Converts a message of the peer to the first dialect. False: it has no meaning there.
  bool hear(Message& message);

  /// Converts a message for the peer: the messages to send instead; none if its dialect cannot express it. Valid until
  /// the next call.
  std::span<const Message> say(const Message& message);

  /// The flag that the peer would return for this one.
  std::string echo(std::string_view flag) const;

 private:
  // -- Messages from the peer: translator_hear.cc
  template <class T>
  bool translate_heard(T&) {
    return true;
  }
  bool translate_heard(Welcome& welcome);
  bool translate_heard(NegotiateFlags& flags);
  bool translate_heard(GameSettings& settings);
  bool translate_heard(WorldChunk& chunk);
  bool translate_heard(GetWorld& wanted);
  bool translate_heard(Enter& enter);
  bool translate_heard(Reject& reject);
  bool translate_heard(AddPlayer& added);
  bool translate_heard(RemovePlayer& removed);
  bool translate_heard(OneFlagUpdate& update);
  bool translate_heard(Alive& alive);
  bool translate_heard(KilledReport& report);
  bool translate_heard(Killed& killed);
  bool translate_heard(PlayerUpdate& update) { return translate_update(update); }
  bool translate_heard(PlayerUpdateSmall& update) { return translate_update(update); }
  bool translate_heard(ShotBegin& begin);
  bool translate_heard(ChatRequest& request);
  bool translate_heard(Chat& chat);
  bool translate_heard(TimeLeft& left);
  bool translate_heard(GameAnswer& answer);
  template <class Update>
  bool translate_update(Update& update);
  void guess_death(Death& death, std::uint8_t victim, std::uint8_t killer) const;
  static void join(Message& message);

  // -- Messages to the peer: translator_say.cc
  template <class T>
  bool translate_said(T&) {
    return true;
  }
  bool translate_said(Welcome& welcome);
  bool translate_said(NegotiateFlags& flags);
  bool translate_said(GameSettings& settings);
  bool translate_said(WorldChunk& chunk);
  bool translate_said(GetWorld& wanted);
  bool translate_said(Enter& enter);
  bool translate_said(AddPlayer& added);
  bool translate_said(TeamUpdate& teams);
  bool translate_said(ScoreOver& over);
  bool translate_said(Alive& alive);
  bool translate_said(KilledReport& report);
  bool translate_said(Killed& killed);
  bool translate_said(ShotBegin& begin);
  bool translate_said(GuidedUpdate& update);
  bool translate_said(ChatRequest& request);
  bool translate_said(Chat& chat);
  bool translate_said(TimeLeft& left);
  bool translate_said(GameAnswer& answer);
  void translate(Message message);
  bool split(const Message& message);
  void split(const TeamUpdate& teams);
  void split(const Score& scores);
  void split(const FlagUpdate& flags);
  void split(const TransferFlag& transfer);
  bool translate_target(Id& to, std::uint16_t& team) const;
  std::int16_t team_there(std::int16_t team) const;
  template <class Joining>
  void convert_type_and_team(Joining& one) const;

  // -- Flags: translator_flags.cc
  void to_peer(FlagKind& flag) const;
  void from_peer(FlagKind& flag) const;

  struct KnownShot {
    std::uint8_t player = kNobody;
    std::uint16_t shot = kNoShot;
    FlagKind flag;
  };
  void remember(const ShotBegin& begin);
  FlagKind flag_of_shot(std::uint8_t player, std::uint16_t shot) const;

  const Dialect& dialect_;
  bool plain_;
  std::bitset<std::variant_size_v<AnyMessage>> sayable_;
  std::vector<Message> said_;

  std::uint8_t own_ = kNobody;  // the number of the client of this link
  std::string own_name_;
  bool adopted_ = false;  // its address is known
  Addresses addresses_;
  struct Known {
    std::string name;
    std::int16_t team = 0;
    std::int32_t order = 0;
  };
  std::vector<Known> players_;    // by number
  std::vector<KnownShot> shots_;  // a ring
  std::size_t next_shot_ = 0;
};

/// Combines the kind of game and the options in one number, as before 2.4. The other two functions separate them.
std::uint16_t style_of(std::uint16_t game_type, std::uint16_t options);
std::uint16_t game_type_of_style(std::uint16_t style);
std::uint16_t options_of_style(std::uint16_t style);

/// Calls `f(Id&, nobody)` for each id of a message; `nobody` is the number of an id that is all zero.
template <class T, class F>
void each_id(T& m, F&& f) {
  if constexpr (requires {
                  { (m.id) } -> std::same_as<Id&>;
                })
    f(m.id, kNobody);
  if constexpr (requires {
                  { (m.player) } -> std::same_as<Id&>;
                })
    f(m.player, kNobody);
  if constexpr (requires {
                  { (m.victim) } -> std::same_as<Id&>;
                })
    f(m.victim, kNobody);
  if constexpr (requires {
                  { (m.killer) } -> std::same_as<Id&>;
                })
    f(m.killer, kServerId);
  if constexpr (requires {
                  { (m.target) } -> std::same_as<Id&>;
                })
    f(m.target, kNobody);
  if constexpr (requires {
                  { (m.from) } -> std::same_as<Id&>;
                })
    f(m.from, kServerId);
  if constexpr (requires {
                  { (m.to) } -> std::same_as<Id&>;
                })
    f(m.to, kEverybody);
  if constexpr (requires {
                  { (m.flag.flag.owner) } -> std::same_as<Id&>;
                })
    f(m.flag.flag.owner, kNobody);
}

template <class T, class F>
void each_flag(T& m, F&& f) {
  if constexpr (requires {
                  { (m.flag) } -> std::same_as<FlagKind&>;
                })
    f(m.flag);
  if constexpr (requires {
                  { (m.death.flag) } -> std::same_as<FlagKind&>;
                })
    f(m.death.flag);
  if constexpr (requires {
                  { (m.flag.flag.flag) } -> std::same_as<FlagKind&>;
                })
    f(m.flag.flag.flag);
  if constexpr (requires {
                  { (m.flags) } -> std::same_as<std::vector<NumberedFlag>&>;
                })
    for (NumberedFlag& one : m.flags) f(one.flag.flag);
}

}  // namespace entente::bzflag
