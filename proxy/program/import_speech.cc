#include "proxy/program/import_speech.h"

#include <map>
#include <vector>

#include "adapters/registry.h"

namespace entente {
namespace {

using wire::Detected, wire::Game, wire::Way;

constexpr std::size_t kListened = 4096;      // bytes of each direction that are looked at
constexpr std::size_t kMostListenedTo = 64;  // connections

/// Games that can be told from others: those that find a dialect in no bytes at all have only one, and do not look.
std::vector<const Game*> games_that_show() {
  std::vector<const Game*> all;
  for (const Game* game : games())
    if (game->detect({}).state != Detected::State::kFound) all.push_back(game);
  return all;
}

/// Listens to the first bytes of each connection until one shows what it speaks.
class Listener final : public ImportSink {
 public:
  explicit Listener(std::vector<const Game*> candidates) : candidates_(std::move(candidates)) {}

  std::optional<Speech> found;

  void opened(ConnectionId, const ImportedConnection& connection, WallTime) override {
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
  void lost(ConnectionId, Way, std::uint64_t, WallTime) override {}
  void ended(ConnectionId, const ImportedEnd&) override {}
  void gone(ConnectionId) override {}
  void remark(std::string_view) override {}
  bool enough() const override { return found.has_value(); }

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
      const Detected detected = game->detect(said);
      if (detected.state == Detected::State::kFound) found = Speech{game, detected.dialect};
    }
  }

  std::vector<const Game*> candidates_;
  std::map<ConnectionId, Heard> heard_;
};

}  // namespace

std::optional<Speech> shown_speech(const wire::Game* game, const ImportFile& read) {
  Listener listener(game != nullptr ? std::vector<const Game*>{game} : games_that_show());
  (void)read(listener).ok();  // what is wrong with the file is told by whoever reads all of it
  return listener.found;
}

}  // namespace entente
