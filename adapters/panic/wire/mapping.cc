// What becomes of each field of Panic's messages and of each word: the table behind the explanations, the documents and
// the drop counters. Invariant: complete; a test checks every message and every kind of word.
#include "adapters/panic/wire/mapping.h"

#include <array>
#include <vector>

#include "adapters/panic/wire/drops.h"

namespace entente::panic {
namespace {

using wire::down, wire::kDown, wire::kUp, wire::no_fact, wire::no_intent;
using wire::Fidelity, wire::MappingLine;

constexpr const char* kZeros = "the released server sends leftover memory; Entente writes zeros";
constexpr const char* kUnused = "it has no meaning here; Entente writes 0";
constexpr const char* kNumbered = "pieces have different numbers on the two sides";
constexpr const char* kOneTile = "one tile at a time in one of four directions, at most four a second";
constexpr const char* kShotAhead = "an instant shot of 3, 6 or 12 tiles in the nearest of four directions";
constexpr const char* kServerDecides = "the server decides who is hit and who dies";
constexpr const char* kNoTokens = "nothing can be carried";
constexpr const char* kLies = "up to 40 tokens on the ground look like ammunition; who carries one is not shown";
constexpr const char* kMasonry =
    "blocks that fill more than half of a tile, two high, become bricks; others are not shown";
constexpr const char* kNoScores = "the game has no scores, only a winner";
constexpr const char* kNoChat = "the game has no chat";
constexpr const char* kNoFlight = "shots hit at once; their flight is not shown";

constexpr MappingLine up(const char* field, const char* word, Fidelity fidelity, const char* reason = "") {
  return {"Action", kUp, field, word, fidelity, reason};
}
/// The fields that every piece is created with.
constexpr std::array<MappingLine, 5> created(const char* message, const char* value) {
  return {down(message, "value", value), down(message, "piece", "Unit.id", Fidelity::kLossy, kNumbered),
          down(message, "x", "Unit.pose.x"), down(message, "y", "Unit.pose.y"),
          down(message, "*", "", Fidelity::kSynthesised, kZeros)};
}

constexpr MappingLine kActions[] = {
    up("player", "", Fidelity::kSynthesised, "a client must send its own; a server is sent the number that it gave"),
    up("player", "Resume.player", Fidelity::kLossy,
       "only from the first Action of a new client, if `reconnect` is set"),
    up("action", "Step", Fidelity::kExact),
    up("action", "Fire", Fidelity::kExact),
    up("action", "Leave", Fidelity::kLossy, "sent only with `leave=quit`, because it often crashes the server"),
    up("direction", "Step.direction", Fidelity::kExact),
    up("direction", "Fire.vx", Fidelity::kLossy, "the nearest of four directions; nothing flies up or down"),
    up("direction", "Fire.vy", Fidelity::kLossy, "the nearest of four directions; nothing flies up or down"),
    up("piece", "Step.unit", Fidelity::kExact),
    up("piece", "Fire.unit", Fidelity::kExact),
    up("piece", "Select.unit", Fidelity::kSynthesised, "the tank that acts becomes the one that is steered"),
    up("*", "Toward", Fidelity::kLossy, kOneTile),
    up("*", "Keys", Fidelity::kLossy, kOneTile),
    up("*", "PoseClaim", Fidelity::kLossy, kOneTile),
    up("*", "Trigger", Fidelity::kLossy, kShotAhead),
    up("*", "Split", Fidelity::kLossy, kShotAhead),
    up("*", "Eject", Fidelity::kLossy, kShotAhead),
};

constexpr MappingLine kIntents[] = {
    {"", kUp, "", "Enter", Fidelity::kSynthesised, "a player enters by connecting; there are no names"},
    {"", kUp, "", "Spawn", Fidelity::kSynthesised,
     "tanks are on the field from the start; the player takes its next one"},
    no_intent("Change", "a player has only a colour, which depends on the order of connecting"),
    no_intent("Watch", "only players who have lost can watch"),
    no_intent("Reload", "ammunition is never refilled"),
    no_intent("Tool", "a tank has one gun"),
    no_intent("Button", "the game has no such key"),
    no_intent("Freeze", "tanks always stand unless they are driven"),
    no_intent("HitClaim", kServerDecides),
    no_intent("DeathClaim", kServerDecides),
    no_intent("ShotMoveClaim", kNoFlight),
    no_intent("ShotEndClaim", kNoFlight),
    no_intent("TokenWish", kNoTokens),
    no_intent("TeleportClaim", "the game has no teleporters"),
    no_intent("ScoreClaim", kNoScores),
    no_intent("Pause", "the game has no pause"),
    no_intent("Autopilot", "the game has no autopilot"),
    no_intent("Ping", "the game has no ping"),
    no_intent("Query", "the game has no queries"),
    no_intent("WantWorld", "only the number of the map is sent"),
    no_intent("Edit", "maps do not change"),
    no_intent("Say", kNoChat),
    no_intent("Playback", "only replays can be paused or moved in time"),
};

constexpr MappingLine kState[] = {
    down("GameState", "map", "World.name", Fidelity::kLossy,
         "a client has two maps; any other world is shown as map 2/1"),
    down("GameState", "map_version", "World.name", Fidelity::kLossy, "as for `map`"),
    down("GameState", "player", "Player.team", Fidelity::kLossy, "the order of connecting, which decides the colour"),
    down("GameState", "tank_count", "Owns.units"),
    down("GameState", "tanks", "Owns.units", Fidelity::kLossy, kNumbered),
    down("GameState", "padding", "", Fidelity::kSynthesised, kZeros),
    down("GameState", "count_padding", "", Fidelity::kSynthesised, kZeros),
};

constexpr auto kBrick = created("CreateBrick", "Unit.health");
constexpr auto kPickupHealth = created("CreateHealth", "Unit.health");
constexpr auto kPickupAmmo = created("CreateAmmo", "Unit.health");
constexpr auto kCreateDecoration = created("CreateDecoration", "Unit.health");
constexpr auto kTank = created("CreateTank", "Unit.health");
constexpr MappingLine kCodes[] = {
    down("CreateAmmo", "*", "Token", Fidelity::kLossy, kLies),
    down("CreateAmmo", "*", "TokenDropped", Fidelity::kLossy, kLies),
    down("Destroy", "piece", "TokenTaken", Fidelity::kLossy, kLies),
    down("Destroy", "piece", "TokenCaptured", Fidelity::kLossy, kLies),
    down("CreateBrick", "code", "Unit.model"),
    down("CreateBrick", "*", "WorldEdit", Fidelity::kLossy, kMasonry),
    down("CreateBrick", "*", "World.block", Fidelity::kLossy, kMasonry),
    down("CreateBrick", "*", "World.solids", Fidelity::kLossy, "a tile that no tank can enter becomes bricks"),
    down("CreateDecoration", "*", "Died", Fidelity::kLossy,
         "a crater is shown on the player's own tank while it is dead"),
    down("Destroy", "piece", "WorldEdit", Fidelity::kLossy, kMasonry),
    down("CreateTank", "code", "Unit.team", Fidelity::kLossy, "four colours; others become the most similar one"),
    down("CreateTank", "code", "Unit.model", Fidelity::kLossy, "units of other games become Commanders"),
    down("CreateTank", "code", "Unit.radius", Fidelity::kDropped, "all tanks are as large as a tile"),
    down("CreateAmmo", "", "Unit.kind", Fidelity::kLossy, "the 40 nearest pellets appear as ammunition"),
    down("CreateTank", "*", "UnitChanged", Fidelity::kLossy,
         "tanks of others are created again; the player's own stays as it was"),
};

constexpr MappingLine kEvents[] = {
    down("UpdateAmmo", "value", "Ammo.clip"),
    down("UpdateAmmo", "value", "Unit.radius", Fidelity::kLossy, "a tenth of the mass of the player's own cells"),
    down("UpdateAmmo", "*", "", Fidelity::kSynthesised, kUnused),
    down("UpdateHealth", "value", "Health.now", Fidelity::kLossy,
         "health in other games is scaled to a Commander's 50"),
    down("UpdateHealth", "value", "Unit.radius", Fidelity::kLossy, "a cell's mass, up to 999"),
    down("UpdateHealth", "value", "Died", Fidelity::kLossy,
         "the player's own tank gets 0 instead of being destroyed, if it may come back"),
    down("UpdateHealth", "piece", "Health.unit", Fidelity::kLossy, kNumbered),
    down("UpdateHealth", "*", "Health.by", Fidelity::kSynthesised,
         "guessed: the player who has just shot along that line"),
    down("Destroy", "piece", "Gone.unit", Fidelity::kLossy, kNumbered),
    down("Destroy", "piece", "Died.unit", Fidelity::kLossy, kNumbered),
    down("Destroy", "piece", "Hidden.unit", Fidelity::kLossy,
         "a unit out of sight is removed without an event, and created again later"),
    down("Destroy", "piece", "PlayerGone", Fidelity::kLossy, "the player's tanks are removed"),
    down("Destroy", "*", "Died.killer", Fidelity::kSynthesised,
         "guessed: the player who has just shot along that line"),
    down("Move", "direction", "Pose.yaw", Fidelity::kLossy, "the nearest of four directions"),
    down("Move", "value", "Pose.x", Fidelity::kLossy, "rounded to whole tiles"),
    down("Move", "value", "Pose.y", Fidelity::kLossy, "rounded to whole tiles"),
    down("Move", "value", "Corrected.pose", Fidelity::kLossy, "rounded to whole tiles"),
    down("Move", "value", "Teleported", Fidelity::kLossy, "shown as a move of many tiles"),
    down("Move", "value", "Spawned", Fidelity::kLossy,
         "the player's own tank moves many tiles and gets its health; other tanks are created again"),
    down("Move", "value", "Shot", Fidelity::kLossy,
         "a shot is shown as a turn; one that hits nothing looks like a blocked move"),
    down("Move", "value", "WorldEdit", Fidelity::kSynthesised, "a wall that stopped a tank, if no map was read"),
    down("Move", "piece", "Pose.unit", Fidelity::kLossy, kNumbered),
    down("Move", "padding", "", Fidelity::kSynthesised, kZeros),
    down("GameStart", "*", "Ready", Fidelity::kLossy, "sent when the player is in play"),
    down("GameOver", "value", "Round.winner", Fidelity::kLossy, "only whether the player won, and only the first time"),
    down("GameOver", "value", "Round.winning_team", Fidelity::kLossy, "only whether the player's team won"),
    down("GameOver", "*", "", Fidelity::kSynthesised, kUnused),
};

constexpr MappingLine kFacts[] = {
    {"", kDown, "", "Room", Fidelity::kDropped, "clients have no use for it"},
    {"", kDown, "", "Refused", Fidelity::kLossy, "the connection is closed; a player who comes to a full game watches"},
    {"", kDown, "", "Kicked", Fidelity::kLossy, "the connection is closed"},
    {"", kDown, "", "You", Fidelity::kLossy, "sent as the number in GameState"},
    {"", kDown, "", "Waiting", Fidelity::kLossy, "nothing is sent"},
    no_fact("Rule", "the rules are built into the client"),
    no_fact("ClaimRefused", "clients claim nothing"),
    no_fact("Notice", kNoChat),
    no_fact("WorldProgress", "only the number of the map is sent"),
    no_fact("Input", "keys are not shown"),
    no_fact("ShotMoved", kNoFlight),
    no_fact("ShotEnded", kNoFlight),
    no_fact("Zone", "the game has no zones"),
    no_fact("Score", kNoScores),
    no_fact("TeamScore", kNoScores),
    no_fact("Board", kNoScores),
    no_fact("Said", kNoChat),
    no_fact("View", "clients move their own camera"),
    no_fact("Lag", "clients show no latency"),
    no_fact("Clock", "clients show no time"),
    no_fact("Timeline", "clients have no time bar"),
    no_fact("Player.name", "the game has no names"),
    no_fact("Unit.name", "the game has no names"),
    no_fact("Pose.z", "the world is flat"),
    no_fact("Ammo.reserve", "there is only one count of ammunition"),
    no_fact("Round.left_s", "clients show no time"),
    no_fact("Round.another", "the end is not shown if another round follows"),
};

constexpr MappingLine kDrops[] = {
    drops::kActionTooEarly,  drops::kActionOfAnother, drops::kNoAction,        drops::kActionNoDirection,
    drops::kActionNoTank,    drops::kActionOfDead,    drops::kMapsUnreadable,  drops::kMapIsFixed,
    drops::kUnitUnlike,      drops::kTokensFull,      drops::kRoundGoesOn,     drops::kBeforeState,
    drops::kCreateReserved,  drops::kEventReserved,   drops::kPiecesFull,      drops::kNoPiece,
    drops::kMoveNoDirection, drops::kOverAlready,     drops::kOtherPlayer,     drops::kWatching,
    drops::kNotInPlay,       drops::kNoTank,          drops::kStepNoDirection, drops::kNoAmmo,
    drops::kShotLeavesMap,   drops::kShotUnanswered,  drops::kShotReplaced,    drops::kShotOfLost,
    drops::kUnanswered,      drops::kMasonryFull,     drops::kObstaclesFull,   drops::kWallsFull,
};

}  // namespace

std::span<const MappingLine> mapping() {
  static const auto kAll = [] {
    std::vector<MappingLine> all;
    for (const std::span<const MappingLine> part :
         {std::span<const MappingLine>(kActions), std::span<const MappingLine>(kIntents),
          std::span<const MappingLine>(kState), std::span<const MappingLine>(kBrick),
          std::span<const MappingLine>(kPickupHealth), std::span<const MappingLine>(kPickupAmmo),
          std::span<const MappingLine>(kCreateDecoration), std::span<const MappingLine>(kTank),
          std::span<const MappingLine>(kCodes), std::span<const MappingLine>(kEvents),
          std::span<const MappingLine>(kFacts), std::span<const MappingLine>(kDrops)})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return kAll;
}

}  // namespace entente::panic
