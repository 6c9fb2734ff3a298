// How the faces of BZFlag are made.
#include "adapters/bzflag/back/back.h"
#include "adapters/bzflag/front/front.h"

namespace entente::bzflag {
namespace {

std::unique_ptr<core::Front> front(const core::FaceOptions& options) { return std::make_unique<FrontSession>(options); }

std::unique_ptr<core::Back> back(const core::FaceOptions& options) { return std::make_unique<BackSession>(options); }

constexpr core::Setting kBackSettings[] = {
    {"udp",
     "on (the default) or off: whether to ask the server for its datagram link; without it no tank can shoot on 2.4",
     {.words = "on|off"}},
    {"header",
     "on (the default) or off: whether to greet first, where a dialect leaves it open (wiki)",
     {.words = "on|off"}},
};

}  // namespace

const core::Faces& faces() {
  static const core::Faces kFaces = {front, back, {}, kBackSettings};
  return kFaces;
}

}  // namespace entente::bzflag
