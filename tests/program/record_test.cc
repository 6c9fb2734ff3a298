// `entente record` where there is nothing to record; what it does on a real server is in tests/real (record_from).
#include <doctest/doctest.h>

#include "tests/program/folder.h"
#include "tests/support/process.h"

namespace entente {
namespace {

const std::string kEntente = ENTENTE_BINARY;

TEST_CASE("a server that is not there is a failure, and said to be") {
  const Folder folder;
  const Ended ended = run({kEntente, "record", "--from", "panic://127.0.0.1:9?dialect=be-packed",
                           folder.file("{game}.mcap"), "--log-level", "off"});
  CHECK(ended.code == 1);
  CHECK(ended.out.starts_with("recorded 0 frames, "));
  CHECK(ended.err == "entente: the server would not have us, or no longer: server cannot be reached\n");
}

}  // namespace
}  // namespace entente
