// A mirror room: our back for the recorded server, our front for the recorded client. Each picture that the client
// receives shows what the real server showed: the same cells at the same places, with the same sizes, names and
// colours. adapters/ogar/README.md lists the differences.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/dialect.h"
#include "adapters/ogar/wire/wire.h"
#include "proxy/core/room/room.h"
#include "tests/ogar/picture.h"
#include "tests/support/recorded.h"

namespace entente::testing::mirror_test {
namespace {

using core::Micros, wire::Way;

/// Counts a client's requests.
struct Asked {
  unsigned splits = 0, ejects = 0, spawns = 0, presses = 0, releases = 0, lines = 0;
  bool operator==(const Asked&) const = default;

  /// `plays`: a spawn name from a living client is ignored.
  void take(const ogar::Message& message, bool plays) {
    splits += std::holds_alternative<ogar::Split>(message) ? 1 : 0;
    ejects += std::holds_alternative<ogar::Eject>(message) ? 1 : 0;
    spawns += std::holds_alternative<ogar::Join>(message) && !plays ? 1 : 0;
    if (const auto* say = std::get_if<ogar::Say>(&message)) lines += say->text.chars.empty() ? 0 : 1;
    if (const auto* update = std::get_if<ogar::ClientUpdate>(&message)) take(*update, plays);
  }
  void take(const ogar::ClientUpdate& update, bool plays) {
    const auto has = [&](ogar::Wish wish) { return (update.flags & wish) != 0 ? 1U : 0U; };
    splits += update.splits;
    ejects += has(ogar::kEject);
    spawns += plays ? 0 : has(ogar::kSpawn);
    presses += has(ogar::kQPress) & ~has(ogar::kQRelease);
    releases += has(ogar::kQRelease) & ~has(ogar::kQPress);
    if (has(ogar::kSay) != 0)
      for (const auto& line : update.chat) lines += line.chars.find_first_not_of(' ') != std::string::npos ? 1 : 0;
  }
};

class Mirror final : public core::Room::Host {
 public:
  explicit Mirror(const std::vector<Recorded>& play)
      : real(version_of(play)), ours(version_of(play)), play_(play), dialect_(dialect_of(play)) {
    core::RoomOptions options;
    options.chat.commands = true;  // both sides are the same game
    room_ = std::make_unique<core::Room>(*this, ogar::faces().back({dialect_, {}}), options);
  }

  void run() {
    seat_ = room_->seat(ogar::faces().front({dialect_, {}}), {}, play_.front().at);
    for (const Recorded& line : play_) {
      pass_time(line.at);
      if (line.way == Way::kToServer)
        from_client(line);
      else
        from_server(line);
      if (std::exchange(dial_, false)) room_->back_opened({}, line.at);
    }
    pass_time(play_.back().at + 200 * core::kMillisecond);
    compare();
  }

  Picture real, ours;      // shown by the recorded server, shown by our front
  Asked asked, passed_on;  // received by our front, sent by our back
  std::size_t compared = 0;
  std::map<std::uint32_t, std::uint32_t> ids;  // from the server's ids to ours
  std::string different;

  // -- core::Room::Host
  void send(core::Id end, Lane, Bytes bytes) override {
    if (end == core::kBackId) {
      const auto heard = to_server_->read({Way::kToServer, Lane::kStream, stage(greeted_), bytes});
      REQUIRE(heard.ok());
      return passed_on.take(*heard->message, false);
    }
    const auto heard = to_client_->read({Way::kToClient, Lane::kStream, wire::Stage::kPlay, bytes});
    REQUIRE(heard.ok());
    const std::size_t painted = ours.updates;
    ours.take(*heard->message);
    if (ours.updates > painted) compare();
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view why, std::uint32_t) override { FAIL(std::string(why)); }
  void failed(core::Id, const Fault& fault) override { FAIL(fault.what << " " << fault.field); }
  void dial() override { dial_ = true; }

 private:
  static std::size_t dialect_of(const std::vector<Recorded>& play) {
    return ogar::game().named_by_client(play.front().bytes).value_or(0);
  }
  static std::uint32_t version_of(const std::vector<Recorded>& play) {
    return ogar::kDialects[dialect_of(play)].newest_version;
  }
  static wire::Stage stage(bool& greeted) {
    return std::exchange(greeted, true) ? wire::Stage::kPlay : wire::Stage::kGreeting;
  }

  void pass_time(Micros until) {
    while (room_->next_wake() <= until) {
      const Micros now = room_->next_wake();
      room_->tick(now);
      if (now > changed_ + kTick) compare();  // a painting was due since the last message
    }
  }

  bool plays() const {
    return std::any_of(real.cells.begin(), real.cells.end(), [](const auto& cell) { return cell.second.owned; });
  }

  void from_client(const Recorded& line) {
    const FrameMark mark{static_cast<std::uint32_t>(line.bytes.size()), stage(client_greeted_)};
    const auto heard = from_client_->read({Way::kToServer, Lane::kStream, mark.stage, line.bytes});
    asked.take(*heard->message, plays());
    room_->received(seat_, {Lane::kStream, line.bytes, {&mark, 1}}, line.at);
  }

  void from_server(const Recorded& line) {
    const auto heard = from_server_->read({Way::kToClient, Lane::kStream, wire::Stage::kPlay, line.bytes});
    real.take(*heard->message);
    changed_ = line.at;
    room_->received(core::kBackId, {Lane::kStream, line.bytes}, line.at);
  }

  /// Compares cell by cell; a cell keeps its id.
  void compare() {
    ++compared;
    std::erase_if(ids, [&](const auto& pair) { return !real.cells.contains(pair.first); });
    std::map<std::uint32_t, std::uint32_t> back;
    for (const auto& [theirs, mine] : ids) back[mine] = theirs;
    for (const auto& [id, cell] : real.cells) {
      if (const auto known = ids.find(id); known != ids.end()) {
        const auto at = ours.cells.find(known->second);
        if (at == ours.cells.end() || !(at->second == cell)) differ(id, cell);
        continue;
      }
      const Picture::Cell& sought = cell;
      const auto same = std::find_if(ours.cells.begin(), ours.cells.end(), [&](const auto& own) {
        return own.second == sought && !back.contains(own.first);
      });
      if (same == ours.cells.end()) {
        differ(id, cell);
        continue;
      }
      ids[id] = same->first;
      back[same->first] = id;
    }
    if (ours.cells.size() != real.cells.size())
      different += std::to_string(ours.cells.size()) + " cells, not " + std::to_string(real.cells.size()) + "\n";
  }
  void differ(std::uint32_t id, const Picture::Cell& cell) {
    if (different.size() < 2000)
      different += "cell " + std::to_string(id) + " '" + cell.name + "' type " + std::to_string(int(cell.type)) +
                   " at " + std::to_string(cell.x) + " " + std::to_string(cell.y) + " of size " +
                   std::to_string(cell.size) + (cell.owned ? " owned" : "") + "\n";
  }

  static constexpr Micros kTick = 40 * core::kMillisecond;
  const std::vector<Recorded>& play_;
  const std::size_t dialect_;
  std::unique_ptr<core::Room> room_;
  std::unique_ptr<ogar::MessageCodec> to_server_ = ogar::make_message_codec(dialect_),
                                      to_client_ = ogar::make_message_codec(dialect_),
                                      from_client_ = ogar::make_message_codec(dialect_),
                                      from_server_ = ogar::make_message_codec(dialect_);
  core::Id seat_ = 0;
  bool dial_ = false, greeted_ = false, client_greeted_ = false;
  Micros changed_ = 0;
};

void check_mirror(const char* name) {
  std::map<std::string, std::vector<Recorded>> plays;
  for (const Recorded& line : recorded("ogar/" + std::string(name) + ".jsonl")) plays[line.connection].push_back(line);
  REQUIRE_FALSE(plays.empty());
  for (const auto& [connection, play] : plays) {
    const std::string shown = std::string(name) + " " + connection;
    INFO(shown);
    Mirror mirror(play);
    mirror.run();
    CHECK(mirror.different == "");
    CHECK(mirror.compared > 100);
    CHECK(mirror.ours.mismatched == 0);
    CHECK(mirror.ours.unknown_eats == 0);
    CHECK(mirror.ours.adds == mirror.real.adds);
    CHECK(mirror.ours.removes == mirror.real.removes);
    CHECK(mirror.ours.eats == mirror.real.eats - mirror.real.unknown_eats);
    CHECK(mirror.ours.chat == mirror.real.chat);
    CHECK(mirror.passed_on.splits == mirror.asked.splits);
    CHECK(mirror.passed_on.ejects == mirror.asked.ejects);
    CHECK(mirror.passed_on.spawns == mirror.asked.spawns);
    CHECK(mirror.passed_on.lines == mirror.asked.lines);
    MESSAGE(shown << ": " << mirror.compared << " paintings, " << mirror.ours.adds << " cells");
  }
}

TEST_CASE("ogar: a mirror room shows what the server shows") {
  for (const char* name : {"m3-01-join-eat", "m3-02-two-players-chat", "m3-03-split-eject-merge", "m3-05-death-respawn",
                           "m3-06-spectate-roam", "m3-08-teams", "l06-join-eat-chat", "l11-join-eat-chat", "l21-teams",
                           "l06-real-browser-cigar2-play"})
    check_mirror(name);
}

}  // namespace
}  // namespace entente::testing::mirror_test
