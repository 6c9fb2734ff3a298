#include "proxy/relay/overhear/overheard_room.h"

#include <algorithm>
#include <random>
#include <utility>

#include "proxy/base/command.h"

namespace entente::relay {

std::unique_ptr<OverheardRoom> OverheardRoom::make(const RelayRules& rules, const LinkInfo& session,
                                                   std::size_t dialect) {
  auto front = rules.front(dialect);
  auto back = rules.back(dialect);
  if (front == nullptr || back == nullptr) return nullptr;
  std::unique_ptr<OverheardRoom> made(
      new OverheardRoom(rules, session, std::move(front), std::move(back), std::random_device{}()));
  made->begin(*session.game, dialect);
  return made;
}

/// Commands that no rule has are for the server.
OverheardRoom::OverheardRoom(const RelayRules& rules, const LinkInfo& session, std::unique_ptr<core::Front> front,
                             std::unique_ptr<core::Back> back, std::uint32_t seed)
    : FollowedRoom(std::move(front), std::move(back), seed),
      its_(rules),
      session_(session),
      rules_(room(), rules.book, {.seed = seed, .server_commands = true, .arena = false, .tells = rules.tells}) {}

bool OverheardRoom::received(const wire::Frame& frame, core::Micros at) {
  const bool from_client = frame.way == wire::Way::kToServer;
  if (!over().empty()) {
    // Datagrams may come late, and a client whom the server sends away does not know it yet.
    const bool goes_on = from_client && frame.lane == Lane::kStream && !over_by_server();
    if (goes_on && !std::exchange(told_lost_, true)) {
      client_is_wrong_ = true;
      tell_lost("it goes on after " + over());
    }
    return true;
  }
  drops_ = false;
  FollowedRoom::received(frame, at);
  if (broken() && !std::exchange(told_lost_, true)) {
    client_is_wrong_ = from_client;
    tell_lost(over());
  }
  settle(now());
  return !drops_;
}

/// Whether a rule changes the word or drops it: a relay can only pass the message on as it is, or not at all.
bool OverheardRoom::passes(core::Intent& intent) {
  const auto* const say = core::as<words::Say>(intent);
  const bool command = say != nullptr && is_command(say->text());
  if (rules_.hear(intent) == rules::Rule::Answer::kPass) return true;
  if (its_.rewrite) {
    drops_ = true;
    return false;
  }
  if (!command && its_.book->refuse_to_drop())
    act({.kind = rules::Action::Kind::kLog,
         .text = "a rule drops or changes a message, but this relay passes everything on: `rewrite` is not set"});
  return true;
}

void OverheardRoom::tick(core::Micros at) {
  pass_time(at);
  if (broken() && !std::exchange(told_lost_, true)) tell_lost(over());
  settle(now());
}

void OverheardRoom::end(core::Micros at) {
  left(wire::Way::kToClient, at);
  settle(now());
}

void OverheardRoom::lose(const std::string& why) {
  if (!over().empty()) return;
  give_up(why);
  told_lost_ = true;
  tell_lost(why);
}

void OverheardRoom::settle(core::Micros at) {
  if (over().empty()) {
    rules_.tick(at);
    rules_.settle(at);
  }
  for (rules::Action& action : rules_.take_actions()) act(std::move(action));
}

void OverheardRoom::act(rules::Action action) {
  if (action.kind == rules::Action::Kind::kTellAll) {
    action.kind = rules::Action::Kind::kTell;
    action.player = seat();
  }
  const bool own = action.player == seat();
  its_.book->act(action, own ? &session_ : nullptr);
}

void OverheardRoom::tell_lost(const std::string& why) {
  act({.kind = rules::Action::Kind::kLost, .player = seat(), .text = why});
}

}  // namespace entente::relay
