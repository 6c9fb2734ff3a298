// What the flags of others do to the tank that our back drives, what our tank does with its own, and what the room is
// told. The expected effects are those of flag_effects(), from which the README's table is made.
#include "adapters/bzflag/wire/flag_effects.h"

#include <fstream>
#include <limits>
#include <sstream>

#include "tests/bzflag/back_stage.h"
#include "tests/bzflag/front_stage.h"
#include "tests/support/paths.h"

namespace entente::bzflag::flags_test {
namespace {

using Victim = FlagEffect::Victim;
using Walls = FlagEffect::Walls;

constexpr std::uint16_t kNoTeamKills = 0x400;

/// Our tank, number 3, is at x, y, and driven by the back. Ben, number 5, is of another team.
testing::BackStage driven(float x = 0, float y = 0, std::uint16_t options = 0, std::uint16_t game_type = 0) {
  auto stage = back_stage();
  const Buffer world = small_world();
  GameSettings settings = small_settings();
  settings.options = options;
  settings.game_type = game_type;
  stage.opens();
  stage.receives(by_server({welcome(3), GameTime{1}, NegotiateFlags{}}));
  stage.receives(by_server({settings, hash_of(world), WorldChunk{0, 0, world}}));
  stage.receives(by_server({LinkAnswer{}}), Lane::kDatagram);
  stage.hears(anna(false));
  stage.receives(by_server({Accept{player_id(3)}, add_player(5, 2, "ben"), add_player(3, 1, "anna")}));
  stage.receives(by_server({alive(3, x, y)}));
  return stage;
}

NumberedFlag carried(std::uint8_t by, std::string_view code, std::uint16_t number = 2) {
  NumberedFlag flag;
  flag.number = number;
  flag.flag.flag = flag_kind(code);
  flag.flag.status = 2;
  flag.flag.endurance = 1;
  flag.flag.owner = player_id(by);
  return flag;
}

/// Our player asks for this flag, and gets it.
void take(testing::BackStage& stage, std::string_view code) {
  words::TokenWish wish;
  wish.set_token(3);
  stage.hears(wish);
  const std::string taken = stage.receives(by_server({GrabFlag{player_id(3), carried(3, code)}}));
  REQUIRE(lines(taken, "sends MsgDropFlag").empty());
}

/// As on the wire, whatever the flag is: 100 m/s for 3.5 s.
ShotBegin shot(std::string_view code, Vec3 from, Vec3 velocity, std::uint8_t by = 5) {
  ShotBegin begin;
  begin.player = player_id(by);
  begin.shot = 0x0100;
  begin.flag = flag_kind(code);
  begin.pos = from;
  begin.vel = velocity;
  begin.team = 2;
  begin.life = 3.5F;
  return begin;
}

std::string after(testing::BackStage& stage, const Message& message, core::Micros time = 2 * core::kSecond) {
  std::string said = stage.receives(by_server({message}));
  return said + stage.waits(time);
}

std::string sent(const std::string& play, std::string_view message) {
  return lines(play, "sends " + std::string(message)) + lines(play, "sends by datagram " + std::string(message));
}

TEST_CASE("every flag's shots do to a driven tank what the table says") {
  for (const FlagEffect& effect : flag_effects()) {
    CAPTURE(effect.code);
    auto stage = driven();
    const float far = effect.kind == words::GUIDED ? 90 : 40;  // a guided one is harmless at first
    const std::string hit = after(stage, shot(effect.code, {0, far, 1.57F}, {0, -100, 0}));
    const bool dies = effect.victim == Victim::kDies || effect.victim == Victim::kDiesWithTeam;
    const std::string killed = "sends MsgKilled killer=5 reason=1 shot=256 flag=\"" + std::string(effect.code) + "\"\n";
    CHECK(sent(hit, "MsgKilled").starts_with(dies ? killed : ""));
    CHECK(sent(hit, "MsgKilled").empty() == !dies);
    CHECK(sent(hit, "MsgShotEnd").empty() == (!dies || effect.goes_on));
    CHECK(sent(hit, "MsgTransferFlag").empty());  // our tank has no flag
  }
}

TEST_CASE("buildings stop the shots of every flag that the table does not let through") {
  for (const FlagEffect& effect : flag_effects()) {
    CAPTURE(effect.code);
    auto stage = driven();  // the box is between 40 and 60
    const std::string hit = after(stage, shot(effect.code, {100, 0, 1.57F}, {-100, 0, 0}));
    const bool through = effect.walls == Walls::kThrough && effect.victim != Victim::kIfZoned;
    CHECK(sent(hit, "MsgKilled").empty() == !through);
  }
}

TEST_CASE("the room is told of every flag's shots as they fly") {
  for (const FlagEffect& effect : flag_effects()) {
    CAPTURE(effect.code);
    auto stage = driven();
    const std::string said =
        lines(stage.receives(by_server({shot(effect.code, {0, 40, 0}, {0, -100, 0})})), "says Shot ");
    CHECK((said.find("kind: RAY") != std::string::npos) == (effect.kind == words::RAY));
    CHECK((said.find("kind: WAVE") != std::string::npos) == (effect.kind == words::WAVE));
    CHECK((said.find("kind: GUIDED") != std::string::npos) == (effect.kind == words::GUIDED));
  }
  auto stage = driven();
  CHECK(
      stage.receives(by_server({shot("SW", {0, 40, 0}, {0, -100, 0}, kServerId)})) ==
      "says Shot shot: 256 weapon: 21335 kind: WAVE y: 40 life: 0.70000001043081284 range: 60 team: GREEN radius: 6\n");
  CHECK(stage.receives(by_server({shot("L", {0, 0, 1.5F}, {80, 0, 0})})).find(" vx: 1 life: 0.35") !=
        std::string::npos);
  CHECK(stage.receives(by_server({shot("L", {0, 0, 1.5F}, {80, 0, 0})})).find(" range: 40 ") != std::string::npos);
  CHECK(stage.receives(by_server({shot("F", {0, 0, 1.5F}, {80, 0, 0})})).find(" vx: 120 life: 1.75 range: 210 ") !=
        std::string::npos);
}

TEST_CASE("a shock wave hits when it has grown to the tank, through a building, and not beyond its largest radius") {
  const auto seconds_until_death = [](float x) {
    auto stage = driven();
    std::string said = stage.receives(by_server({shot("SW", {x, 0, 0}, {100, 0, 0}, kServerId)}));
    for (int tick = 0; tick < 50; ++tick) {
      said += stage.waits(20 * core::kMillisecond);
      if (!sent(said, "MsgKilled").empty()) return 0.02 * (tick + 1);
    }
    return 0.0;
  };
  CHECK(seconds_until_death(5) < 0.1);
  CHECK(seconds_until_death(55) > 0.63);  // 0.7 s * (55 - 6) / (60 - 6) = 0.635 s
  CHECK(seconds_until_death(55) < 0.7);
  CHECK(seconds_until_death(-61) == 0);
}

TEST_CASE("a laser hits at once, along its way, for as long as it is there; also those who come into it") {
  auto stage = driven();
  const std::string at_once = after(stage, shot("L", {0, 190, 1.57F}, {0, -100, 0}), 80 * core::kMillisecond);
  CHECK(sent(at_once, "MsgKilled").starts_with("sends MsgKilled killer=5 reason=1"));
  CHECK(sent(at_once, "MsgShotEnd").empty());
  auto beside = driven();
  CHECK(sent(after(beside, shot("L", {4.4F, 190, 1.57F}, {0, -100, 0})), "MsgKilled").empty());
  auto late = driven(-12, 0);
  words::Toward east;
  east.set_x(30);
  late.hears(east);
  CHECK(sent(after(late, shot("L", {0, 190, 1.57F}, {0, -100, 0})), "MsgKilled").size() > 0);
  auto too_late = driven(-20, 0);
  too_late.hears(east);
  CHECK(sent(after(too_late, shot("L", {0, 190, 1.57F}, {0, -100, 0})), "MsgKilled").empty());
}

TEST_CASE("shots bounce off buildings where all do, or with the flag for it, and may then hit their own tank") {
  const auto bounced = [](std::string_view code, std::uint16_t options) {
    auto stage = driven(20, -20, options);  // the shot meets the side of the box at 40, 0
    return !sent(after(stage, shot(code, {20, 20, 1.57F}, {70, -70, 0})), "MsgKilled").empty();
  };
  CHECK_FALSE(bounced("", 0));
  CHECK(bounced("", kRicochet));
  CHECK(bounced("R", 0));
  CHECK(bounced("L", kRicochet));
  CHECK_FALSE(bounced("L", 0));
  for (const char* code : {"", "L", "SW", "TH"}) {
    CAPTURE(code);
    auto stage = driven(20, 0, kRicochet);
    const std::string hit = after(stage, shot(code, {24.5F, 0, 1.57F}, {100, 0, 0}, 3));
    const bool bounces = effect_of(code).victim == Victim::kDies && effect_of(code).kind != words::WAVE;
    CHECK(sent(hit, "MsgKilled").starts_with(bounces ? "sends MsgKilled killer=3 reason=1 shot=256" : ""));
    CHECK(sent(hit, "MsgKilled").empty() == !bounces);
  }
  auto thief = driven(20, 0, kRicochet);
  take(thief, "TH");
  CHECK(sent(after(thief, shot("TH", {24.5F, 0, 1.57F}, {100, 0, 0}, 3)), "MsgTransferFlag").empty());
}

TEST_CASE("a tank is hit within its radius and at its height, and a narrow, tiny or large one as its flag says") {
  const auto hit = [](std::string_view mine, float beside, float height = 1.57F) {
    auto stage = driven();
    if (!mine.empty()) take(stage, mine);
    return !sent(after(stage, shot("", {-40, beside, height}, {100, 0, 0})), "MsgKilled").empty();
  };
  CHECK(hit("", 4.1F));
  CHECK_FALSE(hit("", 4.4F));
  CHECK_FALSE(hit("", 0, 2.5F));  // above it
  CHECK(hit("N", 0.4F));
  CHECK_FALSE(hit("N", 0.6F));
  CHECK(hit("T", 1.3F));
  CHECK_FALSE(hit("T", 1.9F));
  CHECK(hit("O", 10.4F));
  CHECK_FALSE(hit("O", 11));
}

TEST_CASE("a shield gives the flag instead of the life") {
  auto stage = driven();
  take(stage, "SH");
  const std::string hit = after(stage, shot("", {0, 40, 1.57F}, {0, -100, 0}));
  CHECK(sent(hit, "MsgDropFlag") == "sends MsgDropFlag pos=(0 0 0)\n");
  CHECK_FALSE(sent(hit, "MsgShotEnd").empty());
  CHECK(sent(hit, "MsgKilled").empty());
  NumberedFlag dropped = carried(3, "SH");
  dropped.flag.status = 3;
  stage.receives(by_server({DropFlag{player_id(3), dropped}}));
  ShotBegin second = shot("", {0, 40, 1.57F}, {0, -100, 0});
  second.shot = 0x0200;
  CHECK_FALSE(sent(after(stage, second), "MsgKilled").empty());
}

TEST_CASE("a flag is dropped where its tank is now") {
  auto shielded = driven(30, 20);
  take(shielded, "SH");
  const std::string hit = after(shielded, shot("", {30, 60, 1.57F}, {0, -100, 0}));
  CHECK(sent(hit, "MsgDropFlag") == "sends MsgDropFlag pos=(30 20 0)\n");

  auto driving = driven(30, 20);
  words::Toward goal;
  goal.set_x(80);
  goal.set_y(20);
  driving.hears(goal);
  driving.waits(core::kSecond);
  const double x = driving.world().unit(driving.world().player(1)->active)->unit.pose().x();
  CHECK(x > 35);
  const std::string unasked =
      sent(driving.receives(by_server({GrabFlag{player_id(3), carried(3, "V")}})), "MsgDropFlag");
  const std::string begin = "sends MsgDropFlag pos=(";
  REQUIRE(unasked.starts_with(begin));
  CHECK(std::stod(unasked.substr(begin.size())) == doctest::Approx(x));
}

TEST_CASE("a thief takes the flag, and nothing from a tank that has none; a flag is dropped before a death") {
  auto stage = driven();
  take(stage, "V");
  const std::string robbed = after(stage, shot("TH", {0, 40, 1.57F}, {0, -100, 0}));
  CHECK(sent(robbed, "MsgTransferFlag") == "sends MsgTransferFlag from=3 to=5\n");
  CHECK(sent(robbed, "MsgKilled").empty());
  CHECK(sent(robbed, "MsgDropFlag").empty());
  CHECK(lines(stage.receives(by_server({TransferFlag{3, 5, carried(5, "V")}})), "says TokenTaken").find(" from: 1") !=
        std::string::npos);
  auto shot_down = driven();
  take(shot_down, "V");
  const std::string died = after(shot_down, shot("", {0, 40, 1.57F}, {0, -100, 0}), 450 * core::kMillisecond);
  CHECK(died.find("sends MsgDropFlag") < died.find("sends MsgKilled"));
  CHECK(died.find("sends MsgKilled") != std::string::npos);
}

TEST_CASE("lasers pass a cloaked tank, and the shots of a tank that pauses do not count") {
  auto cloaked = driven();
  take(cloaked, "CL");
  CHECK(sent(after(cloaked, shot("L", {0, 40, 1.57F}, {0, -100, 0})), "MsgKilled").empty());
  CHECK_FALSE(sent(after(cloaked, shot("", {0, 40, 1.57F}, {0, -100, 0})), "MsgKilled").empty());
  auto stage = driven();
  stage.receives(by_server({Pause{5, 1}}));
  CHECK(sent(after(stage, shot("", {0, 40, 1.57F}, {0, -100, 0})), "MsgKilled").empty());
}

TEST_CASE("shots of the own team are harmless where that is the rule; a thief is a thief") {
  auto stage = driven(0, 0, kNoTeamKills);
  ShotBegin by_mate = shot("", {0, 40, 1.57F}, {0, -100, 0});
  by_mate.team = 1;
  CHECK(sent(after(stage, by_mate), "MsgKilled").empty());
  take(stage, "V");
  by_mate.flag = flag_kind("TH");
  CHECK_FALSE(sent(after(stage, by_mate), "MsgTransferFlag").empty());
}

TEST_CASE("a steamroller kills by touch, unless it pauses, is below the ground, or is of the own team") {
  const auto rolled = [](std::string_view code, float x, float z, bool paused = false, std::uint16_t options = 0) {
    auto stage = driven(0, 0, options);
    if (options != 0) stage.receives(by_server({add_player(5, 1, "ben")}));
    stage.receives(by_server({GrabFlag{player_id(5), carried(5, code)}, Pause{5, std::uint8_t{paused}}}));
    words::Pose there;
    there.set_x(x);
    there.set_z(z);
    there.set_seq(9);
    return sent(after(stage, update_of(there, 5, 1, true), 300 * core::kMillisecond), "MsgKilled");
  };
  CHECK(rolled("SR", 12.5F, 0) == "sends MsgKilled killer=5 reason=2 shot=65535 flag=\"\"\n");
  CHECK(rolled("SR", 13.5F, 0).empty());
  CHECK(rolled("SR", 5, 6.5F).empty());  // upwards, distances count twice
  CHECK(rolled("V", 3, 0).empty());
  CHECK(rolled("SR", 3, -1).empty());
  CHECK(rolled("SR", 3, 0, true).empty());
  CHECK(rolled("SR", 3, 0, false, kNoTeamKills).empty());
}

TEST_CASE("a burrowed tank is missed by shots and found by shock waves and by whoever rolls over it") {
  const auto burrowed = [] {
    auto stage = driven();
    take(stage, "BU");
    stage.waits(2 * core::kSecond);
    return stage;
  };
  auto stage = burrowed();
  CHECK(sent(after(stage, shot("", {0, 40, 1.57F}, {0, -100, 0})), "MsgKilled").empty());
  CHECK_FALSE(sent(after(stage, shot("SW", {0, 40, 0}, {})), "MsgKilled").empty());
  auto under = burrowed();
  words::Pose there;
  there.set_x(6);
  there.set_seq(9);
  CHECK(sent(after(under, update_of(there, 5, 1, true), 300 * core::kMillisecond), "MsgKilled")
            .starts_with("sends MsgKilled killer=5 reason=2"));
}

TEST_CASE("a guided missile turns to its target, the room sees that, and stealth shakes it off") {
  const auto guided = [](std::string_view mine, std::uint8_t target) {
    auto stage = driven();
    if (!mine.empty()) take(stage, mine);
    std::string said = stage.receives(by_server({shot("GM", {-150, 60, 1.57F}, {100, 0, 0})}));
    GuidedUpdate update;
    update.player = player_id(5);
    update.shot = 0x0100;
    update.pos = {-150, 60, 1.57F};
    update.vel = {100, 0, 0};
    update.target = player_id(target);
    said += stage.receives(by_server({update}));
    return said + stage.waits(3 * core::kSecond);
  };
  const std::string followed = guided("", 3);
  CHECK_FALSE(sent(followed, "MsgKilled").empty());
  CHECK(numbers_after(lines(followed, "says ShotMoved"), " vy: -").size() > 10);
  for (const std::string& straight : {guided("", kNobody), guided("ST", 3)}) {
    CHECK(sent(straight, "MsgKilled").empty());
    CHECK(numbers_after(lines(straight, "says ShotMoved"), " vy: -").empty());
  }
}

TEST_CASE("our own shots have the speed and the life that bzfs expects, and reload as their flag says") {
  for (const FlagEffect& effect : flag_effects()) {
    CAPTURE(effect.code);
    auto stage = driven();
    if (!effect.code.empty()) take(stage, effect.code);
    stage.hears(words::Keys());
    stage.waits(110 * core::kMillisecond);
    words::Trigger trigger;
    trigger.set_primary(true);
    std::string said = stage.hears(trigger);
    said += stage.waits(3 * core::kSecond);
    const std::string fired = sent(said, "MsgShotBegin");
    REQUIRE_FALSE(fired.empty());
    CHECK(numbers_after(fired, " life=")[0] == doctest::Approx(3.5));
    const bool wave = effect.kind == words::WAVE;
    CHECK(numbers_after(fired, " vel=(")[0] == doctest::Approx(wave ? 0 : 100));
    const std::string flag = effect.victim == Victim::kIfZoned ? "" : std::string(effect.code);
    CHECK(fired.find(" flag=\"" + flag + "\"") != std::string::npos);
    const Variables variables;
    const double expected = std::min(75.0, 2 * 3 * factor(effect.fire_rate, variables) / 3.5);
    CHECK(std::abs(static_cast<double>(numbers_after(fired, " life=").size()) - expected) < 0.3 * expected + 2);
  }
}

TEST_CASE("our own shots leave a large tank farther from its middle, and a small one nearer to it") {
  const auto muzzle = [](std::string_view code) {
    auto stage = driven();
    if (!code.empty()) take(stage, code);
    stage.hears(words::Keys());
    stage.waits(110 * core::kMillisecond);
    const std::string fired = sent(stage.hears(words::Split()), "MsgShotBegin");
    REQUIRE_FALSE(fired.empty());
    return numbers_after(fired, " pos=(")[0];
  };
  CHECK(muzzle("") == doctest::Approx(4.42));
  CHECK(muzzle("O") == doctest::Approx(2.5 * 4.42));
  CHECK(muzzle("T") == doctest::Approx(0.4 * 4.42));
}

TEST_CASE("where tanks jump, one that has burrowed or has the flag against it does not") {
  const auto jumps = [](std::string_view code) {
    auto stage = driven(0, 0, kJumping);
    if (!code.empty()) take(stage, code);
    stage.waits(2 * core::kSecond);
    words::Keys keys;
    keys.set_bits(words::Keys::JUMP);
    stage.hears(keys);
    return lines(stage.waits(core::kSecond), "says Pose").find(" vz: ") != std::string::npos;
  };
  CHECK(jumps(""));
  CHECK_FALSE(jumps("NJ"));
  CHECK_FALSE(jumps("BU"));
}

TEST_CASE("a flag changes the speed, the turn and the size of a driven tank by its variable") {
  const auto metres = [](std::string_view code) {
    auto stage = driven(-100, 100);
    if (!code.empty()) take(stage, code);
    words::Toward east;
    east.set_x(190);
    east.set_y(100);
    stage.hears(east);
    const auto places = numbers_after(lines(stage.waits(2 * core::kSecond), "says Pose"), " x: ");
    return places.back() + 100;
  };
  const double plain = metres("");
  CHECK(plain == doctest::Approx(50).epsilon(0.05));
  CHECK(metres("V") == doctest::Approx(75).epsilon(0.05));
  CHECK(metres("TH") == doctest::Approx(83.5).epsilon(0.05));
  CHECK(metres("BU") == doctest::Approx(40).epsilon(0.1));
}

TEST_CASE("shots go through words and back without a change, except the speed of rays and waves") {
  Variables variables;
  variables.set("_rFireAdVel", "1.7");
  variables.set("_mGunAdRate", "11");
  for (const FlagEffect& effect : flag_effects()) {
    for (const float speed : {100.0F, 117.31F, 25.7F}) {
      CAPTURE(effect.code);
      ShotBegin begin = shot(effect.code, {1, 2, 3}, {speed, -speed / 3, 0.1F * speed}), back;
      begin.life = 3.5F + speed / 1000;
      words::Shot word;
      fly_in_words(begin, effect, variables, 800, word);
      fly_on_wire(word, effect, variables, back);
      CHECK(back.life == begin.life);
      if (effect.kind == words::WAVE) CHECK(back.vel == Vec3{});
      if (effect.kind == words::RAY) CHECK(back.vel[1] / back.vel[0] == doctest::Approx(-1.0 / 3));
      if (effect.kind != words::RAY && effect.kind != words::WAVE) CHECK(back.vel == begin.vel);
    }
  }
}

TEST_CASE("a shot lives for at most a minute in words, and no length is negative, whatever the server sends") {
  Variables variables;
  for (const char* name : {"_shockInRadius", "_shockOutRadius", "_worldSize"}) variables.set(name, "-60");
  for (const FlagEffect& effect : flag_effects()) {
    for (const float life : {1e9F, -1.0F, std::numeric_limits<float>::quiet_NaN()}) {
      CAPTURE(effect.code);
      CAPTURE(life);
      ShotBegin begin = shot(effect.code, {1, 2, 3}, {100, 0, 0});
      begin.life = life;
      words::Shot word;
      fly_in_words(begin, effect, variables, variables["_worldSize"], word);
      CHECK(word.life() == (life > 0 ? 60 : 0));
      CHECK(word.range() >= 0);
      CHECK(word.radius() >= 0);
      CHECK(nature_of(effect, variables, false, word.range()).radius >= 0);
      CHECK(core::wave_radius(word, 1) >= 0);
    }
  }
}

TEST_CASE("a BZFlag client fires and sees the shots of every flag as on a server of its own game") {
  for (const FlagEffect& effect : flag_effects()) {
    CAPTURE(effect.code);
    const ShotBegin begin = shot(effect.code, {40, 0, 1.57F}, {-100, 0, 0});
    words::Shot word;
    word.set_shooter(2);
    word.set_unit(12);
    word.set_shot(0x100);
    word.set_weapon(weapon_of(begin.flag));
    fly_in_words(begin, effect, Variables(), 800, word);
    auto stage = front_stage();
    come_in(stage, true);
    const std::string seen = stage.hears(word);
    CHECK(seen.find(" flag=\"" + std::string(effect.code) + "\" life=3.5") != std::string::npos);
    CHECK(numbers_after(seen, " vel=(")[0] == doctest::Approx(effect.kind == words::WAVE ? 0 : -100));

    ShotBegin own = begin;
    own.player = player_id(1);
    const std::string fired = lines(stage.receives(by_client({own})), "says Fire");
    CHECK((fired.find("kind: RAY") != std::string::npos) == (effect.kind == words::RAY));
    CHECK((fired.find("kind: WAVE") != std::string::npos) == (effect.kind == words::WAVE));
  }
}

TEST_CASE("genocide kills the team of the victim only where there are teams") {
  for (const std::uint16_t kind : {std::uint16_t{0}, std::uint16_t{2}}) {
    auto stage = driven(0, 0, 0, kind);
    stage.receives(by_server({add_player(6, 1, "cleo"), alive(6, 30, 30)}));
    Killed killed;
    killed.victim = player_id(6);
    killed.killer = player_id(5);
    killed.death.reason = 1;
    killed.death.shot = 256;
    killed.death.flag = flag_kind("G");
    const std::string said = sent(stage.receives(by_server({killed})), "MsgKilled");
    CHECK(said.starts_with(kind == 0 ? "sends MsgKilled killer=5 reason=4" : ""));
    CHECK(said.empty() == (kind == 2));
  }
}

TEST_CASE("the README has the table of flags") {
  const std::string path = testing::source_dir() + "/adapters/bzflag/README.md";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  CHECK_MESSAGE(text.str().find("<!-- flags -->\n" + flags_table() + "<!-- /flags -->") != std::string::npos,
                "the table should be:\n"
                    << flags_table());
}

}  // namespace
}  // namespace entente::bzflag::flags_test
