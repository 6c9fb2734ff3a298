#include "adapters/panic/world/ground.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "proxy/base/hash.h"
#include "proxy/base/text.h"
#include "proxy/core/world.h"

namespace entente::panic {
namespace {

constexpr int kLargest = 32;           // tiles a side: the released client fails on larger maps
constexpr std::size_t kMostMaps = 64;  // files in a folder
constexpr std::size_t kMostBytes = 64U << 10U;

struct Released {
  std::uint8_t id, version;
  int columns, rows;
  bool walled;
  std::string_view hash;  // of its tiles
};
// Measured on the released client and server: the size of each map, whether it is walled on all sides, and a checksum.
// The maps themselves are not free, so they are not part of this program.
constexpr Released kReleased[] = {{1, 1, 30, 20, false, "6ac44d6e042153ea"}, {2, 1, 32, 32, true, "f2dce28eaf9dc4e5"}};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// A number from 0 to `most`; -1 if it is not one.
int number(std::string_view digits, int most) {
  int value = -1;
  const auto end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc{} && stop == end && value >= 0 && value <= most ? value : -1;
}

const Released* released(std::uint8_t id, std::uint8_t version) {
  for (const Released& known : kReleased)
    if (known.id == id && known.version == version) return &known;
  return nullptr;
}

constexpr std::string_view kMapsOfGame = "resources/graphics/maps";

}  // namespace

Ground::Ground(std::uint8_t id, std::uint8_t version, int columns, int rows)
    : id_(id),
      version_(version),
      tiles_(columns, rows),
      digits_(static_cast<std::size_t>(columns * rows), words::SHOTS_PASS | words::UNITS_PASS) {}

Ground Ground::uncharted(std::uint8_t id, std::uint8_t version) {
  const Released* known = released(id, version);
  if (known == nullptr) return {id, version, kLargest, kLargest};
  Ground ground(id, version, known->columns, known->rows);
  ground.walled_ = known->walled;
  ground.known_ = {known->columns - 1, known->rows - 1};
  return ground;
}

Result<Ground> Ground::read(std::string_view text) {
  const std::string_view whole = text;
  const auto at = [&] { return whole.size() - text.size(); };
  const std::string_view name = take_line(text);
  const int id = number(take_line(text), 255), version = number(take_line(text), 255);
  if (id < 0 || version < 0) return Fault{"bad map file", "id or version", at()};
  const int players = number(take_line(text), 16);
  if (players < 0) return Fault{"bad map file", "players", at()};
  const int columns = number(take_line(text), 256), rows = number(take_line(text), 256);
  if (columns < 1 || rows < 1) return Fault{"bad map file", "width or height", at()};
  for (int i = 0; i <= players; ++i) take_line(text);  // start positions, and a blank line

  Ground ground(static_cast<std::uint8_t>(id), static_cast<std::uint8_t>(version), columns, rows);
  ground.name_ = clean(name);
  ground.charted_ = true;
  ground.known_ = {columns - 1, rows - 1};
  ground.digits_.clear();
  for (int row = 0; row < rows; ++row) {
    const std::string_view line = take_line(text);
    const bool good = line.size() == static_cast<std::size_t>(columns) &&
                      std::all_of(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '3'; });
    if (!good) return Fault{"bad map file", "row", at()};
    for (const char c : line) ground.digits_.push_back(static_cast<char>(c - '0'));
  }
  return ground;
}

bool Ground::is_released() const {
  const Released* known = released(id_, version_);
  return known != nullptr && charted_ && hash_of(as_bytes(digits_)) == known->hash;
}

void Ground::see(Tile tile) {
  known_.x = std::max(known_.x, tile.x);
  known_.y = std::max(known_.y, tile.y);
}

bool Ground::learn_wall(Tile tile) {
  if (charted_ || blocks(tile)) return false;
  digits_[place(tile)] = words::SHOTS_PASS;  // shots may pass, as with water
  return true;
}

bool Ground::shot_stays(Tile from, Direction direction, int range) const {
  if (walled_) return true;
  Tile tile = from;
  for (int i = 0; i < range; ++i) {
    tile = step(tile, direction);
    if (tile.x < 0 || tile.y < 0 || tile.x > known_.x || tile.y > known_.y) return false;
    if (charted_ && !shots_pass(tile)) return true;
  }
  return true;
}

words::World Ground::world() const {
  words::World world;
  const std::string number = std::to_string(id_) + "/" + std::to_string(version_);
  world.set_hash("panic-" + number + "-" + (charted_ ? hash_of(as_bytes(digits_)) : "open"));
  world.set_kind(words::World::TILES);
  world.set_name("panic " + number + (name_.empty() ? "" : " " + name_));
  core::set_sides(world, tiles_.width(), tiles_.height());
  world.set_columns(static_cast<std::uint32_t>(tiles_.columns()));
  world.set_rows(static_cast<std::uint32_t>(tiles_.rows()));
  world.set_tiles(digits_);
  world.set_walled(true);
  return world;
}

std::optional<MapNumber> map_named(std::string_view name) {
  if (!name.starts_with("panic ")) return std::nullopt;
  name.remove_prefix(6);
  name = name.substr(0, name.find(' '));
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const int id = number(name.substr(0, slash), 255), version = number(name.substr(slash + 1), 255);
  if (id < 0 || version < 0) return std::nullopt;
  return MapNumber{static_cast<std::uint8_t>(id), static_cast<std::uint8_t>(version)};
}

std::vector<std::string> likely_map_folders() {
  std::vector<std::string> folders{std::string(kMapsOfGame)};
  const char* home = std::getenv("HOME");
  for (const char* base : {".", home, "/opt", "/srv", "/usr/local/games", "/usr/local/share", "/usr/share/games"})
    for (const char* game : {"TankCommanderPanic", "panic"})
      if (base != nullptr) folders.push_back(std::string(base) + "/" + game + "/" + std::string(kMapsOfGame));
  return folders;
}

std::string first_map_folder(const std::vector<std::string>& folders, bool (*unchanged)(const Ground&)) {
  for (const std::string& folder : folders) {
    std::error_code none;
    if (!std::filesystem::is_directory(folder, none)) continue;
    const std::vector<Ground> maps = read_maps(folder).grounds;
    const auto of_the_game = [](const Ground& map) { return released(map.id(), map.version()) != nullptr; };
    const auto altered = [&](const Ground& map) { return of_the_game(map) && !unchanged(map); };
    if (std::ranges::any_of(maps, of_the_game) && std::ranges::none_of(maps, altered)) return folder;
  }
  return {};
}

Maps read_maps(const std::string& folder) {
  Maps maps;
  std::string& problems = maps.problems;
  std::size_t files = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".map" || ++files > kMostMaps) continue;
    std::error_code unknown;
    if (!at->is_regular_file(unknown)) {  // reading a pipe would wait for its writer
      problems += at->path().filename().string() + " is not a file. ";
      continue;
    }
    std::string text(kMostBytes, '\0');
    std::ifstream file(at->path(), std::ios::binary);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    const auto ground = Ground::read(text);
    if (ground)
      maps.grounds.push_back(*ground);
    else
      problems += at->path().filename().string() + " is not a map: its " + ground.error().field + " is wrong. ";
  }
  if (files > kMostMaps)
    problems += std::to_string(files - kMostMaps) + " more .map files are not read: at most " +
                std::to_string(kMostMaps) + " are. ";
  if (error) problems += "The folder " + folder + " cannot be read: " + error.message() + ". ";
  return maps;
}

}  // namespace entente::panic
