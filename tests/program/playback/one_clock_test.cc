// One time for a file: whatever is played, listed, counted or cut, times count from the file's first message.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <variant>
#include <vector>

#include "proxy/program/clips/clip.h"
#include "proxy/program/numbers/source.h"
#include "proxy/program/playback/playable.h"
#include "tests/program/clips/clip_match.h"
#include "tests/program/folder.h"

namespace entente::one_clock_test {
namespace {

using clip_match::kSecond, clip_match::kStart;

/// The match of clip_match.h, 7 s after the beginning of the file: bob dies at 20 s.
std::string late_match(const std::string& path) {
  const auto to = recorder(path);
  to->note(kStart, 0, "the file begins");
  to->opened(kStart + kSecond, opening(2, "panic", "be-packed"));
  clip_match::Match match(1, kStart + 7 * kSecond);
  match.open(*to);
  for (int tenths = 1; tenths < 200; ++tenths) match.step(*to, tenths);
  match.close(*to);
  to->closed(kStart + 27 * kSecond, 2, "client left");
  REQUIRE(to->close(kStart + 27 * kSecond).ok());
  return path;
}

class Deaths final : public numbers::RowSink {
 public:
  std::vector<double> times;
  double began = -1;
  void take(const numbers::Row& row) override {
    if (const auto* death = std::get_if<numbers::Death>(&row)) times.push_back(death->time_s);
    if (const auto* match = std::get_if<numbers::Match>(&row)) began = match->began_s;
  }
};

std::string inspected(const std::string& path, double since, double until) {
  InspectOptions options;
  options.input.file = path;
  options.messages = {"Died"};
  options.since = since;
  options.until = until;
  std::ostringstream out, err;
  REQUIRE(inspect(options, out, err) == kOk);
  return out.str();
}

TEST_CASE("replay, inspect, clip, stats and export agree on when something happened") {
  const Folder folder;
  const std::string path = late_match(folder.file("a.mcap"));
  constexpr core::Micros kDied = 20 * core::kSecond;

  const auto played = open_playable({.input = {.file = path}, .terminal = nullptr});
  REQUIRE(played.ok());
  CHECK((*played)->first() == 7 * core::kSecond);
  CHECK((*played)->begins() == kStart);
  CHECK((*played)->end_time() == 27 * core::kSecond);
  const auto moments = (*played)->moments();
  const auto kill =
      std::find_if(moments.begin(), moments.end(), [](const auto& one) { return one.what == words::Timeline::KILL; });
  REQUIRE(kill != moments.end());
  CHECK(kill->at == kDied);
  core::WorldState world;
  REQUIRE((*played)->seek(kDied - 1, world).ok());
  CHECK(world.unit(4)->unit.alive());
  REQUIRE((*played)->seek(kDied, world).ok());
  CHECK_FALSE(world.unit(4)->unit.alive());

  CHECK_FALSE(inspected(path, 19.9, 20.1).empty());
  CHECK(inspected(path, 0, 19.9).empty());

  std::ostringstream err;
  auto words = numbers::open({.files = {path}}, "entente stats", err);
  REQUIRE(words.ok());
  Deaths deaths;
  REQUIRE(numbers::read(**words, "a.mcap", core::kSecond, deaths).ok());
  CHECK(deaths.times == std::vector<double>{20});
  CHECK(deaths.began == 7);

  Progress progress(nullptr);
  std::ostringstream out;
  const std::string cut = folder.file("cut.mcap");
  REQUIRE(clip({.source = {.file = path}, .from = 19.9, .to = 20.1, .out = cut}, progress, out, err) == kOk);
  CHECK_FALSE(inspected(cut, 0, 1).empty());
}

TEST_CASE("words that are made of a file count from its beginning, too") {
  const Folder folder;
  const auto first = [&](const std::string& name) {
    const auto played = open_playable({.input = {.file = trace_file(name)}, .once = true, .terminal = nullptr});
    REQUIRE(played.ok());
    return std::pair((*played)->begins(), (*played)->first());
  };
  const auto [begins, at] = first("bzflag/bzfs2426-ctf.rec");
  CHECK(begins != 0);
  CHECK(at < 10 * core::kSecond);
}

}  // namespace
}  // namespace entente::one_clock_test
