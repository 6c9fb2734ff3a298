// What becomes of each field of each message and of each word; how a legacy version says what modern3 says is
// idiom.h's. Law: complete, and a reason stands wherever something is lost; a test looks for what no line is about.
#include "adapters/ogar/mapping.h"

#include <array>
#include <string_view>

#include "adapters/ogar/ogar.h"

namespace entente::ogar {
namespace {

using wire::kDown, wire::kUp;
using enum wire::Fidelity;
using wire::Mapping;

constexpr const char* kTrailing = "no program reads what follows a message";
constexpr const char* kFlat = "Ogar's plane is flat, and its cells look nowhere";
constexpr const char* kCells = "cells have no such thing";
constexpr const char* kOneSort = "a cell has one way to shoot";
constexpr const char* kNoTokens = "there is nothing to carry";
constexpr const char* kLong = "64 bytes of it at most";
constexpr const char* kTouch = "the server decides what touches what";

constexpr Mapping kMapping[] = {
    // -- Client to server ---------------------------------------------------------------------------------------------
    {"Hello", kUp, "opcode", "", kSynthesised, "it says which protocol is spoken"},
    {"Hello", kUp, "version", "", kSynthesised, "it says which dialect is spoken"},
    {"Hello", kUp, "trailing", "", kDropped, kTrailing},
    {"Hello", kUp, "", "WantWorld", kLossy, "a server shows its whole picture, whatever the client knows already"},
    {"Ping", kUp, "", "", kSynthesised, "each side measures its own way; the answer brings the room's counts"},
    {"Ping", kUp, "trailing", "", kDropped, kTrailing},
    {"ClientUpdate", kUp, "x", "Toward.x", kExact},
    {"ClientUpdate", kUp, "y", "Toward.y", kExact},
    {"ClientUpdate", kUp, "x", "Step.x", kLossy, "the cell goes towards the tile's middle and stands there"},
    {"ClientUpdate", kUp, "y", "Step.y", kLossy, "the cell goes towards the tile's middle and stands there"},
    {"ClientUpdate", kUp, "x", "Keys.bits", kLossy, "a mouse far off that way; no jump"},
    {"ClientUpdate", kUp, "x", "PoseClaim.x", kLossy, "the cell goes after the claim; the server says how far it got"},
    {"ClientUpdate", kUp, "y", "PoseClaim.y", kLossy, "the cell goes after the claim; the server says how far it got"},
    {"ClientUpdate", kUp, "splits", "Split.count", kExact},
    {"ClientUpdate", kUp, "splits", "Fire", kLossy,
     "a shot is a split from size 60 on, else a piece of mass; no speed, no range"},
    {"ClientUpdate", kUp, "splits", "Trigger.primary", kLossy, "pressing it is one shot; holding it is none"},
    {"ClientUpdate", kUp, "minion_splits", "Split.minions", kExact},
    {"ClientUpdate", kUp, "flags", "Spawn", kExact},
    {"ClientUpdate", kUp, "flags", "Eject.minions", kLossy, "at most one a tick"},
    {"ClientUpdate", kUp, "flags", "Button.down", kLossy,
     "held for two ticks at least, or the server would not see it"},
    {"ClientUpdate", kUp, "flags", "Select.unit", kSynthesised,
     "Q, of who has several tanks: the next one; to a server, nothing"},
    {"ClientUpdate", kUp, "flags", "Freeze.on", kLossy, "the wire says only that it changes"},
    {"ClientUpdate", kUp, "flags", "Watch.mode", kLossy, "a server follows the leader or lets roam, nothing else"},
    {"ClientUpdate", kUp, "name", "Enter.name", kLossy, "cut to 16 units, the skin's name included"},
    {"ClientUpdate", kUp, "name", "Change.name", kLossy, "holds from the next life on"},
    {"ClientUpdate", kUp, "name", "Change.skin", kLossy, "holds from the next life on"},
    {"ClientUpdate", kUp, "chat", "Say.text", kLossy, "a line a second, to everybody, of 400 bytes at most"},
    {"ClientUpdate", kUp, "trailing", "", kDropped, kTrailing},

    // -- Server to client ---------------------------------------------------------------------------------------------
    {"Pong", kDown, "", "Lag.ping_s", kExact},
    {"Update", kDown, "flags", "", kSynthesised, "which parts follow"},
    {"Update", kDown, "camera.x", "View.x", kExact},
    {"Update", kDown, "camera.y", "View.y", kExact},
    {"Update", kDown, "camera.scale", "View.width", kExact},
    {"Update", kDown, "border.left", "World.west", kLossy, "the larger side becomes 800 m, the middle the origin"},
    {"Update", kDown, "border.right", "World.east", kLossy, "the larger side becomes 800 m, the middle the origin"},
    {"Update", kDown, "border.top", "World.north", kLossy, "the larger side becomes 800 m, the middle the origin"},
    {"Update", kDown, "border.bottom", "World.south", kLossy, "the larger side becomes 800 m, the middle the origin"},
    {"Update", kDown, "server.mode", "Room.teams", kLossy, "whether there are teams"},
    {"Update", kDown, "server.major", "", kSynthesised, "that of the OgarII that we act like"},
    {"Update", kDown, "server.minor", "", kSynthesised, "that of the OgarII that we act like"},
    {"Update", kDown, "server.patch", "", kSynthesised, "that of the OgarII that we act like"},
    {"Update", kDown, "server", "Room.name", kExact},
    {"Update", kDown, "mode", "Room.mode", kExact},
    {"Update", kDown, "load", "Room.load", kExact},
    {"Update", kDown, "uptime", "Room.uptime_s", kExact},
    {"Update", kDown, "limit", "Room.most_players", kExact},
    {"Update", kDown, "external", "", kSynthesised, "who plays and who watches; who does neither is not counted"},
    {"Update", kDown, "internal", "Room.robots", kExact},
    {"Update", kDown, "playing", "Room.players", kExact},
    {"Update", kDown, "spectating", "Room.watchers", kExact},
    {"Update", kDown, "chat.name", "Said.from", kLossy, "who it was, is told by name and colour"},
    {"Update", kDown, "chat.name", "Said.name", kLossy, kLong},
    {"Update", kDown, "chat.colour", "Said.colour", kExact},
    {"Update", kDown, "chat.by_server", "Said.from", kExact},
    {"Update", kDown, "chat.text", "Said.text", kExact},
    {"Update", kDown, "chat.text", "Notice.text", kLossy, "a line of the server's chat"},
    {"Update", kDown, "chat.text", "Waiting.have", kLossy, "a line of the server's chat"},
    {"Update", kDown, "chat.text", "Round.winner", kLossy, "a line of the server's chat, when the round is over"},
    {"Update", kDown, "chat.text", "Refused.text", kLossy, "a line of the server's chat, then the end"},
    {"Update", kDown, "chat.text", "Kicked.text", kLossy, "a line of the server's chat, then the end"},
    {"Update", kDown, "chat.text", "ClaimRefused.why", kLossy, "a line of the server's chat"},
    {"Update", kDown, "board.type", "Board", kExact},
    {"Update", kDown, "board.rows.position", "Board.rows", kLossy, "a hundred at most"},
    {"Update", kDown, "board.rows.flags", "Board.rows", kExact},
    {"Update", kDown, "board.rows.name", "Board.rows", kLossy, kLong},
    {"Update", kDown, "board.rows.position", "Score.wins", kLossy,
     "the order of wins less losses, where the server has no board"},
    {"Update", kDown, "board.slices", "TeamScore.wins", kLossy, "shares of all wins, for 1.5 of each 6 seconds"},
    {"Update", kDown, "board.slices", "Board.slices", kLossy, "OgarII 1.3.3 and later write no numbers there"},
    {"Update", kDown, "board.lines", "Board.lines", kLossy, "a hundred at most"},
    {"Update", kDown, "added.id", "Unit.id", kLossy, "the room's own number"},
    {"Update", kDown, "added.type", "Unit.kind", kLossy,
     "tanks and men are players' cells, bricks viruses, things to pick up pellets"},
    {"Update", kDown, "added.type", "World.solids", kLossy,
     "the edges of walls are drawn as rows of viruses, and stop nobody on the screen"},
    {"Update", kDown, "added.type", "World.tiles", kLossy,
     "walls are drawn as viruses, water as mother cells, leaves as pellets"},
    {"Update", kDown, "added.type", "WorldEdit", kLossy, "a wall that is found on a tile is drawn; blocks are not"},
    {"Update", kDown, "added.type", "Shot", kLossy, "a piece of mass that flies as the shot does; a ray takes 0.3 s"},
    {"Update", kDown, "added.type", "Token", kLossy, "what lies on the ground looks like a pellet; it cannot be eaten"},
    {"Update", kDown, "added.x", "Token.x", kExact},
    {"Update", kDown, "added.y", "Token.y", kExact},
    {"Update", kDown, "removed", "TokenTaken", kLossy, "it goes; by whom it was taken is not told"},
    {"Update", kDown, "added.id", "TokenDropped", kLossy, "it is there again once it lies"},
    {"Update", kDown, "removed", "TokenCaptured", kLossy, "it goes"},
    {"Update", kDown, "added.x", "Unit.pose", kExact},
    {"Update", kDown, "added.y", "Unit.pose", kExact},
    {"Update", kDown, "added.size", "Unit.radius", kExact},
    {"Update", kDown, "added.size", "Unit.health", kLossy, "who has no radius is the smaller, the less health is left"},
    {"Update", kDown, "added.size", "Score.wins", kLossy,
     "a tank or a man is larger by 1 for each win of its player, up to 60"},
    {"Update", kDown, "added.colour", "Unit.colour", kLossy,
     "black is the nearest to black; who has none has its side's, or on no side one made from its id"},
    {"Update", kDown, "added.flags", "Owns.units", kLossy, "own cells, but of own tanks only the one that is steered"},
    {"Update", kDown, "added.flags", "You.player", kLossy, "it is told by what it owns"},
    {"Update", kDown, "added.name", "Player.name", kLossy, kLong},
    {"Update", kDown, "added.name", "Unit.name", kLossy, kLong},
    {"Update", kDown, "added.skin", "Unit.skin", kLossy, kLong},
    {"Update", kDown, "added.id", "Spawned", kLossy, "a cell appears"},
    {"Update", kDown, "updated.id", "Pose.unit", kLossy, "the room's own number"},
    {"Update", kDown, "updated.flags", "", kSynthesised, "which fields follow"},
    {"Update", kDown, "updated.x", "Pose.x", kExact},
    {"Update", kDown, "updated.y", "Pose.y", kExact},
    {"Update", kDown, "updated.x", "Corrected.pose", kLossy, "it is there"},
    {"Update", kDown, "updated.x", "Teleported.unit", kLossy, "it is there at once"},
    {"Update", kDown, "updated.x", "ShotMoved.x", kLossy, "it flies on from there"},
    {"Update", kDown, "updated.size", "Pose.radius", kExact},
    {"Update", kDown, "updated.size", "UnitChanged.radius", kExact},
    {"Update", kDown, "updated.size", "Health.now", kLossy,
     "who has no radius is the smaller, the less health is left"},
    {"Update", kDown, "updated.colour", "UnitChanged.colour", kLossy, "black is the nearest to black"},
    {"Update", kDown, "updated.name", "UnitChanged.name", kLossy, kLong},
    {"Update", kDown, "updated.skin", "UnitChanged.skin", kLossy, kLong},
    {"Update", kDown, "eaten.killed", "Gone.unit", kExact},
    {"Update", kDown, "eaten.killer", "Gone.by", kExact},
    {"Update", kDown, "eaten.killer", "Died.killer", kLossy, "told by a cell; how it died is not"},
    {"Update", kDown, "removed", "Hidden.unit", kExact},
    {"Update", kDown, "removed", "Gone.unit", kLossy, "what left the view and what is no more look the same"},
    {"Update", kDown, "removed", "PlayerGone.id", kLossy, "its cells go"},
    {"Update", kDown, "removed", "ShotEnded.shot", kLossy, "it goes, without a bang"},

    // -- The same of legacy versions, client to server ----------------------------------------------------------------
    {"Key", kUp, "key", "", kSynthesised, "any will do; ours is 0"},
    {"Key", kUp, "trailing", "", kDropped, kTrailing},
    {"Join", kUp, "name", "Enter.name", kLossy, "cut to 16 units, the skin's name included"},
    {"Join", kUp, "name", "Change.name", kLossy, "holds from the next life on"},
    {"Join", kUp, "name", "Change.skin", kLossy, "holds from the next life on"},
    {"Join", kUp, "", "Spawn", kExact},
    {"Join", kUp, "trailing", "", kDropped, kTrailing},
    {"Spectate", kUp, "", "Watch.mode", kLossy, "a server follows the leader or lets roam, nothing else"},
    {"Spectate", kUp, "trailing", "", kDropped, kTrailing},
    {"Mouse", kUp, "x", "Toward.x", kExact},
    {"Mouse", kUp, "y", "Toward.y", kExact},
    {"Mouse", kUp, "pad", "", kDropped, "no program reads it"},
    {"Split", kUp, "", "Split.count", kLossy, "a message for each, 16 at most; MultiOgarII acts on one a tick"},
    {"Split", kUp, "", "Fire", kLossy, "a shot is a split from size 60 on, else a piece of mass; no speed, no range"},
    {"Split", kUp, "trailing", "", kDropped, kTrailing},
    {"QPress", kUp, "", "Button.down", kLossy, "a second press lets go first: Cigar2 never says that it let go"},
    {"QPress", kUp, "", "Select.unit", kSynthesised, "Q, of who has several tanks: the next one; to a server, nothing"},
    {"QPress", kUp, "trailing", "", kDropped, kTrailing},
    {"QRelease", kUp, "", "Button.down", kLossy, "held for two ticks at least, or the server would not see it"},
    {"QRelease", kUp, "trailing", "", kDropped, kTrailing},
    {"Eject", kUp, "", "Eject", kLossy, "at most one a tick"},
    {"Eject", kUp, "trailing", "", kDropped, kTrailing},
    {"MinionSplit", kUp, "", "Split.minions", kExact},
    {"MinionSplit", kUp, "trailing", "", kDropped, kTrailing},
    {"MinionEject", kUp, "", "Eject.minions", kExact},
    {"MinionEject", kUp, "trailing", "", kDropped, kTrailing},
    {"MinionFreeze", kUp, "", "Freeze.on", kLossy, "the wire says only that it changes"},
    {"MinionFreeze", kUp, "trailing", "", kDropped, kTrailing},
    {"MinionCollect", kUp, "", "", kDropped, "no server acts on it"},
    {"MinionCollect", kUp, "trailing", "", kDropped, kTrailing},
    {"Say", kUp, "text", "Say.text", kLossy, "a line every 2.1 s, to everybody, of 200 bytes or 100 units at most"},
    {"Say", kUp, "flags", "", kDropped, "they say only how much nobody reads"},
    {"Say", kUp, "*", "", kDropped, "no program reads it"},
    {"StatRequest", kUp, "", "", kSynthesised, "each side asks for itself"},
    {"StatRequest", kUp, "trailing", "", kDropped, kTrailing},

    // -- The same of legacy versions, server to client ----------------------------------------------------------------
    {"UpdateNodes", kDown, "eaten.killer", "Gone.by", kExact},
    {"UpdateNodes", kDown, "eaten.killer", "Died.killer", kLossy, "told by a cell; how it died is not"},
    {"UpdateNodes", kDown, "eaten.killed", "Gone.unit", kExact},
    {"UpdateNodes", kDown, "nodes.id", "Unit.id", kLossy, "the room's own number"},
    {"UpdateNodes", kDown, "nodes.id", "Pose.unit", kLossy, "the room's own number"},
    {"UpdateNodes", kDown, "nodes.x", "Unit.pose", kLossy, "to whole units"},
    {"UpdateNodes", kDown, "nodes.y", "Unit.pose", kLossy, "to whole units"},
    {"UpdateNodes", kDown, "nodes.x", "Pose.x", kLossy, "to whole units"},
    {"UpdateNodes", kDown, "nodes.y", "Pose.y", kLossy, "to whole units"},
    {"UpdateNodes", kDown, "nodes.size", "Unit.radius", kExact},
    {"UpdateNodes", kDown, "nodes.size", "Pose.radius", kExact},
    {"UpdateNodes", kDown, "nodes.colour", "Unit.colour", kLossy, "black is the nearest to black"},
    {"UpdateNodes", kDown, "nodes.colour", "UnitChanged.colour", kLossy, "black is the nearest to black"},
    {"UpdateNodes", kDown, "nodes.flags", "Unit.kind", kLossy,
     "below 11 a pellet is what is small and has no name; a mother cell is a virus of its own colour"},
    {"UpdateNodes", kDown, "nodes.extra", "Unit.kind", kExact},
    {"UpdateNodes", kDown, "nodes.skin", "Unit.skin", kLossy,
     "without agar.io's mark before its name, and 64 bytes of it at most"},
    {"UpdateNodes", kDown, "nodes.skin", "UnitChanged.skin", kLossy,
     "without agar.io's mark before its name, and 64 bytes of it at most"},
    {"UpdateNodes", kDown, "nodes.name", "Player.name", kLossy, kLong},
    {"UpdateNodes", kDown, "nodes.name", "UnitChanged.name", kLossy,
     "64 bytes of it at most; below 6 it cannot be taken away"},
    {"UpdateNodes", kDown, "removed", "Hidden.unit", kExact},
    {"UpdateNodes", kDown, "removed", "Gone.unit", kLossy, "what left the view and what is no more look the same"},
    {"UpdatePosition", kDown, "x", "View.x", kExact},
    {"UpdatePosition", kDown, "y", "View.y", kExact},
    {"UpdatePosition", kDown, "scale", "View.width", kExact},
    {"ClearAll", kDown, "", "Gone.unit", kLossy, "all that was shown, at once"},
    {"ClearOwned", kDown, "", "", kDropped, "no server says it"},
    {"AddNode", kDown, "id", "Owns.units", kLossy, "own cells, but of own tanks only the one that is steered"},
    {"LeaderboardText", kDown, "lines.text", "Board.lines", kLossy, "a hundred at most"},
    {"Leaderboard", kDown, "rows.mark", "Board.rows", kLossy, "only whether a row is one's own"},
    {"Leaderboard", kDown, "rows.name", "Board.rows", kLossy, kLong},
    {"TeamLeaderboard", kDown, "slices.weight", "Board.slices", kLossy,
     "OgarII 1.3.3 and later write no numbers up to version 20"},
    {"TeamLeaderboard", kDown, "slices.colour", "", kSynthesised, "red, green, blue, in this order"},
    {"RankedLeaderboard", kDown, "rows.flags", "Board.rows", kLossy, "the own row has no name"},
    {"RankedLeaderboard", kDown, "rows.rank", "Board.rows", kLossy, "only of who is not among the best"},
    {"RankedLeaderboard", kDown, "rows.name", "Board.rows", kLossy, kLong},
    {"RankedLeaderboard", kDown, "rows.name", "Board.lines", kLossy, "lines and names look the same from 14 on"},
    {"SetBorder", kDown, "left", "World.west", kLossy, "the larger side becomes 800 m, the middle the origin"},
    {"SetBorder", kDown, "top", "World.north", kLossy, "the larger side becomes 800 m, the middle the origin"},
    {"SetBorder", kDown, "right", "World.east", kLossy, "the larger side becomes 800 m, the middle the origin"},
    {"SetBorder", kDown, "bottom", "World.south", kLossy, "the larger side becomes 800 m, the middle the origin"},
    {"SetBorder", kDown, "world.mode", "Room.teams", kLossy, "whether there are teams"},
    {"SetBorder", kDown, "world.server", "", kSynthesised, "the OgarII that we act like: Cigar2 looks for it"},
    {"ChatMessage", kDown, "flags", "Said.from", kLossy, "whether it is the server; ranks of people are not told"},
    {"ChatMessage", kDown, "colour", "Said.colour", kExact},
    {"ChatMessage", kDown, "name", "Said.name", kLossy, kLong},
    {"ChatMessage", kDown, "text", "Said.text", kExact},
    {"ServerStat", kDown, "json", "Room.name", kLossy, "the room's name, mode, counts, load and time"},

    // -- Intents that no message says
    // -----------------------------------------------------------------------------------
    {"", kUp, "", "Leave", kLossy, "the connection ends; the cells stay for a minute"},
    {"", kUp, "", "Select", kDropped, "all cells go where the mouse is"},
    {"", kUp, "", "Resume", kDropped, "who comes back is somebody new"},
    {"", kUp, "", "Reload", kDropped, kOneSort},
    {"", kUp, "", "Tool", kDropped, kOneSort},
    {"", kUp, "", "HitClaim", kDropped, kTouch},
    {"", kUp, "", "DeathClaim", kDropped, kTouch},
    {"", kUp, "", "ShotMoveClaim", kDropped, kOneSort},
    {"", kUp, "", "ShotEndClaim", kDropped, kOneSort},
    {"", kUp, "", "TokenWish", kDropped, kNoTokens},
    {"", kUp, "", "TeleportClaim", kDropped, "there are no teleporters"},
    {"", kUp, "", "ScoreClaim", kDropped, "the server keeps its own scores"},
    {"", kUp, "", "Pause", kDropped, "nobody pauses"},
    {"", kUp, "", "Autopilot", kDropped, "nobody else steers"},
    {"", kUp, "", "Ping", kDropped, "each side measures its own way"},
    {"", kUp, "", "Query", kDropped, "the room's counts are told every five seconds"},
    {"", kUp, "", "Edit", kDropped, "there is nothing to build"},

    // -- Facts that no message says
    // -------------------------------------------------------------------------------------
    {"", kDown, "", "Rule", kDropped, "a client knows its game"},
    {"", kDown, "", "World.voxels", kDropped, "blocks are not drawn"},
    {"", kDown, "", "WorldProgress", kDropped, "a picture has no beginning and no end"},
    {"", kDown, "", "Ammo", kDropped, kCells},
    {"", kDown, "", "Input", kDropped, kFlat},
    {"", kDown, "", "Zone", kDropped, "no place belongs to anybody"},
    {"", kDown, "", "Clock", kDropped, "a client has no clock"},
    {"", kDown, "", "Ready", kDropped, "the first picture says it"},
};

/// For each kind of Word, in order: why no message says it; null if one does.
template <class Word>
auto reasons(std::uint8_t way) {
  return [way]<class... T>(std::variant<T...>*) {
    return std::array<const char*, sizeof...(T)>{[way]() -> const char* {
      for (const Mapping& line : kMapping)
        if (line.message[0] == '\0' && line.ways == way && line.fidelity == kDropped &&
            core::name_of(Word(T())) == std::string_view(line.word))
          return line.reason;
      return nullptr;
    }()...};
  }(static_cast<typename Word::Kind*>(nullptr));
}

}  // namespace

std::span<const Mapping> mapping() { return kMapping; }

void lose(const core::Intent& intent, core::BackOut& out) {
  static const auto kReasons = reasons<core::Intent>(kUp);
  if (const char* why = kReasons[intent.kind.index()]) out.lose(core::name_of(intent), why);
}

void lose(const core::Fact& fact, core::FrontOut& out) {
  static const auto kReasons = reasons<core::Fact>(kDown);
  if (const char* why = kReasons[fact.kind.index()]) out.lose(core::name_of(fact), why);
}

}  // namespace entente::ogar
