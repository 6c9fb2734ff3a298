// Converts between a legacy server's messages and modern3. See translators.h.
#include <algorithm>

#include "adapters/ogar/translate/translators.h"
#include "adapters/ogar/wire/conversions.h"
#include "adapters/ogar/wire/stats.h"
#include "adapters/ogar/wire/text.h"
#include "proxy/base/text.h"
#include "proxy/core/texts.h"

namespace entente::ogar {
namespace {

constexpr std::size_t kMostKnown = 20'000, kMostOwnCells = 256;
constexpr std::uint16_t kLargestPellet = 20;  // Settings.js, config.js; a player's smallest cell is 32
constexpr Colour kMotherColour{0xce, 0x63, 0x63};
constexpr std::uint8_t kServerLine = 0x80, kTeams = 2;
constexpr std::size_t kLongestUtf8 = 200, kLongestUcs2 = 100;  // MultiOgarII disconnects for more than 256 bytes
constexpr std::uint8_t kMostSplits = 16;                       // more than any cell can use
constexpr std::size_t kBestListed = 10;

/// Whether the game has teams: modes of MultiOgarII above 1 have none.
bool has_teams(const WorldName& world, const std::string& program) {
  return program.starts_with("MultiOgar") ? world.mode == 1 : world.mode != 0;
}

/// The skin of a node. Servers such as MultiOgarII mark its name, as agar.io did (Player.js:102).
std::string_view skin_of(const Node& node) {
  std::string_view skin = node.skin.chars;
  if (skin.starts_with('%')) skin.remove_prefix(1);
  return whole_characters(skin, core::kMostName);
}

Board& begin_board(std::uint8_t type, Update& update) {
  update.flags |= kBoard;
  update.board.type = type;
  update.board.rows.clear();
  update.board.slices.clear();
  update.board.lines.clear();
  return update.board;
}

}  // namespace

ServerTranslator::ServerTranslator(std::size_t dialect) : dialect_(kDialects[dialect]) {}

// -- What the server tells --------------------------------------------------------------------------------------------

void ServerTranslator::hear(const Message& said, const Taker& take) {
  if (!dialect_.pieces) return take(said);
  auto& update = *std::get_if<Update>(&update_);
  update.flags = 0;
  std::visit([&](const auto& message) { translate(message, update); }, said);
  if (std::holds_alternative<ServerStat>(said)) take(Message(Pong{}));
  if (update.flags != 0) take(update_);
}

void ServerTranslator::translate(const SetBorder& border, Update& update) const {
  update.border = {static_cast<float>(border.left), static_cast<float>(border.right), static_cast<float>(border.top),
                   static_cast<float>(border.bottom)};
  update.flags |= kBorder;
  if (!border.world) return;
  update.server = {};
  update.server.mode = has_teams(*border.world, text_of(border.world->server, dialect_.ucs2)) ? kTeams : 0;
  update.flags |= kServerInfo;
}

void ServerTranslator::translate(const ClearAll&, Update& update) {
  known_.clear();
  own_.clear();
  update.flags |= kClear;
}

/// The server never removes a cell that dies before it is shown. If the list is full, forgets the oldest cell that was
/// not shown.
void ServerTranslator::translate(const AddNode& own, Update&) {
  if (is_own(own.id)) return;
  if (own_.size() >= kMostOwnCells) {
    const auto unseen = std::find_if(own_.begin(), own_.end(), [&](std::uint32_t id) { return !known_.has(id); });
    if (unseen == own_.end()) return;
    own_.erase(unseen);
  }
  own_.push_back(own.id);
}

bool ServerTranslator::is_own(std::uint32_t id) const { return std::find(own_.begin(), own_.end(), id) != own_.end(); }

void ServerTranslator::translate(const UpdateNodes& nodes, Update& update) {
  update.added.clear();
  update.updated.clear();
  update.eaten.clear();
  update.removed = nodes.removed;
  known_.begin_round();
  for (const Eating& one : nodes.eaten)  // MultiOgarII: "eaten by nobody" means removed
    if (one.killer != 0) update.eaten.push_back({one.killed, one.killer});
  for (const Node& node : nodes.nodes) {
    AddedCell* known = known_.find(node.id);
    known != nullptr ? change(node, *known, update) : add(node, update);
  }
  for (const std::uint32_t id : nodes.removed) {
    known_.remove(id);
    std::erase(own_, id);
  }
  if (!update.added.empty()) update.flags |= kAdded;
  if (!update.updated.empty()) update.flags |= kUpdated;
  if (!update.eaten.empty()) update.flags |= kEaten;
  if (!update.removed.empty()) update.flags |= kRemoved;
}

/// Adds a cell. Cells beyond the limit are not remembered, so they are new each time; CellTracker counts them.
void ServerTranslator::add(const Node& node, Update& update) {
  const bool own = is_own(node.id), named = dialect_.whole_cells || (node.flags & kNamed) != 0;
  AddedCell& cell = update.added.emplace_back();
  cell.id = node.id;
  cell.x = static_cast<float>(node.x);
  cell.y = static_cast<float>(node.y);
  cell.size = node.size;
  if (dialect_.whole_cells || (node.flags & kColoured) != 0) cell.colour = node.colour;
  if (named) cell.name.chars = shortened(text_of(node.name, dialect_.ucs2));
  if ((node.flags & kSkinned) != 0) cell.skin.chars = skin_of(node);
  cell.type = type_of(node, cell, own);
  cell.flags = static_cast<std::uint8_t>((own ? 1U : 0U) | (cell.name.chars.empty() ? 0U : 2U) |
                                         (cell.skin.chars.empty() ? 0U : 4U));
  if (known_.size() < kMostKnown) known_.add(node.id) = cell;
}

CellType ServerTranslator::type_of(const Node& node, const AddedCell& cell, bool own) const {
  if ((node.flags & kSpiky) != 0) return cell.colour == kMotherColour ? CellType::kMother : CellType::kVirus;
  if ((node.flags & kEjectedNode) != 0) return CellType::kEjected;
  const bool small = !own && cell.name.chars.empty() && node.size <= kLargestPellet;
  const bool pellet = dialect_.marked_pellets ? (node.flags & kExtra) != 0 && (node.extra & 1U) != 0 : small;
  return pellet ? CellType::kPellet : CellType::kPlayer;
}

/// If cells are sent in full, an empty name means that the name is the same.
void ServerTranslator::change(const Node& node, AddedCell& cell, Update& update) const {
  const auto x = static_cast<float>(node.x), y = static_cast<float>(node.y);
  const bool coloured = dialect_.whole_cells || (node.flags & kColoured) != 0;
  const bool named = dialect_.whole_cells ? !node.name.chars.empty() : (node.flags & kNamed) != 0;
  const std::string name(named ? shortened(text_of(node.name, dialect_.ucs2)) : "");
  const bool skinned = (node.flags & kSkinned) != 0;
  const unsigned flags = (x != cell.x || y != cell.y ? 1U : 0U) | (node.size != cell.size ? 2U : 0U) |
                         (coloured && node.colour != cell.colour ? 4U : 0U) |
                         (named && name != cell.name.chars ? 8U : 0U) |
                         (skinned && skin_of(node) != cell.skin.chars ? 16U : 0U);
  if (flags == 0) return;
  UpdatedCell& updated = update.updated.emplace_back();
  updated.id = node.id;
  updated.flags = static_cast<std::uint8_t>(flags);
  updated.x = cell.x = x;
  updated.y = cell.y = y;
  updated.size = cell.size = node.size;
  if ((flags & 4U) != 0) updated.colour = cell.colour = node.colour;
  if ((flags & 8U) != 0) updated.name.chars = cell.name.chars = name;
  if ((flags & 16U) != 0) updated.skin.chars = cell.skin.chars = skin_of(node);
}

/// MultiOgarII also sends a camera to players with cells. It is ignored, because their cells determine their view.
void ServerTranslator::translate(const UpdatePosition& camera, Update& update) const {
  if (std::any_of(own_.begin(), own_.end(), [&](std::uint32_t id) { return known_.has(id); })) return;
  update.camera = {camera.x, camera.y, camera.scale};
  update.flags |= kCamera;
}

// -- Boards -----------------------------------------------------------------------------------------------------------

/// `rank`: 0 if unknown. MultiOgarII sends 1 for everybody who is among the best.
void ServerTranslator::add_row(unsigned flags, std::size_t rank, std::string_view name, Board& board) {
  BoardRow& row = board.rows.emplace_back();
  row.position = static_cast<std::uint16_t>(std::min<std::size_t>(std::max(rank, board.rows.size()), 65'535));
  row.flags = static_cast<std::uint8_t>(flags != 0 && row.position > kBestListed ? 1U : flags);
  set(row.name, name);
}

void ServerTranslator::translate(const LeaderboardText& board, Update& update) const {
  Board& to = begin_board(3, update);
  for (const Line& line : board.lines) set(to.lines.emplace_back(), text_of(line.text, dialect_.ucs2));
}

void ServerTranslator::translate(const Leaderboard& board, Update& update) const {
  Board& to = begin_board(1, update);
  for (const LeaderboardRow& row : board.rows) {
    const bool me = row.mark != 0 && (dialect_.boards == Boards::kMarked || is_own(row.mark));
    add_row(me ? 3U : 0U, 0, text_of(row.name, dialect_.ucs2), to);
  }
}

void ServerTranslator::translate(const RankedLeaderboard& board, Update& update) const {
  Board& to = begin_board(1, update);
  for (const RankedRow& row : board.rows) {
    const std::size_t rank = (row.flags & kRankedRow) != 0 ? row.rank : 0;
    const std::string_view name = (row.flags & kNamedRow) != 0 ? std::string_view(row.name.chars) : std::string_view();
    add_row((row.flags & kOwnRow) != 0 ? 3U : 0U, rank, name, to);
  }
}

void ServerTranslator::translate(const TeamLeaderboard& board, Update& update) const {
  Board& to = begin_board(2, update);
  for (const Slice& slice : board.slices) to.slices.push_back(slice.weight);
}

// -- Talk -------------------------------------------------------------------------------------------------------------

void ServerTranslator::translate(const ChatMessage& line, Update& update) const {
  update.chat.resize(1);
  ChatLine& to = update.chat[0];
  to.colour = line.colour;
  to.by_server = (line.flags & kServerLine) != 0 ? 1 : 0;
  const bool wide = dialect_.ucs2 || line.wide;
  set(to.name, text_of(line.name, wide));
  set(to.text, text_of(line.text, wide));
  update.flags |= kChat;
}

void ServerTranslator::translate(const ServerStat& stats, Update& update) const {
  if (read_stats(text_of(stats.json, stats.json.wide), update.world)) update.flags |= kWorldInfo;
}

// -- What we say ------------------------------------------------------------------------------------------------------

void ServerTranslator::say(const Message& message, const Taker& take) const {
  if (!dialect_.pieces) return take(message);
  if (std::holds_alternative<Hello>(message)) {
    take(message);
    take(Message(Key{}));  // MultiOgarII accepts only 0
  }
  if (std::holds_alternative<Ping>(message)) take(Message(StatRequest{}));
  if (const auto* update = std::get_if<ClientUpdate>(&message)) wish(*update, take);
}

/// Sends the parts in the order in which a modern server acts on them.
void ServerTranslator::wish(const ClientUpdate& update, const Taker& take) const {
  const auto has = [&](Wish wish) { return (update.flags & wish) != 0; };
  Mouse mouse;
  mouse.x = update.x;
  mouse.y = update.y;
  take(Message(mouse));
  for (int i = std::min(update.splits, kMostSplits); i > 0; --i) take(Message(Split{}));
  for (int i = std::min(update.minion_splits, kMostSplits); i > 0; --i) take(Message(MinionSplit{}));
  if (has(kSpawn)) {
    Join join;
    set(join.name, update.name.chars, dialect_.ucs2);
    take(Message(std::move(join)));
  }
  if (has(kSpectate)) take(Message(Spectate{}));
  if (has(kQPress)) take(Message(QPress{}));
  if (has(kQRelease)) take(Message(QRelease{}));
  if (has(kEject)) take(Message(Eject{}));
  if (has(kMinionEject)) take(Message(MinionEject{}));
  if (has(kMinionFreeze)) take(Message(MinionFreeze{}));
  if (!has(kSay)) return;
  for (const ZText& text : update.chat) {
    Say say;
    set(say.text, line(text.chars), dialect_.ucs2);
    take(Message(std::move(say)));
  }
}

std::string ServerTranslator::line(std::string_view text) const {
  return dialect_.ucs2 ? fitted_units(text, kLongestUcs2) : fitted(text, kLongestUtf8);
}

}  // namespace entente::ogar
