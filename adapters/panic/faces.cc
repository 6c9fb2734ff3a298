// Creates the fronts and backs of Panic, and declares their settings.
#include "adapters/panic/back/back.h"
#include "adapters/panic/front/front.h"
#include "adapters/panic/panic.h"

namespace entente::panic {
namespace {

std::string find_maps() {
  return first_map_folder(likely_map_folders(), [](const Ground& map) { return map.is_released(); });
}

constexpr core::Setting kFrontSettings[] = {
    {"name",
     "The name of every player of this listener in the other game. Default: panic- and four digits, different for "
     "each player."},
    {"watch",
     "yes: all clients of this listener watch (a Panic client cannot ask to watch). no: they play, and watch only if "
     "the "
     "game is full. Default: no.",
     {.words = "yes|no"}},
    {"reset",
     "yes: a new world or round begins with a second Game State, as in the document. no: never, because it makes the "
     "released client fail. Default: no.",
     {.words = "yes|no"}},
    {"reconnect",
     "Seconds (0 to 60) that a new client has to identify itself by an Action, as in the document, before it is "
     "admitted. A player who loses the connection can then return within a minute, from the same address. Default: 0 "
     "(off).",
     {.least = 0, .most = 60}},
    {"maps",
     "Folder with the clients' .map files (resources/graphics/maps). In another game's world, rock and water of the "
     "client's own map then block its tank, too. Default: the folder of the released game, if it is found; else they "
     "do "
     "not.",
     {.folder = true, .find = find_maps}},
};

constexpr core::Setting kBackSettings[] = {
    {"maps",
     "Folder with the server's .map files. Default: the folder of the released game, if it is found; else open ground "
     "of "
     "the right size, on which walls are learnt by driving into them.",
     {.folder = true, .find = find_maps}},
    {"leave",
     "quit or close: how to leave the server. Default: close, because a Quit often crashes the released server.",
     {.words = "quit|close"}},
};

struct PreparedMaps final : core::Preparation {
  std::shared_ptr<const Maps> maps;
};

std::shared_ptr<const core::Preparation> prepare(const core::FaceOptions& options) {
  auto prepared = std::make_shared<PreparedMaps>();
  const auto folder = options.setting("maps");
  prepared->maps = std::make_shared<const Maps>(folder.empty() ? Maps() : read_maps(std::string(folder)));
  return prepared;
}

std::shared_ptr<const Maps> maps_of(const core::FaceOptions& options) {
  const auto prepared = options.prepared != nullptr ? options.prepared : prepare(options);
  return static_cast<const PreparedMaps&>(*prepared).maps;
}

std::unique_ptr<core::Front> front(const core::FaceOptions& options) {
  return std::make_unique<PanicFront>(options, maps_of(options));
}

std::unique_ptr<core::Back> back(const core::FaceOptions& options) {
  return std::make_unique<PanicBack>(options, maps_of(options));
}

}  // namespace

const core::Faces& faces() {
  static const core::Faces kFaces = {front, back, kFrontSettings, kBackSettings, prepare};
  return kFaces;
}

}  // namespace entente::panic
