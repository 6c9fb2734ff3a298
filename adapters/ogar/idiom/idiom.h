// How the legacy versions say what modern3 says. The faces speak and hear modern3 alone; layouts are the codec's
// business. Law: what has no equal in a version is not said there at all, and never by something else; what a version
// tells piece by piece is an update of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/ogar/dialect.h"
#include "adapters/ogar/front/shelf.h"
#include "adapters/ogar/messages.h"

namespace entente::ogar {

/// Takes a message, which is good until it returns.
using Taker = std::function<void(const Message&)>;

/// Between a front and its client.
class ClientIdiom {
 public:
  explicit ClientIdiom(std::size_t dialect);

  /// Its servers send a picture at each tick, also if nothing in it is new.
  bool wants_every_picture() const { return dialect_.pieces; }

  /// Takes what the client says, in modern3's words. False: no server acts on it.
  bool hear(const Message& said, const Taker& take);
  /// Takes the messages that tell the client what this modern one does. REQUIRES: an update tells place, size and
  /// colour of each cell that it changes, whichever of them is flagged: most versions do.
  void say(const Message& message, const Taker& take);

 private:
  // -- What the client says
  bool turn(const Message& said, ClientUpdate& wish, const Taker& take);
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
  void remove(std::uint32_t id);
  template <class Cell>
  Node& node_of(const Cell& cell, CellType type, unsigned told, UpdateNodes& nodes) const;
  void tell_board(const Board& board, const Taker& take) const;
  void tell_rows(const Board& board, const Taker& take) const;
  void tell_ranks(const Board& board, const Taker& take) const;
  void tell_lines(const Board& board, const Taker& take) const;
  void tell_stats(const WorldInfo& info, const Taker& take) const;

  const Dialect& dialect_;
  bool keyed_ = false, bordered_ = false, q_down_ = false;
  Message wish_{std::in_place_type<ClientUpdate>}, nodes_{std::in_place_type<UpdateNodes>};
  Shelf<std::uint32_t, CellType> known_;  // what it was told of
  std::vector<std::uint32_t> own_;
};

/// Between a back and its server.
class ServerIdiom {
 public:
  explicit ServerIdiom(std::size_t dialect);

  /// Takes what the server tells, in modern3's words.
  void hear(const Message& said, const Taker& take);
  /// Takes the messages that say to the server what this modern one of a client does.
  void say(const Message& message, const Taker& take) const;

 private:
  // -- What the server tells
  template <class T>
  void turn(const T&, Update&) const {}  // it means nothing here
  void turn(const SetBorder& border, Update& update) const;
  void turn(const ClearAll&, Update& update);
  void turn(const AddNode& own, Update& update);
  void turn(const UpdateNodes& nodes, Update& update);
  void turn(const UpdatePosition& camera, Update& update) const;
  void turn(const LeaderboardText& board, Update& update) const;
  void turn(const Leaderboard& board, Update& update) const;
  void turn(const RankedLeaderboard& board, Update& update) const;
  void turn(const TeamLeaderboard& board, Update& update) const;
  void turn(const ChatMessage& line, Update& update) const;
  void turn(const ServerStat& stats, Update& update) const;
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
  Shelf<std::uint32_t, AddedCell> known_;
  std::vector<std::uint32_t> own_;  // told to be ours, also before they are shown
};

}  // namespace entente::ogar
