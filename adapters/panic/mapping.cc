// What becomes of each field of Panic's messages and of each word: the table behind the explanations, the documents and
// the loss counters. Law: complete; a test walks every message and every kind of word.
#include "adapters/wire/mapping.h"

#include <array>
#include <vector>

#include "adapters/panic/losses.h"
#include "adapters/panic/panic.h"

namespace entente::panic {
namespace {

using wire::down, wire::kDown, wire::kUp, wire::no_fact, wire::no_intent;
using wire::Fidelity, wire::Mapping;

constexpr const char* kZeros = "old memory of the released server; we write zeros";
constexpr const char* kUnused = "nothing is said by it here; we write 0";
constexpr const char* kNumbered = "pieces are numbered anew, in the order in which they were met";
constexpr const char* kOneTile = "one tile at a time in one of four directions, at most four a second";
constexpr const char* kShotAhead = "an instant shot of 3, 6 or 12 tiles in the nearest of four directions";
constexpr const char* kServerDecides = "the server decides who is hit and who dies";
constexpr const char* kNoTokens = "nothing can be carried";
constexpr const char* kLies = "what lies there, at most 40, is ammunition to look at; who carries what is not shown";
constexpr const char* kMasonry = "blocks that fill more than half a tile, two high, are bricks; others are not shown";
constexpr const char* kNoScores = "no scores but who won";
constexpr const char* kNoChat = "no chat";
constexpr const char* kNoFlight = "shots hit at once and are not seen to fly";

constexpr Mapping up(const char* field, const char* word, Fidelity fidelity, const char* reason = "") {
  return {"Action", kUp, field, word, fidelity, reason};
}
/// The fields that every piece is created with.
constexpr std::array<Mapping, 5> created(const char* message, const char* value) {
  return {down(message, "value", value), down(message, "piece", "Unit.id", Fidelity::kLossy, kNumbered),
          down(message, "x", "Unit.pose.x"), down(message, "y", "Unit.pose.y"),
          down(message, "*", "", Fidelity::kSynthesised, kZeros)};
}

constexpr Mapping kActions[] = {
    up("player", "", Fidelity::kSynthesised, "checked to be the player's own; to a server, the number that it gave"),
    up("player", "Resume.player", Fidelity::kLossy, "only of a new client's first Action, and if that was asked for"),
    up("action", "Step", Fidelity::kExact),
    up("action", "Fire", Fidelity::kExact),
    up("action", "Leave", Fidelity::kLossy,
       "a server is left without a Quit, of which it often dies, unless it is set"),
    up("direction", "Step.direction", Fidelity::kExact),
    up("direction", "Fire.vx", Fidelity::kLossy, "the nearest of four directions; nothing flies up or down"),
    up("direction", "Fire.vy", Fidelity::kLossy, "the nearest of four directions; nothing flies up or down"),
    up("piece", "Step.unit", Fidelity::kExact),
    up("piece", "Fire.unit", Fidelity::kExact),
    up("piece", "Select.unit", Fidelity::kSynthesised, "the tank that is asked to act is the one that is steered"),
    up("*", "Toward", Fidelity::kLossy, kOneTile),
    up("*", "Keys", Fidelity::kLossy, kOneTile),
    up("*", "PoseClaim", Fidelity::kLossy, kOneTile),
    up("*", "Trigger", Fidelity::kLossy, kShotAhead),
    up("*", "Split", Fidelity::kLossy, kShotAhead),
    up("*", "Eject", Fidelity::kLossy, kShotAhead),
};

constexpr Mapping kIntents[] = {
    {"", kUp, "", "Enter", Fidelity::kSynthesised, "to connect is to come in; there are no names"},
    {"", kUp, "", "Spawn", Fidelity::kSynthesised,
     "tanks stand on the field from the start; the next own one is taken"},
    no_intent("Change", "a player has a colour by his place, and nothing else"),
    no_intent("Watch", "who has lost watches, nobody else"),
    no_intent("Reload", "ammunition is never refilled"),
    no_intent("Tool", "a tank has one gun"),
    no_intent("Button", "no such key"),
    no_intent("Freeze", "tanks stand unless they are driven"),
    no_intent("HitClaim", kServerDecides),
    no_intent("DeathClaim", kServerDecides),
    no_intent("ShotMoveClaim", kNoFlight),
    no_intent("ShotEndClaim", kNoFlight),
    no_intent("TokenWish", kNoTokens),
    no_intent("TeleportClaim", "no teleporters"),
    no_intent("ScoreClaim", kNoScores),
    no_intent("Pause", "no pause"),
    no_intent("Autopilot", "no autopilot"),
    no_intent("Ping", "no ping"),
    no_intent("Query", "nothing can be asked"),
    no_intent("WantWorld", "a map travels by its number"),
    no_intent("Edit", "maps do not change"),
    no_intent("Say", kNoChat),
    no_intent("Playback", "a server plays in its own time"),
};

constexpr Mapping kState[] = {
    down("GameState", "map", "World.name", Fidelity::kLossy, "a client has two maps; other worlds are laid under 2/1"),
    down("GameState", "map_version", "World.name", Fidelity::kLossy, "as map"),
    down("GameState", "player", "Player.team", Fidelity::kLossy,
         "the order of connecting, which is that of the colours"),
    down("GameState", "tank_count", "Owns.units"),
    down("GameState", "tanks", "Owns.units", Fidelity::kLossy, kNumbered),
    down("GameState", "padding", "", Fidelity::kSynthesised, kZeros),
    down("GameState", "count_padding", "", Fidelity::kSynthesised, kZeros),
};

constexpr auto kBrick = created("CreateBrick", "Unit.health");
constexpr auto kPickupHealth = created("CreateHealth", "Unit.health");
constexpr auto kPickupAmmo = created("CreateAmmo", "Unit.health");
constexpr auto kDecoration = created("CreateDecoration", "Unit.health");
constexpr auto kTank = created("CreateTank", "Unit.health");
constexpr Mapping kCodes[] = {
    down("CreateAmmo", "*", "Token", Fidelity::kLossy, kLies),
    down("CreateAmmo", "*", "TokenDropped", Fidelity::kLossy, kLies),
    down("Destroy", "piece", "TokenTaken", Fidelity::kLossy, kLies),
    down("Destroy", "piece", "TokenCaptured", Fidelity::kLossy, kLies),
    down("CreateBrick", "code", "Unit.model"),
    down("CreateBrick", "*", "WorldEdit", Fidelity::kLossy, kMasonry),
    down("CreateBrick", "*", "World.block", Fidelity::kLossy, kMasonry),
    down("CreateBrick", "*", "World.solids", Fidelity::kLossy, "a tile in which no tank can stand is bricks"),
    down("CreateDecoration", "*", "Died", Fidelity::kLossy, "a crater lies on one's own tank while it is dead"),
    down("Destroy", "piece", "WorldEdit", Fidelity::kLossy, kMasonry),
    down("CreateTank", "code", "Unit.team", Fidelity::kLossy,
         "four colours, others become the one that is most like them"),
    down("CreateTank", "code", "Unit.model", Fidelity::kLossy, "units of other games are Commanders"),
    down("CreateTank", "code", "Unit.radius", Fidelity::kDropped, "all tanks are as large as a tile"),
    down("CreateAmmo", "", "Unit.kind", Fidelity::kLossy, "pellets are ammunition: the 40 nearest, as they come near"),
    down("CreateTank", "*", "UnitChanged", Fidelity::kLossy,
         "another's tank is created again; one's own stays as it was"),
};

constexpr Mapping kEvents[] = {
    down("UpdateAmmo", "value", "Ammo.clip"),
    down("UpdateAmmo", "value", "Unit.radius", Fidelity::kLossy, "a tenth of the mass of one's own cells"),
    down("UpdateAmmo", "*", "", Fidelity::kSynthesised, kUnused),
    down("UpdateHealth", "value", "Health.now", Fidelity::kLossy, "other games' health as a share of a Commander's 50"),
    down("UpdateHealth", "value", "Unit.radius", Fidelity::kLossy, "a cell's mass, up to 999"),
    down("UpdateHealth", "value", "Died", Fidelity::kLossy,
         "one's own tank that may come back has 0, and is not destroyed"),
    down("UpdateHealth", "piece", "Health.unit", Fidelity::kLossy, kNumbered),
    down("UpdateHealth", "*", "Health.by", Fidelity::kSynthesised, "whose shot of a moment ago was on that line"),
    down("Destroy", "piece", "Gone.unit", Fidelity::kLossy, kNumbered),
    down("Destroy", "piece", "Died.unit", Fidelity::kLossy, kNumbered),
    down("Destroy", "piece", "Hidden.unit", Fidelity::kLossy,
         "what is out of sight is taken off the board, which is no event, and created again"),
    down("Destroy", "piece", "PlayerGone", Fidelity::kLossy, "his tanks go"),
    down("Destroy", "*", "Died.killer", Fidelity::kSynthesised, "whose shot of a moment ago was on that line"),
    down("Move", "direction", "Pose.yaw", Fidelity::kLossy, "the nearest of four directions"),
    down("Move", "value", "Pose.x", Fidelity::kLossy, "whole tiles"),
    down("Move", "value", "Pose.y", Fidelity::kLossy, "whole tiles"),
    down("Move", "value", "Corrected.pose", Fidelity::kLossy, "whole tiles"),
    down("Move", "value", "Teleported", Fidelity::kLossy, "a move of many tiles"),
    down("Move", "value", "Spawned", Fidelity::kLossy, "a move of many tiles, and health; others are created again"),
    down("Move", "value", "Shot", Fidelity::kLossy,
         "a shot is seen as a turn; one that hits nothing looks like a tank that was blocked"),
    down("Move", "value", "WorldEdit", Fidelity::kSynthesised, "a wall that stopped a tank, where no map was read"),
    down("Move", "piece", "Pose.unit", Fidelity::kLossy, kNumbered),
    down("Move", "padding", "", Fidelity::kSynthesised, kZeros),
    down("GameStart", "*", "Ready", Fidelity::kLossy, "comes when the player is in play"),
    down("GameOver", "value", "Round.winner", Fidelity::kLossy, "only whether it was oneself; only the first time"),
    down("GameOver", "value", "Round.winning_team", Fidelity::kLossy, "only whether it was one's own"),
    down("GameOver", "*", "", Fidelity::kSynthesised, kUnused),
};

constexpr Mapping kFacts[] = {
    {"", kDown, "", "Room", Fidelity::kDropped, "a client asks nothing about its game"},
    {"", kDown, "", "Refused", Fidelity::kLossy, "the connection is closed; who comes to a full game watches"},
    {"", kDown, "", "Kicked", Fidelity::kLossy, "the connection is closed"},
    {"", kDown, "", "You", Fidelity::kLossy, "said by the number in GameState"},
    {"", kDown, "", "Waiting", Fidelity::kLossy, "silence"},
    no_fact("Rule", "the rules are built into the client"),
    no_fact("ClaimRefused", "nothing is claimed"),
    no_fact("Notice", kNoChat),
    no_fact("WorldProgress", "a map travels by its number"),
    no_fact("Input", "keys are not shown"),
    no_fact("ShotMoved", kNoFlight),
    no_fact("ShotEnded", kNoFlight),
    no_fact("Zone", "no zones"),
    no_fact("Score", kNoScores),
    no_fact("TeamScore", kNoScores),
    no_fact("Board", kNoScores),
    no_fact("Said", kNoChat),
    no_fact("View", "a client shows what it likes"),
    no_fact("Lag", "no ping is shown"),
    no_fact("Clock", "no time is shown"),
    no_fact("Timeline", "no time bar"),
    no_fact("Player.name", "no names"),
    no_fact("Unit.name", "no names"),
    no_fact("Pose.z", "a flat world"),
    no_fact("Ammo.reserve", "one count of ammunition"),
    no_fact("Round.left_s", "no time is shown"),
    no_fact("Round.another", "no end is shown where another round follows"),
};

constexpr Mapping kLosses[] = {
    loss::kActionTooEarly,  loss::kActionOfAnother, loss::kNoAction,        loss::kActionNoDirection,
    loss::kActionNoTank,    loss::kActionOfDead,    loss::kMapsUnreadable,  loss::kMapIsFixed,
    loss::kUnitUnlike,      loss::kTokensFull,      loss::kRoundGoesOn,     loss::kBeforeState,
    loss::kCreateReserved,  loss::kEventReserved,   loss::kPiecesFull,      loss::kNoPiece,
    loss::kMoveNoDirection, loss::kOverAlready,     loss::kOtherPlayer,     loss::kWatching,
    loss::kNotInPlay,       loss::kNoTank,          loss::kStepNoDirection, loss::kNoAmmo,
    loss::kShotLeavesMap,
};

}  // namespace

std::span<const Mapping> mapping() {
  static const auto kAll = [] {
    std::vector<Mapping> all;
    for (const std::span<const Mapping> part :
         {std::span<const Mapping>(kActions), std::span<const Mapping>(kIntents), std::span<const Mapping>(kState),
          std::span<const Mapping>(kBrick), std::span<const Mapping>(kPickupHealth),
          std::span<const Mapping>(kPickupAmmo), std::span<const Mapping>(kDecoration), std::span<const Mapping>(kTank),
          std::span<const Mapping>(kCodes), std::span<const Mapping>(kEvents), std::span<const Mapping>(kFacts),
          std::span<const Mapping>(kLosses)})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return kAll;
}

}  // namespace entente::panic
