// Every dialect against every other: a client of one dialect plays on a scripted native server, through a back and a
// front that speak the other dialect between them. The client's screen shows the server's facts, and the server
// receives the client's intents.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/dialect.h"
#include "proxy/core/room/room.h"
#include "tests/ogar/picture.h"
#include "tests/ogar/spoken.h"
#include "tests/support/cut_link.h"

namespace entente::testing::dialects_test {
namespace {

using core::Id, core::kMillisecond, core::kSecond, core::Micros;
using ogar::CellType, wire::Way, words::Unit;

constexpr Micros kTick = 40 * kMillisecond;
constexpr double kMetre = 14142.0 / 800;
constexpr Id kOwn = 1000, kOther = 1001, kPellet = 1002, kVirus = 1003, kMother = 1004, kEjected = 1005, kBen = 900;
constexpr const char* kName = "Zo\u00eb \u2603";
constexpr const char* kEmoji = "hi \U0001F600";

/// The server: it sends the facts that the test gives it, and keeps the intents that it receives.
class Arena final : public core::Back {
 public:
  void receive(const Frames&, core::BackOut& out) override {
    for (core::Fact& fact : due) out.say(std::move(fact));
    due.clear();
  }
  void hear(const core::Intent& intent, core::BackOut& out) override {
    me = out.me();
    std::visit([&](const auto& kind) { heard += core::name_of(intent) + (" " + kind.ShortDebugString()) + "\n"; },
               intent.content);
    if (const auto* toward = core::as<words::Toward>(intent)) mouse = *toward;
  }
  std::vector<core::Fact> due;
  std::string heard;
  words::Toward mouse;
  Id me = 0;
};

class Wires final : public core::Room::Host {
 public:
  void send(Id end, Lane, Bytes bytes) override {
    (end == core::kBackId ? up : down).emplace_back(bytes.begin(), bytes.end());
  }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view why, std::uint32_t) override { FAIL(std::string(why)); }
  void failed(Id, const Fault& fault) override { FAIL(fault.what << " " << fault.field << " " << fault.offset); }
  void dial() override { dialled = true; }
  std::deque<Buffer> up, down;
  bool dialled = false;
};

core::RoomOptions with_commands() {
  core::RoomOptions options;
  options.chat.commands = true;
  return options;
}

/// A client of `client`'s dialect, a back and a front of `between`'s, and the arena.
class Chain {
 public:
  Chain(std::size_t client, std::size_t between)
      : picture(ogar::kDialects[client].newest_version),
        client_(client),
        near_(near_wires_, ogar::faces().back({between, {}}), with_commands()),
        far_(far_wires_, std::unique_ptr<core::Back>(arena = new Arena), with_commands()),
        near_link_(ogar::game(), client, Way::kToServer),
        far_link_(ogar::game(), between, Way::kToServer) {
    far_seat_ = far_.seat(ogar::faces().front({between, {}}), {}, now_);
    near_seat_ = near_.seat(ogar::faces().front({client, {}}), {}, now_);
    settle();
  }

  void wishes(const ogar::Message& message) {
    near_link_.receive(near_, near_seat_, Lane::kStream, spoken(message, Way::kToServer, client_), now_);
    settle();
  }
  template <class... Word>
  void tells(Word... words) {
    (arena->due.emplace_back(std::move(words)), ...);
    far_.received(core::kBackId, {Lane::kStream, {}}, now_);
    settle();
  }
  void waits(Micros how_long) {
    for (const Micros until = now_ + how_long; now_ < until;) {
      now_ += 20 * kMillisecond;
      far_.tick(now_);
      near_.tick(now_);
      settle();
    }
  }
  /// Waits until it is so, for three seconds.
  template <class F>
  bool sees(F&& so) {
    for (int i = 0; i < 75 && !so(); ++i) waits(kTick);
    return so();
  }
  bool hears(const std::string& line) {
    const bool heard = sees([&] { return arena->heard.find(line + "\n") != std::string::npos; });
    if (!heard) MESSAGE(arena->heard);
    arena->heard.clear();
    return heard;
  }

  bool is_modern() const { return client_ == 0; }
  const ogar::Dialect& dialect() const { return ogar::kDialects[client_]; }

  Picture picture;
  Arena* arena = nullptr;

 private:
  void settle() {
    for (bool more = true; more;) {
      more = std::exchange(far_wires_.dialled, false);
      if (more) far_.back_opened({}, now_);
      if (std::exchange(near_wires_.dialled, false)) near_.back_opened({}, now_);
      more |=
          pass(near_wires_.up, [&](Bytes bytes) { far_link_.receive(far_, far_seat_, Lane::kStream, bytes, now_); });
      more |= pass(far_wires_.down, [&](Bytes bytes) { near_.received(core::kBackId, {Lane::kStream, bytes}, now_); });
      more |= pass(near_wires_.down, [&](Bytes bytes) { show(bytes); });
    }
  }
  template <class F>
  static bool pass(std::deque<Buffer>& from, F&& to) {
    if (from.empty()) return false;
    const Buffer bytes = std::move(from.front());
    from.pop_front();
    to(Bytes(bytes));
    return true;
  }
  void show(Bytes bytes) {
    const auto told = codec_->read({Way::kToClient, Lane::kStream, wire::Stage::kPlay, bytes});
    REQUIRE(told.ok());
    picture.take(*told->message);
  }

  std::size_t client_;
  std::unique_ptr<ogar::MessageCodec> codec_ = ogar::make_message_codec(client_);
  Wires near_wires_, far_wires_;
  core::Room near_, far_;
  testing::CutLink near_link_, far_link_;  // of the clients
  Id near_seat_ = 0, far_seat_ = 0;
  Micros now_ = 0;
};

// -- What the client sends --------------------------------------------------------------------------------------------

ogar::ClientUpdate update_of(std::uint8_t flags) {
  ogar::ClientUpdate update;
  update.flags = flags;
  update.x = 1768;
  update.y = -884;
  return update;
}

/// As a flag of an update, or as the message of a legacy client.
template <class Legacy>
void wish(Chain& chain, ogar::Wish flag) {
  chain.is_modern() ? chain.wishes(update_of(flag)) : chain.wishes(Legacy());
}

void greet(Chain& chain) {
  ogar::Hello hello;
  hello.opcode = chain.dialect().hello;
  hello.version = chain.dialect().newest_version;
  chain.wishes(hello);
  if (!chain.is_modern()) chain.wishes(ogar::Key{});
}

void spawn(Chain& chain, const std::string& name) {
  ogar::ClientUpdate update = update_of(ogar::kSpawn);
  update.name.chars = name;
  ogar::Join join;
  ogar::set(join.name, name, chain.dialect().ucs2);
  chain.is_modern() ? chain.wishes(update) : chain.wishes(join);
}

void point(Chain& chain, std::int32_t x, std::int32_t y) {
  ogar::ClientUpdate update;
  update.x = x;
  update.y = y;
  ogar::Mouse mouse;
  mouse.x = x;
  mouse.y = y;
  chain.is_modern() ? chain.wishes(update) : chain.wishes(mouse);
}

void split(Chain& chain, bool minions) {
  ogar::ClientUpdate update = update_of(0);
  (minions ? update.minion_splits : update.splits) = 1;
  if (chain.is_modern()) return chain.wishes(update);
  minions ? chain.wishes(ogar::MinionSplit{}) : chain.wishes(ogar::Split{});
}

void say(Chain& chain, const std::string& text) {
  ogar::ClientUpdate update = update_of(ogar::kSay);
  update.chat.emplace_back().chars = text;
  ogar::Say say;
  ogar::set(say.text, text, chain.dialect().ucs2);
  chain.is_modern() ? chain.wishes(update) : chain.wishes(say);
}

// -- Facts of the server ----------------------------------------------------------------------------------------------

words::World world() {
  words::World world;
  world.set_hash("a world");
  world.set_west(-400);
  world.set_east(400);
  world.set_south(-400);
  world.set_north(400);
  return world;
}
words::Room room() {
  words::Room room;
  room.set_game("ogar");
  room.set_name("an \"arena\"");
  room.set_mode("FFA");
  room.set_players(7);
  room.set_watchers(2);
  room.set_robots(3);
  room.set_most_players(50);
  room.set_load(0.25F);
  room.set_uptime_s(61);
  return room;
}
words::Player player(Id id, const char* name) {
  words::Player player;
  player.set_id(id);
  player.set_name(name);
  player.set_team(words::ROGUE);
  player.set_responding(true);
  return player;
}
words::Unit unit(Id id, Unit::Kind kind, double x, double y, double size, std::uint32_t colour, Id owner = 0) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_kind(kind);
  unit.set_owner(owner);
  unit.set_radius(size / kMetre);
  unit.set_colour(colour);
  unit.set_alive(true);
  unit.mutable_pose()->set_unit(id);
  unit.mutable_pose()->set_x(x / kMetre);
  unit.mutable_pose()->set_y(-y / kMetre);
  return unit;
}
words::Pose pose(Id id, double x, double y, double size) {
  words::Pose pose;
  pose.set_unit(id);
  pose.set_x(x / kMetre);
  pose.set_y(-y / kMetre);
  pose.set_radius(size / kMetre);
  return pose;
}
words::Owns owns(Id player, Id unit) {
  words::Owns owns;
  owns.set_player(player);
  if (unit != 0) owns.add_units(unit);
  owns.set_active(unit);
  return owns;
}
words::Said said(Id from, const char* name, const char* text) {
  words::Said said;
  said.set_from(from);
  said.set_name(name);
  said.set_colour(0x204060);
  said.set_text(text);
  return said;
}

/// The only cell of that colour.
const Picture::Cell* cell(const Chain& chain, std::uint8_t red) {
  for (const auto& [id, cell] : chain.picture.cells)
    if (cell.colour[0] == red) return &cell;
  return nullptr;
}
bool is_at(const Picture::Cell* cell, double x, double y, unsigned size) {
  return cell != nullptr && std::abs(cell->x - x) <= 1 && std::abs(cell->y - y) <= 1 && cell->size == size;
}

/// The type that the client shows: legacy clients show mother cells as viruses, and those below 11 pellets as players.
CellType as_seen(const Chain& chain, CellType type) {
  if (chain.is_modern()) return type;
  if (type == CellType::kMother) return CellType::kVirus;
  return type == CellType::kPellet && !chain.dialect().marked_pellets ? CellType::kPlayer : type;
}

/// In play, with its own cell at 100 -200, another player's at 400 300, and one cell of each other type.
void play(Chain& chain) {
  greet(chain);
  chain.tells(room(), world());
  REQUIRE(chain.sees([&] { return chain.picture.border.right > 0; }));
  spawn(chain, std::string("<cat>") + kName);
  CHECK(chain.hears(std::string("Spawn ")));
  words::Unit other = unit(kOther, Unit::CELL, 400.4, 300.4, 120, 0x405060, kBen);
  other.set_skin("dog");
  chain.tells(player(chain.arena->me, kName), unit(kOwn, Unit::CELL, 100, -200, 64, 0x102030, chain.arena->me),
              owns(chain.arena->me, kOwn), player(kBen, "b\u00e9n"), other, owns(kBen, kOther),
              unit(kPellet, Unit::PELLET, 150, -150, 15, 0x506070), unit(kVirus, Unit::VIRUS, -300, 200, 100, 0x33ff33),
              unit(kMother, Unit::MOTHER, -200, -300, 149, 0xce6363),
              unit(kEjected, Unit::EJECTED, 200, 100, 38, 0x607080));
  REQUIRE(chain.sees([&] { return chain.picture.cells.size() == 6; }));
}

void check_picture(Chain& chain) {
  play(chain);
  CHECK(std::abs(chain.picture.border.right - 7071) < 1);
  const Picture::Cell *own = cell(chain, 0x10), *other = cell(chain, 0x40);
  REQUIRE(is_at(own, 100, -200, 64));
  CHECK(own->owned);
  CHECK(own->name == kName);
  REQUIRE(is_at(other, 400.4, 300.4, 120));
  CHECK_FALSE(other->owned);
  CHECK(other->name == "b\u00e9n");
  CHECK(other->skin == "dog");
  const std::pair<std::uint8_t, CellType> things[] = {{0x50, CellType::kPellet},
                                                      {0x33, CellType::kVirus},
                                                      {0xce, CellType::kMother},
                                                      {0x60, CellType::kEjected},
                                                      {0x10, CellType::kPlayer}};
  for (const auto& [red, type] : things) {
    REQUIRE(cell(chain, red) != nullptr);
    CHECK(cell(chain, red)->type == as_seen(chain, type));
  }
  words::UnitChanged changed;
  changed.set_unit(kOther);
  changed.set_colour(0x446688);
  changed.set_skin("wolf");
  changed.set_name("benny");
  chain.tells(pose(kOwn, 130, -180, 70), changed);
  CHECK(chain.sees([&] { return is_at(cell(chain, 0x10), 130, -180, 70) && cell(chain, 0x44) != nullptr; }));
  REQUIRE(cell(chain, 0x44) != nullptr);
  CHECK(cell(chain, 0x44)->skin == "wolf");
  CHECK(cell(chain, 0x44)->name == "benny");
  words::Gone gone;
  gone.set_unit(kPellet);
  gone.set_by(kOwn);
  chain.tells(gone);
  CHECK(chain.sees([&] { return chain.picture.cells.size() == 5 && chain.picture.eats == 1; }));
  words::Hidden hidden;
  hidden.set_unit(kVirus);
  chain.tells(hidden);
  CHECK(chain.sees([&] { return chain.picture.cells.size() == 4; }));
  CHECK(chain.picture.mismatched == 0);
  CHECK(chain.picture.unknown_eats == 0);
}

void check_wishes(Chain& chain) {
  play(chain);
  point(chain, 1768, -884);
  CHECK(chain.sees([&] { return std::abs(chain.arena->mouse.x() - 100) < 0.1; }));
  CHECK(std::abs(chain.arena->mouse.y() - 50) < 0.1);
  split(chain, false);
  CHECK(chain.hears("Split count: 1"));
  split(chain, true);
  CHECK(chain.hears("Split count: 1 minions: true"));
  wish<ogar::Eject>(chain, ogar::kEject);
  CHECK(chain.hears("Eject "));
  wish<ogar::MinionEject>(chain, ogar::kMinionEject);
  CHECK(chain.hears("Eject minions: true"));
  wish<ogar::MinionFreeze>(chain, ogar::kMinionFreeze);
  CHECK(chain.hears("Freeze on: true"));
  wish<ogar::QPress>(chain, ogar::kQPress);
  CHECK(chain.hears("Button down: true"));
  wish<ogar::QRelease>(chain, ogar::kQRelease);
  CHECK(chain.hears("Button "));
  chain.waits(kSecond);
  say(chain, kEmoji);
  CHECK(chain.hears(std::string("Say text: \"hi \\360\\237\\230\\200\"")));
}

void check_talk(Chain& chain) {
  play(chain);
  chain.tells(said(kBen, "b\u00e9n", kEmoji), said(0, "", "from the server"));
  const std::string talk = std::string("0 32 b\u00e9n: ") + kEmoji + "\n";
  CHECK(chain.sees([&] { return chain.picture.chat.find("from the server") != std::string::npos; }));
  CHECK(chain.picture.chat.find(talk) != std::string::npos);
  CHECK(chain.picture.chat.find("Server: from the server\n") != std::string::npos);
  chain.waits(6 * kSecond);  // the back asks its server every five
  chain.is_modern() ? chain.wishes(ogar::Ping{}) : chain.wishes(ogar::StatRequest{});
  if (chain.is_modern()) {
    CHECK(chain.sees([&] { return chain.picture.world.playing == 7; }));
    CHECK(chain.picture.world.server.chars == "an \"arena\"");
    CHECK(chain.picture.world.mode.chars == "FFA");
    CHECK(chain.picture.world.limit == 50);
    CHECK(chain.picture.world.spectating == 2);
    CHECK(chain.picture.world.internal == 3);
    CHECK(chain.picture.world.load == doctest::Approx(0.25));
    CHECK(chain.picture.world.uptime == 61);
  } else {
    CHECK(chain.sees([&] { return !chain.picture.stats.empty(); }));
    CHECK(
        chain.picture.stats ==
        "{\"mode\":\"FFA\",\"update\":10,\"playersTotal\":9,\"playersAlive\":7,\"playersSpect\":2,\"playersLimit\":50,"
        "\"limit\":50,\"internal\":3,\"external\":9,\"playing\":7,\"spectating\":2,\"name\":\"an \\\"arena\\\"\","
        "\"gamemode\":\"FFA\",\"loadTime\":10,\"uptime\":61}");
  }
}

void check_boards(Chain& chain) {
  play(chain);
  words::Board rows;
  for (const char* name : {"b\u00e9n", kName}) {
    auto& row = *rows.add_rows();
    row.set_place(static_cast<std::uint32_t>(rows.rows_size()));
    row.set_name(name);
    row.set_me(rows.rows_size() == 2);
  }
  chain.tells(rows);
  const auto& board = chain.picture.board;
  const bool nameless = chain.dialect().boards == ogar::Boards::kRanked;  // the own row
  CHECK(chain.sees([&] { return board.rows.size() == 2 && board.rows[1].flags != 0; }));
  REQUIRE(board.rows.size() == 2);
  CHECK(board.rows[0].name.chars == "b\u00e9n");
  CHECK(board.rows[0].flags == 0);
  CHECK(board.rows[1].name.chars == (nameless ? "" : kName));
  CHECK(board.rows[1].position == 2);
  words::Board pie;
  for (const float slice : {0.5F, 0.25F, 0.25F}) pie.add_slices(slice);
  chain.tells(pie);
  CHECK(chain.sees([&] { return board.slices == std::vector<float>{0.5F, 0.25F, 0.25F}; }));
  words::Board lines;
  lines.add_lines("caf\u00e9");
  lines.add_lines("two");
  chain.tells(lines);
  const auto second = [&] {
    return board.type == 3 && board.lines.size() == 2 ? board.lines[1].chars
           : board.rows.size() == 2                   ? board.rows[1].name.chars
                                                      : "";
  };
  CHECK(chain.sees([&] { return second() == "two"; }));
}

void check_lives(Chain& chain) {
  play(chain);
  words::Gone gone;
  gone.set_unit(kOwn);
  gone.set_by(kOther);
  words::Died died;
  died.set_player(chain.arena->me);
  died.set_unit(kOwn);
  died.set_killer(kBen);
  chain.tells(died, gone, owns(chain.arena->me, 0));
  CHECK(chain.sees([&] { return cell(chain, 0x10) == nullptr; }));
  chain.arena->heard.clear();
  wish<ogar::Spectate>(chain, ogar::kSpectate);
  CHECK(chain.hears("Watch mode: LEADER"));
  words::View view;
  view.set_x(400 / kMetre);
  view.set_y(-300 / kMetre);
  view.set_width(2 * 1920 / kMetre);
  for (int i = 0; i < 10; ++i) {
    chain.tells(core::Fact(chain.arena->me, view));
    chain.waits(kTick);
  }
  CHECK(std::abs(chain.picture.camera.x - 400) <= 1);
  CHECK(chain.picture.camera.scale == doctest::Approx(0.5));
  spawn(chain, kName);
  CHECK(chain.hears("Spawn "));
  chain.tells(unit(1010, Unit::CELL, 0, 0, 32, 0x112233, chain.arena->me), owns(chain.arena->me, 1010));
  CHECK(chain.sees([&] { return is_at(cell(chain, 0x11), 0, 0, 32); }));
  CHECK(cell(chain, 0x11)->owned);
  words::World other = world();
  other.set_hash("another");
  other.set_east(300);
  chain.tells(other);
  const auto& border = chain.picture.border;
  CHECK(chain.sees([&] { return border.right - border.left < 14000; }));
}

/// Every dialect between modern3 and our server, and each group of them against others.
template <class Check>
void for_each_pair(Check&& check) {
  const auto run = [&](std::size_t client, std::size_t between) {
    const std::string pair =
        std::string(ogar::kDialectInfo[client].name) + " on " + std::string(ogar::kDialectInfo[between].name);
    INFO(pair);
    Chain chain(client, between);
    check(chain);
  };
  for (std::size_t dialect = 0; dialect < ogar::kDialectCount; ++dialect) run(0, dialect);
  for (const std::uint32_t version : {4U, 5U, 6U, 7U, 11U, 14U, 21U}) run(legacy_dialect(version), 0);
  const std::pair<std::uint32_t, std::uint32_t> others[] = {{4, 22}, {22, 4}, {6, 11}, {14, 7}, {5, 6}};
  for (const auto& [client, between] : others) run(legacy_dialect(client), legacy_dialect(between));
}

TEST_CASE("ogar: a client of any dialect shows the facts of a server of any other") { for_each_pair(check_picture); }
TEST_CASE("ogar: a server of any dialect receives the intents of a client of any other") {
  for_each_pair(check_wishes);
}
TEST_CASE("ogar: chat and the room's counts pass between all dialects") { for_each_pair(check_talk); }
TEST_CASE("ogar: boards of rows, slices and lines pass between all dialects") { for_each_pair(check_boards); }
TEST_CASE("ogar: death, watching, a new life and a new world pass between all dialects") { for_each_pair(check_lives); }

TEST_CASE("ogar: texts in 16-bit units hold every character; half of a surrogate pair is dropped") {
  const std::string text = "a\u00e9\u2603\U0001F600";
  CHECK(ogar::widen(text) == std::string("a\0\xe9\0\x03\x26\x3d\xd8\x00\xde", 10));
  CHECK(ogar::narrow(ogar::widen(text)) == text);
  CHECK(ogar::narrow(std::string("\x3d\xd8"
                                 "b\0",
                                 4)) ==
        "\ufffd"
        "b");
  CHECK(ogar::narrow(std::string("b\0\x3d", 3)) == "b");
  CHECK(ogar::widen("\xff") == "\xfd\xff");
}

}  // namespace
}  // namespace entente::testing::dialects_test
