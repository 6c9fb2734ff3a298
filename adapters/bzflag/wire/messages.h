// Every message of every dialect, as it is on the wire. A message that differs by direction has two structs: the
// request (or report) of a client, and what the server sends.
// Invariant: structs keep wire values; conversions.h gives them units and meanings.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "adapters/wire/fields.h"

namespace entente::bzflag {

using wire::EndText;
using wire::Pad;
using wire::Text;
using wire::Vec3;

using Code = std::uint16_t;

// -- Parts ------------------------------------------------------------------------------------------------------------

struct Address {
  std::array<std::uint8_t, 4> ip{};
  std::uint16_t port = 0;
  std::uint16_t number = 0;
};

/// A player, a team or everyone. The dialect decides which of the two fields is used.
struct Id {
  std::uint8_t byte = 0;
  Address address;
};

/// "GM", "A" (NUL padded), or a number, by dialect. 1.10 clients send no flag as NUL and a byte of old memory.
struct FlagKind {
  Text<2> letters;
  std::uint16_t number = 0;
};

struct FlagRecord {
  FlagKind flag;
  std::uint16_t status = 0;     ///< 0 none, 1 on ground, 2 on tank, 3 in air, 4 coming, 5 going
  std::uint16_t endurance = 0;  ///< 0 normal, 1 unstable, 2 sticky
  Id owner;
  Vec3 pos{}, launch{}, landing{};
  float flight_time = 0, flight_end = 0, initial_velocity = 0;
};

struct NumberedFlag {
  std::uint16_t number = 0;
  FlagRecord flag;
};

// -- Greetings: before the common frame -------------------------------------------------------------------------------

struct ClientHeader {};  // "BZFLAG\r\n\r\n"
struct Welcome {
  Text<4> version;      // after "BZFS"
  std::uint8_t id = 0;  // 255: the server is full and closes
};
struct TooLate {
  Text<4> version;
};
struct Refused {
  EndText reason;
};
/// The rest of a Refused that arrives in pieces.
struct RefusedMore {
  EndText reason;
};

// -- Joining ----------------------------------------------------------------------------------------------------------

struct NegotiateFlags {
  static constexpr Code kCode = 0x6e66;
  std::vector<Text<2>> flags;
};
struct FlagType {
  static constexpr Code kCode = 0x6674;
  Text<2> flag;
  std::uint8_t quality = 0, shot = 0;
  std::string name, help;
};
struct WantSettings {
  static constexpr Code kCode = 0x7773;
};
struct GameSettings {
  static constexpr Code kCode = 0x6773;
  float world_size = 0;
  std::uint16_t game_type = 0, options = 0, max_players = 0, max_shots = 0, max_flags = 0;
  float linear_acceleration = 0, angular_acceleration = 0;
  std::uint16_t shake_timeout = 0, shake_wins = 0;
  std::uint32_t sync_time = 0;
  bool operator==(const GameSettings&) const = default;
};
struct WantWorldHash {
  static constexpr Code kCode = 0x7768;
};
struct WorldHash {
  static constexpr Code kCode = 0x7768;
  EndText hash;  // 't' or 'p', 32 hex digits, NUL
};
struct CacheUrl {
  static constexpr Code kCode = 0x6375;
  EndText url;
};
struct GetWorld {
  static constexpr Code kCode = 0x6777;
  std::uint32_t offset = 0;
  std::uint16_t short_offset = 0;
};
struct WorldChunk {
  static constexpr Code kCode = 0x6777;
  std::uint32_t left = 0;  // bytes after this chunk
  std::uint16_t short_left = 0;
  Buffer data;
};
struct Enter {
  static constexpr Code kCode = 0x656e;
  Id id;
  std::uint16_t type = 0;
  std::int16_t team = 0;
  Text<32> callsign;
  Text<128> motto;  // before 2.4: an e-mail address
  Text<22> token;
  Text<60> version;
  std::optional<std::uint8_t> end;  // real clients send one more byte; servers do not need it
};
struct Accept {
  static constexpr Code kCode = 0x6163;
  Id id;
};
struct Reject {
  static constexpr Code kCode = 0x726a;
  std::uint16_t code = 0;
  Text<128> reason;
};
struct SuperKill {
  static constexpr Code kCode = 0x736b;
};
struct Exit {
  static constexpr Code kCode = 0x6578;
};

// -- Who is there -----------------------------------------------------------------------------------------------------

struct AddPlayer {
  static constexpr Code kCode = 0x6170;
  Id id;
  std::uint16_t type = 0, team = 0, wins = 0, losses = 0, team_kills = 0;
  Text<32> callsign;
  Text<128> motto;
};
struct RemovePlayer {
  static constexpr Code kCode = 0x7270;
  Id id;
};
struct PlayerInfo {
  static constexpr Code kCode = 0x7062;
  struct Item {
    std::uint8_t player = 0, bits = 0;  // 1 registered, 2 verified, 4 admin
  };
  std::vector<Item> players;
};
struct AdminInfo {
  static constexpr Code kCode = 0x6169;
  struct Item {
    std::uint8_t size = 5, player = 0, family = 4;
    std::array<std::uint8_t, 4> ip{};
    /// For a player of the server itself, no family precedes its address 127.0.0.1 (GameKeeper.cxx:203 at v2.4.26), so
    /// `family` and `local` hold that address.
    std::array<std::uint8_t, 3> local{};
  };
  std::vector<Item> players;
};
struct Handicap {
  static constexpr Code kCode = 0x6863;
  struct Item {
    std::uint8_t player = 0;
    std::int16_t handicap = 0;
  };
  std::vector<Item> players;
};
struct TeamUpdate {
  static constexpr Code kCode = 0x7475;
  struct Item {
    std::uint16_t team = 0, size = 0, won = 0, lost = 0;
  };
  std::vector<Item> teams;
};
struct OneTeamUpdate {
  static constexpr Code kCode = 0x7475;
  static constexpr Code kDrawnCode = 0x746f;  // the wiki page's code, which it also gives to TimeLeft
  std::uint16_t team = 0, size = 0, active = 0, won = 0, lost = 0;
};
struct Score {
  static constexpr Code kCode = 0x7363;
  struct Item {
    std::uint8_t player = 0;
    std::uint16_t wins = 0, losses = 0, team_kills = 0;
  };
  std::vector<Item> players;
};
struct ScoreReport {
  static constexpr Code kCode = 0x7363;
  std::uint16_t wins = 0, losses = 0;
};
struct OneScore {
  static constexpr Code kCode = 0x7363;
  Id player;
  std::uint16_t wins = 0, losses = 0;
};
struct ScoreOver {
  static constexpr Code kCode = 0x736f;
  Id player;
  std::uint16_t team = 0;
};
struct NewRabbit {
  static constexpr Code kCode = 0x6e52;
  std::uint8_t player = 0;
};
struct NewRabbitRequest {
  static constexpr Code kCode = 0x6e52;
};
struct PauseReport {
  static constexpr Code kCode = 0x7061;
  std::uint8_t paused = 0;
};
struct Pause {
  static constexpr Code kCode = 0x7061;
  std::uint8_t player = 0, paused = 0;
};
struct AutoPilotReport {
  static constexpr Code kCode = 0x6175;
  std::uint8_t on = 0;
};
struct AutoPilot {
  static constexpr Code kCode = 0x6175;
  std::uint8_t player = 0, on = 0;
};

// -- Life and death ---------------------------------------------------------------------------------------------------

struct AliveRequest {
  static constexpr Code kCode = 0x616c;
  Vec3 pos{}, forward{};
};
struct Alive {
  static constexpr Code kCode = 0x616c;
  Id player;
  Vec3 pos{}, forward{};
  float azimuth = 0;
};
inline constexpr std::uint16_t kNoShot = 0xFFFF;

/// How a player died: what follows the ids.
struct Death {
  std::int16_t reason = 0;  // 0 message, 1 shot, 2 run over, 3 captured, 4 genocide, 5 self, 6 water, 0x7064 driver
  std::uint16_t shot = 0;   // or kNoShot
  FlagKind flag;
  std::int32_t driver = 0;
};
struct KilledReport {
  static constexpr Code kCode = 0x6b6c;
  Id killer;
  Death death;
};
struct Killed {
  static constexpr Code kCode = 0x6b6c;
  Id victim, killer;
  Death death;
};
struct Teleport {
  static constexpr Code kCode = 0x7470;
  Id player;
  std::uint16_t from = 0, to = 0;
};
struct TeleportReport {
  static constexpr Code kCode = 0x7470;
  std::uint16_t from = 0, to = 0;
};

/// What status bits from 0x80 on append to an update.
struct UpdateTail {
  std::int16_t jump_jets = 0;
  std::int32_t driver = 0;
  std::int16_t user_speed = 0, user_turn = 0;
  std::uint8_t sounds = 0;
};
struct PlayerUpdate {
  static constexpr Code kCode = 0x7075;
  float time = 0;
  Id player;
  std::int32_t order = 0;
  std::int16_t status = 0;
  Vec3 pos{}, vel{};
  float azimuth = 0, turn = 0;
  UpdateTail tail;
};
struct PlayerUpdateSmall {
  static constexpr Code kCode = 0x7073;
  float time = 0;
  Id player;
  std::int32_t order = 0;
  std::int16_t status = 0;
  std::array<std::int16_t, 3> pos{}, vel{};
  std::int16_t azimuth = 0, turn = 0;
  UpdateTail tail;
};

// -- Shots ------------------------------------------------------------------------------------------------------------

struct ShotBegin {
  static constexpr Code kCode = 0x7362;
  float sent = 0;
  Id player;
  std::uint16_t shot = 0;
  Vec3 pos{}, vel{};
  float age = 0;
  std::int16_t team = 0;
  FlagKind flag;
  float life = 0;
};
struct ShotEnd {
  static constexpr Code kCode = 0x7365;
  Id player;
  std::uint16_t shot = 0;
  std::uint16_t reason = 0;  // 0: with an explosion (it hit a building), 1: without (it hit a tank)
};
struct GuidedUpdate {
  static constexpr Code kCode = 0x676d;
  Id player;
  std::uint16_t shot = 0;
  Vec3 pos{}, vel{};
  float age = 0;
  std::int16_t team = 0;
  Id target;
};

// -- Flags ------------------------------------------------------------------------------------------------------------

struct FlagUpdate {
  static constexpr Code kCode = 0x6675;
  std::vector<NumberedFlag> flags;
};
struct OneFlagUpdate {
  static constexpr Code kCode = 0x6675;
  NumberedFlag flag;
};
struct GrabFlagRequest {
  static constexpr Code kCode = 0x6766;
  std::uint16_t number = 0;
};
struct GrabFlag {
  static constexpr Code kCode = 0x6766;
  Id player;
  NumberedFlag flag;
};
struct DropFlagRequest {
  static constexpr Code kCode = 0x6466;
  Vec3 pos{};
};
struct DropFlag {
  static constexpr Code kCode = 0x6466;
  Id player;
  NumberedFlag flag;
};
struct CaptureFlagReport {
  static constexpr Code kCode = 0x6366;
  std::uint16_t team = 0;
};
struct CaptureFlag {
  static constexpr Code kCode = 0x6366;
  Id player;
  std::uint16_t flag = 0, team = 0;
};
struct TransferFlagReport {
  static constexpr Code kCode = 0x7466;
  std::uint8_t from = 0, to = 0;
};
struct TransferFlag {
  static constexpr Code kCode = 0x7466;
  std::uint8_t from = 0, to = 0;
  NumberedFlag flag;
};
struct NearFlag {
  static constexpr Code kCode = 0x4e66;
  Vec3 pos{};
  std::string name;
};

// -- Words, numbers, time ---------------------------------------------------------------------------------------------

struct ChatRequest {
  static constexpr Code kCode = 0x6d67;
  Id to;
  std::uint16_t team = 0;
  EndText text;  // real clients pad it to 128 bytes
  Text<128> fixed_text{};
};
struct Chat {
  static constexpr Code kCode = 0x6d67;
  Id from, to;
  std::uint16_t team = 0;
  std::uint8_t kind = 0;  // 0 chat, 1 action
  EndText text;
  Text<128> fixed_text{};
};
struct SetVar {
  static constexpr Code kCode = 0x7376;
  struct Item {
    std::string name, value;
  };
  std::vector<Item> variables;
};
struct TimeLeft {
  static constexpr Code kCode = 0x746f;
  std::uint16_t seconds = 0;
  std::int32_t long_seconds = 0;  // -1: the clock is stopped
};
struct GameTime {
  static constexpr Code kCode = 0x6774;
  std::uint64_t microseconds = 0;
};
struct LagPing {
  static constexpr Code kCode = 0x7069;
  std::uint16_t number = 0;
};
struct ReplayReset {
  static constexpr Code kCode = 0x7272;
  std::uint8_t last = 0;
};
struct FetchResources {
  static constexpr Code kCode = 0x6672;
  struct Item {
    std::uint16_t type = 0;
    std::string url;
  };
  std::vector<Item> resources;
};
struct CustomSound {
  static constexpr Code kCode = 0x6373;
  std::uint16_t type = 0;
  std::string name;
};
/// Voice of 1.10. It is relayed without a layout.
struct Audio {
  static constexpr Code kCode = 0x6175;
  Buffer data;
};
struct Video {
  static constexpr Code kCode = 0x7669;
  Buffer data;
};
struct ServerControl {
  static constexpr Code kCode = 0x6f69;
  Buffer data;
};
struct KerberosPrincipal {
  static constexpr Code kCode = 0x6b70;
  Buffer data;
};
struct KerberosTicket {
  static constexpr Code kCode = 0x6b74;
  Buffer data;
};

// -- Questions, and the datagram link ---------------------------------------------------------------------------------

struct QueryGame {
  static constexpr Code kCode = 0x7167;
};
struct GameAnswer {
  static constexpr Code kCode = 0x7167;
  std::uint16_t game_type = 0, options = 0, max_players = 0, max_shots = 0;
  std::array<std::uint16_t, 5> sizes{};  // rogue, red, green, blue, purple
  std::uint16_t observers = 0;
  std::array<std::uint16_t, 5> max_sizes{};
  std::uint16_t max_observers = 0;
  std::uint16_t shake_wins = 0, shake_timeout = 0, max_player_score = 0, max_team_score = 0, max_time = 0, elapsed = 0;
};
struct QueryPlayers {
  static constexpr Code kCode = 0x7170;
};
struct PlayersAnswer {
  static constexpr Code kCode = 0x7170;
  std::uint16_t teams = 0, players = 0;
};
struct LinkRequest {
  static constexpr Code kCode = 0x6f66;
  std::uint8_t player = 0;
};
struct LinkAnswer {
  static constexpr Code kCode = 0x6f66;
};
struct LinkEstablished {
  static constexpr Code kCode = 0x6f67;
};
struct PingRequest {
  static constexpr Code kCode = 0x0404;
  std::uint16_t zero = 0;
};
struct PingReply {
  static constexpr Code kCode = 0x0303;
  Text<8> version;
  Address server;
  std::uint8_t family = 4;
  std::array<std::uint8_t, 4> address{};
  std::uint16_t game_type = 0, options = 0, max_shots = 0, shake_wins = 0, shake_timeout = 0, max_player_score = 0,
                max_team_score = 0, max_time = 0;
  std::uint8_t max_players = 0;
  struct Team {
    std::uint8_t count = 0, most = 0;
  };
  std::array<Team, 6> teams{};  // rogue, red, green, blue, purple, observer
  Pad<6> pad;                   // fills up to 60 bytes; older dialects have less before it, so it is longer
  Pad<2> more_pad;
  Pad<1> last_pad;
};

// clang-format off
using AnyMessage = std::variant<
    ClientHeader, Welcome, TooLate, Refused, RefusedMore,
    NegotiateFlags, FlagType, WantSettings, GameSettings, WantWorldHash, WorldHash, CacheUrl, GetWorld, WorldChunk,
    Enter, Accept, Reject, SuperKill, Exit,
    AddPlayer, RemovePlayer, PlayerInfo, AdminInfo, Handicap, TeamUpdate, OneTeamUpdate, Score, ScoreReport, OneScore,
    ScoreOver, NewRabbit, NewRabbitRequest, PauseReport, Pause, AutoPilotReport, AutoPilot,
    AliveRequest, Alive, KilledReport, Killed, Teleport, TeleportReport, PlayerUpdate, PlayerUpdateSmall,
    ShotBegin, ShotEnd, GuidedUpdate,
    FlagUpdate, OneFlagUpdate, GrabFlagRequest, GrabFlag, DropFlagRequest, DropFlag, CaptureFlagReport, CaptureFlag,
    TransferFlagReport, TransferFlag, NearFlag,
    ChatRequest, Chat, SetVar, TimeLeft, GameTime, LagPing, ReplayReset, FetchResources, CustomSound,
    Audio, Video, ServerControl, KerberosPrincipal, KerberosTicket,
    QueryGame, GameAnswer, QueryPlayers, PlayersAnswer, LinkRequest, LinkAnswer, LinkEstablished,
    PingRequest, PingReply>;
// clang-format on

/// The special members are compiled once, in messages.cc: compiling them in every file that uses messages would take
/// seconds each.
struct Message : AnyMessage {
  using AnyMessage::AnyMessage;
  Message();
  Message(const Message& other);
  Message(Message&& other) noexcept;
  Message& operator=(const Message& other);
  Message& operator=(Message&& other) noexcept;
  ~Message();
};

}  // namespace entente::bzflag
