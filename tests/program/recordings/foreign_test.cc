// MCAP files of other programs, and damage that `entente recover` can or cannot repair.
#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>

#include "proxy/program/clips/clip.h"
#include "proxy/program/clips/join.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/recordings/inspect.h"
#include "proxy/program/recordings/recordings.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/program/redact/redact.h"
#include "proxy/trace/recorder.h"
#include "proxy/trace/recover.h"
#include "proxy/trace/writer.h"
#include "schema/trace.pb.h"
#include "tests/program/folder.h"

namespace entente::foreign_test {
namespace {

namespace mcap = trace::mcap;

/// Writes a file with ten messages of a schema with this name.
std::string written(const std::string& path, const std::string& schema, const std::string& library) {
  const auto sink = trace::FileSink::create(path);
  REQUIRE(sink.ok());
  mcap::Writer writer(**sink, {.header = {"", library}});
  REQUIRE(writer.begin().ok());
  REQUIRE(writer.define(mcap::Schema{1, schema, "protobuf", {}}).ok());
  REQUIRE(writer.define(mcap::Channel{1, 1, "/camera", "protobuf", {}}).ok());
  for (std::uint32_t i = 0; i < 10; ++i) writer.message({1, i, 1000 + i, 1000 + i, as_bytes("\xff\xff")});
  REQUIRE(writer.end().ok());
  REQUIRE((*sink)->finish().ok());
  return path;
}

TEST_CASE("an MCAP file of another program is refused, not read as an empty recording") {
  const Folder folder;
  const std::string path = written(folder.file("robot.mcap"), "foxglove.Log", "robot 1.0");
  const std::string why =
      path +
      ": an MCAP file of another program (robot 1.0), not a recording of Entente: none of its 10 messages can "
      "be read";
  Progress progress(nullptr);
  const auto refused = [&](int exit, const std::ostringstream& err) {
    CHECK(exit == kFailed);
    CHECK_MESSAGE(err.str().find(why) != std::string::npos, err.str());
    CHECK(err.str().find("recover") == std::string::npos);
  };
  const std::string to = folder.file("out.mcap");
  {
    std::ostringstream out, err;
    refused(verify({{path}}, out, err), err);
  }
  {
    std::ostringstream out, err;
    refused(convert({{.file = path}, to}, out, err), err);
  }
  {
    std::ostringstream out, err;
    refused(clip({.source = {.file = path}, .from = 0, .to = {}, .out = to}, progress, out, err), err);
  }
  {
    std::ostringstream out, err;
    refused(join({{path, path}, to}, out, err), err);
  }
  {
    std::ostringstream out, err;
    refused(redact({path, to}, progress, out, err), err);
  }
  {
    std::ostringstream out, err;
    refused(inspect({.input = {.file = path}}, out, err), err);
  }
  CHECK_FALSE(std::filesystem::exists(to));
}

TEST_CASE("a recording without sessions is not refused") {
  const Folder folder;
  auto empty = trace::Recorder::open(folder.file("empty.mcap"));
  REQUIRE(empty.ok());
  REQUIRE((*empty)->close(1).ok());
  std::ostringstream out, err;
  CHECK(verify({{folder.file("empty.mcap")}}, out, err) == kOk);
}

TEST_CASE("recover is recommended only if it helps") {
  const Folder folder;
  const auto told = [](const std::string& path) {
    std::ostringstream out, err;
    CHECK(verify({{path}}, out, err) == kFailed);
    return err.str();
  };
  // The file is whole, but its messages are not what they say. recover() would copy them.
  const std::string whole = written(folder.file("whole.mcap"), trace::Frame::descriptor()->full_name(), "entente");
  CHECK(told(whole).find("is not what its schema says it is") != std::string::npos);
  CHECK(told(whole).find("recover") == std::string::npos);
  REQUIRE(trace::recover(whole, folder.file("copy.mcap")).ok());
  CHECK(told(folder.file("copy.mcap")).find("recover") == std::string::npos);

  // Nothing is left but the beginning.
  std::filesystem::copy_file(whole, folder.file("cut.mcap"));
  std::filesystem::resize_file(folder.file("cut.mcap"), 40);
  CHECK(told(folder.file("cut.mcap")).find("recover") == std::string::npos);
  const auto nothing = trace::recover(folder.file("cut.mcap"), folder.file("nothing.mcap"));
  CHECK((!nothing.ok() || nothing->messages == 0));
}

}  // namespace
}  // namespace entente::foreign_test
