// Messages of other dialects in terms of 2.4, and back, without a session around them.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "adapters/bzflag/translate/dialect_translator.h"
#include "tests/bzflag/said.h"

namespace entente::bzflag::translate_test {
namespace {

using wire::Way;

DialectTranslator to_client(std::size_t dialect) { return {dialect, Way::kToClient}; }
DialectTranslator to_server(std::size_t dialect) { return {dialect, Way::kToServer}; }

/// What the peer is sent instead.
std::vector<Message> say(DialectTranslator& translator, const Message& message) {
  const auto all = translator.say(message);
  return {all.begin(), all.end()};
}

template <class T>
T one(DialectTranslator& translator, const T& message) {
  const std::vector<Message> all = say(translator, message);
  REQUIRE(all.size() == 1);
  const T* said = std::get_if<T>(all.data());
  REQUIRE(said != nullptr);
  return *said;
}

/// The message as a face hears it.
template <class T>
T hear(DialectTranslator& translator, const T& message) {
  Message heard = message;
  REQUIRE(translator.hear(heard));
  const T* same = std::get_if<T>(&heard);
  REQUIRE(same != nullptr);
  return *same;
}

Id at(std::uint8_t last) { return {0, {{10, 0, 0, last}, 5154, last}}; }

AddPlayer added(const Id& id, std::int16_t team, std::string_view name, std::uint16_t type = kTankPlayer) {
  AddPlayer add = add_player(id.byte, team, name);
  add.id = id;
  add.type = type;
  return add;
}

Welcome welcome(std::uint8_t id) {
  Welcome welcome;
  welcome.id = id;
  return welcome;
}

std::vector<std::string> letters(const NegotiateFlags& flags) {
  std::vector<std::string> all;
  for (const auto& flag : flags.flags) all.emplace_back(flag.view());
  return all;
}

NegotiateFlags flags_of(std::initializer_list<const char*> codes) {
  NegotiateFlags flags;
  for (const char* code : codes) flags.flags.emplace_back().set(code);
  return flags;
}

TEST_CASE("bzflag translation: in 2.4 every message is passed on as it is") {
  DialectTranslator translator = to_client(kDialect24);
  CHECK(translator.plain());
  CHECK(say(translator, NearFlag{}).size() == 1);
  CHECK(translator.echo("QT") == "QT");
  Message chat = Chat{};
  CHECK(translator.hear(chat));
  for (const std::size_t dialect : {kDialect20, kDialect110, kDialectWiki}) CHECK_FALSE(to_client(dialect).plain());
}

TEST_CASE("bzflag translation: the kind of game is two bits of the style, and the other bits are options") {
  for (const auto& [type, style] :
       {std::pair<std::uint16_t, std::uint16_t>{0, 0x28}, {1, 0x29}, {2, 0x28}, {3, 0x228}}) {
    CHECK(style_of(type, 0x28) == style);
    CHECK(options_of_style(style) == 0x28);
    CHECK(game_type_of_style(style) == (type == 2 ? 0 : type));
  }
  for (const std::size_t dialect : {kDialect20, kDialect24}) {
    GameSettings settings;
    settings.game_type = 1;
    settings.options = 0x28;
    DialectTranslator out = to_client(dialect), in = to_server(dialect);
    const GameSettings there = one(out, settings);
    CHECK(there.options == (dialect == kDialect20 ? 0x29 : 0x28));
    const GameSettings back = hear(in, there);
    CHECK(back.options == 0x28);
    CHECK(back.game_type == 1);
    GameAnswer answer;
    answer.game_type = 3;
    answer.options = 8;
    const GameAnswer told = one(out, answer);
    CHECK(told.options == (dialect == kDialect20 ? 0x208 : 8));
    CHECK(hear(in, told).game_type == 3);
    CHECK(hear(in, told).options == 8);
  }
}

TEST_CASE("bzflag translation: offsets of the page have two bytes, both ways") {
  DialectTranslator client = to_client(kDialectWiki), server = to_server(kDialectWiki);
  WorldChunk chunk;
  chunk.left = 50'000;
  const WorldChunk there = one(client, chunk);
  CHECK(there.short_left == 50'000);
  WorldChunk heard;
  heard.short_left = 40'000;
  CHECK(hear(server, heard).left == 40'000);
  GetWorld get;
  get.offset = 30'000;
  CHECK(one(server, get).short_offset == 30'000);
  GetWorld wanted;
  wanted.short_offset = 20'000;
  CHECK(hear(client, wanted).offset == 20'000);
  DialectTranslator later = to_client(kDialect110);
  wanted.offset = 5;
  CHECK(hear(later, wanted).offset == 5);
}

TEST_CASE("bzflag translation: of our flags, a 1.10 program is named those that it knows, quick turn as A") {
  DialectTranslator server = to_server(kDialect110);
  CHECK(letters(one(server, flags_of({"A", "BY", "FO", "GM", "NJ", "QT", "RC", "RO", "TR", "V", "WG"}))) ==
        std::vector<std::string>{"GM", "A", "V"});
  DialectTranslator late = to_server(kDialect20);
  CHECK(letters(one(late, flags_of({"A", "QT", "BY"}))) == std::vector<std::string>{"A", "QT", "BY"});
  DialectTranslator client = to_client(kDialect110), page = to_client(kDialectWiki);
  CHECK(letters(hear(client, flags_of({"A", "V"}))) == std::vector<std::string>{"QT", "V"});
  CHECK(letters(hear(page, flags_of({"QT", "V"}))) == std::vector<std::string>{"QT", "V"});
}

TEST_CASE("bzflag translation: a flag that a program does not know is sent as one that does nothing") {
  const auto sent = [](std::size_t dialect, const char* code) {
    DialectTranslator client = to_client(dialect);
    FlagUpdate update;
    update.flags.emplace_back().flag.flag = flag_kind(std::string_view(code));
    return std::string(one(client, update).flags[0].flag.flag.letters.view());
  };
  CHECK(sent(kDialect20, "BY") == "BY");
  CHECK(sent(kDialect20, "XX") == "US");
  CHECK(sent(kDialect110, "BY") == "US");
  CHECK(sent(kDialect110, "A") == "US");
  CHECK(sent(kDialect110, "QT") == "A");
  CHECK(sent(kDialect110, "") == "");
  DialectTranslator page = to_client(kDialectWiki);
  const auto number = [&](const char* code) {
    ShotBegin begin;
    begin.player = player_id(0);
    begin.flag = flag_kind(std::string_view(code));
    OneFlagUpdate update;
    update.flag.flag.flag = begin.flag;
    return one(page, update).flag.flag.flag.number;
  };
  for (const auto& [code, is] :
       {std::pair{"", 0}, {"R*", 1}, {"P*", 4}, {"V", 5}, {"GM", 10}, {"WA", 33}, {"BY", 24}, {"XX", 24}})
    CHECK(number(code) == is);
}

TEST_CASE("bzflag translation: a flag's number of the page is its letters; one beyond the list is none") {
  DialectTranslator server = to_server(kDialectWiki);
  for (const auto& [number, code] : {std::pair<std::uint16_t, const char*>{0, ""}, {1, "R*"}, {33, "WA"}, {34, ""}}) {
    OneFlagUpdate update;
    update.flag.flag.flag.number = number;
    Message heard = update;
    REQUIRE(server.hear(heard));
    const auto* flags = std::get_if<FlagUpdate>(&heard);
    REQUIRE(flags != nullptr);
    CHECK(flags->flags[0].flag.flag.letters.view() == code);
  }
  CHECK(server.echo("QT") == "QT");
  CHECK(server.echo("BY") == "ID");
  CHECK(to_server(kDialect110).echo("QT") == "QT");
  CHECK(to_server(kDialect110).echo("A") == "US");
}

TEST_CASE("bzflag translation: the teams of a rabbit chase where a dialect lacks them") {
  const auto team_sent = [](std::size_t dialect, std::int16_t team) {
    DialectTranslator client = to_client(dialect);
    return static_cast<std::int16_t>(one(client, add_player(4, team, "a")).team);
  };
  CHECK(team_sent(kDialect20, 7) == 0);
  CHECK(team_sent(kDialect20, 6) == 6);
  CHECK(team_sent(kDialect110, 7) == 0);
  CHECK(team_sent(kDialect110, 6) == 6);
  CHECK(team_sent(kDialectWiki, 6) == 0);
  CHECK(team_sent(kDialectWiki, 4) == 4);
  DialectTranslator client = to_client(kDialect20);
  TeamUpdate teams;
  teams.teams = {{6, 1, 0, 0}, {7, 2, 0, 0}, {1, 3, 0, 0}};
  const TeamUpdate told = one(client, teams);
  REQUIRE(told.teams.size() == 2);
  CHECK(told.teams[0].team == 6);
  CHECK(told.teams[1].team == 1);
  ScoreOver over;
  over.team = 7;
  CHECK(one(client, over).team == 0);
  ShotBegin begin;
  begin.player = player_id(2);
  begin.team = 7;
  CHECK(one(client, begin).team == 0);
  GuidedUpdate update;
  update.team = 7;
  CHECK(one(client, update).team == 0);
}

TEST_CASE("bzflag translation: on the page spectators are a type, robots the next one, and teams come singly") {
  DialectTranslator client = to_client(kDialectWiki);
  const auto type_and_team = [&](std::uint16_t type, std::int16_t team) {
    const AddPlayer there = one(client, added(player_id(4), team, "a", type));
    return std::pair(there.type, there.team);
  };
  CHECK(type_and_team(kTankPlayer, 1) == std::pair<std::uint16_t, std::uint16_t>(0, 1));
  CHECK(type_and_team(kRobotPlayer, 1) == std::pair<std::uint16_t, std::uint16_t>(kLateRobotType, 1));
  CHECK(type_and_team(kTankPlayer, kObserverTeam) == std::pair<std::uint16_t, std::uint16_t>(kWatcherType, 0));
  CHECK(type_and_team(kTankPlayer, kAutomaticTeam) == std::pair<std::uint16_t, std::uint16_t>(0, 0));
  DialectTranslator server = to_server(kDialectWiki);
  server.say(Enter{});
  hear(server, welcome(3));
  const auto heard = [&](std::uint16_t type, std::int16_t team) {
    const AddPlayer here = hear(server, added(at(9), team, "b", type));
    return std::pair(here.type, here.team);
  };
  CHECK(heard(kTankPlayer, 2) == std::pair<std::uint16_t, std::uint16_t>(0, 2));
  CHECK(heard(kWatcherType, 2) == std::pair<std::uint16_t, std::uint16_t>(0, 5));
  CHECK(heard(kLateRobotType, 2) == std::pair<std::uint16_t, std::uint16_t>(kRobotPlayer, 2));

  TeamUpdate teams;
  teams.teams = {{1, 2, 3, 4}, {6, 1, 1, 1}, {7, 1, 1, 1}, {2, 5, 6, 7}};
  const std::vector<Message> singly = say(client, teams);
  REQUIRE(singly.size() == 2);
  const auto* first = std::get_if<OneTeamUpdate>(&singly[0]);
  REQUIRE(first != nullptr);
  CHECK(first->team == 1);
  CHECK(first->size == 2);
  CHECK(first->active == 2);
  CHECK(first->won == 3);
  CHECK(first->lost == 4);
  Message back = *first;
  REQUIRE(server.hear(back));
  const auto* list = std::get_if<TeamUpdate>(&back);
  REQUIRE(list != nullptr);
  REQUIRE(list->teams.size() == 1);
  CHECK(list->teams[0].size == 2);
  CHECK(list->teams[0].won == 3);
  CHECK(list->teams[0].lost == 4);
}

TEST_CASE("bzflag translation: scores and flags of the page come singly, and a theft is a drop and a grab") {
  DialectTranslator client = to_client(kDialectWiki), server = to_server(kDialectWiki);
  Score scores;
  scores.players = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  const std::vector<Message> singly = say(client, scores);
  REQUIRE(singly.size() == 2);
  CHECK(std::get<OneScore>(singly[1]).wins == 6);
  CHECK(std::get<OneScore>(singly[1]).losses == 7);
  hear(server, welcome(3));
  hear(server, added(at(9), 2, "b"));
  OneScore score;
  score.player = at(9);
  score.wins = 6;
  score.losses = 7;
  Message heard = score;
  REQUIRE(server.hear(heard));
  CHECK(std::get<Score>(heard).players.at(0).player == 0);
  CHECK(std::get<Score>(heard).players.at(0).wins == 6);
  CHECK(std::get<Score>(heard).players.at(0).losses == 7);
  FlagUpdate flags;
  flags.flags.resize(3);
  flags.flags[2].number = 7;
  REQUIRE(say(client, flags).size() == 3);
  CHECK(std::get<OneFlagUpdate>(say(client, flags)[2]).flag.number == 7);
  const std::vector<Message> theft = say(client, TransferFlag{1, 2, flags.flags[2]});
  REQUIRE(theft.size() == 2);
  CHECK(std::get<DropFlag>(theft[0]).player.address.number == 1);
  CHECK(std::get<DropFlag>(theft[0]).flag.number == 7);
  CHECK(std::get<GrabFlag>(theft[1]).player.address.number == 2);
}

TEST_CASE(
    "bzflag translation: ids of the page are numbers in order of arrival, ours keeps its own, and nobody is nobody") {
  DialectTranslator server = to_server(kDialectWiki);
  hear(server, welcome(1));
  Enter enter;
  enter.callsign.set("anna");
  server.say(enter);
  CHECK(hear(server, added(at(20), 1, "ben")).id.byte == 0);
  CHECK(hear(server, added(at(21), 1, "cy")).id.byte == 2);  // 1 is ours
  CHECK(hear(server, added(at(22), 1, "anna")).id.byte == 1);
  CHECK(hear(server, added(at(23), 1, "anna")).id.byte == 3);  // another of that name
  CHECK(hear(server, added(at(20), 1, "ben")).id.byte == 0);
  Alive alive;
  alive.player = at(21);
  CHECK(hear(server, alive).player.byte == 2);
  alive.player = at(99);
  CHECK(hear(server, alive).player.byte == kNobody);
  CHECK(hear(server, RemovePlayer{at(20)}).id.byte == 0);
  CHECK(hear(server, added(at(30), 1, "dora")).id.byte == 0);
  Killed killed;
  CHECK(hear(server, killed).killer.byte == kServerId);
  CHECK(hear(server, killed).victim.byte == kNobody);
  Chat chat;
  CHECK(hear(server, chat).from.byte == kServerId);
  CHECK(hear(server, chat).to.byte == kEverybody);
  GuidedUpdate update;
  CHECK(hear(server, update).target.byte == kNobody);
}

TEST_CASE("bzflag translation: a 200th player of the page is told, a 201st only after one has left") {
  DialectTranslator server = to_server(kDialectWiki);
  hear(server, welcome(7));
  const auto id = [](unsigned i) { return Id{0, {{10, 0, 1, static_cast<std::uint8_t>(i)}, 5154, 1}}; };
  const auto meets = [&](unsigned i) {
    Message message = added(id(i), 1, "x");
    return server.hear(message);
  };
  std::size_t met = 0;
  for (unsigned i = 0; i < 210; ++i) met += meets(i) ? 1 : 0;
  CHECK(met == kMostPlayers - 1);  // and our own number
  CHECK(hear(server, RemovePlayer{id(20)}).id.byte == 21);
  CHECK(meets(220));
  CHECK_FALSE(meets(221));
  Alive alive;
  alive.player = id(220);
  CHECK(hear(server, alive).player.byte == 21);
}

TEST_CASE("bzflag translation: a client of the page is known by the address that it names") {
  DialectTranslator client = to_client(kDialectWiki);
  client.say(welcome(3));
  Enter enter;
  enter.id = at(50);
  hear(client, enter);
  CHECK(one(client, Accept{player_id(3)}).id.address.ip == at(50).address.ip);
  CHECK(one(client, add_player(4, 1, "b")).id.address.ip == std::array<std::uint8_t, 4>{127, 0, 0, 1});
  CHECK(one(client, add_player(4, 1, "b")).id.address.number == 4);
  Killed killed;
  killed.killer = player_id(kServerId);
  killed.victim = player_id(3);
  CHECK(Addresses::is_nobody(one(client, killed).killer.address));
  CHECK_FALSE(Addresses::is_nobody(one(client, killed).victim.address));
  CHECK(Addresses::is_nobody({}));
  CHECK_FALSE(Addresses::is_nobody({{0, 0, 0, 1}, 0, 0}));
  CHECK_FALSE(Addresses::is_nobody({{}, 1, 0}));
  CHECK_FALSE(Addresses::is_nobody({{}, 0, 1}));
}

TEST_CASE("bzflag translation: two players of one address are two if port or number differ") {
  Addresses addresses(true);
  const Address first{{10, 0, 0, 1}, 5154, 1};
  CHECK(addresses.meet(first, kNobody) == std::uint8_t{0});
  CHECK(addresses.meet({{10, 0, 0, 1}, 5155, 1}, kNobody) == std::uint8_t{1});
  CHECK(addresses.meet({{10, 0, 0, 1}, 5154, 2}, kNobody) == std::uint8_t{2});
  CHECK(addresses.meet(first, kNobody) == std::uint8_t{0});
  CHECK(addresses.number({{10, 0, 0, 1}, 5154, 2}) == std::uint8_t{2});
  addresses.forget(1);
  CHECK_FALSE(addresses.number({{10, 0, 0, 1}, 5155, 1}).has_value());
  CHECK(addresses.meet({{10, 0, 0, 9}, 5154, 1}, 1) == std::uint8_t{3});
  addresses.set(9, first);  // is another's already
  CHECK(addresses.number(first) == std::uint8_t{0});
  addresses.set(200, {{10, 0, 0, 77}, 1, 1});  // no player's number
  CHECK_FALSE(addresses.number({{10, 0, 0, 77}, 1, 1}).has_value());
  CHECK(Addresses::is_nobody(addresses.address(200)));
  CHECK_FALSE(Addresses(false).meet(first, kNobody).has_value());
}

TEST_CASE("bzflag translation: a carried flag of the page may name a player before the server does") {
  DialectTranslator server = to_server(kDialectWiki);
  hear(server, welcome(3));
  const auto owner = [&](std::uint16_t status, const Id& id) {
    OneFlagUpdate update;
    update.flag.flag.status = status;
    update.flag.flag.owner = id;
    Message heard = update;
    REQUIRE(server.hear(heard));
    return std::get<FlagUpdate>(heard).flags.at(0).flag.owner.byte;
  };
  CHECK(owner(2, at(60)) == 0);
  CHECK(owner(1, at(61)) == kNobody);
  CHECK(owner(2, {}) == kNobody);
  CHECK(hear(server, added(at(60), 1, "ben")).id.byte == 0);
}

TEST_CASE("bzflag translation: headings of the page are vectors") {
  DialectTranslator client = to_client(kDialectWiki), server = to_server(kDialectWiki);
  Alive alive;
  alive.player = player_id(0);
  alive.azimuth = std::numbers::pi_v<float> / 3;
  const Alive there = one(client, alive);
  CHECK(there.forward[0] == doctest::Approx(0.5));
  CHECK(there.forward[1] == doctest::Approx(std::sqrt(0.75)));
  CHECK(there.forward[2] == 0);
  CHECK(hear(server, there).azimuth == doctest::Approx(std::numbers::pi / 3));
  DialectTranslator later = to_server(kDialect110);
  alive.forward = {};
  CHECK(hear(later, alive).azimuth == alive.azimuth);
}

TEST_CASE("bzflag translation: why somebody died on the page, and by which flag before 2.0") {
  DialectTranslator server = to_server(kDialectWiki);
  hear(server, welcome(3));
  hear(server, added(at(20), 1, "ben"));
  hear(server, added(at(21), 1, "cy"));
  const auto reason = [&](const Id& killer, const Id& victim, std::uint16_t shot) {
    Killed killed;
    killed.killer = killer;
    killed.victim = victim;
    killed.death.shot = shot;
    return hear(server, killed).death.reason;
  };
  CHECK(reason(at(20), at(20), 5) == 5);
  CHECK(reason({}, at(20), 5) == 0);
  CHECK(reason(at(21), at(20), kNoShot) == 2);
  CHECK(reason(at(21), at(20), 5) == 1);
  DialectTranslator client = to_client(kDialectWiki);
  client.say(welcome(3));
  KilledReport report;
  report.killer = player_id(0);
  CHECK(hear(client, report).death.reason != 5);

  DialectTranslator old = to_server(kDialect110);
  ShotBegin begin;
  begin.player = player_id(5);
  begin.shot = 7;
  begin.flag = flag_kind(std::string_view("SB"));
  hear(old, begin);
  begin.flag = flag_kind(std::string_view("L"));
  begin.shot = 8;
  hear(old, begin);
  const auto flag = [&](std::uint8_t killer, std::uint16_t shot) {
    Killed killed;
    killed.killer = player_id(killer);
    killed.victim = player_id(1);
    killed.death.shot = shot;
    return std::string(hear(old, killed).death.flag.letters.view());
  };
  CHECK(flag(5, 7) == "SB");
  CHECK(flag(5, 8) == "L");
  CHECK(flag(6, 7) == "");
  CHECK(flag(5, 9) == "");
  begin.shot = 7;  // the number is used again
  begin.flag = flag_kind(std::string_view("GM"));
  hear(old, begin);
  CHECK(flag(5, 7) == "GM");
  begin.flag = {};
  for (std::uint16_t i = 0; i < 254; ++i) {
    begin.shot = static_cast<std::uint16_t>(1000 + i);
    hear(old, begin);
  }
  CHECK(flag(5, 7) == "GM");
  begin.shot = 2000;
  hear(old, begin);
  CHECK(flag(5, 7) == "GM");
  begin.shot = 2001;
  hear(old, begin);
  CHECK(flag(5, 7) == "");
  Killed late;
  late.death.flag = flag_kind(std::string_view("V"));
  DialectTranslator later = to_server(kDialect20);
  CHECK(hear(later, late).death.flag.letters.view() == "V");
}

TEST_CASE("bzflag translation: water and drivers kill nobody before 2.0") {
  for (const std::size_t dialect : {kDialect20, kDialect110})
    for (const auto& [reason, old] :
         {std::pair<std::int16_t, std::int16_t>{4, 4}, {5, 5}, {6, 5}, {kDeathByDriver, 5}}) {
      DialectTranslator client = to_client(dialect), server = to_server(dialect);
      Killed killed;
      killed.death.reason = reason;
      CHECK(one(client, killed).death.reason == (dialect == kDialect20 ? reason : old));
      KilledReport report;
      report.death.reason = reason;
      CHECK(one(server, report).death.reason == (dialect == kDialect20 ? reason : old));
    }
}

TEST_CASE("bzflag translation: poses of the page are numbered by arrival, each player's by itself") {
  DialectTranslator server = to_server(kDialectWiki);
  hear(server, welcome(3));
  hear(server, added(at(20), 1, "ben"));
  hear(server, added(at(21), 1, "cy"));
  PlayerUpdate update;
  update.player = at(20);
  CHECK(hear(server, update).order == 1);
  CHECK(hear(server, update).order == 2);
  update.player = at(21);
  CHECK(hear(server, update).order == 1);
  DialectTranslator old = to_server(kDialect110);
  update.player = player_id(4);
  update.order = 77;
  update.status = kAlive | kFalling | 0x80 | kJumpJets;
  CHECK(hear(old, update).order == 77);
  CHECK(hear(old, update).status == (kAlive | kFalling));
  DialectTranslator later = to_server(kDialect20);
  CHECK(hear(later, update).status == update.status);
}

TEST_CASE("bzflag translation: a shot of the page is of its shooter's team") {
  DialectTranslator server = to_server(kDialectWiki);
  hear(server, welcome(3));
  hear(server, added(at(20), 2, "ben"));
  ShotBegin begin;
  begin.player = at(20);
  begin.team = 9;
  CHECK(hear(server, begin).team == 2);
  DialectTranslator old = to_server(kDialect110);
  begin.player = player_id(4);
  CHECK(hear(old, begin).team == 9);
  DialectTranslator client = to_client(kDialectWiki);
  client.say(welcome(3));
  Enter enter;
  enter.id = at(50);
  hear(client, enter);
  client.say(add_player(3, 2, "anna"));
  begin.player = at(50);
  CHECK(hear(client, begin).team == 2);
}

TEST_CASE("bzflag translation: chat to teams goes to the target that each dialect has for the team") {
  const auto target = [](std::size_t dialect, std::uint8_t to) {
    DialectTranslator server = to_server(dialect);
    ChatRequest request;
    request.to = player_id(to);
    const std::vector<Message> all = say(server, request);
    return all.empty() ? -1 : int{std::get<ChatRequest>(all[0]).to.byte};
  };
  for (const std::size_t dialect : {kDialect20, kDialect110}) {
    CHECK(target(dialect, 251) == 250);
    CHECK(target(dialect, 247) == 246);
    CHECK(target(dialect, 244) == 250);  // hunters are rogues
    CHECK(target(dialect, kEverybody) == kEverybody);
    CHECK(target(dialect, 7) == 7);
  }
  CHECK(target(kDialectWiki, 251) == -1);
  CHECK(target(kDialectWiki, kAdmins) == -1);
  CHECK(target(kDialectWiki, kServerId) == -1);
  CHECK(target(kDialectWiki, 244) == -1);
  CHECK(target(kDialectWiki, kEverybody) == kEverybody);
  DialectTranslator page = to_server(kDialectWiki);
  ChatRequest greens;
  greens.to = player_id(249);
  CHECK(one(page, greens).team == 2);
  greens.to = player_id(kEverybody);
  CHECK(one(page, greens).team == 0);

  const auto heard = [](std::size_t dialect, std::uint8_t to) {
    DialectTranslator server = to_server(dialect), client = to_client(dialect);
    Chat chat;
    chat.to = player_id(to);
    ChatRequest request;
    request.to = player_id(to);
    const int its = hear(server, chat).to.byte;
    CHECK(its == hear(client, request).to.byte);
    return its;
  };
  CHECK(heard(kDialect20, 250) == 251);
  CHECK(heard(kDialect20, 243) == 244);
  CHECK(heard(kDialect20, 242) == 242);
  CHECK(heard(kDialect20, 251) == 251);
  CHECK(heard(kDialect20, kEverybody) == kEverybody);
  Chat chat;
  chat.team = 3;
  DialectTranslator read = to_server(kDialectWiki), written = to_client(kDialectWiki);
  CHECK(hear(read, chat).to.byte == 248);
  chat.team = 0;
  CHECK(hear(read, chat).to.byte == kEverybody);
  ChatRequest request;
  request.team = 3;
  CHECK(hear(written, request).to.byte == 248);
}

TEST_CASE("bzflag translation: the text of chat is the fixed 128 bytes of the page, or ends with the message") {
  DialectTranslator page = to_server(kDialectWiki), client = to_client(kDialectWiki);
  Chat chat;
  chat.fixed_text.set("hello");
  CHECK(hear(page, chat).text.view() == "hello");
  ChatRequest request;
  request.fixed_text.set("hello");
  CHECK(hear(client, request).text.view() == "hello");
  chat = {};
  chat.to = player_id(kEverybody);
  chat.text.chars = std::string(127, 'x') + '\0';
  CHECK(one(client, chat).fixed_text.view() == std::string(127, 'x'));
  const auto size = [&](std::size_t dialect) {
    DialectTranslator other = to_client(dialect);
    Chat shorter = chat;
    shorter.text.chars = std::string("hello") + '\0';
    return one(other, shorter).text.chars.size();
  };
  CHECK(size(kDialect20) == 6);
  CHECK(size(kDialect110) == 128);
  DialectTranslator server = to_server(kDialect20);
  request = {};
  request.to = player_id(kEverybody);
  request.text.chars = "hello";
  CHECK(one(server, request).text.chars.size() == 128);
}

TEST_CASE("bzflag translation: an action is marked in 2.0, has the player's name there, and is plain text before") {
  const auto told = [](std::size_t dialect) {
    DialectTranslator client = to_client(dialect);
    client.say(add_player(4, 1, "ben"));
    Chat chat;
    chat.from = player_id(4);
    chat.to = player_id(kEverybody);
    chat.kind = 1;
    chat.text.chars = std::string("waves") + '\0';
    return std::string(one(client, chat).text.view());
  };
  CHECK(told(kDialect20) == "* ben waves\t*");
  CHECK(told(kDialect110) == "* ben waves");
  const auto sent = [](std::size_t dialect) {
    DialectTranslator server = to_server(dialect);
    ChatRequest request;
    request.to = player_id(kEverybody);
    request.text.chars = "/me waves";
    return std::string(one(server, request).text.view());
  };
  CHECK(sent(kDialect20) == "/me waves");
  CHECK(sent(kDialect110) == "* waves");
  DialectTranslator long_names = to_client(kDialect20);
  long_names.say(add_player(4, 1, std::string(31, 'n')));
  Chat chat;
  chat.from = player_id(4);
  chat.to = player_id(kEverybody);
  chat.kind = 1;
  chat.text.chars = std::string(127, 'x') + '\0';
  const std::string cut(one(long_names, chat).text.view());
  CHECK(cut.size() == 127);
  CHECK(cut.ends_with("x\t*"));

  const auto read = [](const char* text, std::size_t dialect) {
    DialectTranslator server = to_server(dialect);
    hear(server, add_player(5, 1, "ben"));
    Chat line;
    line.from = player_id(5);
    line.to = player_id(kEverybody);
    line.text.chars = std::string(text) + '\0';
    const Chat here = hear(server, line);
    return std::to_string(here.kind) + " " + std::string(here.text.view());
  };
  CHECK(read("* ben waves\t*", kDialect20) == "1 waves");
  CHECK(read("* waves\t*", kDialect20) == "1 waves");
  CHECK(read("* benny waves\t*", kDialect20) == "1 benny waves");
  CHECK(read("* ben waves", kDialect20) == "0 * ben waves");
  CHECK(read("ben waves\t*", kDialect20) == "0 ben waves\t*");
  CHECK(read("* ben waves\t*", kDialect110) == "0 * ben waves\t*");
}

TEST_CASE("bzflag translation: the time left before 2.0 has no sign, at most 65,535 s, and does not stand") {
  DialectTranslator old = to_client(kDialect110), later = to_client(kDialect20);
  CHECK(one(old, TimeLeft{0, 90}).seconds == 90);
  CHECK(one(old, TimeLeft{0, 70'000}).seconds == 65'535);
  CHECK(one(old, TimeLeft{0, 0}).seconds == 0);
  CHECK(say(old, TimeLeft{0, -1}).empty());
  CHECK(one(later, TimeLeft{0, -1}).long_seconds == -1);
  DialectTranslator server = to_server(kDialect110), late = to_server(kDialect20);
  CHECK(hear(server, TimeLeft{90, 7}).long_seconds == 90);
  CHECK(hear(late, TimeLeft{90, 7}).long_seconds == 7);
}

TEST_CASE("bzflag translation: a reject without a text gets the text of its code") {
  DialectTranslator old = to_server(kDialect110), later = to_server(kDialect20);
  const auto why = [&](std::uint16_t code) {
    Reject reject;
    reject.code = code;
    return std::string(hear(old, reject).reason.view());
  };
  CHECK(why(0) == "the server refused without a reason");
  CHECK(why(1) == "the server has no such team");
  CHECK(why(4) == "this team is full");
  CHECK(why(5) == "the server is full");
  CHECK(why(6) == "the server does not accept this callsign");
  CHECK(why(7) == "another player has this callsign");
  CHECK(why(8) == "too soon: the server requires a delay between two joins");
  CHECK(why(9) == "banned by the server");
  CHECK(why(11) == "banned by the server");
  CHECK(why(99) == "the server refused without a reason");
  Reject reject;
  reject.code = 4;
  reject.reason.set("no room");
  CHECK(hear(later, reject).reason.view() == "no room");
}

TEST_CASE("bzflag translation: what a dialect has no message for is not sent") {
  for (const std::size_t dialect : {kDialect20, kDialect110, kDialectWiki}) {
    DialectTranslator client = to_client(dialect);
    CHECK(say(client, GameTime{1}).size() == (dialect == kDialect20 ? 1 : 0));
    CHECK(say(client, Pause{1, 1}).size() == (dialect == kDialectWiki ? 0 : 1));
    CHECK(say(client, NewRabbit{1}).size() == (dialect == kDialectWiki ? 0 : 1));
  }
}

}  // namespace
}  // namespace entente::bzflag::translate_test
