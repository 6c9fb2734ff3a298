// `entente games`: what this program speaks.
#pragma once

#include <span>
#include <string>

#include "adapters/wire/game.h"
#include "proxy/program/command.h"

namespace entente {

struct GamesOptions {
  bool markdown = false;
};

void declare_games(CLI::App& app, GamesOptions& options);
int run_games(const GamesOptions& options);

/// A row a dialect, for a terminal; or a row a game, for a README.
std::string games_table(std::span<const wire::Game* const> known, bool markdown);

}  // namespace entente
