// Creates the fronts and backs of BZFlag, and declares their settings.
#include "adapters/bzflag/back/back.h"
#include "adapters/bzflag/front/front.h"

namespace entente::bzflag {
namespace {

std::unique_ptr<core::Front> front(const core::FaceOptions& options) { return std::make_unique<BzflagFront>(options); }

std::unique_ptr<core::Back> back(const core::FaceOptions& options) { return std::make_unique<BzflagBack>(options); }

constexpr core::Setting kBackSettings[] = {
    {"udp",
     "on or off: whether to ask the server for a UDP link; on a 2.4 server, tanks cannot shoot without it. Default: "
     "on.",
     {.words = "on|off"}},
    {"header",
     "on or off: whether to send a greeting first, in a dialect that leaves it open (wiki). Default: on.",
     {.words = "on|off"}},
};

}  // namespace

const core::Faces& faces() {
  static const core::Faces kFaces = {front, back, {}, kBackSettings};
  return kFaces;
}

}  // namespace entente::bzflag
