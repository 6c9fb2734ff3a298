// What becomes of each field of the game's packets and of each word: the table behind the explanations, the documents
// and the loss counters. Law: complete; a test walks every packet and every kind of word.
#include "adapters/wire/mapping.h"

#include "adapters/aos/faces.h"

namespace entente::aos {
namespace {

using wire::down, wire::kUp, wire::no_fact, wire::no_intent, wire::up;
using wire::Mapping;
using enum wire::Fidelity;

constexpr const char* kNumbered = "players are numbered anew, as clients have room for them";
constexpr const char* kOwnNumber = "a client acts for itself alone";
constexpr const char* kNowhere = "who is hidden or dead is at 0, 0, 0, as SpadesX has it";
constexpr const char* kTwoSides =
    "two sides, told apart by colour; of another game allies are on the player's, all others on the other";
constexpr const char* kOneLook = "a look is yaw and pitch; how long its vector is gets lost";
constexpr const char* kMan = "where the feet of a man stand";
constexpr const char* kThreeGuns = "kits of other games are rifles";
constexpr const char* kPerLink = "of this connection alone";
constexpr const char* kNoExtensions = "no extension is offered or used";
constexpr const char* kBeside = "beside the connection, where the door answers";
constexpr const char* kWalker = "a man walks there at his own pace";
constexpr const char* kOneShot = "one press of the trigger";
constexpr const char* kServerDecides = "the server decides who is hit and who dies";
constexpr const char* kStandsInState = "what stands in State Data";
constexpr const char* kStep = "a server steers nobody's eyes";

constexpr Mapping kAll[] = {
    // -- Coming in
    up("ExistingPlayer", "player", "", kSynthesised, kOwnNumber),
    up("ExistingPlayer", "team", "Enter.team", kLossy, kTwoSides),
    up("ExistingPlayer", "weapon", "Enter.kit", kLossy, kThreeGuns),
    up("ExistingPlayer", "tool", "Tool.number"),
    up("ExistingPlayer", "kills", "", kDropped, "the server counts"),
    up("ExistingPlayer", "colour", "Change.colour"),
    up("ExistingPlayer", "name", "Enter.name", kLossy, "15 bytes of CP437, without '%' and '#'"),
    up("ExistingPlayer", "*", "Spawn", kSynthesised, "who comes in wants to play"),
    up("ShortPlayerData", "player", "", kSynthesised, kOwnNumber),
    up("ShortPlayerData", "team", "Change.team", kLossy, kTwoSides),
    up("ShortPlayerData", "weapon", "Change.kit", kLossy, kThreeGuns),
    up("ChangeTeam", "player", "", kSynthesised, kOwnNumber),
    up("ChangeTeam", "team", "Change.team", kLossy, kTwoSides),
    up("ChangeWeapon", "player", "", kSynthesised, kOwnNumber),
    up("ChangeWeapon", "weapon", "Change.kit", kLossy, kThreeGuns),
    down("ChangeWeapon", "*", "", kDropped, "servers send it as zeros, whatever happened"),
    up("VersionResponse", "letter", "Enter.version", kLossy, "said as words"),
    up("VersionResponse", "version", "Enter.version", kLossy, "said as words"),
    up("VersionResponse", "system", "Enter.version", kLossy, "said as words"),
    down("VersionGet", "properties", "", kSynthesised, "asked for without any"),
    up("HandshakeReturn", "challenge", "", kSynthesised, kPerLink),
    down("HandshakeInit", "challenge", "", kSynthesised, kPerLink),
    up("ExtensionInfo", "*", "", kDropped, kNoExtensions),
    down("ExtensionInfo", "*", "", kDropped, kNoExtensions),
    up("PlayerProperties", "*", "", kDropped, kNoExtensions),
    down("PlayerProperties", "*", "", kDropped, kNoExtensions),
    up("ExtensionPacket", "*", "", kDropped, kNoExtensions),
    down("ExtensionPacket", "*", "", kDropped, kNoExtensions),
    up("Hello", "text", "", kSynthesised, kBeside),
    down("HelloReply", "text", "", kSynthesised, kBeside),

    // -- The world
    down("MapStart", "size", "", kSynthesised, "the size of the stream that we made"),
    down("MapStart", "crc32", "World.hash", kLossy, "of the map as its file has it"),
    down("MapStart", "name", "World.name"),
    down("MapStart", "*", "World.hash", kLossy, "another world begins with another map"),
    up("MapCached", "cached", "WantWorld", kSynthesised, "each side loads for itself"),
    down("MapChunk", "data", "World.voxels", kExact),
    down("MapChunk", "data", "WorldProgress.done", kLossy, "a client counts what it loads itself"),
    down("MapChunk", "data", "World.solids", kLossy, "built of blocks of 1.5625 m, no higher than the sky"),
    down("MapChunk", "data", "World.tiles", kLossy, "walls of 11 m, hedges of 3 m, water"),
    down("MapChunk", "data", "World.teleporters", kLossy, "their frames alone"),
    down("MapChunk", "data", "World.walled", kLossy, "a wall of blocks where the world ends"),
    down("BlockAction", "player", "WorldEdit.by", kLossy, kNumbered),
    down("BlockAction", "action", "WorldEdit.edit.op"),
    down("BlockAction", "at", "WorldEdit.edit.x", kExact),
    down("BlockLine", "player", "WorldEdit.by", kLossy, kNumbered),
    down("BlockLine", "from", "WorldEdit.edit.x", kExact),
    down("BlockLine", "to", "WorldEdit.edit.x2", kExact),
    down("BlockLine", "*", "Unit", kSynthesised, "bricks of other games are a wall on their tile"),
    down("BlockAction", "*", "Gone", kSynthesised, "bricks that are gone are dug away"),
    up("BlockAction", "player", "", kSynthesised, kOwnNumber),
    up("BlockAction", "action", "Edit.op"),
    up("BlockAction", "at", "Edit.x", kExact),
    up("BlockLine", "player", "", kSynthesised, kOwnNumber),
    up("BlockLine", "from", "Edit.x", kExact),
    up("BlockLine", "to", "Edit.x2", kExact),
    up("SetColour", "player", "", kSynthesised, kOwnNumber),
    up("SetColour", "colour", "Change.colour"),
    up("SetColour", "colour", "Edit.colour", kSynthesised, "a block has the colour that was last set"),
    down("SetColour", "player", "Player.id", kLossy, kNumbered),
    down("SetColour", "colour", "Player.colour"),
    down("SetColour", "colour", "WorldEdit.edit.colour"),
    down("FogColour", "unused", "", kSynthesised, "always 0"),
    down("FogColour", "colour", "Rule.value"),

    // -- State Data
    down("StateData", "player", "You.player", kLossy, kNumbered),
    down("StateData", "fog", "Rule.value"),
    down("StateData", "colour1", "Rule.value"),
    down("StateData", "colour2", "Rule.value"),
    down("StateData", "name1", "Rule.value"),
    down("StateData", "name2", "Rule.value"),
    down("StateData", "mode", "Room.mode", kLossy, "territory control, or else capture the flag"),
    down("StateData", "ctf.score1", "TeamScore.wins"),
    down("StateData", "ctf.score2", "TeamScore.wins"),
    down("StateData", "ctf.limit", "Rule.value"),
    down("StateData", "ctf.held", "Token.state"),
    down("StateData", "ctf.intel1", "Token.x"),
    down("StateData", "ctf.intel2", "Token.x"),
    down("StateData", "ctf.carrier1.player", "Token.carrier", kLossy, kNumbered),
    down("StateData", "ctf.carrier2.player", "Token.carrier", kLossy, kNumbered),
    down("StateData", "ctf.carrier1.pad", "", kSynthesised, "we write zeros"),
    down("StateData", "ctf.carrier2.pad", "", kSynthesised, "we write zeros"),
    down("StateData", "ctf.base1", "Token.x", kLossy, "or a base of the world"),
    down("StateData", "ctf.base2", "Token.x", kLossy, "or a base of the world"),
    down("StateData", "ctf.base1", "World.bases", kLossy, "one of each side"),
    down("StateData", "territory_count", "Token.kind"),
    down("StateData", "territories.position", "Token.x"),
    down("StateData", "territories.team", "Token.team"),
    down("StateData", "tail", "", kDropped, "20 bytes of no meaning that SpadesX sends"),
    down("StateData", "*", "Ready", kSynthesised, "with it, a client knows all it needs"),
    down("StateData", "*", "Room.mode", kLossy, kStandsInState),
    down("MoveObject", "object", "Token.kind", kLossy, "intel and tents of two sides, or territories"),
    down("MoveObject", "team", "Token.team"),
    down("MoveObject", "position", "Token.x"),
    down("TerritoryCapture", "territory", "Zone.id", kLossy, "in the order of their tokens"),
    down("TerritoryCapture", "winning", "TokenCaptured.winning"),
    down("TerritoryCapture", "team", "Zone.owner"),
    down("ProgressBar", "territory", "Zone.id", kLossy, "in the order of their tokens"),
    down("ProgressBar", "team", "Zone.capturing"),
    down("ProgressBar", "rate", "Zone.rate"),
    down("ProgressBar", "progress", "Zone.progress"),
    down("IntelPickup", "player", "TokenTaken.by", kLossy, kNumbered),
    down("IntelDrop", "player", "TokenDropped.by", kLossy, kNumbered),
    down("IntelDrop", "position", "TokenDropped.token"),
    down("IntelCapture", "player", "TokenCaptured.by", kLossy, kNumbered),
    down("IntelCapture", "winning", "TokenCaptured.winning"),
    down("IntelCapture", "*", "TeamScore.wins", kLossy, "a client counts captures itself"),
    down("IntelCapture", "*", "Round.state", kLossy, "the capture that ends the game"),

    // -- Who is there
    down("ExistingPlayer", "player", "Player.id", kLossy, kNumbered),
    down("ExistingPlayer", "team", "Player.team", kLossy, kTwoSides),
    down("ExistingPlayer", "weapon", "Player.kit", kLossy, kThreeGuns),
    down("ExistingPlayer", "tool", "Input.tool"),
    down("ExistingPlayer", "kills", "Score.wins", kLossy, "of who was there first; later a client counts itself"),
    down("ExistingPlayer", "colour", "Player.colour"),
    down("ExistingPlayer", "name", "Player.name", kLossy, "15 bytes of CP437, without '%' and '#'"),
    down("CreatePlayer", "player", "Unit.owner", kLossy, kNumbered),
    down("CreatePlayer", "weapon", "Player.kit", kLossy, kThreeGuns),
    down("CreatePlayer", "team", "Player.team", kLossy, kTwoSides),
    down("CreatePlayer", "position", "Spawned.pose", kLossy, kMan),
    down("CreatePlayer", "name", "Player.name", kLossy, "15 bytes of CP437, without '%' and '#'"),
    down("CreatePlayer", "*", "Unit.alive", kLossy, "who is seen again is created again"),
    down("CreatePlayer", "*", "Owns.units", kLossy,
         "each of a player's men or tanks is a player, of cells the largest"),
    down("CreatePlayer", "*", "UnitChanged.team", kLossy, "who changes sides is created again"),
    down("PlayerLeft", "player", "PlayerGone.id", kLossy, kNumbered),
    down("PlayerLeft", "*", "Gone.unit", kLossy, "one of several units that is gone is a player that left"),
    down("PlayerLeft", "*", "Hidden.unit", kLossy, "who is out of sight makes room, where there are more than 32"),

    // -- Where they are
    up("PositionData", "position", "PoseClaim.x", kExact, ""),
    up("PositionData", "*", "Step", kLossy, kWalker),
    up("PositionData", "*", "Toward", kLossy, kWalker),
    up("OrientationData", "orientation", "Keys.yaw", kLossy, kOneLook),
    up("OrientationData", "orientation", "Keys.pitch", kLossy, kOneLook),
    up("InputData", "player", "", kSynthesised, kOwnNumber),
    up("InputData", "keys", "Keys.bits"),
    up("StateUpdate", "sequence", "PoseClaim.seq"),
    up("StateUpdate", "inputs", "Keys.bits", kLossy, "the newest of the thirty"),
    up("StateUpdate", "still", "", kSynthesised, "the motion is as it was"),
    up("StateUpdate", "now.position", "PoseClaim.x", kExact, ""),
    up("StateUpdate", "now.orientation", "PoseClaim.yaw", kLossy, kOneLook),
    up("StateUpdate", "now.velocity", "PoseClaim.vx"),
    up("StateUpdate", "*", "", kSynthesised, "half a second ago, for who lost what was said then"),
    down("PositionData", "position", "Corrected.pose", kLossy, kMan),
    down("PositionData", "*", "Teleported", kLossy, "told to who was moved"),
    down("OrientationData", "orientation", "", kDropped, kStep),
    down("WorldUpdate", "players.player", "Pose.unit", kLossy, kNumbered),
    down("WorldUpdate", "players.position", "Pose.x", kLossy, "as reckoned when it is sent"),
    down("WorldUpdate", "players.position", "Hidden.unit", kLossy, kNowhere),
    down("WorldUpdate", "players.position", "Unit.alive", kLossy, kNowhere),
    down("WorldUpdate", "players.orientation", "Pose.yaw", kLossy, kOneLook),
    down("WorldUpdate", "players.orientation", "Pose.pitch", kLossy, kOneLook),
    down("InputData", "player", "Input.unit", kLossy, kNumbered),
    down("InputData", "keys", "Input.bits"),
    down("InputData", "keys", "Pose.vx", kSynthesised, "of who has no keys: those that would move him so"),
    down("StateUpdate", "sequence", "", kSynthesised, kPerLink),
    down("StateUpdate", "players.player", "Pose.unit", kLossy, kNumbered),
    down("StateUpdate", "players.input", "Input.bits"),
    down("StateUpdate", "players.still", "", kSynthesised, "the motion is as it was"),
    down("StateUpdate", "players.motion.position", "Pose.x", kLossy, "as reckoned when it is sent"),
    down("StateUpdate", "players.motion.position", "Hidden.unit", kLossy, kNowhere),
    down("StateUpdate", "players.motion.orientation", "Pose.yaw", kLossy, kOneLook),
    down("StateUpdate", "players.motion.velocity", "Pose.vx"),
    down("StateUpdate", "extra", "", kDropped, "nothing says what it is"),

    // -- Fighting
    up("WeaponInput", "player", "", kSynthesised, kOwnNumber),
    up("WeaponInput", "buttons", "Trigger.primary"),
    up("WeaponInput", "buttons", "Trigger.secondary"),
    up("WeaponInput", "*", "Fire", kLossy, kOneShot),
    up("WeaponInput", "*", "Split", kLossy, kOneShot),
    down("WeaponInput", "player", "Input.unit", kLossy, kNumbered),
    down("WeaponInput", "buttons", "Input.primary"),
    down("WeaponInput", "buttons", "Input.secondary"),
    down("WeaponInput", "*", "Shot", kLossy, "a shot is a short press of the trigger, and a look along it"),
    up("SetTool", "player", "", kSynthesised, kOwnNumber),
    up("SetTool", "tool", "Tool.number"),
    down("SetTool", "player", "Input.unit", kLossy, kNumbered),
    down("SetTool", "tool", "Input.tool"),
    up("Hit", "victim", "HitClaim.victim", kLossy, kNumbered),
    up("Hit", "part", "HitClaim.part"),
    down("SetHp", "hp", "Health.now", kLossy, "parts of a hundred"),
    down("SetHp", "*", "Pose.radius", kSynthesised, "who is a cell has what is left of the most that it was"),
    down("SetHp", "cause", "Health.by", kLossy, "a weapon, or a fall"),
    down("SetHp", "source", "Health.from_x", kExact),
    up("Grenade", "player", "", kSynthesised, kOwnNumber),
    up("Grenade", "fuse", "Fire.life"),
    up("Grenade", "position", "Fire.x", kExact),
    up("Grenade", "velocity", "Fire.vx"),
    down("Grenade", "player", "Shot.shooter", kLossy, kNumbered),
    down("Grenade", "fuse", "Shot.life"),
    down("Grenade", "position", "Shot.x", kExact),
    down("Grenade", "velocity", "Shot.vx"),
    down("KillAction", "victim", "Died.player", kLossy, kNumbered),
    down("KillAction", "killer", "Died.killer", kLossy, kNumbered),
    down("KillAction", "type", "Died.why", kLossy, "a change of side and one of weapon are both the server's doing"),
    down("KillAction", "respawn", "Died.respawn_s", kLossy, "whole seconds"),
    up("WeaponReload", "player", "", kSynthesised, kOwnNumber),
    up("WeaponReload", "clip", "", kDropped, "the server counts"),
    up("WeaponReload", "reserve", "", kDropped, "the server counts"),
    up("WeaponReload", "*", "Reload"),
    up("WeaponReload", "*", "Eject", kLossy, "the other key of a hand loads the gun"),
    down("WeaponReload", "player", "Ammo.player", kLossy, kNumbered),
    down("WeaponReload", "clip", "Ammo.clip"),
    down("WeaponReload", "reserve", "Ammo.reserve"),
    down("WeaponReload", "*", "Rule.value", kSynthesised, "a client of another game's room never runs out"),
    down("WeaponReload", "*", "Shot.life", kLossy, "of a room whose guns load one by one: so many as are loaded"),
    down("Restock", "player", "Ammo.player", kLossy, kNumbered),
    down("Restock", "*", "Ammo.blocks", kLossy, "all full, or not told"),
    down("Restock", "*", "Ammo.grenades", kLossy, "all full, or not told"),

    // -- Talk
    up("ChatMessage", "player", "", kSynthesised, kOwnNumber),
    up("ChatMessage", "type", "Say.scope", kLossy, "to all or to the own side"),
    up("ChatMessage", "text", "Say.text", kLossy, "in pieces of 90 bytes"),
    down("ChatMessage", "player", "Said.from", kLossy, kNumbered),
    down("ChatMessage", "type", "Said.scope", kLossy, "what is said to one alone is the server's line"),
    down("ChatMessage", "text", "Said.text", kLossy, "in pieces of 90 bytes"),
    down("ChatMessage", "*", "Notice.text", kLossy, "without its level"),
    down("ChatMessage", "*", "Waiting", kLossy, "said as words"),
    down("ChatMessage", "*", "Kicked.text", kLossy,
         "said, its first 16 bytes as the reason, and then the connection ends"),
    down("ChatMessage", "*", "Refused.text", kLossy,
         "said, its first 16 bytes as the reason, and then the connection ends"),

    // -- Words that no packet says
    {"", kUp, "", "Leave", kSynthesised, "the connection ends"},
    {"", kUp, "", "TokenWish", kLossy, "the server sees who stands on what; our front sees it for servers that do not"},
    no_intent("Select", "one man a player"),
    no_intent("Watch", "clients look about by themselves"),
    no_intent("Resume", "nobody takes up a session that ended"),
    no_intent("Button", "no such key"),
    no_intent("Freeze", "no such key"),
    no_intent("DeathClaim", kServerDecides),
    no_intent("ShotMoveClaim", "nothing is guided"),
    no_intent("ShotEndClaim", kServerDecides),
    no_intent("TeleportClaim", "no teleporters"),
    no_intent("ScoreClaim", "the server keeps the score"),
    no_intent("Pause", "no pause"),
    no_intent("Autopilot", "no autopilot"),
    no_intent("Ping", kPerLink),
    no_intent("Query", "asked beside the connection"),
    no_fact("ClaimRefused", "a claim that fails has no answer"),
    no_fact("ShotMoved", "nothing is guided"),
    no_fact("ShotEnded", "shots hit at once, grenades burst by their fuse"),
    no_fact("Board", "clients sort their own"),
    no_fact("View", "clients see as far as the fog"),
    no_fact("Lag", "nobody is told of it"),
    no_fact("Clock", "no clock"),
};

}  // namespace

std::span<const wire::Mapping> mapping() { return kAll; }

const char* reason_of(std::string_view word) {
  for (const wire::Mapping& line : mapping())
    if (line.message[0] == '\0' && word == line.word) return line.reason;
  return "not known";
}

}  // namespace entente::aos
