// Creates the fronts and backs of Ace of Spades, and declares their settings.
#include "adapters/aos/aos.h"
#include "adapters/aos/back/back.h"
#include "adapters/aos/front/front.h"

namespace entente::aos {
namespace {

constexpr core::Setting kFrontSettings[] = {
    {"first",
     "ban: disconnect a client that sends anything before its Existing Player packet, as the document of 0.80 says. "
     "any: "
     "allow it. Default: ban in 0.80, any in other dialects.",
     {.words = "ban|any"}},
    {"rate", "Number of position updates per second to a client (10 to 60). Default: 20.", {.least = 10, .most = 60}},
};

constexpr core::Setting kBackSettings[] = {
    {"aim",
     "auto: aim the shots of players of other games at the player they look at. Default: no aiming; most servers "
     "consider it cheating.",
     {.words = "auto"}},
};

std::unique_ptr<core::Front> front(const core::FaceOptions& options) { return std::make_unique<AosFront>(options); }

std::unique_ptr<core::Back> back(const core::FaceOptions& options) { return std::make_unique<AosBack>(options); }

}  // namespace

const core::Faces& faces() {
  static const core::Faces kFaces = {front, back, kFrontSettings, kBackSettings};
  return kFaces;
}

}  // namespace entente::aos
