// Words on their way to a rule and back. Invariant: whatever players send, a rule can read it, and what a rule returns
// unchanged is the same word. Whatever a file has, a rule of it ends after a bounded number of steps, and keeps a
// bounded number of bytes.
#include <cstdlib>
#include <string>
#include <vector>

#include "proxy/core/gameplay/claims.h"
#include "proxy/core/texts.h"
#include "proxy/rules/room_rules.h"
#include "tests/fuzz/target.h"

namespace entente::rules_fuzz {
namespace {

class Room final : public rules::RoomView {
 public:
  const core::WorldState& world() const override { return world_; }
  bool is_here(core::Id player) const override { return player != 0; }
  bool is_arena() const override { return true; }

  void enter(core::Id id) {
    words::Player player;
    player.set_id(id);
    world_.fold(core::Fact(std::move(player)));
  }

  core::WorldState world_;
};

constexpr const char* kEcho = R"(
function on_intent(word) return word end
function on_fact(word) log(tostring(word)) end
function on_chat(_, text) return text .. "" end)";

/// The words say what the rule hears.
void hear_words(Bytes bytes) {
  static const auto echo = [] {
    auto set = std::make_shared<rules::RuleSet>();
    auto checked = rules::check_rule("echo.lua", kEcho);
    if (!checked) std::abort();
    set->push_back(std::move(*checked));
    return set;
  }();
  Room room;
  rules::RoomRules all(echo, room, {}, 0);
  if (auto intent = core::read_intent(bytes); intent && core::not_finite(*intent).empty()) {
    core::clean_texts(*intent);
    Buffer before, after;
    core::write(*intent, before);
    room.enter(intent->by);
    all.hear(*intent, 0);
    core::write(*intent, after);
    const bool chat = core::as<words::Say>(*intent) != nullptr;  // a rule's text is cleaned
    if (!chat && before != after) std::abort();
  }
  if (const auto fact = core::read_fact(bytes)) {
    room.world_.fold(*fact);
    all.told(*fact, 0);
  }
  if (all.running() != 1) {
    for (const auto& action : all.actions())
      if (action.text.find("too many steps") == std::string::npos && action.text.find("more than") == std::string::npos)
        std::abort();
  }
}

/// The bytes are a file.
void load(Bytes bytes) {
  const auto checked = rules::check_rule("fuzz.lua", std::string(as_text(bytes)));
  if (!checked) return;
  Room room;
  rules::RoomRules all(std::make_shared<rules::RuleSet>(rules::RuleSet{*checked}), room, {}, 0);
  core::Intent intent{words::Fire()};
  room.enter(intent.by = 1);
  all.hear(intent, core::kSecond);
  all.tick(2 * core::kSecond);
  if (all.memory() > rules::Limits{}.memory) std::abort();
}

}  // namespace

ENTENTE_FUZZ_TARGET(rules) {
  if (size == 0) return 0;
  const Bytes rest(data + 1, size - 1);
  data[0] % 2 == 0 ? hear_words(rest) : load(rest);
  return 0;
}

}  // namespace entente::rules_fuzz
