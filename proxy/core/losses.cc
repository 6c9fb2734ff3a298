#include "proxy/core/losses.h"

namespace entente::core {
namespace {

constexpr Mapping kRoomLosses[] = {loss::kNotFinite,           loss::kFlooded,         loss::kHeldTooMany,
                                   loss::kServerAway,          loss::kChatTooFast,     loss::kCommandElsewhere,
                                   loss::kCommandWithoutSlash, loss::kCommandNotExact, loss::kNothingSaid};
constexpr Mapping kArenaLosses[] = {
    loss::kNotEntered,   loss::kMeansNothing,  loss::kHitClaim,   loss::kEdit,           loss::kEnteredAlready,
    loss::kKitOrColour,  loss::kNoServer,      loss::kNoListener, loss::kThrownFromAfar, loss::kNotLoaded,
    loss::kNoGuidedShot, loss::kShotOfAnother, loss::kFlagGiven};
constexpr Mapping kReplayLosses[] = {loss::kOnlyWatched,  loss::kChangeOfWatcher, loss::kSayOfWatcher,
                                     loss::kWishReplaced, loss::kForSome,         loss::kAside};

}  // namespace

std::span<const Mapping> room_mapping() { return kRoomLosses; }
std::span<const Mapping> arena_mapping() { return kArenaLosses; }
std::span<const Mapping> replay_mapping() { return kReplayLosses; }

}  // namespace entente::core
