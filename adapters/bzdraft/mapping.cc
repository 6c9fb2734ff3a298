// What becomes of each field of the draft's messages and of each word: the table behind the explanations, the documents
// and the loss counters. Law: complete; a test walks every message and every kind of word.
#include "adapters/wire/mapping.h"

#include "adapters/bzdraft/bzdraft.h"

namespace entente::bzdraft {
namespace {

using wire::down, wire::no_fact, wire::no_intent, wire::up;
using wire::Mapping;
using enum wire::Fidelity;

constexpr const char* kNumbered = "players, shots and flags are numbered anew on each side";
constexpr const char* kEachLoads = "each side loads for itself";
constexpr const char* kServerFills = "the server puts the sender in";
constexpr const char* kWorldMade = "rebuilt from the words as plain boxes, under the md5 of what is served";
constexpr const char* kStatus = "dead tanks are not told of";
constexpr const char* kUnseen = "who is hidden, or dead without a death, is not alive to a client";
constexpr const char* kOneTank = "a player has one tank";
constexpr const char* kOneGun = "a tank has one gun that loads itself, and tools are flags that lie about";
constexpr const char* kCamera = "a client flies its own camera";
constexpr const char* kStill = "a client keeps the world it loaded";
constexpr const char* kOneHit = "tanks are whole or gone; what lies between is said as chat";
constexpr const char* kOwner = "who owned a flag that nobody carries is not told";
constexpr const char* kReasons = "eight reasons, for more that words have";

constexpr Mapping kAll[] = {
    // -- Coming in
    up("MsgVersion", "version", "Enter.version", kLossy, "our back says the page's own"),
    up("MsgVersion", "type", "", kDropped, "MsgEnter says it again"),
    up("MsgVersion", "flags_known", "Enter.flags_known", kLossy, "our back knows the page's, whoever asks"),
    down("MsgVersion", "version", "Room.dialect"),
    down("MsgVersion", "player", "", kSynthesised, kNumbered),
    down("MsgVersion", "may_join", "Refused.code", kSynthesised, "our front lets everybody in as far as the door"),
    up("MsgGetWorld", "offset", "WantWorld", kSynthesised, kEachLoads),
    down("MsgGetWorld", "style", "Room.mode", kLossy, "capture, jumps and ricochets alone"),
    down("MsgGetWorld", "max_players", "Room.most_players", kLossy, "a client is always told the page's own 248"),
    down("MsgGetWorld", "max_shots", "Room.most_shots"),
    down("MsgGetWorld", "max_flags", "", kSynthesised, "room for 512"),
    down("MsgGetWorld", "linear_acceleration", "Rule.value"),
    down("MsgGetWorld", "angular_acceleration", "Rule.value"),
    down("MsgGetWorld", "shake_time", "Rule.value"),
    down("MsgGetWorld", "shake_wins", "Rule.value"),
    down("MsgGetWorld", "server_time", "Clock.us", kLossy, "told once, by milliseconds; our front has its own"),
    down("MsgGetWorld", "model", "World.hash", kSynthesised, kWorldMade),
    up("MsgGetResource", "offset", "", kSynthesised, kEachLoads),
    up("MsgGetResource", "md5", "", kSynthesised, kEachLoads),
    down("MsgGetResource", "offset", "", kSynthesised, kEachLoads),
    down("MsgGetResource", "remaining", "WorldProgress.total", kSynthesised, kEachLoads),
    down("MsgGetResource", "md5", "", kSynthesised, kWorldMade),
    down("MsgGetResource", "data", "World.solids", kLossy, kWorldMade),
    up("MsgEnter", "team", "Enter.team", kLossy, "five sides; whoever wants any is a rogue"),
    up("MsgEnter", "type", "Enter.role"),
    up("MsgEnter", "password", "Enter.password"),
    up("MsgEnter", "callsign", "Enter.name", kLossy, "31 bytes"),
    up("MsgEnter", "email", "Enter.motto", kLossy, "127 bytes"),
    up("MsgEnter", "avatar", "Enter.avatar", kLossy, "127 bytes"),
    up("MsgEnter", "*", "Change", kLossy, "name, side and motto; tanks are as their side is"),
    down("MsgAccept", "player", "Ready", kSynthesised, kNumbered),
    down("MsgReject", "reason", "Refused.code", kLossy, kReasons),
    down("MsgReject", "text", "Refused.text"),
    down("MsgReject", "*", "ClaimRefused.why", kLossy, "of who wanted to be somebody else, or died and did not"),
    down("MsgSuperKill", "", "Kicked"),
    up("MsgExit", "", "Leave"),

    // -- Who is there
    up("MsgAddPlayer", "callsign", "Change.name"),
    up("MsgAddPlayer", "email", "Change.motto"),
    up("MsgAddPlayer", "*", "", kDropped, "names alone can be changed by it"),
    down("MsgAddPlayer", "player", "Player.id", kLossy, kNumbered),
    down("MsgAddPlayer", "type", "Player.role"),
    down("MsgAddPlayer", "team", "Player.team", kLossy, "five sides; others are rogues"),
    down("MsgAddPlayer", "wins", "Score.wins"),
    down("MsgAddPlayer", "losses", "Score.losses"),
    down("MsgAddPlayer", "callsign", "Player.name", kLossy, "31 letters of ASCII, made unique"),
    down("MsgAddPlayer", "email", "Player.motto"),
    down("MsgAddPlayer", "avatar", "Player.skin", kLossy, "of another game's players none"),
    down("MsgAddPlayer", "*", "Unit.owner", kLossy, "each unit is a player of its own; only what drives is shown"),
    down("MsgAddPlayer", "*", "Owns.units", kLossy, "each unit is a player of its own; only what drives is shown"),
    down("MsgRemovePlayer", "player", "PlayerGone.id", kLossy, kNumbered),
    down("MsgRemovePlayer", "player", "Gone.unit", kLossy, "one of several units that is gone is a player that left"),
    down("MsgTeamUpdate", "team", "TeamScore.team"),
    down("MsgTeamUpdate", "wins", "TeamScore.wins"),
    down("MsgTeamUpdate", "losses", "TeamScore.losses"),
    up("MsgScore", "player", "", kSynthesised, kServerFills),
    up("MsgScore", "wins", "ScoreClaim.wins"),
    up("MsgScore", "losses", "ScoreClaim.losses"),
    down("MsgScore", "player", "Score.player", kLossy, kNumbered),
    down("MsgScore", "wins", "Score.wins"),
    down("MsgScore", "losses", "Score.losses"),
    down("MsgScoreOver", "winner", "Round.winner", kLossy, kNumbered),
    down("MsgScoreOver", "winner", "Round.winning_team"),
    down("MsgScoreOver", "second", "", kDropped, "the page has a length for it and nothing to say"),
    down("MsgTimeLeft", "seconds", "Round.left_s", kLossy, "whole seconds, and time never stands"),

    // -- Life and death
    up("MsgAlive", "", "Spawn"),
    down("MsgAlive", "player", "Spawned.unit", kLossy, kNumbered),
    down("MsgAlive", "position", "Spawned.pose", kLossy, "which way a tank looks comes with its first update"),
    down("MsgAlive", "*", "Corrected.pose", kLossy, "at most once a second, and the client stands"),
    up("MsgKilled", "victim", "", kSynthesised, kServerFills),
    up("MsgKilled", "killer", "DeathClaim.killer", kLossy, kNumbered),
    up("MsgKilled", "killer", "DeathClaim.why", kLossy, "oneself, the server or a shot"),
    up("MsgKilled", "flag", "", kSynthesised, "that of the shot"),
    up("MsgKilled", "shot", "DeathClaim.shot", kLossy, kNumbered),
    down("MsgKilled", "victim", "Died.unit", kLossy, kNumbered),
    down("MsgKilled", "killer", "Died.killer", kLossy, kNumbered),
    down("MsgKilled", "killer", "Died.why", kLossy, "oneself, the server or a shot"),
    down("MsgKilled", "flag", "", kSynthesised, "that of the shot"),
    down("MsgKilled", "shot", "Died.shot", kLossy, kNumbered),
    up("MsgTeleport", "player", "", kSynthesised, kServerFills),
    up("MsgTeleport", "from", "TeleportClaim.from"),
    up("MsgTeleport", "to", "TeleportClaim.to"),
    down("MsgTeleport", "player", "Teleported.unit", kLossy, kNumbered),
    down("MsgTeleport", "from", "Teleported.from"),
    down("MsgTeleport", "to", "Teleported.to"),
    up("MsgPlayerUpdate", "player", "PoseClaim.unit", kSynthesised, kServerFills),
    up("MsgPlayerUpdate", "status", "PoseClaim.state", kLossy, kStatus),
    up("MsgPlayerUpdate", "position", "PoseClaim.x"),
    up("MsgPlayerUpdate", "velocity", "PoseClaim.vx", kLossy, "no faster than a tank can be"),
    up("MsgPlayerUpdate", "azimuth", "PoseClaim.yaw"),
    up("MsgPlayerUpdate", "angular_velocity", "PoseClaim.yaw_rate"),
    up("MsgPlayerUpdate", "*", "Step.x", kSynthesised, "our back's physics drive to the middle of the tile"),
    up("MsgPlayerUpdate", "*", "Toward.x", kSynthesised, "our back's physics drive there"),
    up("MsgPlayerUpdate", "*", "Keys.bits", kSynthesised, "our back's physics drive the way the keys say"),
    down("MsgPlayerUpdate", "player", "Pose.unit", kLossy, kNumbered),
    down("MsgPlayerUpdate", "status", "Pose.state", kLossy, kStatus),
    down("MsgPlayerUpdate", "status", "Hidden.unit", kLossy, kUnseen),
    down("MsgPlayerUpdate", "status", "Unit.alive", kLossy, kUnseen),
    down("MsgPlayerUpdate", "position", "Pose.x"),
    down("MsgPlayerUpdate", "velocity", "Pose.vx"),
    down("MsgPlayerUpdate", "azimuth", "Pose.yaw"),
    down("MsgPlayerUpdate", "angular_velocity", "Pose.yaw_rate"),

    // -- Shots
    up("MsgShotBegin", "shooter", "Fire.unit", kSynthesised, kServerFills),
    up("MsgShotBegin", "shot", "Fire.shot", kLossy, "another number, if that gun is not loaded"),
    up("MsgShotBegin", "position", "Fire.x", kLossy, "other games shoot from the muzzle of their tank"),
    up("MsgShotBegin", "velocity", "Fire.vx", kLossy, "other games shoot level, at BZFlag's speed"),
    up("MsgShotBegin", "time", "", kSynthesised, "always 0"),
    up("MsgShotBegin", "lifetime", "Fire.life", kLossy, "of other games that of a plain gun"),
    up("MsgShotBegin", "flag", "Fire.weapon", kLossy, "weapons of other games are plain guns"),
    up("MsgShotBegin", "*", "Trigger.primary", kSynthesised, "a shot along the hull, and another when it has loaded"),
    up("MsgShotBegin", "*", "Split", kSynthesised, "a shot along the hull"),
    up("MsgShotBegin", "*", "Eject", kSynthesised, "a shot along the hull"),
    down("MsgShotBegin", "shooter", "Shot.shooter", kLossy, kNumbered),
    down("MsgShotBegin", "shot", "Shot.shot", kLossy, kNumbered),
    down("MsgShotBegin", "position", "Shot.x"),
    down("MsgShotBegin", "velocity", "Shot.vx", kLossy, "a ray is a fast ball"),
    down("MsgShotBegin", "time", "", kSynthesised, "always 0; of a server's shot it is taken off its life"),
    down("MsgShotBegin", "lifetime", "Shot.life", kLossy, "ended early near a tank whose hits the server decides"),
    down("MsgShotBegin", "flag", "Shot.weapon", kLossy, "weapons of other games are plain guns"),
    up("MsgShotEnd", "shooter", "ShotEndClaim.shooter", kLossy, "one's own alone: a death ends the shots of others"),
    up("MsgShotEnd", "shot", "ShotEndClaim.shot", kLossy, kNumbered),
    up("MsgShotEnd", "reason", "ShotEndClaim.burst"),
    down("MsgShotEnd", "shooter", "ShotEnded.shooter", kLossy, kNumbered),
    down("MsgShotEnd", "shot", "ShotEnded.shot", kLossy, "a shot ends once"),
    down("MsgShotEnd", "reason", "ShotEnded.burst"),
    up("MsgShotUpdate", "shooter", "", kSynthesised, kServerFills),
    up("MsgShotUpdate", "shot", "ShotMoveClaim.shot"),
    up("MsgShotUpdate", "position", "ShotMoveClaim.x"),
    up("MsgShotUpdate", "velocity", "ShotMoveClaim.vx"),
    up("MsgShotUpdate", "time", "", kDropped, "no word for how long a shot has flown"),
    up("MsgShotUpdate", "target", "ShotMoveClaim.target", kLossy, kNumbered),
    down("MsgShotUpdate", "shooter", "ShotMoved.shooter", kLossy, kNumbered),
    down("MsgShotUpdate", "shot", "ShotMoved.shot", kLossy, kNumbered),
    down("MsgShotUpdate", "position", "ShotMoved.x"),
    down("MsgShotUpdate", "velocity", "ShotMoved.vx"),
    down("MsgShotUpdate", "time", "", kSynthesised, "by our front's clock"),
    down("MsgShotUpdate", "target", "ShotMoved.target", kLossy, kNumbered),

    // -- Flags
    down("MsgFlagUpdate", "*", "Token", kLossy, kOwner),
    down("MsgFlagUpdate", "*", "Unit.kind", kLossy, "pellets lie about as flags that do nothing: the 40 nearest"),
    down("MsgFlagUpdate", "*", "Unit.pose", kLossy, "what lies there for who drives upon it is a flag of no kind"),
    up("MsgGrabFlag", "number", "TokenWish.token", kLossy, kNumbered),
    down("MsgGrabFlag", "*", "TokenTaken.token", kLossy, "not from whom: flags are only taken from the ground"),
    up("MsgDropFlag", "reason", "TokenWish.op"),
    up("MsgDropFlag", "reason", "TokenWish.why"),
    up("MsgDropFlag", "*", "TokenWish.x", kSynthesised, "where its tank is"),
    down("MsgDropFlag", "reason", "TokenCaptured"),
    down("MsgDropFlag", "reason", "TokenDropped.why", kLossy, "where a game tells none, by whether its carrier lives"),
    down("MsgDropFlag", "*", "TokenDropped.token", kLossy, kOwner),
    down("MsgDropFlag", "*", "Died.synthesised", kSynthesised, "a capture implies the deaths of a side"),

    // -- Words
    up("MsgMessage", "from", "", kSynthesised, kServerFills),
    up("MsgMessage", "to", "Say.scope", kLossy, kNumbered),
    up("MsgMessage", "text", "Say.text", kLossy, "in pieces of 1018 bytes"),
    down("MsgMessage", "from", "Said.from", kLossy, kNumbered),
    down("MsgMessage", "to", "Said.scope", kLossy, kNumbered),
    down("MsgMessage", "text", "Said.text", kLossy, "in pieces of 1018 bytes"),
    down("MsgMessage", "*", "Notice.text", kLossy, "without its level"),
    down("MsgMessage", "*", "Waiting", kLossy, "said as words"),
    down("MsgMessage", "*", "Round.another", kLossy, "a line about who won, and no end of the game"),
    down("MsgMessage", "*", "Health.now", kLossy, kOneHit),

    // -- Words that no message says
    no_intent("Select", kOneTank),
    no_intent("Watch", kCamera),
    no_intent("Resume", "nobody takes up a session that ended"),
    no_intent("Reload", kOneGun),
    no_intent("Tool", kOneGun),
    no_intent("Button", kOneGun),
    no_intent("Freeze", "no such key"),
    no_intent("HitClaim", "the victim's client tells of a hit"),
    no_intent("Pause", "no message for it"),
    no_intent("Autopilot", "no message for it"),
    no_intent("Ping", "ENet has its own"),
    no_intent("Query", "nothing can be asked"),
    no_intent("Edit", kStill),
    no_fact("WorldEdit", kStill),
    no_fact("You", "the greeting says it"),
    no_fact("UnitChanged", "a tank looks as its side does"),
    no_fact("Ammo", kOneGun),
    no_fact("Input", "where a tank goes is seen, not which keys are held"),
    no_fact("Zone", "no zones but bases"),
    no_fact("Board", "clients sort their own"),
    no_fact("View", kCamera),
    no_fact("Lag", "ENet has its own"),
};

}  // namespace

std::span<const wire::Mapping> mapping() { return kAll; }

}  // namespace entente::bzdraft
