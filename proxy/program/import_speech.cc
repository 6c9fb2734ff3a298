#include "proxy/program/import_speech.h"

#include <map>
#include <vector>

#include "adapters/registry.h"

namespace entente {
namespace {

using wire::Detected, wire::Game, wire::Way;

constexpr std::size_t kListened = 4096;      // bytes of each direction that are looked at
constexpr std::size_t kMostListenedTo = 64;  // connections
constexpr std::size_t kMostNotes = 16;

bool by_enet(const Game& game) { return game.transport() == wire::Transport::kEnet; }

/// Listens to the first bytes of each connection until one shows what it speaks.
class Listener final : public ImportSink {
 public:
  explicit Listener(std::vector<const Game*> candidates) : candidates_(std::move(candidates)) {}

  bool anybody = false;
  std::optional<Speech> found;
  std::vector<std::string> notes;

  void opened(ConnectionId, const ImportedConnection& connection, WallTime) override {
    anybody = true;
    notes.clear();
    const Game* game = find_game(connection.game);
    if (game == nullptr || found) return;
    if (const auto dialect = find_dialect(*game, connection.dialect)) found = Speech{game, *dialect};
  }
  void bytes(const Imported& piece) override {
    if (found || piece.lane != wire::Lane::kStream) return;
    Heard* heard = heard_of(piece.connection);
    if (heard == nullptr) return;
    if (piece.way == Way::kToServer && !std::exchange(heard->client_spoke, true)) ask_client(piece.bytes);
    if (piece.way != Way::kToClient || heard->said.size() >= kListened) return;
    append(heard->said, piece.bytes);
    ask_server(heard->said);
  }
  void connected(ConnectionId, std::uint32_t data, WallTime) override {
    for (const Game* game : candidates_) {
      if (found || !by_enet(*game)) continue;
      if (const auto dialect = game->named_by_connect(data)) found = Speech{game, *dialect};
    }
  }
  void lost(ConnectionId, Way, std::uint64_t, WallTime) override {}
  void ended(ConnectionId, const ImportedEnd&) override {}
  void gone(ConnectionId) override {}
  void remark(std::string_view text) override {
    if (!anybody && notes.size() < kMostNotes) notes.emplace_back(text);
  }
  bool enough() const override { return found || (anybody && candidates_.empty()); }

 private:
  struct Heard {
    Buffer said;  // by the server
    bool client_spoke = false;
  };

  Heard* heard_of(ConnectionId id) {
    if (heard_.size() >= kMostListenedTo && !heard_.contains(id)) return nullptr;
    return &heard_[id];
  }
  void ask_client(Bytes first) {
    for (const Game* game : candidates_)
      if (const auto dialect = game->named_by_client(first)) found = Speech{game, *dialect};
  }
  void ask_server(Bytes said) {
    for (const Game* game : candidates_) {
      if (by_enet(*game)) continue;
      const Detected detected = game->detect(said);
      if (detected.state == Detected::State::kFound) found = Speech{game, detected.dialect};
    }
  }

  std::vector<const Game*> candidates_;
  std::map<ConnectionId, Heard> heard_;
};

}  // namespace

/// Those that find a dialect in no bytes at all have only one, and do not look; by ENet it is told at the connect.
std::vector<const Game*> games_that_show() {
  std::vector<const Game*> all;
  for (const Game* game : games())
    if (by_enet(*game) || game->detect({}).state != Detected::State::kFound) all.push_back(game);
  return all;
}

FirstLook first_look(std::vector<const Game*> games, const ImportFile& read) {
  Listener listener(std::move(games));
  const auto done = read(listener);
  FirstLook look{listener.anybody, listener.found, {}, std::move(listener.notes)};
  if (!done) look.wrong = done.error();
  return look;
}

}  // namespace entente
