#include "proxy/program/games.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>

#include "adapters/registry.h"
#include "proxy/program/base/table.h"

namespace entente {
namespace {

const char* transport_text(wire::Transport transport) {
  switch (transport) {
    case wire::Transport::kTcp:
      return "TCP";
    case wire::Transport::kTcpAndUdp:
      return "TCP and UDP";
    case wire::Transport::kWebSocket:
      return "WebSocket";
    case wire::Transport::kEnet:
      return "ENet";
  }
  return "";
}

std::string transports(const wire::Game& game) {
  const bool also_web = game.over_web() != nullptr && game.over_web() != &game;
  return std::string(transport_text(game.transport())) + (also_web ? ", WebSocket" : "");
}

// What this program can do with every game.
constexpr const char* kRoles = "relay, record, inspect, verify";

/// kRoles, and the sides of a bridge that the dialect has.
std::string roles(const wire::Game& game, std::size_t dialect) {
  const core::Faces& faces = faces_of(game);
  return std::string(kRoles) + (faces.has_front(dialect) ? ", front" : "") + (faces.has_back(dialect) ? ", back" : "");
}

/// The keys behind '?' of a bridge's URLs.
std::string settings_table(std::span<const wire::Game* const> known) {
  Rows<4> rows{{"game", "of", "key", "meaning"}};
  for (const wire::Game* game : known) {
    const core::Faces& faces = faces_of(*game);
    for (const core::Setting& one : faces.front_settings)
      rows.push_back({std::string(game->name()), "--listen", one.name, one.about});
    for (const core::Setting& one : faces.back_settings)
      rows.push_back({std::string(game->name()), "--to", one.name, one.about});
  }
  return rows.size() == 1 ? "" : "\nSettings of bridges, after the '?' of a URL:\n\n" + in_columns(rows);
}

Rows<6> by_dialect(std::span<const wire::Game* const> known) {
  Rows<6> rows{{"game", "dialect", "port", "transport", "roles", "about"}};
  for (const wire::Game* game : known)
    for (std::size_t i = 0; i < game->dialects().size(); ++i)
      rows.push_back({std::string(game->name()), std::string(game->dialects()[i].name),
                      std::to_string(game->default_port()), transports(*game), roles(*game, i),
                      std::string(game->dialects()[i].about)});
  return rows;
}

/// A dialect's name as a word and a number: legacy4 is {"legacy", 4}. Without a number, 0.
std::pair<std::string_view, unsigned> numbered(std::string_view name) {
  const std::size_t word = name.find_last_not_of("0123456789") + 1;
  unsigned number = 0;
  std::from_chars(name.data() + word, name.data() + name.size(), number);
  return {name.substr(0, word), number};
}

/// All dialects. Where three or more are numbered without a gap, only the first and the last are named.
std::string dialect_ranges(std::span<const wire::DialectInfo> all) {
  std::string out;
  for (std::size_t first = 0, last = 0; first < all.size(); first = ++last) {
    const auto [word, number] = numbered(all[first].name);
    while (last + 1 < all.size() &&
           numbered(all[last + 1].name) == std::pair(word, numbered(all[last].name).second + 1))
      ++last;
    if (last - first < 2) last = first;
    out += (out.empty() ? "`" : ", `") + std::string(all[first].name) + "`";
    if (last != first) out += " to `" + std::string(all[last].name) + "`";
  }
  return out;
}

Rows<5> by_game(std::span<const wire::Game* const> known) {
  Rows<5> rows{{"game", "about", "port", "transport", "dialects"}};
  for (const wire::Game* game : known) {
    rows.push_back({"`" + std::string(game->name()) + "`", std::string(game->about()),
                    std::to_string(game->default_port()), transports(*game), dialect_ranges(game->dialects())});
  }
  return rows;
}

template <std::size_t Columns>
std::string markdown(const Rows<Columns>& rows) {
  std::string out;
  for (const auto& row : rows) {
    for (const std::string& cell : row) out += "| " + cell + " ";
    out += "|\n";
    if (&row == &rows.front()) out += "|---|---|--:|---|---|\n";
  }
  return out;
}

}  // namespace

std::string games_table(std::span<const wire::Game* const> known, bool as_markdown) {
  if (as_markdown) return markdown(by_game(known));
  return in_columns(by_dialect(known)) +
         "\nA client of any game with a front can play on a server of any game with a back; `entente explain CLIENT "
         "SERVER`\n"
         "lists what works. Without a dialect, a listener speaks the first one of its game; an Ogar listener accepts "
         "all.\n" +
         settings_table(known);
}

void declare_games(CLI::App& app, GamesOptions& options) {
  app.add_flag("--markdown", options.markdown, "Print a Markdown table of the games, as in README.md");
}

int run_games(const GamesOptions& options) {
  std::fputs(games_table(games(), options.markdown).c_str(), stdout);
  return kOk;
}

}  // namespace entente
