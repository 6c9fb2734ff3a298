#include "proxy/program/games.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "adapters/registry.h"
#include "proxy/program/route.h"

namespace entente {
namespace {

template <std::size_t Columns>
using Rows = std::vector<std::array<std::string, Columns>>;

const char* text(wire::Transport transport) {
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

// What this program can be for each of them, as far as it is built.
constexpr const char* kRoles = "relay, record, inspect, verify";

Rows<6> by_dialect(std::span<const wire::Game* const> known) {
  Rows<6> rows{{"game", "dialect", "port", "transport", "roles", "about"}};
  for (const wire::Game* game : known)
    for (const wire::DialectInfo& dialect : game->dialects())
      rows.push_back({std::string(game->name()), std::string(dialect.name), std::to_string(game->default_port()),
                      text(game->transport()), kRoles, std::string(dialect.about)});
  return rows;
}

Rows<6> by_game(std::span<const wire::Game* const> known) {
  Rows<6> rows{{"game", "about", "port", "transport", "roles today", "dialects"}};
  for (const wire::Game* game : known) {
    std::string dialects;
    for (const wire::DialectInfo& dialect : game->dialects())
      dialects += (dialects.empty() ? "`" : ", `") + std::string(dialect.name) + "`";
    rows.push_back({"`" + std::string(game->name()) + "`", std::string(game->about()),
                    std::to_string(game->default_port()), text(game->transport()), kRoles, dialects});
  }
  return rows;
}

// Columns as wide as their widest cell; the last one ends where its text ends.
template <std::size_t Columns>
std::string plain(const Rows<Columns>& rows) {
  std::array<std::size_t, Columns> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < Columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < Columns; ++i) out += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    out += row.back() + "\n";
  }
  return out;
}

template <std::size_t Columns>
std::string markdown(const Rows<Columns>& rows) {
  std::string out;
  for (const auto& row : rows) {
    for (const std::string& cell : row) out += "| " + cell + " ";
    out += "|\n";
    if (&row == &rows.front()) out += "|---|---|--:|---|---|---|\n";
  }
  return out;
}

}  // namespace

std::string games_table(std::span<const wire::Game* const> known, bool as_markdown) {
  if (as_markdown) return markdown(by_game(known));
  return plain(by_dialect(known)) + "\nA URL that names no dialect to listen for means the first of its game.\n";
}

void declare_games(CLI::App& app, GamesOptions& options) {
  app.add_flag("--markdown", options.markdown, "As the table that stands in README.md, a row a game");
}

int run_games(const GamesOptions& options) {
  std::fputs(games_table(games(), options.markdown).c_str(), stdout);
  return kOk;
}

}  // namespace entente
