// `entente games`: lists the games.
#pragma once

#include <span>
#include <string>

#include "adapters/wire/game.h"
#include "proxy/program/base/command.h"

namespace entente {

struct GamesOptions {
  bool markdown = false;
};

void declare_games(CLI::App& app, GamesOptions& options);
int run_games(const GamesOptions& options);

/// One row per dialect, for a terminal; or one row per game, for a README.
std::string games_table(std::span<const wire::Game* const> known, bool markdown);

}  // namespace entente
