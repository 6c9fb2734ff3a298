// What our client of an Ace of Spades server sends for each wish of its player, and what it keeps back.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/mapping.h"
#include "tests/aos/back_stage.h"
#include "tests/games/every_fact.h"

namespace entente::aos::back_wishes_test {
namespace {

using core::kMillisecond, core::kSecond;

constexpr core::Micros kSoon = 100 * kMillisecond;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

words::Fire fire_along(double yaw) {
  words::Fire fire;
  fire.set_vx(std::cos(yaw));
  fire.set_vy(std::sin(yaw));
  return fire;
}
words::Fire grenade() {
  words::Fire fire = fire_along(0);
  fire.set_kind(words::GRENADE);
  fire.set_life(2);
  return fire;
}
words::Edit edit(words::Edit::Op op, std::uint32_t colour = 0) {
  words::Edit edit;
  edit.set_op(op);
  edit.set_x(-160);
  edit.set_y(160);
  edit.set_z(4);
  edit.set_x2(-160);
  edit.set_y2(160);
  edit.set_z2(4);
  edit.set_colour(colour);
  return edit;
}
words::Tool tool(std::uint32_t number) {
  words::Tool tool;
  tool.set_number(number);
  return tool;
}
words::Trigger trigger(bool primary, bool secondary = false) {
  words::Trigger trigger;
  trigger.set_primary(primary);
  trigger.set_secondary(secondary);
  return trigger;
}
words::Say say(const char* text, words::Say::Scope scope = words::Say::EVERYBODY) {
  words::Say say;
  say.set_text(text);
  say.set_scope(scope);
  return say;
}
words::Change change(int team, std::uint32_t kit = 0) {
  words::Change change;
  if (team >= 0) change.set_team(static_cast<words::Team>(team));
  if (kit != 0) change.set_kit(kit);
  return change;
}
words::PoseClaim claim(double x, double y) {
  words::PoseClaim claim;
  claim.set_x(x);
  claim.set_y(y);
  claim.set_z(3.125);
  return claim;
}

/// In play; the player's client is one of this game if `own`: it has sent keys and a claim.
struct Game : Scene {
  explicit Game(bool own = false, std::size_t which = 0) : Scene(which) {
    plays();
    if (!own) return;
    hears(words::Keys());
    hears(claim(-164.84375, 164.84375));
    waits(kSecond);
  }
  std::string dies() { return receives(KillAction{3, 5, 0, 5}); }
  std::string lives(std::uint8_t weapon = 0) {
    CreatePlayer message = created(3, 0, 150.5F, 150.5F, "anna");
    message.weapon = weapon;
    return receives(message);
  }
};

// -- Life and death ---------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a dead player shoots, throws, builds, reloads and talks with its hands no more") {
  for (const bool own : {false, true}) {
    CAPTURE(own);
    Game game(own);
    game.dies();
    CHECK(has(game.hears(fire_along(0)), "loses Fire: the player is not in play\n"));
    CHECK(game.hears(grenade()) == "loses Fire: the player is not in play\n");
    CHECK(game.hears(edit(words::Edit::BUILD)) == "loses Edit: the player is not in play\n");
    CHECK(game.hears(words::Reload()) == "loses Reload: the player is not in play\n");
    CHECK(game.hears(words::Eject()) == "loses Reload: the player is not in play\n");
    words::HitClaim hit;
    hit.set_victim(101);
    CHECK(game.hears(hit) == "loses HitClaim: the victim or the shooter is not in play\n");
    if (own) CHECK(game.hears(trigger(true)) == "loses Trigger: the player is not in play\n");
    CHECK_FALSE(has(game.hears(words::Keys()) + game.hears(claim(0, 0)) + game.waits(kSecond), "sends "));
  }
}

TEST_CASE("aos back: each life begins with full ammunition, whatever the last one had used up") {
  Game game;
  game.snapshot({{5, {160.5F, 150.5F, 57.75F}}});
  game.hears(fire_along(0));
  game.hears(grenade());
  game.receives(BlockAction{3, kBuild, {153, 153, 59}});
  game.dies();
  CHECK(has(game.lives(), "says Ammo player: 1 clip: 10 reserve: 50 blocks: 50 grenades: 3 (to 1)\n"));
  CHECK(has(game.lives(1), "says Ammo player: 1 clip: 30 reserve: 120 blocks: 50 grenades: 3 (to 1)\n"));
  CHECK(has(game.lives(2), "says Ammo player: 1 clip: 6 reserve: 48 blocks: 50 grenades: 3 (to 1)\n"));
}

TEST_CASE("aos back: a player in its next life stands still until it is told to move") {
  Game game;
  words::Toward toward;
  toward.set_x(-100);
  toward.set_y(164.84375);
  game.hears(toward);
  game.waits(kSecond);
  game.dies();
  game.lives();
  game.waits(2 * kSecond);  // it falls to the ground first
  const std::string rests = game.waits(3 * kSecond);
  CHECK(count(rests, "sends PositionData") == 0);
  CHECK(count(rests, "says Pose") == 0);
}

TEST_CASE("aos back: a trigger that was pulled in the last life is not released in the next one") {
  Game game;
  CHECK(has(game.hears(fire_along(0)), "sends WeaponInput player=3 buttons=1\n"));
  game.dies();
  game.lives();
  CHECK_FALSE(has(game.waits(kSecond), "WeaponInput"));
  CHECK(has(game.hears(fire_along(0)), "sends WeaponInput player=3 buttons=1\n"));
}

TEST_CASE("aos back: a server that never spawns its player is asked ten times in all, and no more") {
  Game game;
  game.dies();
  const std::string said = game.waits(600 * kSecond);
  CHECK(count(said, "loses Spawn: the server did not answer in time") == 10);
  CHECK(count(said, "says Notice") == 1);
}

TEST_CASE("aos back: a server that lets its player in late is believed") {
  Game game;
  CHECK_FALSE(has(game.waits(60 * kSecond), "loses "));  // the request to enter was answered
  game.hears(change(words::GREEN));
  game.receives(KillAction{3, 3, kByTeamChange, 2});
  game.receives(created(3, 1, 150.5F, 150.5F, "anna"));
  CHECK_FALSE(has(game.waits(60 * kSecond), "loses "));
}

// -- The gun ----------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a shot hits the nearest living enemy in sight, nobody else") {
  Game game;
  const auto hit = [&] {
    game.waits(kSecond);
    game.snapshot({{5, {160.5F, 150.5F, 57.75F}}, {6, {155.5F, 150.5F, 57.75F}}, {7, {153, 150.5F, 57.75F}}});
    return kept(game.hears(fire_along(0)), [](std::string_view line) { return line.starts_with("sends Hit"); });
  };
  game.receives(existing(6, 1, "cleo"));
  game.receives(existing(7, 0, "dora"));  // on our side, and nearer
  CHECK(hit() == "sends Hit victim=6 part=1\n");
  game.receives(KillAction{6, 3, 0, 5});
  CHECK(hit() == "sends Hit victim=5 part=1\n");
  game.waits(kSecond);
  game.snapshot({});  // nobody can be seen
  CHECK_FALSE(has(game.hears(fire_along(0)), "sends Hit"));
  game.waits(kSecond);
  game.snapshot({{5, {160.5F, 150.5F, 57.75F}}});
  CHECK(has(game.hears(fire_along(0)), "sends Hit victim=5"));
  game.receives(PlayerLeft{5});
  game.waits(kSecond);
  CHECK_FALSE(has(game.hears(fire_along(0)), "sends Hit"));
}

TEST_CASE("aos back: of two enemies behind each other, a shot hits the nearer one, whatever their numbers are") {
  Game game;
  game.receives(existing(6, 1, "cleo"));
  for (const float x : {155.5F, 165.5F}) {
    game.waits(kSecond);
    game.snapshot({{5, {x, 150.5F, 57.75F}}, {6, {160.5F, 150.5F, 57.75F}}});
    const std::string hits =
        kept(game.hears(fire_along(0)), [](std::string_view line) { return line.starts_with("sends Hit"); });
    CHECK(hits == (x < 160 ? "sends Hit victim=5 part=1\n" : "sends Hit victim=6 part=1\n"));
  }
}

TEST_CASE("aos back: a shot over the head of an enemy who crouches does not hit him") {
  Game game;
  const auto hits = [&](std::uint8_t keys) {
    game.waits(kSecond);
    game.receives(InputData{5, keys});
    game.snapshot({{5, {160.5F, 150.5F, keys == 0 ? 57.75F : 58.65F}}});
    return has(game.hears(fire_along(0)), "sends Hit victim=5");
  };
  CHECK(hits(0));
  CHECK_FALSE(hits(words::Keys::CROUCH));
}

TEST_CASE("aos back: each pellet of a shotgun may hit") {
  Game game;
  game.dies();
  game.lives(2);
  game.waits(kSecond);
  game.snapshot({{5, {152.5F, 150.5F, 57.75F}}});
  CHECK(count(game.hears(fire_along(0)), "sends Hit victim=5") == 8);
}

TEST_CASE("aos back: a gun is fired as often as it loads, and a held trigger does so by itself") {
  struct Case {
    std::uint8_t weapon;
    std::size_t shots;
  };
  for (const Case& one : {Case{0, 2}, Case{1, 9}, Case{2, 1}}) {  // with a tenth more than the game's intervals
    CAPTURE(one.weapon);
    Game game;
    game.dies();
    game.lives(one.weapon);
    std::string all = game.hears(trigger(true));
    all += game.waits(999 * kMillisecond);
    CHECK(count(all, "says Shot shooter: 1 ") >= one.shots);
    CHECK(count(all, "says Shot shooter: 1 ") <= one.shots + 1);
    game.hears(trigger(false));
    CHECK(count(game.waits(kSecond), "says Shot") == 0);
  }
}

TEST_CASE("aos back: while it reloads, a rifle cannot be fired, and a shotgun that still has shells can") {
  for (const std::uint8_t weapon : {std::uint8_t{0}, std::uint8_t{2}}) {
    CAPTURE(weapon);
    Game game;
    game.dies();
    game.lives(weapon);
    game.hears(fire_along(0));
    game.waits(2 * kSecond);
    CHECK(has(game.hears(words::Eject()), "sends WeaponReload player=3 "));
    const std::string shot = game.hears(fire_along(0));
    CHECK(has(shot, "loses Fire: the gun is being reloaded\n") == (weapon == 0));
    CHECK(has(shot, "sends WeaponInput player=3 buttons=1\n") == (weapon == 2));
    game.receives(WeaponReload{3, 0, 10});
    CHECK(has(game.hears(words::Reload()), "sends WeaponReload player=3 clip=0 "));
    CHECK(has(game.hears(fire_along(0)), "loses Fire: the gun is being reloaded\n"));
  }
}

TEST_CASE("aos back: a reload is asked for once, and again when the server has not answered, but not without rounds") {
  Game game;
  game.hears(fire_along(0));
  CHECK(game.hears(words::Reload()) ==
        "sends WeaponInput player=3 buttons=0\nsends WeaponReload player=3 clip=9 reserve=50\n");
  CHECK(game.hears(words::Reload()) == "");
  const std::string late = game.waits(5 * kSecond);  // 2.5 s, and two more
  CHECK(has(late, "loses Reload: the server did not answer in time\n"));
  CHECK(game.hears(words::Reload()) == "sends WeaponReload player=3 clip=9 reserve=50\n");
  game.receives(WeaponReload{3, 10, 49});
  CHECK(game.hears(words::Reload()) == "sends WeaponReload player=3 clip=10 reserve=49\n");
  game.receives(WeaponReload{3, 10, 0});
  CHECK(game.hears(words::Reload()) == "");
}

TEST_CASE("aos back: a shot ends a reload: the server need not answer it any more") {
  Game game;
  game.dies();
  game.lives(2);
  game.hears(fire_along(0));
  game.waits(2 * kSecond);
  game.hears(words::Reload());
  game.hears(fire_along(0));
  CHECK_FALSE(has(game.waits(10 * kSecond), "loses Reload"));
  for (int i = 0; i < 2; ++i) {
    CHECK(has(game.hears(words::Reload()), "sends WeaponReload player=3 "));
    CHECK(has(game.hears(fire_along(0)), "sends WeaponInput player=3 buttons=1\n"));
    game.waits(kSecond + 100 * kMillisecond);
  }
}

TEST_CASE("aos back: a shot needs a direction that is finite, and takes the gun into the hand") {
  Game game;
  words::Fire wild = fire_along(0);
  wild.set_vx(kNone);
  wild.set_shot(4);
  CHECK(has(game.hears(wild), "loses Fire: a number is not finite\nsays ShotEnded shooter: 1 shot: 4 (to 1)\n"));
  game.hears(tool(kSpade));
  CHECK(has(game.hears(fire_along(0)), "sends SetTool player=3 tool=2\n"));
}

TEST_CASE("aos back: a player without rounds who is at no tent's map is told so without a way") {
  Scene scene;
  scene.stage.opens();
  scene.loads();
  StateData state = capture_the_flag(3);
  state.mode = 1;
  state.territory_count = 1;
  state.territories.resize(16);
  scene.receives(state);
  scene.hears(anna());
  scene.hears(words::Spawn());
  scene.receives(created(3, 0, 150.5F, 150.5F, "anna"));
  scene.receives(WeaponReload{3, 0, 0});
  CHECK(
      has(scene.hears(fire_along(0)),
          "says Notice level: WARNING text: \"no rounds left: get more at your side\\'s tent, or in your next life\""));
}

TEST_CASE("aos back: after a restock, a player who has used up everything again is told so at once") {
  Game game;
  for (int i = 0; i < 2; ++i) {
    game.receives(WeaponReload{3, 0, 0});
    CHECK(has(game.hears(fire_along(0)), "says Notice level: WARNING text: \"no rounds left"));
    CHECK_FALSE(has(game.hears(fire_along(0)), "says Notice"));
    game.receives(Restock{3});
  }
}

TEST_CASE("aos back: the way to the tent is told by the points of the compass") {
  struct Case {
    float x, y;
    const char* way;
  };
  for (const Case& one :
       {Case{190.5F, 150.5F, "63 metres to the east,"}, Case{190.5F, 110.5F, "88 metres to the north-east,"},
        Case{150.5F, 110.5F, "63 metres to the north,"}, Case{110.5F, 110.5F, "88 metres to the north-west,"},
        Case{110.5F, 150.5F, "63 metres to the west,"}, Case{110.5F, 190.5F, "88 metres to the south-west,"},
        Case{150.5F, 190.5F, "63 metres to the south,"}, Case{190.5F, 190.5F, "88 metres to the south-east,"}}) {
    Game game;
    game.receives(MoveObject{2, 0, {one.x, one.y, 60}});
    game.receives(WeaponReload{3, 0, 0});
    CHECK_MESSAGE(has(game.hears(fire_along(0)), one.way), one.way);
  }
}

TEST_CASE("aos back: a restock fills everything but the clip, and heals") {
  Game game;
  game.hears(grenade());
  game.receives(WeaponReload{3, 4, 7});
  CHECK(game.receives(Restock{3}) ==
        "says Health unit: 107 now: 100 max: 100\nsays Ammo player: 1 clip: 4 reserve: 50 blocks: 50 grenades: 3 (to "
        "1)\n");
}

TEST_CASE("aos back: only a client that does not load its gun itself has an empty one loaded after a restock") {
  for (const bool own : {false, true}) {
    Game game(own);
    game.receives(WeaponReload{3, 0, 0});
    CHECK(has(game.receives(Restock{3}), "sends WeaponReload") == !own);
  }
}

// -- Other tools ------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a player throws three grenades, told one by one, until it is restocked") {
  Game game;
  for (int left = 2; left >= 0; --left) {
    const std::string thrown = game.hears(grenade());
    CHECK(has(thrown, "sends Grenade player=3 fuse=2 "));
    CHECK(has(thrown, "says Shot shooter: 1 unit: 107 shot: "));
    CHECK(has(thrown, left > 0 ? " grenades: " + std::to_string(left) + " (to 1)\n" : " blocks: 50 (to 1)\n"));
    game.waits(600 * kMillisecond);
  }
  CHECK(game.hears(grenade()) == "loses Fire: no grenades left\n");
  game.receives(Restock{3});
  CHECK(has(game.hears(grenade()), "sends Grenade "));
}

TEST_CASE("aos back: a grenade may follow another one after 600 ms") {
  Game game;
  game.hears(grenade());
  game.waits(599 * kMillisecond);
  CHECK(game.hears(grenade()) == "loses Fire: the player throws grenades faster than the game allows\n");
  game.waits(kMillisecond);
  CHECK(has(game.hears(grenade()), "sends Grenade "));
}

TEST_CASE("aos back: a fuse is never negative and never longer than the game's") {
  for (const double fuse : {-5.0, 10.0}) {
    Game game;
    words::Fire thrown = grenade();
    thrown.set_life(fuse);
    CHECK(has(game.hears(thrown), fuse < 0 ? "sends Grenade player=3 fuse=0 " : "sends Grenade player=3 fuse=3 "));
  }
}

TEST_CASE("aos back: built blocks are spent when the server has built them, and are told with the next ammunition") {
  Game game;
  game.receives(BlockAction{3, kBuild, {153, 153, 59}});
  game.receives(BlockAction{5, kBuild, {154, 153, 59}});    // another's
  game.receives(BlockAction{3, kDestroy, {153, 153, 59}});  // digging costs none
  CHECK(has(game.receives(WeaponReload{3, 10, 50}), " blocks: 49 "));
  game.receives(BlockLine{3, {156, 153, 59}, {160, 153, 59}});
  CHECK(has(game.receives(WeaponReload{3, 10, 50}), " blocks: 44 "));
  game.receives(BlockLine{3, {156, 153, 59}, {161, 153, 59}});  // five of six stand already
  CHECK(has(game.receives(WeaponReload{3, 10, 50}), " blocks: 43 "));
  for (std::int32_t y = 102; y < 112; ++y) game.receives(BlockLine{3, {110, y, 59}, {130, y, 59}});
  CHECK_FALSE(has(game.receives(WeaponReload{3, 10, 50}), " blocks: "));  // none left, never less
}

TEST_CASE("aos back: a line of blocks holds the second button, and leaves the buttons as they were") {
  Game game;
  CHECK(game.hears(edit(words::Edit::LINE)) ==
        "sends SetTool player=3 tool=1\nsends WeaponInput player=3 buttons=2\n"
        "sends BlockLine player=3 from=(153 153 59) to=(153 153 59)\nsends WeaponInput player=3 buttons=0\n");
  Game own(true);
  own.hears(trigger(false, true));
  CHECK(own.hears(edit(words::Edit::LINE)) == "sends BlockLine player=3 from=(153 153 59) to=(153 153 59)\n");
  words::Edit outside = edit(words::Edit::LINE);
  outside.set_x2(5000);
  own.waits(kSecond);
  CHECK(own.hears(outside) == "loses Edit: the position is outside the map\n");
  outside = edit(words::Edit::BUILD);
  outside.set_y(5000);
  CHECK(own.hears(outside) == "loses Edit: the position is outside the map\n");
}

TEST_CASE("aos back: each edit takes its tool into the hand, unless the client does so itself") {
  Game game;
  CHECK(game.hears(edit(words::Edit::DIG)) ==
        "sends SetTool player=3 tool=0\nsends BlockAction player=3 action=1 at=(153 153 59)\n");
  game.waits(kSecond);
  CHECK(game.hears(edit(words::Edit::COLUMN)) == "sends BlockAction player=3 action=2 at=(153 153 59)\n");
  game.waits(kSecond);
  CHECK(game.hears(edit(words::Edit::BUILD)) ==
        "sends SetTool player=3 tool=1\nsends BlockAction player=3 action=0 at=(153 153 59)\n");
  Game own(true);
  CHECK(own.hears(edit(words::Edit::BUILD)) == "sends BlockAction player=3 action=0 at=(153 153 59)\n");
}

TEST_CASE("aos back: blocks that are shot may follow each other as the gun fires, others every 110 ms") {
  struct Case {
    std::uint8_t weapon, tool;
    words::Edit::Op op;
    core::Micros every;
  };
  using words::Edit;
  for (const Case& one : {Case{0, kGun, Edit::DIG, 210 * kMillisecond}, Case{1, kGun, Edit::DIG, 60 * kMillisecond},
                          Case{2, kGun, Edit::DIG, 310 * kMillisecond}, Case{0, kSpade, Edit::DIG, 110 * kMillisecond},
                          Case{1, kGun, Edit::BUILD, 110 * kMillisecond}}) {  // no gun builds
    CAPTURE(one.every);
    Game game(true);
    game.dies();
    game.lives(one.weapon);
    game.hears(tool(one.tool));
    game.waits(kSecond);
    CHECK(has(game.hears(edit(one.op)), "sends BlockAction"));
    game.waits(one.every - kMillisecond);
    CHECK(has(game.hears(edit(one.op)), "loses Edit: the player builds faster than servers allow\n"));
    game.waits(kMillisecond);
    CHECK(has(game.hears(edit(one.op)), "sends BlockAction"));
  }
}

TEST_CASE("aos back: a new map starts the time between two edits anew") {
  Game game;
  game.hears(edit(words::Edit::BUILD));
  game.loads();
  game.receives(capture_the_flag(3));
  game.hears(words::Spawn());
  game.lives();
  CHECK(has(game.hears(edit(words::Edit::BUILD)), "sends BlockAction"));
}

TEST_CASE("aos back: a block without a colour is built in the last one") {
  Game game;
  CHECK(has(game.hears(edit(words::Edit::BUILD, 0x102030)), "sends SetColour player=3 colour=(48 32 16)\n"));
  game.waits(kSecond);
  CHECK_FALSE(has(game.hears(edit(words::Edit::BUILD)), "SetColour"));
  game.waits(kSecond);
  CHECK_FALSE(has(game.hears(edit(words::Edit::DIG, 0x405060)), "SetColour"));  // nothing is built
}

TEST_CASE("aos back: a part of the body that no server knows is the trunk; a hit of nobody is lost") {
  Game game(true);
  words::HitClaim hit;
  hit.set_victim(101);
  hit.set_part(words::HitClaim::MELEE);
  CHECK(game.hears(hit) == "sends Hit victim=5 part=4\n");
  hit.set_part(static_cast<words::HitClaim::Part>(77));
  CHECK(game.hears(hit) == "sends Hit victim=5 part=0\n");
  const char* const lost = "loses HitClaim: the victim or the shooter is not in play\n";
  hit.set_victim(999);
  CHECK(game.hears(hit) == lost);
  hit.set_victim(101);
  game.receives(PlayerLeft{5});
  CHECK(game.hears(hit) == lost);
  game.receives(created(5, 1, 160.5F, 150.5F, "cleo"));
  CHECK(game.hears(hit) == lost);  // the number is another player's now
}

TEST_CASE("aos back: both buttons of a client of this game are passed on, each change once") {
  Game game(true);
  CHECK(game.hears(trigger(false, true)) == "sends WeaponInput player=3 buttons=2\n");
  CHECK(game.hears(trigger(false, true)) == "");
  CHECK(game.hears(trigger(true, true)) == "sends WeaponInput player=3 buttons=3\n");
  CHECK(game.hears(trigger(false)) == "sends WeaponInput player=3 buttons=0\n");
  CHECK(game.hears(tool(kGun)) == "");  // it is in the hand already
  CHECK(game.hears(tool(kGrenades)) == "sends SetTool player=3 tool=3\n");
}

TEST_CASE("aos back: a shot releases its own button, not the other one, which the client holds") {
  Game game(true);
  game.hears(trigger(false, true));
  CHECK(has(game.hears(fire_along(0)), "sends WeaponInput player=3 buttons=3\n"));
  CHECK(has(game.waits(kSoon), "sends WeaponInput player=3 buttons=2\n"));
}

TEST_CASE("aos back: what a player chooses before it enters is in its first packet") {
  Scene scene;
  scene.comes();
  scene.hears(anna());
  scene.hears(tool(kBlocks));
  words::Change colour;
  colour.set_colour(0x102030);
  CHECK(scene.hears(colour) == "");
  scene.hears(change(-1, 3));
  CHECK(scene.hears(words::Spawn()) ==
        "sends ExistingPlayer player=3 team=0 weapon=2 tool=1 kills=0 colour=(48 32 16) name=\"anna\"\n");
}

// -- Changes ----------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a colour is told to the server and to the room at once") {
  Game game;
  words::Change colour;
  colour.set_colour(0x102030);
  const std::string said = game.hears(colour);
  CHECK(has(said, "sends SetColour player=3 colour=(48 32 16)\n"));
  CHECK(has(said, "says Player id: 1 name: \"anna\" team: BLUE kit: 1 colour: 1056816 "));
  CHECK_FALSE(has(game.hears(edit(words::Edit::BUILD, 0x102030)), "SetColour"));
}

TEST_CASE("aos back: names, mottos and skins stay as they are during a session") {
  Game game;
  for (int field = 0; field < 3; ++field) {
    words::Change wish;
    if (field == 0) wish.set_name("bea");
    if (field == 1) wish.set_motto("hm");
    if (field == 2) wish.set_skin("cat");
    CHECK(game.hears(wish) == "loses Change: names and looks cannot change during a session\n");
  }
}

TEST_CASE("aos back: a new weapon alone and a new side alone are each asked for alone") {
  Game game;
  CHECK(game.hears(change(-1, 2)) == "sends ChangeWeapon player=3 weapon=1\n");
  CHECK(game.hears(change(words::GREEN)) == "sends ChangeTeam player=3 team=1\n");
  CHECK(game.hears(change(words::TEAM_ANY, 3)) == "sends ChangeWeapon player=3 weapon=2\n");
  Scene watcher;
  watcher.comes();
  watcher.hears(anna(words::WATCH));
  watcher.receives(created(3, 255, 100, 100, "anna"));
  CHECK(watcher.hears(change(-1, 2)) == "sends ChangeWeapon player=3 weapon=1\n");
  CHECK_FALSE(has(watcher.waits(5 * kSecond), "loses Change"));                           // nobody answers this
  CHECK(watcher.hears(change(words::TEAM_ANY)) == "sends ChangeTeam player=3 team=0\n");  // the smaller side
  CHECK_FALSE(has(watcher.waits(19 * kSecond), "loses Change"));
  CHECK(has(watcher.waits(2 * kSecond), "loses Change: the server did not answer in time\n"));
}

TEST_CASE("aos back: a wish to watch or to play that comes before the player has entered is lost") {
  Scene scene;
  scene.comes();
  CHECK(scene.hears(words::Watch()) == "loses Watch: the player is not in play\n");
}

// -- Talk -------------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: talk is for all or for the own side, an action has its star, and nobody talks before it is in") {
  Scene scene;
  scene.comes();
  CHECK(scene.hears(say("hi")) == "loses Say: the player is not in play\n");
  Game game;
  CHECK(game.hears(say("go", words::Say::MY_TEAM)) == "sends ChatMessage player=3 type=1 text=\"go\"\n");
  game.waits(kSecond);
  words::Say waves = say("waves");
  waves.set_kind(words::Say::ACTION);
  CHECK(game.hears(waves) == "sends ChatMessage player=3 type=0 text=\"* waves\"\n");
  game.waits(kSecond);
  words::Say command = say("/login admin sesame", words::Say::MODERATORS);
  command.set_kind(words::Say::COMMAND);
  CHECK(game.hears(command) == "sends ChatMessage player=3 type=0 text=\"/login admin sesame\"\n");
}

TEST_CASE("aos back: eight lines wait at most, in their order, and those of the dead are sent, too") {
  Game game;
  for (int i = 1; i <= 9; ++i) CHECK_FALSE(has(game.hears(say(std::to_string(i).c_str())), "loses"));
  CHECK(game.hears(say("10")) == "loses Say: the player chats faster than servers allow\n");
  game.dies();
  std::string texts;
  const std::string sent = game.waits(60 * kSecond);
  for (std::size_t at = 0; (at = sent.find(" text=\"", at)) != std::string::npos; ++at) texts += sent[at + 7];
  CHECK(texts == "23456789");
}

TEST_CASE("aos back: the fifth line waits until the first is ten seconds old") {
  Game game;
  for (int i = 0; i < 5; ++i) game.hears(say("hi"));
  CHECK(count(game.waits(449 * kMillisecond), "sends ChatMessage") == 0);
  CHECK(count(game.waits(60 * kMillisecond), "sends ChatMessage") == 1);
  CHECK(count(game.waits(9'900 * kMillisecond), "sends ChatMessage") == 2);
  CHECK(count(game.waits(200 * kMillisecond), "sends ChatMessage") == 1);
}

// -- Moving -----------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: a client of this game is not moved by snapshots, and no place of it outside the map is sent") {
  Game game(true);
  game.snapshot({{3, {190, 190, 57.75F}}});
  game.waits(kSecond);
  CHECK_FALSE(has(game.snapshot({{3, {190, 190, 57.75F}}}), "Corrected"));
  words::PoseClaim far = claim(1e6, 0);
  CHECK(game.hears(far) == "loses PoseClaim: the position is outside the map\n");
  CHECK(game.hears(claim(kNone, 0)) == "loses PoseClaim: the position is outside the map\n");
}

TEST_CASE("aos back: after the server has moved a client of this game, its old place is not sent at once") {
  Game game(true);
  game.waits(kSecond);
  game.receives(PositionData{{120, 120, 57.75F}});
  CHECK(game.hears(claim(-160, 160)) == "loses PoseClaim: more often than servers allow\n");
  game.waits(750 * kMillisecond);
  CHECK(has(game.hears(claim(-160, 160)), "sends PositionData"));
}

TEST_CASE("aos back: a client that has sent keys can be steered in other ways, too") {
  Game game;
  game.hears(words::Keys());
  game.waits(kSecond);
  words::Toward east;
  east.set_x(-100);
  east.set_y(164.84375);
  game.hears(east);
  CHECK(has(game.waits(kSecond), "sends InputData player=3 keys=129\n"));
}

TEST_CASE("aos back: a man looks where the client that moves him says, also on the spot") {
  Game game;
  words::PoseClaim north = claim(-164.84375, 164.84375);
  north.set_yaw(std::acos(-1) / 2);
  game.hears(north);
  CHECK(has(game.waits(kSecond), " yaw: 1.57"));
}

TEST_CASE("aos back: the server is told each second where a man is whose client sends only places") {
  Game game;
  game.hears(claim(-100, 164.84375));
  CHECK(count(game.waits(3 * kSecond), "sends PositionData ") >= 2);
}

TEST_CASE("aos back: a client that is far from its man only now and then is not corrected") {
  Game game;
  std::string said;
  for (int i = 0; i < 4; ++i) {
    said += game.hears(claim(i % 2 == 0 ? -64 : -164, 164.84375));
    said += game.waits(300 * kMillisecond);
  }
  CHECK_FALSE(has(said, "says Corrected"));
}

TEST_CASE("aos back: looks that are not finite point east") {
  Game game;
  words::Keys keys;
  keys.set_yaw(1);
  CHECK(has(game.hears(keys), "sends OrientationData"));
  keys.set_yaw(kNone);
  CHECK(game.hears(keys) == "sends OrientationData orientation=(1 0 0)\n");
}

TEST_CASE("aos back: in 0.80, a client of this game is moved by a snapshot that shows it elsewhere for half a second") {
  Game game(true, 2);
  StateUpdateDown update;
  PlayerState me{3, 0, false, {{190, 190, 57.75F}, {1, 0, 0}, {}}};
  std::string said;
  for (int i = 0; i < 8; ++i) {
    ++update.sequence;
    update.players = {me};
    said += game.receives(update, Lane::kDatagram);
    said += game.waits(kSoon);
  }
  CHECK(count(said, "says Corrected pose { unit: 107 x: -103.125 y: 103.125 ") == 1);
}

TEST_CASE("aos back: a place that differs only now and then is not corrected") {
  Game game;
  std::string said;
  for (int i = 0; i < 20; ++i) {
    said += game.snapshot({{3, {i % 4 == 3 ? 150.5F : 155.5F, 150.5F, 57.75F}}});
    said += game.waits(kSoon);
  }
  CHECK_FALSE(has(said, "Corrected"));
}

// -- Everything -------------------------------------------------------------------------------------------------------

TEST_CASE("aos back: each kind of intent is carried out, or counted by a reason of the mapping") {
  testing::check_every_intent(mapping(), [](const core::Intent& intent) {
    Game fresh;
    return fresh.hears(intent);
  });
}

TEST_CASE("aos back: intents of anybody but its player are lost, a goodbye ends the session") {
  Game game;
  core::Intent foreign{words::Spawn()};
  foreign.by = 7;
  CHECK(game.hears(foreign) == "loses Spawn: spectators of a broadcast cannot play\n");
  CHECK(game.hears(words::WantWorld()) == "");
  CHECK(game.hears(words::Leave()) == "closes: the player left\n");
  CHECK(game.hears(words::Spawn()) == "");
}

TEST_CASE("aos back: an impossible velocity in a claim does not keep the back busy") {
  Game game(true, 2);
  words::PoseClaim fast = claim(-164.84375, 164.84375);
  fast.set_vx(-1e12);
  game.hears(fast);
  words::Step step;
  step.set_x(-164.84375 + 40);
  step.set_y(164.84375);
  game.hears(step);
  const std::string said = game.waits(kSecond);
  CHECK(has(said, "StateUpdate"));
  CHECK_FALSE(has(said, "e+"));
}

}  // namespace
}  // namespace entente::aos::back_wishes_test
