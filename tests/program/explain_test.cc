#include "proxy/program/explain.h"

#include <doctest/doctest.h>

#include "adapters/registry.h"

namespace entente::explain_test {

using enum wire::Fidelity;
using wire::MappingLine, wire::Way;

namespace {

constexpr std::uint8_t kUp = 1, kDown = 2;

/// A game whose tanks move by tiles.
constexpr MappingLine kTiles[] = {
    {"Action", kUp, "direction", "Step.direction", kExact},
    {"Action", kUp, "unit", "Step.unit", kExact},
    {"Action", kUp, "shoot", "Fire", kExact},
    {"Action", kUp, "aim", "Fire.vx", kLossy, "four directions"},
    {"Action", kUp, "horn", "Button", kExact},
    {"Action", kUp, "checksum", "", kSynthesised, "reckoned"},
    {"Action", kUp, "relic", "", kDropped, "nobody knows what it meant"},
    {"", kUp, "", "Say", kDropped, "no chat"},
    {"Action", kUp, "unit", "", kDroppedSometimes, "not the player's"},
    {"Moved", kDown, "x", "Pose.x", kLossy, "the middle of a tile"},
    {"", kDown, "", "Said", kDropped, "no chat"},
};
/// A game whose tanks move freely.
constexpr MappingLine kFree[] = {
    {"Update", kUp | kDown, "pos", "Pose.x", kExact},
    {"Update", kUp, "*", "Step", kLossy, "driven to the tile's middle"},
    {"Shot", kUp, "vel", "Fire.vx", kExact},
    {"Shot", kUp, "life", "Fire.life", kExact},
    {"Shot", kUp, "", "Fire", kSynthesised, "numbered by us"},
    {"Talk", kDown, "text", "Said.text", kExact},
    {"Talk", kUp, "text", "Say.text", kExact},
    {"Flag", kDown, "id", "Token.id", kExact},
    {"", kUp, "", "Fire", kDroppedSometimes, "not loaded yet"},
    {"", kUp, "", "Pause", kDroppedSometimes, "the other game does not say it"},
    {"", kUp, "", "*", kDroppedSometimes, "the player is not in play"},
    {"", kDown, "", "Pose", kDroppedSometimes, "the other direction"},
    {"*", kUp, "", "", kDroppedSometimes, "the other end"},
};

std::string line(const Explained& one) {
  return one.from + " > " + one.word + " > " + one.to + ": " + text(one.fidelity) + " (" + one.reason + ")";
}

std::vector<std::string> lines(const std::vector<Explained>& all) {
  std::vector<std::string> out;
  for (const Explained& one : all) out.push_back(line(one));
  return out;
}

}  // namespace

TEST_CASE("a client's field is matched with the server's best row for its word, and the worse fidelity counts") {
  CHECK(lines(explain(kTiles, kFree, Way::kToServer)) ==
        std::vector<std::string>{
            "Action.direction > Step.direction > Update.*: lossy (driven to the tile's middle)",
            "Action.unit > Step.unit > Update.*: lossy (driven to the tile's middle)",
            "Action.shoot > Fire > Shot: synthesised (numbered by us)",
            "Action.aim > Fire.vx > Shot.vel: lossy (four directions)",
            "Action.horn > Button > : dropped (the other game has no equivalent)",
            "Action.checksum >  > : synthesised (reckoned)",
            "Action.relic >  > : dropped (nobody knows what it meant)",
        });
}

TEST_CASE("a server's fields are explained in the same way, and a dropped word has its game's reason") {
  CHECK(lines(explain(kFree, kTiles, Way::kToClient)) ==
        std::vector<std::string>{
            "Update.pos > Pose.x > Moved.x: lossy (the middle of a tile)",
            "Talk.text > Said.text > : dropped (no chat)",
            "Flag.id > Token.id > : dropped (the other game has no equivalent)",
        });
  CHECK(lines(explain(kFree, kTiles, Way::kToServer)).back() == "Talk.text > Say.text > : dropped (no chat)");
}

TEST_CASE("a field that the other game's word lacks is dropped, with both reasons") {
  CHECK(line(explain(kFree, kTiles, Way::kToServer)[3]) ==
        "Shot.life > Fire.life > : dropped (the other game's equivalent lacks this field)");
  constexpr MappingLine kNarrow[] = {{"Shoot", kUp, "x", "Fire.x", kLossy, "rounded"}};
  CHECK(line(explain(kTiles, kNarrow, Way::kToServer)[3]) ==
        "Action.aim > Fire.vx > : dropped (four directions; the other game's equivalent lacks this field)");
  CHECK(line(explain(kTiles, kNarrow, Way::kToServer)[2]) == "Action.shoot > Fire > Shoot.x: lossy (rounded)");
}

TEST_CASE("words that are dropped at times are listed beside the fields, unless the client's game never sends them") {
  std::vector<std::string> told;
  for (const DroppedAtTimes& one : explain_drops(kTiles, kFree, Way::kToServer))
    told.push_back(one.what + ": " + one.reason);
  CHECK(told == std::vector<std::string>{"Action.unit: not the player's", "Fire: not loaded yet",
                                         "a word: the player is not in play"});
  CHECK(explain_drops(kFree, kTiles, Way::kToClient).empty());
}

TEST_CASE("fields are counted by fidelity") {
  CHECK(count(explain(kTiles, kFree, Way::kToServer)) == std::array<std::size_t, 4>{0, 3, 2, 2});
}

TEST_CASE("between any two games of the registry, each field that is not exact has a reason") {
  for (const wire::Game* client : games())
    for (const wire::Game* server : games()) {
      const auto ours = mapping_of(*client), theirs = mapping_of(*server);
      if (ours.empty() || theirs.empty()) continue;
      for (const Explained& one : explain(ours, theirs, Way::kToServer))
        CHECK_MESSAGE((one.fidelity == kExact || !one.reason.empty()), line(one));
      for (const Explained& one : explain(theirs, ours, Way::kToClient))
        CHECK_MESSAGE((one.fidelity == kExact || !one.reason.empty()), line(one));
    }
}

}  // namespace entente::explain_test
