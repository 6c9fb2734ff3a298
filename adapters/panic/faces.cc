// The makers of Panic's faces, and what can be set about them.
#include "adapters/panic/faces.h"

#include "adapters/panic/back/back.h"
#include "adapters/panic/front/front.h"
#include "adapters/panic/panic.h"

namespace entente::panic {
namespace {

constexpr core::Setting kFrontSettings[] = {
    {"name",
     "The name that the other game knows every player of this door by. Not said: panic- and four digits, another for "
     "each."},
    {"watch",
     "yes: everybody who comes in by this door looks on, as a silent client cannot ask to. Not said, or no: they play, "
     "and look on only where the game is full.",
     {.words = "yes|no"}},
    {"reset",
     "yes: a new world or round begins with a second Game State, as the document has it. Not said, or no: never, "
     "because the released client ends in an error on it.",
     {.words = "yes|no"}},
    {"reconnect",
     "How many seconds (0 to 60) a new client may take to say by an Action who it was, as the document has it; "
     "it comes in only then. Who loses his connection then has a minute to come back, from the same address. Not said: "
     "0, nobody is asked.",
     {.least = 0, .most = 60}},
    {"maps",
     "A folder of the clients' .map files (their resources/graphics/maps): in another game's world, what their map "
     "shows "
     "as rock or water stops them, too. Not said: they drive over it.",
     {.folder = true}},
};

constexpr core::Setting kBackSettings[] = {
    {"maps",
     "A folder of .map files: what is known of the server's map. Not said: open ground of the right size, on which "
     "walls are learnt by driving into them.",
     {.folder = true}},
    {"leave",
     "quit or close: how to leave the server. Not said: close, because its released program often dies of a Quit.",
     {.words = "quit|close"}},
};

std::vector<Ground> maps_of(const core::FaceOptions& options, std::string& problems) {
  const auto folder = options.setting("maps");
  return folder.empty() ? std::vector<Ground>() : read_maps(std::string(folder), problems);
}

}  // namespace

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options) {
  std::string problems;
  std::vector<Ground> maps = maps_of(options, problems);
  return std::make_unique<PanicFront>(options, std::move(maps), !problems.empty());
}

std::unique_ptr<core::Back> make_back(const core::FaceOptions& options) {
  std::string problems;
  std::vector<Ground> maps = maps_of(options, problems);
  return std::make_unique<PanicBack>(options, std::move(maps), std::move(problems));
}

const core::Faces& faces() {
  static const core::Faces kFaces = {make_front, make_back, kFrontSettings, kBackSettings};
  return kFaces;
}

}  // namespace entente::panic
