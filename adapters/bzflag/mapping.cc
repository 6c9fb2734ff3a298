// What becomes of each field of each message and of each word, whatever the dialect: the table behind the explanations,
// the documents and the loss counters. What one dialect calls otherwise than another is turned by idiom.h. Law:
// complete; a test walks every message and every kind of word.
#include "adapters/wire/mapping.h"

#include "adapters/bzflag/bzflag.h"

namespace entente::bzflag {
namespace {

using wire::Fidelity, wire::Mapping;
using enum Fidelity;

constexpr std::uint8_t kUp = static_cast<std::uint8_t>(wire::Way::kToServer);
constexpr std::uint8_t kDown = static_cast<std::uint8_t>(wire::Way::kToClient);

constexpr const char* kNumbered = "players, shots and flags are numbered anew on each side";
constexpr const char* kPerLink = "each link has its own";
constexpr const char* kReckoned = "reckoned from the clock of the last update";
constexpr const char* kOurClock = "our front's clock";
constexpr const char* kTail = "no word for what moves a tank besides itself";
constexpr const char* kStatus = "dead tanks are not told of, nor what moves a tank besides itself";
constexpr const char* kNoPlugins = "flags of plugins have no word";
constexpr const char* kNoDownloads = "nothing is downloaded but the world";
constexpr const char* kNoSounds = "no word for sounds";
constexpr const char* kNoHandicaps = "no word for handicaps";
constexpr const char* kLocal = "asked by broadcast in a local network, which nobody bridges";
constexpr const char* kWorldMade = "rebuilt from the words: materials, textures and meshes become plain boxes";
constexpr const char* kOneTank = "a player has one tank, and is who it is for a whole session";
constexpr const char* kOneHit = "tanks are whole or gone; what lies between is said as chat";
constexpr const char* kOneGun = "a tank has one gun that loads itself, and tools are flags that lie about";
constexpr const char* kVictim = "the victim's client tells of a hit";
constexpr const char* kStill = "a client keeps the world it loaded";
constexpr const char* kScores = "only servers of the page believe their clients; others keep the score";
constexpr const char* kNoVoice = "no word for voice and video, which nobody has a layout of";
constexpr const char* kIgnored = "servers ignore it";
constexpr const char* kCamera = "a client flies its own camera";

constexpr Mapping up(const char* message, const char* field, const char* word, Fidelity fidelity = kExact,
                     const char* reason = "") {
  return {message, kUp, field, word, fidelity, reason};
}
constexpr Mapping down(const char* message, const char* field, const char* word, Fidelity fidelity = kExact,
                       const char* reason = "") {
  return {message, kDown, field, word, fidelity, reason};
}
constexpr Mapping no_intent(const char* word, const char* reason) { return up("", "", word, kDropped, reason); }
constexpr Mapping no_fact(const char* word, const char* reason) { return down("", "", word, kDropped, reason); }

constexpr Mapping kAll[] = {
    // -- Coming in
    up("ClientHeader", "", "WantWorld"),
    down("Welcome", "version", "Room.dialect"),
    down("Welcome", "id", "", kSynthesised, kNumbered),
    down("TooLate", "version", "", kSynthesised, "said by our front to who sends no header in 2.5 s"),
    down("Refused", "reason", "Refused.text"),
    down("RefusedMore", "reason", "", kDropped, "only the first piece of a refusal is passed on"),
    up("MsgNegotiateFlags", "flags", "Enter.flags_known", kLossy, "our back knows those of 2.4, whoever asks"),
    down("MsgNegotiateFlags", "flags", "", kSynthesised, "our front's client lacks none"),
    down("MsgFlagType", "*", "", kDropped, kNoPlugins),
    up("MsgWantSettings", "", "WantWorld"),
    down("MsgGameSettings", "world_size", "World.east"),
    down("MsgGameSettings", "game_type", "Room.mode"),
    down("MsgGameSettings", "max_players", "Room.most_players", kLossy, "a client is always told its own 216"),
    down("MsgGameSettings", "max_shots", "Room.most_shots"),
    down("MsgGameSettings", "options", "Room.jumping", kLossy, "other games are told of jumps and ricochets alone"),
    down("MsgGameSettings", "*", "Rule.value", kLossy, "raw, for BZFlag alone"),
    down("MsgGameSettings", "sync_time", "", kDropped, "always 0"),
    up("MsgWantWHash", "", "WantWorld"),
    down("MsgWantWHash", "hash", "World.hash", kSynthesised, "of the world as it is rebuilt"),
    down("MsgCacheURL", "url", "", kDropped, kNoDownloads),
    up("MsgGetWorld", "offset", "WantWorld.offset", kSynthesised, "each side loads for itself"),
    down("MsgGetWorld", "left", "WorldProgress.done", kSynthesised, "each side loads for itself"),
    down("MsgGetWorld", "data", "World.solids", kLossy, kWorldMade),
    up("MsgEnter", "id", "", kSynthesised, "made up from the number of the greeting, where ids are addresses"),
    up("MsgEnter", "type", "Enter.role"),
    up("MsgEnter", "team", "Enter.team"),
    up("MsgEnter", "callsign", "Enter.name", kLossy, "made legal and unique before it is refused"),
    up("MsgEnter", "motto", "Enter.motto"),
    up("MsgEnter", "token", "Enter.token"),
    up("MsgEnter", "version", "Enter.version"),
    up("MsgEnter", "end", "", kSynthesised, "the byte that real clients send"),
    down("MsgAccept", "id", "Ready", kSynthesised, kNumbered),
    down("MsgReject", "code", "Refused.code", kLossy, "bans of several kinds are one"),
    down("MsgReject", "reason", "Refused.text"),
    down("MsgSuperKill", "", "Kicked"),
    up("MsgExit", "", "Leave"),

    // -- Who is there
    down("MsgAddPlayer", "id", "Player.id", kLossy, kNumbered),
    down("MsgAddPlayer", "type", "Player.role"),
    down("MsgAddPlayer", "team", "Player.team"),
    down("MsgAddPlayer", "wins", "Score.wins"),
    down("MsgAddPlayer", "losses", "Score.losses"),
    down("MsgAddPlayer", "team_kills", "Score.team_kills"),
    down("MsgAddPlayer", "callsign", "Player.name", kLossy, "31 letters of ASCII, made unique"),
    down("MsgAddPlayer", "motto", "Player.motto"),
    down("MsgAddPlayer", "*", "Unit.owner", kLossy, "each unit is a player of its own; only what drives is shown"),
    down("MsgAddPlayer", "*", "Owns.units", kLossy, "each unit is a player of its own; only what drives is shown"),
    down("MsgRemovePlayer", "id", "PlayerGone.id", kLossy, kNumbered),
    down("MsgRemovePlayer", "id", "Gone.unit", kLossy, "a unit that is gone is a player that left"),
    down("MsgRemovePlayer", "id", "Hidden.unit", kLossy, "what is out of sight has left"),
    down("MsgPlayerInfo", "*", "Player.badges", kLossy, "only what is new is told"),
    down("MsgAdminInfo", "*", "Player.address", kLossy, "no client is told, so far"),
    down("MsgHandicap", "*", "", kDropped, kNoHandicaps),
    down("MsgTeamUpdate", "team", "TeamScore.team"),
    down("MsgTeamUpdate", "size", "TeamScore.size"),
    down("MsgTeamUpdate", "active", "", kSynthesised, "all of a team are active"),
    down("MsgTeamUpdate", "won", "TeamScore.wins"),
    down("MsgTeamUpdate", "lost", "TeamScore.losses"),
    down("MsgTeamUpdate", "teams.team", "TeamScore.team"),
    down("MsgTeamUpdate", "teams.size", "TeamScore.size"),
    down("MsgTeamUpdate", "teams.won", "TeamScore.wins"),
    down("MsgTeamUpdate", "teams.lost", "TeamScore.losses"),
    up("MsgScore", "wins", "ScoreClaim.wins", kLossy, kScores),
    up("MsgScore", "losses", "ScoreClaim.losses", kLossy, kScores),
    down("MsgScore", "player", "Score.player", kLossy, kNumbered),
    down("MsgScore", "wins", "Score.wins"),
    down("MsgScore", "losses", "Score.losses"),
    down("MsgScore", "players.player", "Score.player", kLossy, kNumbered),
    down("MsgScore", "players.wins", "Score.wins"),
    down("MsgScore", "players.losses", "Score.losses"),
    down("MsgScore", "players.team_kills", "Score.team_kills"),
    down("MsgScoreOver", "player", "Round.winner", kLossy, kNumbered),
    down("MsgScoreOver", "team", "Round.winning_team"),
    up("MsgNewRabbit", "", "", kDropped, "no word for a wish to be hunted"),
    down("MsgNewRabbit", "player", "Player.team", kLossy, kNumbered),
    up("MsgPause", "paused", "Pause.on"),
    down("MsgPause", "*", "Player.badges", kLossy, kNumbered),
    up("MsgAutoPilot", "on", "Autopilot.on"),
    down("MsgAutoPilot", "*", "Player.badges", kLossy, kNumbered),

    // -- Life and death
    up("MsgAlive", "", "Spawn"),
    up("MsgAlive", "*", "", kSynthesised, "a free place of our back's choice, where clients choose"),
    down("MsgAlive", "player", "Spawned.unit", kLossy, kNumbered),
    down("MsgAlive", "pos", "Spawned.pose"),
    down("MsgAlive", "azimuth", "Spawned.pose"),
    down("MsgAlive", "forward", "Spawned.pose"),
    down("MsgAlive", "*", "Corrected.pose", kLossy, "at most once a second, and the client stands"),
    up("MsgKilled", "killer", "DeathClaim.killer", kLossy, kNumbered),
    up("MsgKilled", "reason", "DeathClaim.why", kLossy, "what BZFlag has no reason for is a shot"),
    up("MsgKilled", "shot", "DeathClaim.shot", kLossy, kNumbered),
    up("MsgKilled", "flag", "", kSynthesised, "that of the shot"),
    up("MsgKilled", "*", "", kDropped, kTail),
    down("MsgKilled", "victim", "Died.unit", kLossy, kNumbered),
    down("MsgKilled", "killer", "Died.killer", kLossy, kNumbered),
    down("MsgKilled", "reason", "Died.why", kLossy, "what BZFlag has no reason for is a shot"),
    down("MsgKilled", "shot", "Died.shot", kLossy, kNumbered),
    down("MsgKilled", "flag", "", kSynthesised, "that of the shot"),
    down("MsgKilled", "*", "", kDropped, kTail),
    up("MsgTeleport", "from", "TeleportClaim.from"),
    up("MsgTeleport", "to", "TeleportClaim.to"),
    down("MsgTeleport", "player", "Teleported.unit", kLossy, kNumbered),
    down("MsgTeleport", "from", "Teleported.from"),
    down("MsgTeleport", "to", "Teleported.to"),

    up("MsgPlayerUpdate", "time", "PoseClaim.sent_at"),
    up("MsgPlayerUpdate", "player", "PoseClaim.unit", kLossy, kNumbered),
    up("MsgPlayerUpdate", "order", "PoseClaim.seq"),
    up("MsgPlayerUpdate", "status", "PoseClaim.state", kLossy, kStatus),
    up("MsgPlayerUpdate", "pos", "PoseClaim.x"),
    up("MsgPlayerUpdate", "vel", "PoseClaim.vx", kLossy, "no faster than the server lets pass"),
    up("MsgPlayerUpdate", "azimuth", "PoseClaim.yaw"),
    up("MsgPlayerUpdate", "turn", "PoseClaim.yaw_rate"),
    up("MsgPlayerUpdate", "*", "", kDropped, kTail),
    down("MsgPlayerUpdate", "time", "", kSynthesised, kOurClock),
    down("MsgPlayerUpdate", "player", "Pose.unit", kLossy, kNumbered),
    down("MsgPlayerUpdate", "order", "Pose.seq"),
    down("MsgPlayerUpdate", "status", "Pose.state", kLossy, kStatus),
    down("MsgPlayerUpdate", "pos", "Pose.x"),
    down("MsgPlayerUpdate", "vel", "Pose.vx"),
    down("MsgPlayerUpdate", "azimuth", "Pose.yaw"),
    down("MsgPlayerUpdate", "turn", "Pose.yaw_rate"),
    down("MsgPlayerUpdate", "*", "", kDropped, kTail),
    up("MsgPlayerUpdateSmall", "time", "PoseClaim.sent_at"),
    up("MsgPlayerUpdateSmall", "player", "PoseClaim.unit", kLossy, kNumbered),
    up("MsgPlayerUpdateSmall", "order", "PoseClaim.seq"),
    up("MsgPlayerUpdateSmall", "status", "PoseClaim.state", kLossy, kStatus),
    up("MsgPlayerUpdateSmall", "pos", "PoseClaim.x"),
    up("MsgPlayerUpdateSmall", "vel", "PoseClaim.vx", kLossy, "no faster than the server lets pass"),
    up("MsgPlayerUpdateSmall", "azimuth", "PoseClaim.yaw"),
    up("MsgPlayerUpdateSmall", "turn", "PoseClaim.yaw_rate"),
    up("MsgPlayerUpdateSmall", "*", "", kDropped, kTail),
    down("MsgPlayerUpdateSmall", "time", "", kSynthesised, kOurClock),
    down("MsgPlayerUpdateSmall", "player", "Pose.unit", kLossy, kNumbered),
    down("MsgPlayerUpdateSmall", "order", "Pose.seq"),
    down("MsgPlayerUpdateSmall", "status", "Pose.state", kLossy, kStatus),
    down("MsgPlayerUpdateSmall", "pos", "Pose.x"),
    down("MsgPlayerUpdateSmall", "vel", "Pose.vx"),
    down("MsgPlayerUpdateSmall", "azimuth", "Pose.yaw"),
    down("MsgPlayerUpdateSmall", "turn", "Pose.yaw_rate"),
    down("MsgPlayerUpdateSmall", "*", "", kDropped, kTail),

    // -- Steering by other words: our back drives, and tells where it is
    up("MsgPlayerUpdateSmall", "*", "Step.x", kSynthesised, "our back's physics drive to the middle of the tile"),
    up("MsgPlayerUpdateSmall", "*", "Toward.x", kSynthesised, "our back's physics drive there"),
    up("MsgPlayerUpdateSmall", "*", "Keys.bits", kSynthesised, "our back's physics drive the way the keys say"),

    // -- Shots
    up("MsgShotBegin", "sent", "", kSynthesised, kReckoned),
    up("MsgShotBegin", "player", "Fire.unit", kLossy, kNumbered),
    up("MsgShotBegin", "shot", "Fire.shot", kLossy, "another slot, if that one is not free"),
    up("MsgShotBegin", "pos", "Fire.x", kLossy, "other games shoot from the muzzle of their tank"),
    up("MsgShotBegin", "vel", "Fire.vx", kLossy, "other games shoot level, at the speed of the server"),
    up("MsgShotBegin", "age", "", kSynthesised, "always 0"),
    up("MsgShotBegin", "team", "", kSynthesised, "that of the player"),
    up("MsgShotBegin", "flag", "Fire.weapon", kLossy, "weapons of other games are plain guns"),
    up("MsgShotBegin", "life", "Fire.life", kLossy, "of a plain shot always what the server computes"),
    up("MsgShotBegin", "*", "Trigger.primary", kSynthesised, "a shot along the hull, and another when it has loaded"),
    up("MsgShotBegin", "*", "Split", kSynthesised, "a shot along the hull"),
    up("MsgShotBegin", "*", "Eject", kSynthesised, "a shot along the hull"),
    down("MsgShotBegin", "sent", "", kSynthesised, kOurClock),
    down("MsgShotBegin", "player", "Shot.shooter", kLossy, kNumbered),
    down("MsgShotBegin", "shot", "Shot.shot", kLossy, kNumbered),
    down("MsgShotBegin", "pos", "Shot.x"),
    down("MsgShotBegin", "vel", "Shot.vx", kLossy, "a ray is a fast ball"),
    down("MsgShotBegin", "age", "", kSynthesised, "always 0"),
    down("MsgShotBegin", "team", "Shot.team"),
    down("MsgShotBegin", "flag", "Shot.weapon", kLossy, "weapons of other games are plain guns"),
    down("MsgShotBegin", "life", "Shot.life", kLossy, "ended early near a tank whose hits the server decides"),
    up("MsgShotEnd", "player", "ShotEndClaim.shooter", kLossy, kNumbered),
    up("MsgShotEnd", "shot", "ShotEndClaim.shot", kLossy, kNumbered),
    up("MsgShotEnd", "reason", "ShotEndClaim.burst"),
    down("MsgShotEnd", "player", "ShotEnded.shooter", kLossy, kNumbered),
    down("MsgShotEnd", "shot", "ShotEnded.shot", kLossy, "a shot ends once"),
    down("MsgShotEnd", "reason", "ShotEnded.burst"),
    up("MsgGMUpdate", "player", "", kSynthesised, kNumbered),
    up("MsgGMUpdate", "shot", "ShotMoveClaim.shot"),
    up("MsgGMUpdate", "pos", "ShotMoveClaim.x"),
    up("MsgGMUpdate", "vel", "ShotMoveClaim.vx"),
    up("MsgGMUpdate", "age", "", kDropped, "no word for how long a shot has flown"),
    up("MsgGMUpdate", "team", "", kSynthesised, "that of the player"),
    up("MsgGMUpdate", "target", "ShotMoveClaim.target", kLossy, kNumbered),
    down("MsgGMUpdate", "player", "ShotMoved.shooter", kLossy, kNumbered),
    down("MsgGMUpdate", "shot", "ShotMoved.shot", kLossy, kNumbered),
    down("MsgGMUpdate", "pos", "ShotMoved.x"),
    down("MsgGMUpdate", "vel", "ShotMoved.vx"),
    down("MsgGMUpdate", "age", "", kDropped, "no word for how long a shot has flown"),
    down("MsgGMUpdate", "team", "", kSynthesised, "that of the player"),
    down("MsgGMUpdate", "target", "ShotMoved.target", kLossy, kNumbered),

    // -- Flags
    down("MsgFlagUpdate", "*", "Unit.kind", kLossy, "pellets lie about as flags that do nothing: the 40 nearest"),
    down("MsgFlagUpdate", "*", "Token", kLossy, "who owns a flag that nobody carries is not told"),
    down("MsgFlagUpdate", "*", "Unit.pose", kLossy,
         "what lies there for who drives upon it is a flag of no known kind"),
    up("MsgGrabFlag", "number", "TokenWish.token", kLossy, kNumbered),
    down("MsgGrabFlag", "*", "TokenTaken.token", kLossy, kNumbered),
    up("MsgDropFlag", "pos", "TokenWish.x"),
    down("MsgDropFlag", "*", "TokenDropped.token", kLossy, "who owns a flag that nobody carries is not told"),
    up("MsgCaptureFlag", "team", "TokenWish.team"),
    down("MsgCaptureFlag", "player", "TokenCaptured.by", kLossy, kNumbered),
    down("MsgCaptureFlag", "flag", "TokenCaptured.token", kLossy, kNumbered),
    down("MsgCaptureFlag", "team", "TokenCaptured.winning", kLossy, "a base of the captor's team, if it won"),
    up("MsgTransferFlag", "from", "TokenWish.from", kLossy, kNumbered),
    up("MsgTransferFlag", "to", "TokenWish.to", kLossy, kNumbered),
    down("MsgTransferFlag", "*", "TokenTaken.from", kLossy, kNumbered),
    down("MsgNearFlag", "name", "Notice.text", kLossy, "said as words"),
    down("MsgNearFlag", "pos", "", kDropped, "said as words"),

    // -- Words, numbers, time
    up("MsgMessage", "to", "Say.scope", kLossy, kNumbered),
    up("MsgMessage", "text", "Say.text", kLossy, "in pieces of 127 bytes; to oneself it is answered by our front"),
    up("MsgMessage", "team", "Say.scope", kLossy, "rogues have no chat of their own where a team is named"),
    down("MsgMessage", "from", "Said.from", kLossy, kNumbered),
    down("MsgMessage", "to", "Said.scope", kLossy, kNumbered),
    down("MsgMessage", "kind", "Said.kind"),
    down("MsgMessage", "text", "Said.text", kLossy, "in pieces of 127 bytes"),
    down("MsgMessage", "*", "Notice.text", kLossy, "without its level"),
    down("MsgMessage", "*", "Waiting", kLossy, "said as words"),
    down("MsgMessage", "*", "Health.now", kLossy, kOneHit),
    down("MsgSetVar", "*", "Rule.name", kLossy, "a server's own pointers are left out"),
    down("MsgTimeUpdate", "seconds", "Round.left_s", kLossy, "whole seconds"),
    down("MsgTimeLeft", "seconds", "Round.left_s", kLossy, "whole seconds; no word for a clock that stands"),
    down("MsgGameTime", "microseconds", "Clock.us"),
    up("MsgLagPing", "number", "", kSynthesised, kPerLink),
    down("MsgLagPing", "number", "", kSynthesised, kPerLink),
    down("MsgReplayReset", "last", "PlayerGone", kLossy, "as if everybody left"),
    up("MsgAudio", "data", "", kDropped, kNoVoice),
    down("MsgAudio", "data", "", kDropped, kNoVoice),
    up("MsgVideo", "data", "", kDropped, kNoVoice),
    down("MsgVideo", "data", "", kDropped, kNoVoice),
    up("MsgServerControl", "data", "", kDropped, kIgnored),
    up("MsgKrbPrincipal", "data", "", kDropped, kIgnored),
    up("MsgKrbTicket", "data", "", kDropped, kIgnored),
    down("MsgFetchResources", "*", "", kDropped, kNoDownloads),
    down("MsgCustomSound", "*", "", kDropped, kNoSounds),

    // -- Questions, and the datagram link
    up("MsgQueryGame", "", "Query.kind"),
    down("MsgQueryGame", "game_type", "Room.mode"),
    down("MsgQueryGame", "sizes", "Room.players", kLossy, "all in one team"),
    down("MsgQueryGame", "observers", "Room.watchers"),
    down("MsgQueryGame", "*", "", kSynthesised, "of our front"),
    up("MsgQueryPlayers", "", "Query.kind", kLossy, "our back asks for the names alone"),
    down("MsgQueryPlayers", "*", "", kSynthesised, "who our front shows"),
    up("MsgUDPLinkRequest", "player", "", kSynthesised, kPerLink),
    down("MsgUDPLinkRequest", "", "", kSynthesised, kPerLink),
    up("MsgUDPLinkEstablished", "", "", kSynthesised, kPerLink),
    down("MsgUDPLinkEstablished", "", "", kSynthesised, kPerLink),
    up("MsgPingCodeRequest", "zero", "", kDropped, kLocal),
    down("MsgPingCodeReply", "*", "", kDropped, kLocal),

    // -- Words that no message says
    no_intent("Change", kOneTank),
    no_intent("Select", kOneTank),
    no_intent("Watch", kCamera),
    no_intent("Resume", "nobody takes up a session that ended"),
    no_intent("Reload", kOneGun),
    no_intent("Tool", kOneGun),
    no_intent("Button", kOneGun),
    no_intent("Freeze", "no such key"),
    no_intent("HitClaim", kVictim),
    no_intent("Ping", kPerLink),
    no_intent("Edit", kStill),
    no_fact("ClaimRefused", "a refused death is answered by MsgAlive, a refused spawn by a line of chat; nothing else"),
    no_fact("WorldEdit", kStill),
    no_fact("You", "the greeting says it"),
    no_fact("UnitChanged", "a tank looks as its team does"),
    no_fact("Ammo", kOneGun),
    no_fact("Input", "where a tank goes is seen, not which keys are held"),
    no_fact("Zone", "no zones but bases"),
    no_fact("Board", "clients sort their own"),
    no_fact("View", kCamera),
    no_fact("Lag", "only servers tell, and as chat"),
};

}  // namespace

std::span<const wire::Mapping> mapping() { return kAll; }

}  // namespace entente::bzflag
