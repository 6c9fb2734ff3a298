// judge_matches --seed N --out DIR [--matches N] [--minutes N] [--players N] [--game GAME]: writes recordings of
// matches of honest and cheating players, match-1.mcap …, and labels.tsv, for `entente judge --labels`.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/trace/recorder.h"
#include "tests/judge/match.h"

namespace entente::judged {
namespace {

constexpr std::uint32_t kLink = 1;
constexpr WallTime kBegin = 1'700'000'000'000'000'000;

struct Options {
  std::uint64_t seed = 0;
  std::string out;
  int matches = 10, minutes = 10, players = 10;
};

std::optional<Options> read(int count, char** arguments) {
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const char* const value = arguments[i + 1];
    if (name == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (name == "--out")
      options.out = value;
    else if (name == "--matches")
      options.matches = std::atoi(value);
    else if (name == "--minutes")
      options.minutes = std::atoi(value);
    else if (name == "--players")
      options.players = std::atoi(value);
    else
      return std::nullopt;
  }
  const bool fits =
      count % 2 == 1 && !options.out.empty() && options.matches > 0 && options.minutes > 0 && options.players > 1;
  return fits ? std::optional(options) : std::nullopt;
}

/// A third of the players cheat, each in one way. The first is honest.
std::vector<CheatKind> some_cheats(int players, Chance& chance) {
  std::vector<CheatKind> cheats{CheatKind::kNone};
  while (cheats.size() < static_cast<std::size_t>(players))
    cheats.push_back(
        chance.happens(0.35)
            ? kCheatKinds[static_cast<std::size_t>(chance.whole(0, static_cast<int>(kCheatKinds.size()) - 1))]
            : CheatKind::kNone);
  return cheats;
}

bool write_match(const Options& options, int number, std::ofstream& labels) {
  Chance chance(options.seed * 1'000'003 + static_cast<std::uint64_t>(number));
  const std::string name = "match-" + std::to_string(number) + ".mcap";
  const auto recorder = trace::Recorder::open(options.out + "/" + name, {.sync = trace::RecorderOptions::Sync::kNever});
  if (!recorder) {
    std::fprintf(stderr, "judge_matches: %s\n", recorder.error().text.c_str());
    return false;
  }
  trace::Opened opened;
  opened.set_link(kLink);
  opened.set_game("native");
  opened.set_dialect("protobuf");
  (*recorder)->opened(kBegin, opened);
  WallTime last = kBegin;
  Buffer written;
  Match match(chance.next(), some_cheats(options.players, chance), [&](const core::Fact& fact) {
    last = kBegin + fact.at * 1000;
    written.clear();
    core::write(fact, written);
    (*recorder)->word(last, kLink, trace::WordKind::kFact, written);
  });
  match.play(options.minutes * 60.0);
  (*recorder)->closed(last, kLink, "the match is over");
  if (const auto closed = (*recorder)->close(last); !closed) {
    std::fprintf(stderr, "judge_matches: %s\n", closed.error().text.c_str());
    return false;
  }
  for (const auto& player : match.players()) {
    labels << name << '\t' << player->name << '\t';
    if (player->cheat.kind == CheatKind::kNone)
      labels << "honest\n";
    else
      labels << "cheat\t" << name_of(player->cheat.kind) << '\n';
    const Cheat& cheat = player->cheat;
    if (cheat.kind != CheatKind::kNone)
      std::printf("%s %s: %s, strength %.3g, share %.2f, duty %.2f of %.0f s%s\n", name.c_str(), player->name.c_str(),
                  name_of(cheat.kind), cheat.strength, cheat.share, cheat.duty, cheat.period,
                  cheat.variant ? ", variant" : "");
  }
  return true;
}

int run(int count, char** arguments) {
  const auto options = read(count, arguments);
  if (!options) {
    std::fprintf(stderr, "usage: judge_matches --seed N --out DIR [--matches N] [--minutes N] [--players N]\n");
    return 2;
  }
  std::error_code error;
  std::filesystem::create_directories(options->out, error);
  std::ofstream labels(options->out + "/labels.tsv");
  labels << "# recording, player, honest or cheat, kind of cheat\n";
  for (int number = 1; number <= options->matches; ++number)
    if (!write_match(*options, number, labels)) return 1;
  return labels.flush() ? 0 : 1;
}

}  // namespace
}  // namespace entente::judged

int main(int count, char** arguments) { return entente::judged::run(count, arguments); }
