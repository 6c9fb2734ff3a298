#include "proxy/program/settings/lab.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "adapters/registry.h"
#include "proxy/program/base/read_file.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/suggest.h"

namespace entente {
namespace {

using relay::LabPlan;

/// What people call words that have several names.
struct CommonName {
  std::string_view name;
  std::array<std::string_view, 2> words;
};
constexpr std::array<CommonName, 2> kCommonNames{{{"chat", {"Say", "Said"}}, {"shot", {"Fire", "Shot"}}}};

std::string_view word_of(const wire::MappingLine& line) {
  const std::string_view word = line.word;
  return word.substr(0, word.find('.'));
}

/// Whether the line says that a message becomes this word, or the word this message.
bool carries(const wire::MappingLine& line) {
  return *line.message != '\0' && line.message != std::string_view("*") && *line.word != '\0' &&
         line.word != std::string_view("*") && line.fidelity != wire::Fidelity::kDropped;
}

bool same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

/// The text, or what is in the file that it names.
Outcome<std::string> read_spec(const std::string& text) {
  if (!text.starts_with('@')) return text;
  const std::string file = text.substr(1);
  auto content = read_beginning(file, LabPlan::kLongestSpec + 1);
  if (!content) return Error{content.error().text(file)};
  return std::move(*content);
}

}  // namespace

LabRoute::LabRoute(const ListenEnd& listen, std::optional<RouteKind> kind)
    : game(listen.game),
      dialect(listen.takes_any_dialect() ? std::nullopt : std::optional(listen.main_dialect())),
      datagrams(listen.enet == relay::EnetMode::kDatagrams),
      relay(kind == RouteKind::kRelay) {}

LabRoute::LabRoute(const relay::RouteOptions& options)
    : game(options.game),
      dialect(options.clients_name_dialect ? std::nullopt : std::optional(options.listen_dialect)),
      datagrams(options.enet == relay::EnetMode::kDatagrams),
      relay(!options.bridge) {}

Outcome<std::vector<std::string>> messages_called(std::string_view name, const LabRoute& route) {
  std::set<std::string> messages, words;
  const auto codec = route.game->codec(route.dialect.value_or(0));
  for (const wire::Row& row : codec->rows())
    if (!route.dialect || (row.dialects >> *route.dialect & 1U) != 0) messages.insert(row.name);
  if (messages.contains(std::string(name))) return std::vector{std::string(name)};
  std::vector<std::string_view> wanted{name};
  for (const CommonName& one : kCommonNames)
    if (same_name(one.name, name)) wanted.assign(one.words.begin(), one.words.end());
  std::set<std::string> found;
  const auto see = [&](std::string_view word, const std::string& message) {
    words.emplace(word);
    if (std::ranges::any_of(wanted, [&](std::string_view one) { return same_name(one, word); })) found.insert(message);
  };
  for (const wire::MappingLine& line : mapping_of(*route.game))
    if (carries(line) && messages.contains(line.message)) see(word_of(line), line.message);
  for (const std::string& message : messages) see(message, message);  // in another case
  if (!found.empty()) return std::vector(found.begin(), found.end());
  std::vector<std::string_view> known(messages.begin(), messages.end());
  known.insert(known.end(), words.begin(), words.end());
  for (const CommonName& one : kCommonNames) known.push_back(one.name);
  const std::string near = did_you_mean(name, known);
  return Error{std::string(route.game->name()) + " has no message and no word '" + screen_text(name) + "'" +
               (near.empty() ? "; `entente explain " + std::string(route.game->name()) + " " +
                                   std::string(route.game->name()) + "` lists them"
                             : near)};
}

Outcome<std::shared_ptr<const LabPlan>> parse_lab(const std::string& text, const LabRoute& route) {
  if (text.empty()) return std::shared_ptr<const LabPlan>();
  if (!route.relay) return Error{"is for relays: a bridge translates, and passes on nothing as it comes"};
  const auto spec = read_spec(text);
  if (!spec) return spec.error();
  auto plan = LabPlan::parse(*spec, [&](std::string_view name) { return messages_called(name, route); });
  if (!plan)
    return Error{(*spec != text ? "'" + screen_text(text.substr(1)) + "' " : "") + screen_text(plan.error().text)};
  if (const auto why = plan->objection(route.game->transport(), route.datagrams)) return *why;
  return std::make_shared<const LabPlan>(std::move(*plan));
}

}  // namespace entente
