// Recordings are closed on another thread: in their order, with their outcome, before finish() returns.
#include "proxy/relay/tap/recording_closer.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "proxy/base/steady_wall.h"
#include "proxy/trace/recording.h"
#include "tests/program/folder.h"

namespace entente::relay::recording_closer_test {
namespace {

std::unique_ptr<trace::Recorder> recorder(const std::string& path) {
  auto opened = trace::Recorder::open(path);
  REQUIRE(opened.ok());
  trace::Opened link;
  link.set_link(1);
  (*opened)->opened(steady_wall_now(), link);
  (*opened)->frame(steady_wall_now(),
                   {1, trace::TO_CLIENT, trace::STREAM, as_bytes(std::string_view("abc")), "", false});
  return std::move(*opened);
}

TEST_CASE("recordings are closed one after another, on another thread, and finish() waits for all of them") {
  const Folder folder;
  std::vector<std::string> closed;
  bool elsewhere = true, fine = true;
  RecordingCloser closer([&, here = std::this_thread::get_id()](const trace::Recorder& one, const Outcome<Done>& done) {
    closed.push_back(one.path());
    elsewhere = elsewhere && std::this_thread::get_id() != here;
    fine = fine && done.ok();
  });
  std::vector<std::string> expected;
  for (int i = 0; i < 10; ++i) {
    expected.push_back(folder.file(std::to_string(i) + ".mcap"));
    closer.close(recorder(expected.back()));
  }
  closer.finish();
  CHECK(closed == expected);
  CHECK(elsewhere);
  CHECK(fine);
  for (const std::string& path : expected) CHECK(std::filesystem::exists(path));
  // What was not written before is counted here.
  CHECK(closer.recorded().frames == 10);
  CHECK(closer.recorded().bytes == 30);
  CHECK(closer.lost().frames == 0);
  closer.finish();  // no effect
}

TEST_CASE("without a recording to close, finish() has nothing to do") {
  RecordingCloser closer([](const trace::Recorder&, const Outcome<Done>&) { FAIL("nothing was closed"); });
  closer.finish();
  CHECK(closer.recorded().frames == 0);
}

TEST_CASE("what was recorded before a recording was given away is not counted again") {
  const Folder folder;
  RecordingCloser closer([](const trace::Recorder&, const Outcome<Done>&) {});
  auto one = recorder(folder.file("a.mcap"));
  one->tick(steady_wall_now() + 5'000'000'000);  // its chunk is written
  REQUIRE(one->ever_recorded().frames == 1);
  closer.close(std::move(one));
  closer.finish();
  CHECK(closer.recorded().frames == 0);
  CHECK(closer.recorded().bytes == 0);
}

TEST_CASE("a recording that another program removed is reported as not completed, and its frames as lost") {
  const Folder folder;
  std::size_t failed = 0;
  RecordingCloser closer([&](const trace::Recorder&, const Outcome<Done>& done) { failed += done.ok() ? 0 : 1; });
  auto one = recorder(folder.file("a.mcap"));
  std::filesystem::remove_all(folder.path());
  closer.close(std::move(one));
  closer.finish();
  CHECK(failed == 1);
  CHECK(closer.lost().frames == 1);
}

}  // namespace
}  // namespace entente::relay::recording_closer_test
