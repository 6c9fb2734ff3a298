#include "proxy/program/games.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "adapters/registry.h"

namespace entente {
namespace {

using Row = std::array<std::string, 6>;

const char* text(wire::Transport transport) {
  static constexpr const char* kNames[] = {"TCP", "TCP and UDP", "WebSocket", "ENet"};
  return kNames[static_cast<std::size_t>(transport)];
}

std::vector<Row> rows(std::span<const wire::Game* const> known) {
  std::vector<Row> all{{"game", "dialect", "port", "transport", "roles", "about"}};
  for (const wire::Game* game : known)
    for (const wire::DialectInfo& dialect : game->dialects())
      all.push_back({std::string(game->name()), std::string(dialect.name), std::to_string(game->default_port()),
                     text(game->transport()), "relay, record", std::string(dialect.about)});
  return all;
}

// Columns as wide as their widest cell; the last one ends where its text ends.
std::string plain(const std::vector<Row>& all) {
  std::string out;
  for (const Row& row : all) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (const Row& other : all) width = std::max(width, other[i].size());
      out += row[i];
      if (i + 1 < row.size()) out.append(width - row[i].size() + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

std::string markdown(const std::vector<Row>& all) {
  std::string out;
  for (const Row& row : all) {
    for (const std::string& cell : row) out += "| " + cell + " ";
    out += "|\n";
    if (&row == &all.front()) out += "|---|---|--:|---|---|---|\n";
  }
  return out;
}

}  // namespace

std::string games_table(std::span<const wire::Game* const> known, bool as_markdown) {
  const std::vector<Row> all = rows(known);
  return as_markdown ? markdown(all) : plain(all);
}

void declare_games(CLI::App& app, GamesOptions& options) {
  app.add_flag("--markdown", options.markdown, "As the table that stands in README.md");
}

int run_games(const GamesOptions& options) {
  std::fputs(games_table(games(), options.markdown).c_str(), stdout);
  return kOk;
}

}  // namespace entente
