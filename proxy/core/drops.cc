#include "proxy/core/drops.h"

namespace entente::core {
namespace {

constexpr MappingLine kRoomDrops[] = {drops::kNotFinite,       drops::kFlooded,          drops::kNotEntered,
                                      drops::kHeldTooMany,     drops::kEarlyTooMany,     drops::kUnanswered,
                                      drops::kServerAway,      drops::kOtherServer,      drops::kTerrainFull,
                                      drops::kChatTooFast,     drops::kCommandElsewhere, drops::kCommandWithoutSlash,
                                      drops::kCommandNotExact, drops::kNothingSaid,      drops::kRule,
                                      drops::kNoMessage};
constexpr MappingLine kArenaDrops[] = {
    drops::kMeansNothing,  drops::kHitClaim,       drops::kDeathClaim,       drops::kSpawnOfWatcher,
    drops::kEdit,          drops::kEnteredAlready, drops::kKitOrColour,      drops::kNoCommands,
    drops::kNoRecipient,   drops::kThrownFromAfar, drops::kNotLoaded,        drops::kNoGuidedShot,
    drops::kShotOfAnother, drops::kFlagGiven,      drops::kCollectedTooMany, drops::kLeftBeforeStep};
constexpr MappingLine kReplayDrops[] = {drops::kOnlyWatched,  drops::kChangeOfWatcher, drops::kSayOfWatcher,
                                        drops::kWishReplaced, drops::kForTeam,         drops::kPrivateChat};

}  // namespace

std::span<const MappingLine> room_mapping() { return kRoomDrops; }
std::span<const MappingLine> arena_mapping() { return kArenaDrops; }
std::span<const MappingLine> replay_mapping() { return kReplayDrops; }

}  // namespace entente::core
