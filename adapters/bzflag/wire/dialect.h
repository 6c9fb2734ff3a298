// The features in which the dialects of BZFlag differ. Only kDialects says which dialect has which.
// Invariant: code outside this file tests features, never versions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "adapters/wire/fields.h"

namespace entente::bzflag {

/// The game's name in URLs, recordings and words::Room.
inline constexpr std::string_view kGameName = "bzflag";

/// When a client sends "BZFLAG\r\n\r\n".
enum class Header : std::uint8_t {
  kNever,     ///< the server speaks first, right after accept
  kRequired,  ///< the server waits for it
  kOptional,  ///< a client may omit it: the wiki page forbids it towards old servers
};

struct Dialect {
  wire::ByteOrder order = wire::ByteOrder::kBig;
  std::string_view name;     ///< in URLs
  std::string_view about;    ///< for people
  std::string_view version;  ///< the eight characters its servers greet with

  Header header = Header::kNever;
  bool late_answer = false;      ///< a silent client gets version + "\r\n\r\n" (bzfs.cxx:6165 at v2.4.26)
  bool refusals = false;         ///< a banned client gets "REFUSED:" and a text instead of the greeting
  bool shows_refusals = false;   ///< clients show that text
  bool kicks_unknown = false;    ///< a client that sends an unknown code is kicked; others only log it
  bool address_ids = false;      ///< player ids have 8 bytes (IPv4, port, number), not one
  bool flag_numbers = false;     ///< flag kinds are u16 numbers, not two letters
  bool short_offsets = false;    ///< world offsets are u16, not u32
  bool enter_token = false;      ///< MsgEnter carries a token and the client's version
  bool strict_motto = false;     ///< a player with a motto of signs is refused (PlayerInfo.cxx:285 at v2.0.16)
  bool accept_id = false;        ///< MsgAccept names the player
  bool reject_text = false;      ///< MsgReject has a text
  bool team_kills = false;       ///< scores count team kills
  bool long_time = false;        ///< time left is an i32 (-1: the clock stands), not u16
  bool spawn_by_client = false;  ///< the client chooses where it spawns; directions are vectors
  bool death_reason = false;     ///< MsgKilled has a reason
  bool death_flag = false;       ///< MsgKilled names the flag of the shot, and the physics driver
  bool stamped_updates = false;  ///< updates carry a time and an order
  bool update_tails = false;     ///< status bits from 0x80 on append fields to an update
  bool shot_team = false;        ///< shots carry the shooter's team
  bool timed_shots = false;      ///< shots carry the time of firing
  bool message_team = false;     ///< chat is addressed by id and team, not by id alone
  bool message_kind = false;     ///< chat distinguishes "/me" from speech
  bool fixed_chat = false;       ///< the text of chat fills 128 bytes
  bool shared_codes = false;     ///< a team's score and the time left have the same code
  bool unsigned_fields = false;  ///< MsgEnter's team and the status of updates have no sign
  bool game_type = false;        ///< the kind of game is a number beside the option bits, not among them
  bool observers = false;        ///< query answers have the number of observers and the time elapsed
  bool grouped_world = false;    ///< worlds are compressed groups, not plain records
  bool wall_bits = false;        ///< walls say whether shots ricochet
  bool ping_family = false;      ///< the address in a LAN ping is prefixed by its length

  // What fronts and backs need to know besides the layouts.
  bool settings = false;       ///< the game's settings are a message of their own, not only the world's header
  bool style_header = false;   ///< the world's header has the wiki page's code
  bool game_clock = false;     ///< the server sends its time, first directly after its greeting
  bool queries = false;        ///< anyone may query the game and its players
  bool early_link = false;     ///< the datagram link is requested at once, not only in the game
  bool linked_shots = false;   ///< shots by stream lead to a kick
  bool strict_entry = false;   ///< a joining client accepts only the answer it waits for, and gives up soon
  bool packed_udp = false;     ///< a datagram to a client may hold several messages
  bool small_updates = false;  ///< poses may also be sent as 16-bit numbers
  /// A game may end without a winner. Clients of other dialects crash at that (playing.cxx:1919 at v2.0.16).
  bool winnerless = false;
  /// The end of a game kills all tanks, and no message says so (cleanupGameOver in bzfs.cxx at v2.4.26).
  bool deadly_end = false;
  bool late_flags = false;   ///< has BY, FO, NJ, RC, RO, TR, WG, and "A" for agility (else "A" is quick turn, not "QT")
  bool padded_chat = false;  ///< chat to clients always fills 128 bytes
  bool marked_actions = false;      ///< "/me" reaches clients as "* name does\t*"
  bool client_scores = false;       ///< clients count their own score
  bool watcher_type = false;        ///< spectators are a type, not a team; the next type is that of robots
  bool rabbits = false;             ///< rabbit chase has a team for the rabbit
  bool hunters = false;             ///< rabbit chase has a team for the hunters
  std::uint8_t rogue_target = 250;  ///< chat to a team is sent to this id minus the team
  /// Our own clocks, for updates and shots, begin again after so many seconds: larger numbers of a float are more than
  /// 1 ms apart. Clients look only at differences, and ignore negative ones (Player::setDeadReckoning at v2.4.26), or
  /// do not look at the time. Only 2.0.0 and 2.0.2 discard updates for hours after such a step.
  std::uint32_t clock_turn = 16'384;
};

/// In the order of Game::dialects(); the first is the default.
inline constexpr std::array<Dialect, 4> kDialects = {{
    {.name = "2.4",
     .about = "BZFlag 2.4.0 to 2.4.26 (BZFS0221)",
     .version = "BZFS0221",
     .header = Header::kRequired,
     .late_answer = true,
     .refusals = true,
     .shows_refusals = true,
     .kicks_unknown = true,
     .enter_token = true,
     .accept_id = true,
     .reject_text = true,
     .team_kills = true,
     .long_time = true,
     .death_reason = true,
     .death_flag = true,
     .stamped_updates = true,
     .update_tails = true,
     .shot_team = true,
     .timed_shots = true,
     .message_kind = true,
     .game_type = true,
     .observers = true,
     .grouped_world = true,
     .wall_bits = true,
     .ping_family = true,
     .settings = true,
     .game_clock = true,
     .queries = true,
     .early_link = true,
     .linked_shots = true,
     .packed_udp = true,
     .small_updates = true,
     .winnerless = true,
     .deadly_end = true,
     .late_flags = true,
     .rabbits = true,
     .hunters = true,
     .rogue_target = 251},
    {.name = "2.0",
     .about = "BZFlag 2.0.2 to 2.0.16 (BZFS0026)",
     .version = "BZFS0026",
     .refusals = true,
     .shows_refusals = true,
     .enter_token = true,
     .strict_motto = true,
     .accept_id = true,
     .reject_text = true,
     .team_kills = true,
     .long_time = true,
     .death_reason = true,
     .death_flag = true,
     .stamped_updates = true,
     .update_tails = true,
     .shot_team = true,
     .timed_shots = true,
     .observers = true,
     .grouped_world = true,
     .ping_family = true,
     .settings = true,
     .game_clock = true,
     .queries = true,
     .early_link = true,
     .packed_udp = true,
     .small_updates = true,
     .late_flags = true,
     .marked_actions = true,
     .rabbits = true,
     .clock_turn = 262'144},  // 3 days; numbers are then 30 ms apart, where 2.0.2 tolerates a second
    {.name = "1.10",
     .about = "BZFlag 1.10.0 to 1.10.8 (BZFS1910)",
     .version = "BZFS1910",
     .refusals = true,
     .accept_id = true,
     .team_kills = true,
     .death_reason = true,
     .stamped_updates = true,
     .shot_team = true,
     .queries = true,
     .strict_entry = true,
     .padded_chat = true,
     .rabbits = true},
    {.name = "wiki",
     .about = "the archived wiki page, taken literally",
     .version = "BZFS1910",
     .header = Header::kOptional,
     .address_ids = true,
     .flag_numbers = true,
     .short_offsets = true,
     .spawn_by_client = true,
     .message_team = true,
     .fixed_chat = true,
     .shared_codes = true,
     .unsigned_fields = true,
     .style_header = true,
     .strict_entry = true,
     .client_scores = true,
     .watcher_type = true},
}};

/// Sets of dialects, for the table of messages: bit i stands for kDialects[i].
inline constexpr std::uint32_t k24 = 1, k20 = 2, k110 = 4, kWiki = 8;
inline constexpr std::uint32_t kFrom20 = k24 | k20, kFrom110 = kFrom20 | k110, kAll = kFrom110 | kWiki;

}  // namespace entente::bzflag
