#include "proxy/relay/tap/word_echoes.h"

#include <string>
#include <utility>
#include <variant>

namespace entente::relay {
namespace {

/// The text for people that a fact has; null: it has none.
const std::string* text_in(const core::Fact& fact) {
  if (const auto* said = core::as<words::Said>(fact)) return &said->text();
  if (const auto* notice = core::as<words::Notice>(fact)) return &notice->text();
  if (const auto* refused = core::as<words::Refused>(fact)) return &refused->text();
  if (const auto* kicked = core::as<words::Kicked>(fact)) return &kicked->text();
  if (const auto* refused = core::as<words::ClaimRefused>(fact)) return &refused->why();
  return nullptr;
}

/// REQUIRES: text_in().
void set_text(core::Fact& fact, std::string text) {
  std::visit(core::Overloaded{[&](words::Said& said) { said.set_text(std::move(text)); },
                              [&](words::Notice& notice) { notice.set_text(std::move(text)); },
                              [&](words::Refused& refused) { refused.set_text(std::move(text)); },
                              [&](words::Kicked& kicked) { kicked.set_text(std::move(text)); },
                              [&](words::ClaimRefused& refused) { refused.set_why(std::move(text)); }, [](auto&) {}},
             fact.content);
}

}  // namespace

void WordEchoes::hear(const core::Intent& intent) {
  const auto* say = core::as<words::Say>(intent);
  const auto* enter = core::as<words::Enter>(intent);
  if (say == nullptr && enter == nullptr) return;
  if (!players_.contains(intent.by) && players_.size() >= kMostPlayers) players_.erase(players_.begin());
  SecretEchoes& echoes = players_[intent.by];
  if (say != nullptr) echoes.add_arguments(say->text());
  if (enter != nullptr) echoes.add(enter->password()), echoes.add(enter->token());
  if (!echoes.any()) players_.erase(intent.by);
}

std::optional<core::Fact> WordEchoes::without(const core::Fact& fact, bool alone) const {
  const std::string* const told = players_.empty() ? nullptr : text_in(fact);
  if (told == nullptr) return std::nullopt;
  const auto* said = core::as<words::Said>(fact);
  const bool to_one = fact.audience == words::PLAYER, of_server = said == nullptr || said->from() == 0;
  std::string text = *told;
  const auto hide = [&](std::size_t from, std::size_t size) { text.replace(from, size, size, '*'); };
  const auto own = players_.find(to_one ? fact.to : said != nullptr ? said->from() : 0);
  if (own != players_.end()) own->second.find(*told, hide);
  if (own == players_.end() && alone && of_server)
    for (const auto& [player, echoes] : players_) echoes.find(*told, hide);
  if (text == *told) return std::nullopt;
  core::Fact shown = fact;
  set_text(shown, std::move(text));
  return shown;
}

}  // namespace entente::relay
