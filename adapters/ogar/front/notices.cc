#include "adapters/ogar/front/notices.h"

#include "adapters/ogar/front/looks.h"
#include "adapters/ogar/text.h"
#include "proxy/core/chat.h"

namespace entente::ogar {
namespace {

std::string over(const words::Round& round, const core::World& world) {
  return round.state() == words::Round::OVER ? core::line_of(round, world) : std::string();
}

}  // namespace

std::string notice_of(const core::Fact& fact, const core::World& world) {
  return std::visit(core::Overloaded{[](const words::Notice& word) { return word.text(); },
                                     [](const words::Waiting& word) { return core::line_of(word); },
                                     [&](const words::Round& word) { return over(word, world); },
                                     [](const words::Refused& word) { return "you may not come in: " + word.text(); },
                                     [](const words::Kicked& word) { return "you must go: " + word.text(); },
                                     [](const words::ClaimRefused& word) { return "refused: " + word.why(); },
                                     [](const auto&) { return std::string(); }},
                    fact.kind);
}

ChatLine server_line(std::string_view text) {
  ChatLine line;
  set(line.name, "Server");
  line.colour = {63, 63, 192};
  line.by_server = 1;
  set(line.text, text);
  return line;
}

ChatLine chat_line(const words::Said& said, const core::World& world) {
  const core::PlayerState* player = world.player(said.from());
  std::string name = said.name();
  if (name.empty() && player != nullptr) name = player->player.name();
  if (said.from() == 0 && name.empty()) return server_line(said.text());
  ChatLine line;
  set(line.name, name);
  line.colour = said.colour() != 0 ? colour_of(said.colour()) : colour_of(world, said.from(), words::TEAM_ANY);
  const char* aside = said.scope() == words::Say::EVERYBODY ? ""
                      : said.scope() == words::Say::MY_TEAM ? "(team) "
                                                            : "(to you) ";
  set(line.text, aside + said.text());
  return line;
}

}  // namespace entente::ogar
