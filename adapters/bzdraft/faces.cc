// Creates the fronts and backs of the draft.
#include "adapters/bzdraft/back/back.h"
#include "adapters/bzdraft/front/front.h"

namespace entente::bzdraft {
namespace {

std::unique_ptr<core::Front> front(const core::FaceOptions&) { return std::make_unique<BzdraftFront>(); }
std::unique_ptr<core::Back> back(const core::FaceOptions&) { return std::make_unique<BzdraftBack>(); }

}  // namespace

const core::Faces& faces() {
  static const core::Faces kFaces = {front, back, {}, {}};
  return kFaces;
}

}  // namespace entente::bzdraft
