// Files that a person names: pipes are read like files, and a signal ends the wait for them; what is no file is
// refused.
#include "proxy/program/import/input.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

#include "proxy/program/base/interruption.h"
#include "proxy/program/clips/clip.h"
#include "proxy/program/clips/join.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/recordings/recover.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/program/redact/redact.h"
#include "proxy/program/reproduce/reproduce.h"
#include "tests/program/folder.h"
#include "tests/support/paths.h"

namespace entente::input_test {
namespace {

const std::string kRec = testing::source_dir() + "/tests/traces/bzflag/bzfs2426-ctf.rec";

std::string pipe_in(const Folder& folder, const char* name) {
  const std::string path = folder.file(name);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  return path;
}

TEST_CASE("a pipe is read like the file that comes out of it, more than once") {
  const Folder folder;
  const std::string pipe = pipe_in(folder, "pipe");
  std::thread writer([&] {
    std::ifstream from(kRec, std::ios::binary);
    std::ofstream to(pipe, std::ios::binary);
    to << from.rdbuf();
  });
  std::ostringstream out, err, expected, none;
  CHECK(is_piped(pipe));
  CHECK(verify({{pipe}}, out, err) == kOk);
  writer.join();
  CHECK(verify({{kRec}}, expected, none) == kOk);
  CHECK(out.str() == expected.str());
  std::ostringstream again;
  CHECK(convert({{.file = pipe}, folder.file("a.mcap")}, again, err) == kOk);
  CHECK(verify({{folder.file("a.mcap")}}, again, err) == kOk);
}

TEST_CASE("a signal ends the wait for a pipe, and no file is left") {
  const Folder folder;
  int nth = 0;
  const auto stops = [&](int signal, const std::function<int(const std::string&, std::ostream&)>& command) {
    const std::string pipe = pipe_in(folder, ("pipe" + std::to_string(++nth)).c_str());
    int exit = -1;
    std::ostringstream err;
    std::thread runs([&] { exit = command(pipe, err); });
    // The pipe can be written to once the command waits for it.
    int writes = -1;
    while (writes < 0) writes = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK);
    std::raise(signal);
    runs.join();
    ::close(writes);
    CHECK(exit == kFailed);
    return err.str();
  };
  Progress progress(nullptr);
  std::ostringstream out;
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto stopped = [&](const std::function<int(const std::string&, std::ostream&)>& command) {
      const Interruption interruption;
      CHECK(stops(signal, command).find("interrupted") != std::string::npos);
    };
    const std::string to = folder.file("out.mcap");
    stopped([&](const std::string& pipe, std::ostream& err) { return verify({{pipe}}, out, err); });
    stopped([&](const std::string& pipe, std::ostream& err) { return convert({{.file = pipe}, to}, out, err); });
    stopped([&](const std::string& pipe, std::ostream& err) { return join({{pipe, pipe}, to}, out, err); });
    stopped([&](const std::string& pipe, std::ostream& err) {
      return clip({.source = {.file = pipe}, .from = 0, .to = {}, .out = to}, progress, out, err);
    });
    stopped([&](const std::string& pipe, std::ostream& err) { return redact({pipe, to}, progress, out, err); });
    stopped([&](const std::string& pipe, std::ostream& err) {
      return reproduce({pipe, false, ""}, progress, out, err);
    });
    stops(signal, [&](const std::string& pipe, std::ostream&) { return run_recover({pipe, to}); });
    CHECK_FALSE(std::filesystem::exists(to));
  }
}

TEST_CASE("a folder, a device and a missing file are refused") {
  const Folder folder;
  const auto why = [](const std::string& path) { return input_path(path).error().text; };
  CHECK(why(folder.path().string()) == folder.path().string() + ": it is a folder, not a file");
  CHECK(why("/dev/null") == "/dev/null: it is neither a file nor a pipe");
  CHECK(why("/dev/zero") == "/dev/zero: it is neither a file nor a pipe");
  CHECK(why("/nonexistent/x") == "/nonexistent/x: No such file or directory");
  CHECK(*input_path(kRec) == kRec);
}

}  // namespace
}  // namespace entente::input_test
