// A recording keeps the ENet channel and delivery of each packet.
#include <doctest/doctest.h>

#include <sstream>

#include "adapters/aos/aos.h"
#include "proxy/program/recordings/inspect.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/relay/tap/tap.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"
#include "tests/relay/enet_peers.h"

namespace entente::enet_recording_test {
namespace {

std::string inspected(const std::string& file, bool json) {
  InspectOptions options{{file, "", "", 0}};
  options.json = json;
  std::ostringstream out, err;
  CHECK(inspect(options, out, err) == kOk);
  return out.str();
}

/// A session of three packets, recorded.
void record_session(const std::string& path, relay::EnetMode mode) {
  using testing::EnetPacket, testing::EnetDelivery;
  relay::TapThread tap({.recorder = recorder(path)});
  {
    testing::Scene scene(aos::game(), testing::no_limits(), mode, &tap);
    scene.client.peer = scene.client.host.connect(scene.running.address, 2, 3);
    scene.until([&] { return scene.client.ups > 0 && scene.server.peer != nullptr; });
    scene.client.say(0, "030001", EnetDelivery::kReliable);
    scene.until([&] { return scene.server.log.size() == 2; });
    scene.server.say(1, "030102", EnetDelivery::kUnsequenced);
    scene.until([&] { return scene.client.log.size() == 2; });
    scene.server.say(0, "030203", EnetDelivery::kUnreliable);
    scene.until([&] { return scene.client.log.size() == 3; });
    scene.running.stop();
  }
  REQUIRE(tap.stop().ok());
}

TEST_CASE("a recorded ENet packet has its channel and its delivery, in either mode of the relay") {
  const Folder folder;
  for (const auto mode : {relay::EnetMode::kPackets, relay::EnetMode::kDatagrams}) {
    CAPTURE(static_cast<int>(mode));
    const std::string path = folder.file(mode == relay::EnetMode::kPackets ? "packets.mcap" : "datagrams.mcap");
    record_session(path, mode);
    const std::string lines = inspected(path, false), json = inspected(path, true);
    for (const char* line :
         {"c2s reliable/0 InputData ", "s2c unsequenced/1 InputData ", "s2c unreliable/0 InputData "}) {
      CAPTURE(line);
      CHECK_MESSAGE(lines.find(line) != std::string::npos, lines);
    }
    CHECK_MESSAGE(json.find(R"("lane":"datagram","delivery":"unsequenced","channel":1,)") != std::string::npos, json);
    std::ostringstream out, err;
    CHECK(verify({{path, "", "", 0}}, out, err) == kOk);
    CHECK(out.str().find("frames=3 exact=3 ") != std::string::npos);
  }
}

TEST_CASE("a packet of another transport has no delivery") {
  const Folder folder;
  const auto path = folder.file("x.mcap");
  const auto to = recorder(path);
  to->opened(1, opening(1, "panic", "be-packed"));
  record(*to, 1, trace::TO_SERVER, "0001010200000001", 2);
  REQUIRE(to->close(3).ok());
  CHECK(inspected(path, true).find("delivery") == std::string::npos);
}

}  // namespace
}  // namespace entente::enet_recording_test
