// Converts between a legacy client's messages and modern3. See translators.h.
#include <algorithm>
#include <limits>
#include <utility>

#include "adapters/ogar/translate/translators.h"
#include "adapters/ogar/wire/conversions.h"
#include "adapters/ogar/wire/stats.h"
#include "adapters/ogar/wire/text.h"

namespace entente::ogar {
namespace {

constexpr const char* kProgram = "OgarII 1.3.6";  // Cigar2 requests statistics from servers with such a name
constexpr std::uint8_t kPelletNode = 1;           // a node's extra byte
constexpr std::size_t kBest = 10;                 // rows; a client that is not among them gets one more
constexpr Colour kPie[] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 0, 255}};  // Teams.js, and one more team

unsigned sort_of(CellType type) {
  if (type == CellType::kVirus || type == CellType::kMother) return kSpiky;
  return type == CellType::kEjected ? kEjectedNode : 0;
}

std::int32_t fitting(double value, bool is_short) {
  return is_short ? std::clamp(to_i32(value), -32'768, 32'767) : to_i32(value);
}

}  // namespace

ClientTranslator::ClientTranslator(std::size_t dialect) : dialect_(kDialects[dialect]) {}

// -- What the client says ---------------------------------------------------------------------------------------------

bool ClientTranslator::hear(const Message& said, const Taker& take) {
  if (!dialect_.pieces) return take(said), true;
  if (std::holds_alternative<Hello>(said)) return true;
  if (std::holds_alternative<Key>(said) && !std::exchange(keyed_, true)) return take(Message(Hello{})), true;
  if (!keyed_ || std::holds_alternative<Key>(said)) return true;  // servers ignore messages before the key
  if (std::holds_alternative<StatRequest>(said)) return take(Message(Ping{})), true;
  auto& wish = *std::get_if<ClientUpdate>(&wish_);
  wish.flags = wish.splits = wish.minion_splits = 0;
  if (!translate(said, wish, take)) return false;
  take(wish_);
  return true;
}

bool ClientTranslator::translate(const Message& said, ClientUpdate& wish, const Taker& take) {
  const auto flag = [&](Wish one) { return wish.flags = one, true; };
  return std::visit(core::Overloaded{[&](const Mouse& mouse) { return point(mouse, wish), true; },
                                     [&](const Join& join) { return hear_text(join.name, wish.name), flag(kSpawn); },
                                     [&](const Spectate&) { return flag(kSpectate); },
                                     [&](const Split&) { return wish.splits = 1, true; },
                                     [&](const MinionSplit&) { return wish.minion_splits = 1, true; },
                                     [&](const QPress&) {  // Cigar2 never sends the release
                                       if (std::exchange(q_down_, true)) flag(kQRelease), take(wish_);
                                       return flag(kQPress);
                                     },
                                     [&](const QRelease&) { return q_down_ = false, flag(kQRelease); },
                                     [&](const Eject&) { return flag(kEject); },
                                     [&](const MinionEject&) { return flag(kMinionEject); },
                                     [&](const MinionFreeze&) { return flag(kMinionFreeze); },
                                     [&](const Say& say) {
                                       wish.chat.resize(1);
                                       return hear_text(say.text, wish.chat[0]), flag(kSay);
                                     },
                                     [](const auto&) { return false; }},
                    said);
}

void ClientTranslator::point(const Mouse& mouse, ClientUpdate& wish) {
  const bool precise = mouse.form == 2;
  wish.x = precise ? to_i32(mouse.precise_x) : mouse.x;
  wish.y = precise ? to_i32(mouse.precise_y) : mouse.y;
}

void ClientTranslator::hear_text(const ZText& heard, ZText& to) const {
  to = heard;
  if (dialect_.ucs2) set(to, narrow(heard.chars));
}

// -- What it is told --------------------------------------------------------------------------------------------------

void ClientTranslator::say(const Message& message, const Taker& take) {
  if (!dialect_.pieces) return take(message);
  if (const auto* update = std::get_if<Update>(&message)) tell(*update, take);  // a Pong becomes the statistics
}

void ClientTranslator::tell(const Update& update, const Taker& take) {
  const auto has = [&](Part part) { return (update.flags & part) != 0; };
  if (has(kClear)) tell_clear(take);
  if (has(kBorder)) tell_border(update, take);
  if (has(kChat))
    for (const ChatLine& line : update.chat) tell_line(line, take);
  if (bordered_) tell_cells(update, take);
  if (has(kCamera)) take(Message(UpdatePosition{update.camera.x, update.camera.y, update.camera.scale}));
  if (has(kBoard))
    tell_board(update.board, take);
  else
    mark_again(take);
  if (has(kWorldInfo)) tell_stats(update.world, take);
}

/// The oldest clients have no clear message, so all cells are removed instead (MultiOgarII, Player.js:125).
void ClientTranslator::tell_clear(const Taker& take) {
  auto& nodes = *std::get_if<UpdateNodes>(&nodes_);
  nodes.eaten.clear();
  nodes.nodes.clear();
  nodes.removed.clear();
  for (const auto& [id, cell] : known_) nodes.removed.push_back(id);
  std::sort(nodes.removed.begin(), nodes.removed.end());
  if (dialect_.whole_cells) tell_nodes(take);
  known_.clear();
  own_.clear();
  own_row_.reset();
  take(Message(ClearAll{}));
}

void ClientTranslator::tell_border(const Update& update, const Taker& take) {
  SetBorder border{update.border.left, update.border.top, update.border.right, update.border.bottom, WorldName{}};
  border.world->mode = (update.flags & kServerInfo) != 0 ? update.server.mode : 0;
  set(border.world->server, kProgram, dialect_.ucs2);
  take(Message(std::move(border)));
  bordered_ = true;
}

void ClientTranslator::tell_line(const ChatLine& line, const Taker& take) const {
  ChatMessage message;
  message.flags = line.by_server != 0 ? 0x80 : 0;
  message.colour = line.colour;
  set(message.name, line.name.chars, dialect_.ucs2);
  set(message.text, line.text.chars, dialect_.ucs2);
  take(Message(std::move(message)));
}

void ClientTranslator::tell_cells(const Update& update, const Taker& take) {
  const auto has = [&](Part part) { return (update.flags & part) != 0; };
  auto& nodes = *std::get_if<UpdateNodes>(&nodes_);
  nodes.eaten.clear();
  nodes.nodes.clear();
  nodes.removed.clear();
  known_.begin_round();
  if (has(kEaten))
    for (const Eaten& one : update.eaten) nodes.eaten.push_back({one.killer, one.killed});
  if (has(kAdded))
    for (const AddedCell& cell : update.added) add(cell, nodes, take);
  if (has(kUpdated))
    for (const UpdatedCell& cell : update.updated) change(cell, nodes);
  if (has(kRemoved)) nodes.removed = update.removed;
  for (const std::uint32_t id : nodes.removed) known_.remove(id);
  if (!nodes.removed.empty()) std::erase_if(own_, [&](std::uint32_t id) { return !known_.has(id); });
  tell_nodes(take);
}

/// In several messages, if one cannot count all removed cells.
void ClientTranslator::tell_nodes(const Taker& take) {
  constexpr std::ptrdiff_t kMostShort = std::numeric_limits<std::uint16_t>::max();
  auto& nodes = *std::get_if<UpdateNodes>(&nodes_);
  if (dialect_.long_removed || nodes.removed.size() <= kMostShort) return take(nodes_);
  const std::vector<std::uint32_t> all = std::exchange(nodes.removed, {});
  for (auto from = all.begin(); from != all.end();) {
    const auto to = from + std::min(kMostShort, all.end() - from);
    nodes.removed.assign(from, to);
    take(nodes_);
    nodes.eaten.clear();
    nodes.nodes.clear();
    from = to;
  }
}

void ClientTranslator::add(const AddedCell& cell, UpdateNodes& nodes, const Taker& take) {
  CellType* known = known_.find(cell.id);
  (known != nullptr ? *known : known_.add(cell.id)) = cell.type;
  if ((cell.flags & 1U) != 0) {
    own_.push_back(cell.id);
    take(Message(AddNode{cell.id}));
  }
  const bool named = (cell.flags & 2U) != 0, skinned = (cell.flags & 4U) != 0;
  Node& node = node_of(cell, cell.type, kColoured | (named ? kNamed : 0) | (skinned ? kSkinned : 0), nodes);
  if (named) set(node.name, cell.name.chars, dialect_.ucs2);
  if (skinned) set(node.skin, cell.skin.chars);
  if (!dialect_.marked_pellets || cell.type != CellType::kPellet) return;
  node.flags |= kExtra;
  node.extra = kPelletNode;
}

void ClientTranslator::change(const UpdatedCell& cell, UpdateNodes& nodes) {
  const CellType* known = known_.find(cell.id);
  if (known == nullptr) return;
  const auto has = [&](unsigned flag) { return (cell.flags & flag) != 0; };
  Node& node =
      node_of(cell, *known, (has(4) ? kColoured : 0) | (has(8) ? kNamed : 0) | (has(16) ? kSkinned : 0), nodes);
  if (has(8)) set(node.name, cell.name.chars, dialect_.ucs2);
  if (has(16)) set(node.skin, cell.skin.chars);
}

/// If cells are always sent in full, the only flag is whether the cell has a skin.
template <class Cell>
Node& ClientTranslator::node_of(const Cell& cell, CellType type, unsigned told, UpdateNodes& nodes) const {
  Node& node = nodes.nodes.emplace_back();
  node.id = cell.id;
  node.x = fitting(cell.x, dialect_.short_cells);
  node.y = fitting(cell.y, dialect_.short_cells);
  node.size = cell.size;
  node.colour = cell.colour;
  node.flags = static_cast<std::uint8_t>(sort_of(type) | (dialect_.whole_cells ? told & kSkinned : told));
  return node;
}

// -- Boards -----------------------------------------------------------------------------------------------------------

void ClientTranslator::tell_board(const Board& board, const Taker& take) {
  own_row_.reset();
  if (board.type == 3) return tell_lines(board, take);
  if (board.type == 1) return dialect_.boards == Boards::kRanked ? tell_ranks(board, take) : tell_rows(board, take);
  TeamLeaderboard pie;
  for (const float weight : board.slices)
    pie.slices.push_back({weight, kPie[std::min(pie.slices.size(), std::size(kPie) - 1)]});
  take(Message(std::move(pie)));
}

/// These boards have no places, so a player who is not among the best has no row.
void ClientTranslator::tell_rows(const Board& board, const Taker& take) {
  auto& told = *std::get_if<Leaderboard>(&rows_);
  told.rows.clear();
  for (const BoardRow& row : board.rows) {
    const bool me = (row.flags & 3U) != 0;
    if (me && row.position > std::max(kBest, told.rows.size() + 1)) continue;
    LeaderboardRow& to = told.rows.emplace_back();
    const std::uint32_t cell = own_.empty() ? 0 : own_.front();
    to.mark = !me ? 0 : dialect_.boards == Boards::kMarked ? 1 : cell;
    set(to.name, row.name.chars, dialect_.ucs2);
    if (me && dialect_.boards != Boards::kMarked) own_row_ = told.rows.size() - 1;
  }
  take(rows_);
}

/// A client knows its own row by the id of one of its cells. So once it has not that cell any more, but others, it is
/// sent the board again.
void ClientTranslator::mark_again(const Taker& take) {
  if (!own_row_ || own_.empty()) return;
  std::uint32_t& mark = std::get_if<Leaderboard>(&rows_)->rows[*own_row_].mark;
  if (std::find(own_.begin(), own_.end(), mark) != own_.end()) return;
  mark = own_.front();
  take(rows_);
}

void ClientTranslator::tell_ranks(const Board& board, const Taker& take) const {
  RankedLeaderboard told;
  for (const BoardRow& row : board.rows) {
    RankedRow& to = told.rows.emplace_back();
    const bool me = (row.flags & 3U) != 0, below = me && row.position > std::max(kBest, told.rows.size());
    to.flags = me ? static_cast<std::uint8_t>(below ? kOwnRow | kRankedRow : kOwnRow) : kNamedRow;
    to.rank = row.position;
    set(to.name, row.name.chars);
  }
  take(Message(std::move(told)));
}

void ClientTranslator::tell_lines(const Board& board, const Taker& take) const {
  if (dialect_.text_rows) {
    RankedLeaderboard told;
    for (const ZText& line : board.lines) set(told.rows.emplace_back().name, line.chars);
    return take(Message(std::move(told)));
  }
  LeaderboardText told;
  for (const ZText& line : board.lines) set(told.lines.emplace_back().text, line.chars, dialect_.ucs2);
  take(Message(std::move(told)));
}

void ClientTranslator::tell_stats(const WorldInfo& info, const Taker& take) const {
  ServerStat stats;
  stats.json.wide = dialect_.ucs2;
  set(stats.json, stats_of(info), dialect_.ucs2);
  take(Message(std::move(stats)));
}

}  // namespace entente::ogar
