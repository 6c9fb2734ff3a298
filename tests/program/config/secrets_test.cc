// An arena passes on no commands in the chat, and a recording has no passwords unless the configuration keeps them.
#include <doctest/doctest.h>

#include <csignal>

#include "proxy/trace/recording.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"

namespace entente::secrets_test {

namespace {

const std::string kEntente = testing::entente_binary();

/// All frames, notes, words and worlds of a recording, as text.
std::string everything(const std::string& path) {
  auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::string all;
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE(event.ok());
    if (*event == nullptr) return all;
    if ((*event)->frame) all += (*event)->frame->data() + "\n";
    if ((*event)->note) all += (*event)->note->text() + "\n";
    if ((*event)->word && (*event)->word->intent) all += (*event)->word->intent->ShortDebugString() + "\n";
    if ((*event)->word && (*event)->word->fact) all += (*event)->word->fact->ShortDebugString() + "\n";
    if ((*event)->world) all += (*event)->world->ShortDebugString() + "\n";
  }
}

bool told(const words::Fact& fact) { return fact.has_notice() && fact.notice().text().starts_with("not passed on: "); }

const char* const kCommands[] = {R"({"say":{"text":"/password sesame"}})", R"({"say":{"text":" /login anna sesame"}})",
                                 R"({"say":{"text":"/password sesame","kind":"COMMAND","scope":"SERVER"}})",
                                 R"({"say":{"text":"/password sesame","kind":"ACTION"}})",
                                 R"({"say":{"text":"\u00a0/password sesame","scope":"MY_TEAM"}})"};

}  // namespace

TEST_CASE("an arena does not pass on commands, and secrets are not recorded") {
  const Folder folder;
  const std::string record = folder.file("arena.mcap");
  Process arena(
      {kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json", "--side", "100", "--record", record});
  const int port = testing::listening_port(arena, "native json");
  NativeClient ben(port), anna(port);
  ben.says("{\"enter\":{\"name\":\"ben\"}}\n");
  REQUIRE(ben.hears([](const auto& fact) { return fact.has_ready(); }).has_value());
  anna.says("{\"enter\":{\"name\":\"anna\",\"password\":\"sesame\",\"token\":\"sesame\"}}\n");
  for (const char* command : kCommands) {
    anna.says(std::string(command) + "\n");
    CHECK(anna.hears(told).has_value());
  }
  // From another player: anna has reached the limit of lines.
  NativeClient carl(port);
  carl.says("{\"enter\":{\"name\":\"carl\"}}\n{\"say\":{\"text\":\"the end\"}}\n");
  std::string heard;
  REQUIRE(ben.hears([&](const auto& fact) {
               if (fact.has_said()) heard += fact.said().text();
               return fact.has_said() && fact.said().text() == "the end";
             })
              .has_value());
  CHECK(heard == "the end");
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
  const std::string all = everything(record);
  CHECK(all.find("anna") != std::string::npos);
  CHECK(all.find("/password") != std::string::npos);  // in the frames; the password is blanked
  CHECK(all.find("sesame") == std::string::npos);
  CHECK(arena.err().find("sesame") == std::string::npos);
  const Ended verified = run({kEntente, "verify", record});
  CHECK_MESSAGE(verified.code == 0, verified.out, verified.err);
}

TEST_CASE("secrets are recorded with secrets = keep") {
  const Folder folder;
  const std::string record = folder.file("arena.mcap");
  const std::string config = folder.write("a.toml",
                                          "[recording]\nsecrets = \"keep\"\n[[arena]]\nlisten = "
                                          "[\"native://127.0.0.1:0?dialect=json\"]\nrecord = \"" +
                                              record + "\"\n");
  Process arena({kEntente, "run", config});
  NativeClient anna(testing::listening_port(arena, "native json"));
  // Wait for the line itself: an arena may send "ready" before it reads the line.
  anna.says("{\"enter\":{\"name\":\"anna\",\"password\":\"sesame\"}}\n{\"say\":{\"text\":\"the end\"}}\n");
  REQUIRE(anna.hears([](const auto& fact) { return fact.has_said(); }).has_value());
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
  const std::string all = everything(record);
  CHECK_MESSAGE(all.find("sesame") != std::string::npos, all, arena.err());
}

}  // namespace entente::secrets_test
