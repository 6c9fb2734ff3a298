// Both directions of a session in the lab.
#include "proxy/relay/faults/session_lab.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/bzflag/bzflag.h"

namespace entente::session_lab_test {
namespace {

using relay::LabFault, relay::LabLine, relay::LabPlan, relay::LabUnit, relay::SessionLab;
using wire::Way;

std::shared_ptr<const LabPlan> plan(std::string_view text) {
  auto made = LabPlan::parse(text, nullptr);
  REQUIRE(made.ok());
  return std::make_shared<const LabPlan>(std::move(*made));
}

/// A session of BZFlag, whose frames are length, code and content.
struct Rig final : LabLine::User {
  explicit Rig(std::string_view text = "") {
    info.game = &bzflag::game();
    lab.emplace(loop, *this, LabLine::Of::kStream, info, 7, route, 1U << 20U);
    if (!text.empty()) follow(text);
  }
  ~Rig() override {
    lab.reset();
    loop.run();
  }
  void follow(std::string_view text) { lab->lines().follow({plan(text), loop.now()}); }
  void cut() {
    auto up = bzflag::game().cutter(Way::kToServer, 0), down = bzflag::game().cutter(Way::kToClient, 0);
    up->skip_greeting();
    down->skip_greeting();
    lab->cut_with(std::move(up), std::move(down));
  }
  void lab_passes(LabLine& line, const LabUnit& unit) override {
    passed[line.way() == Way::kToClient] += as_text(unit.bytes);
    frames += unit.tag;
    inserted += unit.inserted ? 1 : 0;
    parts += unit.part ? 1 : 0;
  }
  void lab_keeps(LabLine&, Bytes unit, std::uint32_t, bool) override { kept += as_text(unit); }
  void lab_resets(LabLine&) override {
    ++resets;
    lab->abandon();
  }

  net::Loop loop;
  relay::LinkInfo info;
  relay::LabCountsOf<relay::Count> route;
  std::optional<SessionLab> lab;
  std::string passed[2], kept;
  std::size_t frames = 0, inserted = 0, parts = 0, resets = 0;
};

const Buffer kFrames{0, 0, 's', 'k', 0, 1, 'p', 'i', 'x', 0, 0, 's', 'k'};  // three

TEST_CASE("a stream is cut into frames, each way with its own cutter; a frame whose beginning passed is a part") {
  Rig rig;
  rig.cut();
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    rig.frames = rig.parts = 0;
    rig.lab->put_frames(way, kFrames, 0, 3);
    CHECK(rig.passed[way == Way::kToClient] == as_text(kFrames));
    CHECK(rig.frames == 3);
    CHECK(rig.parts == 0);
    rig.lab->put_frames(way, kFrames, 2, 3);  // two bytes of the first were taken before
    CHECK(rig.passed[way == Way::kToClient] == std::string(as_text(kFrames)) + std::string(as_text(kFrames).substr(2)));
    CHECK(rig.frames == 6);
    CHECK(rig.parts == 1);
  }
}

TEST_CASE("what cannot be cut passes as it came, without what was taken before") {
  Rig rig;
  rig.lab->put_frames(Way::kToClient, kFrames, 3, 3);  // it has no cutter
  CHECK(rig.passed[1] == as_text(kFrames).substr(3));
  CHECK(rig.frames == 3);
  rig.cut();
  rig.lab->put_frames(Way::kToServer, as_bytes(std::string_view("not a frame")), 4, 0);
  CHECK(rig.passed[0] == "a frame");
  CHECK(rig.frames == 3);
  CHECK(rig.parts == 2);
}

TEST_CASE("after a reset, none of the frames that came with it is put in") {
  Rig rig("reset=100%");
  rig.cut();
  rig.lab->put_frames(Way::kToServer, kFrames, 0, 3);
  CHECK(rig.resets == 1);
  CHECK(rig.kept == as_text(Bytes(kFrames).first(4)));
  CHECK(rig.lab->report().counts.at(Way::kToServer, LabFault::kReset) == 1);
}

TEST_CASE("both ways wait, pass on and are forgotten together") {
  Rig rig("delay=50s");
  rig.cut();
  const auto put = [&] {
    for (const Way way : {Way::kToServer, Way::kToClient}) rig.lab->put_frames(way, kFrames, 0, 3);
  };
  put();
  const std::size_t up = rig.lab->at(Way::kToServer).waiting(), down = rig.lab->at(Way::kToClient).waiting();
  CHECK(up >= kFrames.size());
  CHECK(down >= kFrames.size());
  CHECK(rig.lab->waiting() == up + down);
  rig.lab->lines().flush();
  CHECK(rig.passed[0] == as_text(kFrames));
  CHECK(rig.passed[1] == as_text(kFrames));
  CHECK(rig.lab->waiting() == 0);
  put();
  rig.lab->lines().clear();
  CHECK(rig.lab->waiting() == 0);
  CHECK(rig.kept == std::string(as_text(kFrames)) + std::string(as_text(kFrames)));
}

TEST_CASE("at its end a session passes on what waits, both ways, and takes no frames any more") {
  Rig rig("delay=50s");
  rig.cut();
  rig.lab->put_frames(Way::kToServer, kFrames, 0, 3);
  rig.lab->put_frames(Way::kToClient, kFrames, 0, 3);
  rig.lab->end();
  CHECK(rig.passed[0] == as_text(kFrames));
  CHECK(rig.passed[1] == as_text(kFrames));
  rig.lab->put_frames(Way::kToServer, kFrames, 0, 3);
  CHECK(rig.lab->waiting() == 0);
  CHECK(rig.passed[0] == as_text(kFrames));
}

TEST_CASE("an operator's text is one to the client only") {
  Rig rig;
  rig.cut();
  rig.lab->set_inserting(true);
  rig.lab->put_frames(Way::kToServer, kFrames, 0, 3);
  CHECK(rig.inserted == 0);
  rig.lab->put_frames(Way::kToClient, kFrames, 0, 3);
  CHECK(rig.inserted == 3);
  rig.lab->set_inserting(false);
  rig.lab->put_frames(Way::kToClient, kFrames, 0, 3);
  CHECK(rig.inserted == 3);
}

TEST_CASE("a session's faults are reported with its number, and counted for its route, too") {
  Rig rig("delay=50s");
  CHECK(rig.lab->report().number == 7);
  rig.cut();
  rig.lab->put_frames(Way::kToServer, kFrames, 0, 3);
  CHECK(rig.lab->report().counts.at(Way::kToServer, LabFault::kDelay) == 3);
  CHECK(rig.lab->report().counts.at(Way::kToClient, LabFault::kDelay) == 0);
  CHECK(rig.route.at(Way::kToServer, LabFault::kDelay).read() == 3);
  ++rig.lab->counted().session.at(Way::kToClient, LabFault::kLoss);  // by its datagrams
  CHECK(rig.lab->report().counts.at(Way::kToClient, LabFault::kLoss) == 1);
  rig.lab->abandon();
}

/// Keeps everything back.
struct NoJudge final : LabLine::Judge {
  bool lets(LabLine::Of, Way, Bytes, std::uint32_t, wire::Stage) override { return false; }
};

TEST_CASE("one judge hears both ways") {
  Rig rig;
  rig.cut();
  CHECK(rig.lab->judge() == nullptr);
  NoJudge judge;
  rig.lab->judge_by(&judge);
  CHECK(rig.lab->judge() == &judge);
  for (const Way way : {Way::kToServer, Way::kToClient}) rig.lab->put_frames(way, kFrames, 0, 3);
  CHECK(rig.passed[0].empty());
  CHECK(rig.passed[1].empty());
  CHECK(rig.kept.size() == 2 * kFrames.size());
}

}  // namespace
}  // namespace entente::session_lab_test
