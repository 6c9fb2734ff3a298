#include "proxy/core/losses.h"

#include <map>
#include <mutex>
#include <string_view>

namespace entente::core {
namespace {

using namespace loss;

constexpr Mapping kRoomLosses[] = {kNotFinite,       kFlooded,          kHeldTooMany,
                                   kChatTooFast,     kCommandElsewhere, kCommandWithoutSlash,
                                   kCommandNotExact, kNothingSaid};
constexpr Mapping kArenaLosses[] = {kNotEntered,   kMeansNothing,  kHitClaim,   kEdit,           kEnteredAlready,
                                    kKitOrColour,  kNoServer,      kNoListener, kThrownFromAfar, kNotLoaded,
                                    kNoGuidedShot, kShotOfAnother, kFlagGiven};
constexpr Mapping kReplayLosses[] = {kOnlyWatched, kChangeOfWatcher, kSayOfWatcher, kForSome, kAside};

}  // namespace

std::span<const Mapping> room_mapping() { return kRoomLosses; }
std::span<const Mapping> arena_mapping() { return kArenaLosses; }
std::span<const Mapping> replay_mapping() { return kReplayLosses; }

const Mapping& unlisted(const char* what, const char* reason);
const Mapping& unlisted(const char* what, const char* reason) {
  static std::mutex mutex;
  static std::map<std::pair<std::string_view, std::string_view>, Mapping> all;
  const std::lock_guard lock(mutex);
  return all.try_emplace({what, reason}, lost_fact(what, reason)).first->second;
}

}  // namespace entente::core
