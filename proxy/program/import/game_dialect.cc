#include "proxy/program/import/game_dialect.h"

#include <map>
#include <vector>

#include "adapters/registry.h"

namespace entente {
namespace {

using wire::Detected, wire::Game, wire::Way;

constexpr std::size_t kListened = 4096;        // bytes of each direction that are looked at
constexpr std::size_t kMostListenedTo = 1024;  // connections at once
constexpr std::size_t kMostServers = 1024;
constexpr std::size_t kMostNotes = 16;

bool by_enet(const Game& game) { return game.transport() == wire::Transport::kEnet; }

/// Listens to the first bytes of each connection until its server shows what it speaks.
class Listener final : public ImportSink {
 public:
  explicit Listener(std::vector<const Game*> candidates) : candidates_(std::move(candidates)) {}

  bool anybody = false;
  std::optional<GameDialect> found;  // first
  std::map<std::string, GameDialect> servers;
  std::vector<std::string> notes;

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime) override {
    anybody = true;
    notes.clear();
    const Game* game = find_game(connection.game);
    const auto dialect = game != nullptr ? find_dialect(*game, connection.dialect) : std::nullopt;
    if (dialect) shows(connection.server, {game, *dialect});
    if (!known(connection.server) && heard_.size() < kMostListenedTo) heard_[id].server = connection.server;
  }
  void bytes(const Imported& piece) override {
    if (piece.lane != wire::Lane::kStream) return;
    Heard* heard = heard_of(piece.connection);
    if (heard == nullptr) return;
    if (piece.way == Way::kToServer && !std::exchange(heard->client_spoke, true))
      ask_client(piece.bytes, heard->server);
    if (piece.way != Way::kToClient || heard->said.size() >= kListened) return;
    append(heard->said, piece.bytes);
    ask_server(heard->said, heard->server);
  }
  void connected(ConnectionId id, std::uint32_t data, WallTime) override {
    const Heard* heard = heard_of(id);
    if (heard == nullptr) return;
    for (const Game* game : candidates_) {
      if (!by_enet(*game)) continue;
      if (const auto dialect = game->named_by_connect(data)) shows(heard->server, {game, *dialect});
    }
  }
  void stream_gap(ConnectionId, Way, std::uint64_t, WallTime) override {}
  void half_closed(ConnectionId, const ImportedClose&) override {}
  void connection_over(ConnectionId id) override { heard_.erase(id); }
  void remark(std::string_view text) override {
    if (!anybody && notes.size() < kMostNotes) notes.emplace_back(text);
  }
  bool enough() const override { return one_is_all_ || (anybody && candidates_.empty()); }

 private:
  struct Heard {
    std::string server;
    Buffer said;  // by the server
    bool client_spoke = false;
  };

  bool known(const std::string& server) const { return servers.contains(server) || servers.size() >= kMostServers; }
  /// Null: the connection is not observed, or its server's dialect is known.
  Heard* heard_of(ConnectionId id) {
    const auto at = heard_.find(id);
    if (at == heard_.end()) return nullptr;
    if (!known(at->second.server)) return &at->second;
    heard_.erase(at);
    return nullptr;
  }
  void shows(const std::string& server, GameDialect game_dialect) {
    if (!found) found = game_dialect;
    if (server.empty())
      one_is_all_ = true;
    else
      servers.emplace(server, game_dialect);
  }
  void ask_client(Bytes first, const std::string& server) {
    for (const Game* game : candidates_)
      if (const auto dialect = game->named_by_client(first)) shows(server, {game, *dialect});
  }
  void ask_server(Bytes said, const std::string& server) {
    for (const Game* game : candidates_) {
      if (by_enet(*game)) continue;
      const Detected detected = game->detect(said);
      if (detected.state == Detected::State::kFound) shows(server, {game, detected.dialect});
    }
  }

  std::vector<const Game*> candidates_;
  std::map<ConnectionId, Heard> heard_;
  bool one_is_all_ = false;  // one dialect was found that holds for the whole file, which names no servers
};

}  // namespace

/// Leaves out games that report a dialect without seeing any bytes: they have only one. Games over ENet stay, because
/// their dialect is named when the client connects.
std::vector<const Game*> games_that_show() {
  std::vector<const Game*> all;
  for (const Game* game : games())
    if (by_enet(*game) || game->detect({}).state != Detected::State::kFound) all.push_back(game);
  return all;
}

DetectedDialects detect_dialects(std::vector<const Game*> games, const ImportFile& read) {
  Listener listener(std::move(games));
  const auto done = read(listener);
  DetectedDialects look{listener.anybody, listener.found, std::move(listener.servers), {}, std::move(listener.notes)};
  if (!done) look.wrong = done.error();
  return look;
}

}  // namespace entente
