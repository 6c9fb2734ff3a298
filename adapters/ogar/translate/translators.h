// Converts between modern3 and the legacy versions. Front and back use only modern3; the codec handles the layouts.
// Invariant: what a version cannot express is not sent, and never replaced by something else. What a version sends in
// separate messages becomes an update for each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adapters/ogar/translate/lookup_order_map.h"
#include "adapters/ogar/wire/dialect.h"
#include "adapters/ogar/wire/messages.h"

namespace entente::ogar {

/// Receives a message, which is valid until it returns.
using Taker = std::function<void(const Message&)>;

/// Between a front and its client.
class ClientTranslator {
 public:
  explicit ClientTranslator(std::size_t dialect);

  /// Whether the dialect's servers send an update at each tick, even if nothing has changed.
  bool wants_every_picture() const { return dialect_.pieces; }

  /// Converts a message of the client to modern3 and passes it to `take`. False: no server acts on such a message.
  bool hear(const Message& said, const Taker& take);
  /// Converts a modern3 message to those for the client. REQUIRES: an update has place, size and colour of each cell
  /// that it changes, whichever are flagged, because most versions send them all.
  void say(const Message& message, const Taker& take);

 private:
  // -- What the client says
  bool translate(const Message& said, ClientUpdate& wish, const Taker& take);
  static void point(const Mouse& mouse, ClientUpdate& wish);
  void hear_text(const ZText& heard, ZText& to) const;

  // -- What it is told
  void tell(const Update& update, const Taker& take);
  void tell_clear(const Taker& take);
  void tell_border(const Update& update, const Taker& take);
  void tell_line(const ChatLine& line, const Taker& take) const;
  void tell_cells(const Update& update, const Taker& take);
  void add(const AddedCell& cell, UpdateNodes& nodes, const Taker& take);
  void change(const UpdatedCell& cell, UpdateNodes& nodes);
  void tell_nodes(const Taker& take);
  template <class Cell>
  Node& node_of(const Cell& cell, CellType type, unsigned told, UpdateNodes& nodes) const;
  void tell_board(const Board& board, const Taker& take);
  void tell_rows(const Board& board, const Taker& take);
  void mark_again(const Taker& take);
  void tell_ranks(const Board& board, const Taker& take) const;
  void tell_lines(const Board& board, const Taker& take) const;
  void tell_stats(const WorldInfo& info, const Taker& take) const;

  const Dialect& dialect_;
  bool keyed_ = false, bordered_ = false, q_down_ = false;
  Message wish_{std::in_place_type<ClientUpdate>}, nodes_{std::in_place_type<UpdateNodes>};
  LookupOrderMap<std::uint32_t, CellType> known_;  // cells that the client was told about
  std::vector<std::uint32_t> own_;
  Message rows_{std::in_place_type<Leaderboard>};  // as last told
  std::optional<std::size_t> own_row_;             // of them, marked by the id of a cell; none: another board was told
};

/// Between a back and its server.
class ServerTranslator {
 public:
  explicit ServerTranslator(std::size_t dialect);

  /// Converts a message of the server to modern3 and passes it to `take`.
  void hear(const Message& said, const Taker& take);
  /// Converts a modern3 message of a client to those for the server.
  void say(const Message& message, const Taker& take) const;

 private:
  // -- What the server tells
  template <class T>
  void translate(const T&, Update&) const {}  // has no meaning in modern3
  void translate(const SetBorder& border, Update& update) const;
  void translate(const ClearAll&, Update& update);
  void translate(const AddNode& own, Update& update);
  void translate(const UpdateNodes& nodes, Update& update);
  void translate(const UpdatePosition& camera, Update& update) const;
  void translate(const LeaderboardText& board, Update& update) const;
  void translate(const Leaderboard& board, Update& update) const;
  void translate(const RankedLeaderboard& board, Update& update) const;
  void translate(const TeamLeaderboard& board, Update& update) const;
  void translate(const ChatMessage& line, Update& update) const;
  void translate(const ServerStat& stats, Update& update) const;
  void add(const Node& node, Update& update);
  void change(const Node& node, AddedCell& cell, Update& update) const;
  CellType type_of(const Node& node, const AddedCell& cell, bool own) const;
  bool is_own(std::uint32_t id) const;
  static void add_row(unsigned flags, std::size_t rank, std::string_view name, Board& board);

  // -- What we say
  void wish(const ClientUpdate& update, const Taker& take) const;
  std::string line(std::string_view text) const;

  const Dialect& dialect_;
  Message update_{std::in_place_type<Update>};
  LookupOrderMap<std::uint32_t, AddedCell> known_;
  std::vector<std::uint32_t> own_;  // cells that the server says are ours, even before it shows them
};

}  // namespace entente::ogar
