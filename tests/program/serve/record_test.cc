// `entente record` and `entente bot` without a server, and a recording that is spoiled. For tests with real servers see
// tests/real (record_from, bots).
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

#include "tests/program/asked.h"
#include "tests/program/folder.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::record_test {
namespace {

const std::string kEntente = testing::entente_binary();

TEST_CASE("recording an unreachable server is an error that leaves no file") {
  const Folder folder;
  const Ended ended = run({kEntente, "record", "--from", "panic://127.0.0.1:9?dialect=be-packed",
                           folder.file("{game}.mcap"), "--log-level", "off"});
  CHECK(ended.code == 1);
  CHECK(ended.out.empty());
  CHECK(ended.err == "entente: nothing was recorded: 127.0.0.1:9 cannot be reached\n");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a recording that lacks what its spoiled file had is an error, of `record` and of `bot`") {
  Process arena({kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json"});
  const std::string server =
      "native://127.0.0.1:" + std::to_string(testing::listening_port(arena, "native json")) + "?dialect=json";
  for (const bool records : {true, false}) {
    CAPTURE(records);
    const Folder folder;
    const std::string file = folder.file("a.mcap");
    Process program(records ? std::vector<std::string>{kEntente, "record", "--from", server, file}
                            : std::vector<std::string>{kEntente, "bot", server, "--record", file});
    REQUIRE(eventually([&] {
      const std::string verified = run({kEntente, "verify", file + ".part"}).out;
      return has(verified, "frames=") && !has(verified, "frames=0 ");
    }));
    std::filesystem::remove(file + ".part");
    CHECK(program.err_has("; it continues in " + file));
    program.signal(SIGTERM);
    CHECK(program.wait() == 1);
    CHECK_MESSAGE(has(program.err(), "entente: the recording lacks "), program.err());
  }
}

TEST_CASE("bots report an unreachable server, whether its dialect is given or to be detected") {
  for (const char* server : {"bzflag://127.0.0.1:9", "bzflag://127.0.0.1:9?dialect=2.4", "panic://127.0.0.1:9"}) {
    const Ended ended = run({kEntente, "bot", server, "--log-level", "off"});
    CHECK(ended.code == 1);
    CHECK_MESSAGE(ended.err.find("127.0.0.1:9 cannot be reached") != std::string::npos, server);
  }
}

}  // namespace
}  // namespace entente::record_test
