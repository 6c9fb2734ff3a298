// The makers of Ace of Spades' faces, and what can be set about them.
#include "adapters/aos/faces.h"

#include "adapters/aos/front/front.h"

namespace entente::aos {
namespace {

constexpr core::Setting kFrontSettings[] = {
    {"first",
     "ban or any: whether a client that says anything else before it says who it is is sent away, as the document of "
     "0.80 has it. Not said: ban in 0.80, any in the others, whose servers never did.",
     {.words = "ban|any"}},
    {"rate",
     "How often a second (10 to 60) a client is told where everybody is. Not said: 20.",
     {.least = 10, .most = 60}},
};

constexpr core::Setting kBackSettings[] = {
    {"aim",
     "auto: the shots of players of other games are aimed at whom they look at. Not said: nothing is aimed for "
     "anybody; most servers take it for cheating.",
     {.words = "auto"}},
};

}  // namespace

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options) {
  return std::make_unique<FrontSession>(options);
}

const core::Faces& faces() {
  static const core::Faces kFaces = {make_front, make_back, kFrontSettings, kBackSettings};
  return kFaces;
}

}  // namespace entente::aos
