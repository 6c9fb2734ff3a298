// What relays, lists and other games ask of BZFlag: bans, queries, URLs, lists of servers, names, numbers and flags.
#include <cmath>
#include <numbers>

#include "adapters/bzflag/lan.h"
#include "adapters/bzflag/public_list.h"
#include "adapters/bzflag/translate/last_words.h"
#include "adapters/bzflag/wire/flag_effects.h"
#include "tests/bzflag/said.h"
#include "tests/support/hex.h"

namespace entente::bzflag::game_words_test {
namespace {

using wire::AdmissionState;

Reject reject(std::uint16_t code, std::string_view why = "") {
  Reject reject;
  reject.code = code;
  reject.reason.set(why);
  return reject;
}

Buffer joined(std::initializer_list<Buffer> parts) {
  Buffer all;
  for (const Buffer& part : parts) append(all, part);
  return all;
}

Buffer welcomed() {
  Welcome welcome;
  welcome.version.set("0221");
  welcome.id = 5;
  return by_server({welcome});
}

TEST_CASE("bzflag: a server has admitted a player with MsgAccept, banned one with three codes, and else not decided") {
  const auto state = [](const Buffer& frames) { return game().admission(frames, kDialect24); };
  CHECK(state({}) == AdmissionState::kUndecided);
  CHECK(state(welcomed()) == AdmissionState::kUndecided);
  CHECK(state(by_server({Accept{}})) == AdmissionState::kIn);
  CHECK(state(joined({welcomed(), by_server({GameTime{}, NegotiateFlags{}, Accept{}})})) == AdmissionState::kIn);
  for (const auto& [code, bans] : {std::pair<std::uint16_t, bool>{8, false}, {9, true}, {11, true}, {12, false}})
    CHECK((state(joined({welcomed(), by_server({GameTime{}, reject(code)})})) == AdmissionState::kBanned) == bans);
  Buffer torn = by_server({Accept{}});
  torn.pop_back();
  CHECK(state(torn) == AdmissionState::kUndecided);
  CHECK(state(by_server({reject(9), Accept{}})) == AdmissionState::kBanned);  // the first counts
  const Buffer refused = by_server({refusal(true, "go")});
  CHECK(game().admission(refused, kDialect20) == AdmissionState::kBanned);
  CHECK(game().admission(refused, kDialectWiki) == AdmissionState::kUndecided);
}

TEST_CASE("bzflag: the words of a ban are those of the refusal or of the reject, without colours and repeated marks") {
  const auto words = [](const Buffer& frames) { return game().words_of_ban(frames, kDialect24); };
  CHECK(words(by_server({refusal(true, "be nice")})) == "be nice");
  CHECK(words(joined({welcomed(), by_server({GameTime{}, reject(10, "go away")})})) == "go away");
  CHECK(words(by_server({reject(4, "full")})) == "");
  CHECK(words({}) == "");
  CHECK(ban_words("\x1b[37mred\x1b[1;32mgreen") == "redgreen");
  CHECK(ban_words("REFUSED:  a") == "a");
  CHECK(ban_words(std::string_view("a\0b", 3)) == "a");
  CHECK(ban_words("\x1b[") == "");
  CHECK(ban_words("\x1b") == "\x1b");
}

TEST_CASE("bzflag: a refusal that is no ban says that the player may try again, once") {
  CHECK(refusal(false, "away").reason.chars == std::string("away; try again later") + '\0');
  CHECK(refusal(false, "away; try again later").reason.chars == std::string("away; try again later") + '\0');
  CHECK(refusal(true, "away").reason.chars == std::string("away") + '\0');
  CHECK(is_refused_for_now("away; try again later"));
  CHECK_FALSE(is_refused_for_now("away; try again later, please"));
}

TEST_CASE(
    "bzflag: the last words to a client have the code of their reason, and none for a 2.4 client without a reason") {
  const auto code = [](wire::Parting parting) {
    return game().last_words(kDialect24, wire::ClientStage::kJoining, parting, "why").at(0).at(5);
  };
  CHECK(code(wire::Parting::kFull) == 5);
  CHECK(code(wire::Parting::kTooManyFromAddress) == 5);
  CHECK(code(wire::Parting::kBanned) == 9);
  CHECK(code(wire::Parting::kKicked) == 0);
  CHECK(code(wire::Parting::kServerGone) == 0);
  for (const auto stage : {wire::ClientStage::kNew, wire::ClientStage::kJoining, wire::ClientStage::kPlaying}) {
    const auto all = game().last_words(kDialect24, stage, wire::Parting::kLeft, "");
    REQUIRE(all.size() == 1);
    CHECK(to_hex(all[0]) == "0000736b");
  }
  const auto full = game().last_words(kDialectWiki, wire::ClientStage::kNew, wire::Parting::kFull, "full");
  CHECK(to_hex(full.at(0)) == "0000736b");  // the page has no refusals
  CHECK(game().announcement(kDialect24, std::string(128, 'x')).size() == 2);
  CHECK(game().announcement(kDialect24, "").empty());
}

TEST_CASE("bzflag: the URL of a server's own HTTP becomes that of the relay, and no other does") {
  const auto moved = [](const char* url, std::string host = "relay.org") {
    CacheUrl cache;
    cache.url.chars = std::string(url) + '\0';
    const Buffer before = joined({welcomed(), by_server({GameTime{7}, cache, GameTime{8}})});
    const Buffer after = game().with_http_at(before, kDialect24, {5154, std::move(host), 8000});
    if (after.empty()) return std::string();
    const std::string_view text = as_text(after);
    const std::size_t at = text.find("http");
    cache.url.chars = std::string(text.substr(at, text.find('\0', at) - at)) + '\0';
    CHECK(to_hex(after) == to_hex(joined({welcomed(), by_server({GameTime{7}, cache, GameTime{8}})})));
    return std::string(text.substr(at, text.find('\0', at) - at));
  };
  CHECK(moved("http://example.org:5154/map") == "http://relay.org:8000/map");
  CHECK(moved("http://example.org:5154/map", "") == "http://example.org:8000/map");
  CHECK(moved("http://example.org:5154") == "http://relay.org:8000");
  CHECK(moved("http://example.org:5155/map") == "");
  CHECK(moved("https://example.org:5154/map") == "");
  CHECK(moved("http://example.org/map:5154") == "");
  CHECK(game().answers_http(kDialect24));
  CHECK_FALSE(game().answers_http(kDialect20));
}

TEST_CASE("bzflag: the answers for a server on which nobody plays name no player") {
  CHECK(to_hex(game().greeting(kDialect24, 7)) == to_hex(as_bytes("BZFS0221\x07")));
  CHECK(game().greeting(kDialectWiki, 7).empty());
  const auto codec = make_message_codec(kDialect24);
  const Buffer answer = game().answer_to_asker(by_client({QueryGame{}}), kDialect24);
  const auto game_said = codec->read({wire::Way::kToClient, Lane::kStream, wire::Stage::kPlay, answer});
  REQUIRE(game_said.ok());
  CHECK(std::get<GameAnswer>(*game_said->message).sizes == std::array<std::uint16_t, 5>{});
}

TEST_CASE("bzflag: how a client that searches the local network is answered, for a bridge and for a relay") {
  wire::Status status;
  status.dialect = "2.4";
  status.players = 300;
  status.most_players = 40;
  status.ip4 = 0x0a000102;
  status.port = 5155;
  const auto read = [](const std::string& answer, std::size_t dialect) {
    const auto codec = make_message_codec(dialect);
    const auto heard = codec->read({wire::Way::kToClient, Lane::kDatagram, wire::Stage::kPlay, as_bytes(answer)});
    REQUIRE(heard.ok());
    return std::get<PingReply>(*heard->message);
  };
  const std::string bridge = lan_answer(status);
  const PingReply own = read(bridge, kDialect24);
  CHECK(std::string(own.version.view()) == "BZFS0221");
  CHECK(own.server.ip == std::array<std::uint8_t, 4>{10, 0, 1, 2});
  CHECK(own.address == own.server.ip);
  CHECK(own.server.port == 5155);
  CHECK(own.max_players == 40);
  CHECK(own.teams[0].count == 255);
  CHECK(own.teams[0].most == 40);
  status.most_players = 0;
  CHECK(read(lan_answer(status), kDialect24).max_players == kMostPlayers);

  PingReply server;
  server.version.set("BZFS1910");
  server.options = 8;
  server.teams[2] = {3, 9};
  Buffer said;
  make_message_codec(kDialect110)->write(server, wire::Way::kToClient, said);
  status.server = said;
  const PingReply relayed = read(lan_answer(status), kDialect110);
  CHECK(relayed.options == 8);
  CHECK(relayed.teams[2].count == 3);
  CHECK(relayed.server.port == 5155);
  CHECK(relayed.address == std::array<std::uint8_t, 4>{10, 0, 1, 2});
  status.server = Bytes(said).first(11);
  CHECK(lan_answer(status).empty());
  status.server = Bytes(said).first(said.size() - 1);
  CHECK(lan_answer(status).empty());
  status.server = {};
  status.dialect = "3.0";
  CHECK(lan_answer(status).empty());
}

TEST_CASE("bzflag: what the public list is told, and what it objects to") {
  PublicServer server;
  server.place = "example.org:5154";
  server.title = "a & b/\xc3\xa9";
  server.key = "k+";
  server.players = 3;
  server.most_players = 300;
  const std::string form = form_to_add(server);
  CHECK(
      form.starts_with("action=ADD&nameport=example.org:5154&version=BZFS0221&gameinfo="
                       "00000000000100000000000000000000ff03ff00ff00ff00ff00ff00ff&build=Entente&"));
  CHECK(form.find("&key=k%2B&") != std::string::npos);
  CHECK(form.ends_with("&title=a%20%26%20b%2F%C3%A9"));
  server.most_players = 0;
  CHECK(form_to_add(server).find("00000000c803c8") != std::string::npos);
  CHECK(form_to_remove("example.org:5154") == "action=REMOVE&nameport=example.org:5154");
  CHECK(objection_of_list("MSG: ok") == "");
  CHECK(objection_of_list("ERROR: no key\nmore") == "no key");
  CHECK(objection_of_list("MSG: hm\nERROR:no host\r\n") == "no host");
  CHECK(objection_of_list("no ERROR: here") == "");
  CHECK(objection_of_list("ERROR:") == "it gives no reason");
}

TEST_CASE("bzflag: a callsign is printable, tidy, mostly letters and digits, and never the server's") {
  CHECK(legal_callsign("anna") == "anna");
  CHECK(legal_callsign("  an  na ") == "an na");
  CHECK(legal_callsign("+@#anna+") == "anna+");
  CHECK(legal_callsign("an\"n'a\x7f") == "anna");
  CHECK(legal_callsign("My Server") == "player");
  CHECK(legal_callsign("a") == "player a");
  CHECK(legal_callsign("") == "player");
  CHECK(legal_callsign("--") == "player");
  CHECK(legal_callsign("ab--") == "player ab");
  CHECK(legal_callsign("abc--") == "abc--");
  CHECK(legal_callsign(std::string(31, 'x')) == std::string(31, 'x'));
  CHECK(legal_callsign(std::string(32, 'x')).size() == 31);
  CHECK(legal_callsign("ab" + std::string(29, '-')) == "player ab");
}

TEST_CASE("bzflag: teams, kinds of games, deaths and refusals have the numbers of real programs") {
  for (const auto& [number, team] : {std::pair<std::int16_t, words::Team>{0, words::ROGUE},
                                     {1, words::RED},
                                     {2, words::GREEN},
                                     {3, words::BLUE},
                                     {4, words::PURPLE},
                                     {6, words::RABBIT},
                                     {7, words::HUNTER}}) {
    CHECK(team_of(number) == team);
    CHECK(wire_team(team) == number);
    CHECK(target_team(team_target(number)) == number);
  }
  CHECK(team_of(kObserverTeam) == words::TEAM_ANY);
  CHECK(wire_team(words::TEAM_ANY) == kNoTeam);
  CHECK(wire_team(words::TEAM_ANY, 3) == 3);
  CHECK(wire_team(words::YELLOW) == 0);
  CHECK_FALSE(target_team(243).has_value());
  CHECK_FALSE(target_team(252).has_value());
  CHECK(role_of(kRobotPlayer, 1) == words::ROBOT);
  CHECK(role_of(kRobotPlayer, kObserverTeam) == words::WATCH);
  CHECK(role_of(kTankPlayer, 1) == words::PLAY);
  for (std::uint16_t type = 0; type < 4; ++type) CHECK(game_type_of(mode_of(type)) == type);
  CHECK(mode_of(99) == "rabbit chase");
  CHECK(game_type_of("chess") == 0);
  for (std::int16_t reason = 0; reason <= 6; ++reason) CHECK(death_reason(cause_of(reason)) == reason);
  CHECK(death_reason(cause_of(kDeathByDriver)) == kDeathByDriver);
  CHECK(cause_of(7) == words::UNKNOWN_DEATH);
  CHECK(death_reason(words::BY_FALL) == 5);
  CHECK(death_reason(words::UNKNOWN_DEATH) == 1);
  CHECK(reject_code(words::Refused::NO_ROGUES) == 1);
  CHECK(reject_code(words::Refused::NAME_NEEDS_LOGIN) == 6);
  CHECK(reject_code(words::Refused::BANNED) == 9);
  CHECK(reject_code(words::Refused::SERVER_GONE) == 0);
}

TEST_CASE("bzflag: a weapon is the two letters of its flag") {
  CHECK(weapon_of(flag_kind(std::string_view("GM"))) == 0x474d);
  CHECK(weapon_of(flag_kind(std::string_view("V"))) == 0x5600);
  CHECK(weapon_of(FlagKind{}) == 0);
  CHECK(code_of(flag_kind(std::uint32_t{0x474d})) == "GM");
  CHECK(code_of(flag_kind(std::uint32_t{0x5600})) == "V");
  CHECK(code_of(flag_kind(std::uint32_t{0x10000})) == "");  // of another game
  words::Shot shot;
  shot.set_kind(words::GUIDED);
  CHECK(weapon_of(shot) == 0x474d);
  shot.set_kind(words::WAVE);
  CHECK(weapon_of(shot) == 0x5357);
  shot.set_weapon(0x5600);
  CHECK(weapon_of(shot) == 0x5600);
  shot.set_weapon(0x10000);
  CHECK(weapon_of(shot) == 0);
  CHECK(&effect_of("??") == &effect_of(""));
  CHECK(effect_of("??").code == "");
}

TEST_CASE("bzflag: a token is the flag that its code, its team or its gift names, or one of an unknown kind") {
  const auto code = [](auto change) {
    words::Token token;
    change(token);
    return std::string(code_for(token));
  };
  CHECK(code([](words::Token& t) { t.set_code("V"); }) == "V");
  CHECK(code([](words::Token& t) { t.set_team(words::PURPLE); }) == "P*");
  CHECK(code([](words::Token& t) { t.set_team(words::ROGUE); }) == "");
  CHECK(code([](words::Token& t) { t.set_team(words::RABBIT); }) == "");
  CHECK(code([](words::Token& t) { t.set_gives(words::GUIDED); }) == "GM");
  CHECK(code([](words::Token& t) { t.set_gives(words::RAY); }) == "");
  CHECK(code_of(flag_of(words::Token()).flag.flag) == "PZ");
  CHECK(flag_of(words::Token()).flag.owner.byte == kNobody);
}

TEST_CASE("bzflag: a flag goes through words and back with every number") {
  NumberedFlag flag;
  flag.number = 6;
  flag.flag.flag = flag_kind(std::string_view("G*"));
  flag.flag.status = 3;
  flag.flag.endurance = 2;
  flag.flag.pos = {1, 2, 3};
  flag.flag.launch = {4, 5, 6};
  flag.flag.landing = {7, 8, 9};
  flag.flag.flight_time = 10;
  flag.flag.flight_end = 11;
  flag.flag.initial_velocity = 12;
  const words::Token token = token_of(flag);
  CHECK(token.id() == 7);
  CHECK(token.team() == words::GREEN);
  CHECK(token.kind() == words::Token::TEAM_FLAG);
  const NumberedFlag back = flag_of(token);
  CHECK(code_of(back.flag.flag) == "G*");
  CHECK(back.flag.status == 3);
  CHECK(back.flag.endurance == 2);
  CHECK(back.flag.pos == flag.flag.pos);
  CHECK(back.flag.launch == flag.flag.launch);
  CHECK(back.flag.landing == flag.flag.landing);
  CHECK(back.flag.flight_time == 10);
  CHECK(back.flag.flight_end == 11);
  CHECK(back.flag.initial_velocity == 12);
  flag.flag.flag = flag_kind(std::string_view("PZ"));
  CHECK(token_of(flag).code() == "");  // the server hides its kind
  flag.flag.status = 2;
  CHECK(token_of(flag).code() == "PZ");
  flag.flag.status = 77;
  CHECK(token_of(flag).state() == words::Token::NOWHERE);
  CHECK(token_of(flag).kind() == words::Token::FLAG);
}

TEST_CASE("bzflag: the states of a tank go through words and back, except those with a tail") {
  PlayerUpdate update;
  update.order = 5;
  for (const std::int16_t bit : {kPaused, kTeleporting, kFlagActive, kCrossingWall, kFalling}) {
    update.status = static_cast<std::int16_t>(kAlive | bit);
    const Message back = update_of(pose_of(update), 3, 1, true, false);
    CHECK(std::get<PlayerUpdate>(back).status == update.status);
    CHECK(std::get<PlayerUpdate>(back).order == 5);
    CHECK(std::get<PlayerUpdate>(back).player.byte == 3);
    CHECK(std::get<PlayerUpdate>(back).time == 1);
  }
  update.status = kAlive | kJumpJets;
  CHECK(pose_of(update).state() == std::uint32_t{words::Pose::JETTING});
  CHECK(std::get<PlayerUpdate>(update_of(pose_of(update), 3, 1, true, false)).status == kAlive);
  update.status = kAlive | kExploding;
  CHECK(std::get<PlayerUpdate>(update_of(pose_of(update), 3, 1, true, false)).status == kExploding);
  CHECK(std::get<PlayerUpdate>(update_of({}, 3, 1, false, false)).status == 0);
}

TEST_CASE("bzflag: an update is small if every number fits, and only where that is allowed") {
  const auto is_small = [](auto change, bool allowed = true) {
    words::Pose pose;
    change(pose);
    return std::holds_alternative<PlayerUpdateSmall>(update_of(pose, 1, 0, true, allowed));
  };
  CHECK(is_small([](words::Pose&) {}));
  CHECK_FALSE(is_small([](words::Pose&) {}, false));
  CHECK(is_small([](words::Pose& p) { p.set_x(655.3); }));
  CHECK_FALSE(is_small([](words::Pose& p) { p.set_x(656); }));
  CHECK_FALSE(is_small([](words::Pose& p) { p.set_y(-656); }));
  CHECK_FALSE(is_small([](words::Pose& p) { p.set_z(656); }));
  CHECK_FALSE(is_small([](words::Pose& p) { p.set_vx(328); }));
  CHECK_FALSE(is_small([](words::Pose& p) { p.set_vy(-328); }));
  CHECK_FALSE(is_small([](words::Pose& p) { p.set_vz(328); }));
  CHECK_FALSE(is_small([](words::Pose& p) { p.set_yaw_rate(33); }));
  CHECK(is_small([](words::Pose& p) { p.set_yaw(100); }));
}

TEST_CASE("bzflag: an own clock begins again after its turn") {
  const Dialect& dialect = kDialects[kDialect24];
  CHECK(clock_of(1'500'000, dialect) == 1.5F);
  CHECK(clock_of(16'384 * core::kSecond, dialect) == 0);
  CHECK(clock_of(16'385 * core::kSecond, dialect) == 1);
  CHECK(clock_of(16'385 * core::kSecond, kDialects[kDialect20]) == 16'385);
  CHECK(to_azimuth(1) == 1);
  CHECK(std::abs(to_azimuth(1e6)) <= 3.1416F);
}

TEST_CASE("bzflag: a variable of no size counts as one; a ray reaches no farther than across the world") {
  Variables variables;
  CHECK(factor(nullptr, variables) == 1);
  variables.set("_velocityAd", "0");
  CHECK(factor("_velocityAd", variables) == 1);
  variables.set("_velocityAd", "-2");
  CHECK(factor("_velocityAd", variables) == 1);
  variables.set("_velocityAd", "3");
  CHECK(factor("_velocityAd", variables) == 3);
  CHECK(ray_range(100, 2, 800) == 200);
  CHECK(ray_range(1000, 20, 800) == doctest::Approx(800 * std::numbers::sqrt2));
  CHECK(ray_range(0, 20, 800) == 0);
  CHECK(nature_of(effect_of("SB"), variables, true, 1).through);
  CHECK_FALSE(nature_of(effect_of("SB"), variables, true, 1).bounces);
  CHECK(nature_of(effect_of("R"), variables, false, 1).bounces);
  CHECK(nature_of(effect_of(""), variables, true, 1).bounces);
  CHECK_FALSE(nature_of(effect_of(""), variables, false, 1).bounces);
  CHECK_FALSE(nature_of(effect_of("GM"), variables, true, 1).bounces);
  CHECK(nature_of(effect_of("GM"), variables, true, 1).harmless_s > 0);
  CHECK(nature_of(effect_of(""), variables, true, 1).harmless_s == 0);
}

}  // namespace
}  // namespace entente::bzflag::game_words_test
