// The datagrams of a real client and a real server through a relay that passes them unchanged: its recording equals an
// import of the capture.
#include <doctest/doctest.h>

#include <sstream>

#include "adapters/aos/aos.h"
#include "proxy/program/import/import.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/relay/tap/tap.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"
#include "tests/relay/running.h"

namespace entente::enet_datagrams_test {
namespace {

/// The UDP payloads of a capture's first conversation.
struct Captured final : ImportSink {
  void opened(ConnectionId, const ImportedConnection&, WallTime) override {}
  void bytes(const Imported& piece) override {
    if (piece.connection == 0) all.emplace_back(piece.way, Buffer(piece.bytes.begin(), piece.bytes.end()));
  }
  void stream_gap(ConnectionId, wire::Way, std::uint64_t, WallTime) override {}
  void half_closed(ConnectionId, const ImportedClose&) override {}
  void connection_over(ConnectionId) override {}
  void remark(std::string_view) override {}

  std::vector<std::pair<wire::Way, Buffer>> all;
};

std::string verified(const FileOptions& from) {
  std::ostringstream out, err;
  CHECK(verify({from}, out, err) == 0);
  return out.str().substr(out.str().rfind("frames="));
}

TEST_CASE("the datagrams of BetterSpades pass unchanged, and are recorded as the packets in them") {
  using testing::Datagrams;
  const Folder folder;
  const std::string capture = trace_file("aos/betterspades-start.pcap"), path = folder.file("taped.mcap");
  Captured captured;
  REQUIRE(import_file(capture, {33001, 33001}, captured).ok());
  REQUIRE(captured.all.size() > 50);

  relay::TapThread tap({.recorder = recorder(path)});
  {
    const Datagrams client(testing::loopback()), server(testing::loopback());
    testing::Running running(aos::game(), server.here(), testing::no_limits(), 1, 0, &tap, {},
                             relay::EnetMode::kDatagrams);
    net::Address uplink;
    for (const auto& [way, bytes] : captured.all) {
      const bool up = way == wire::Way::kToServer;
      (up ? client : server).send(up ? running.address : uplink, bytes);
      const auto got = (up ? server : client).receive();
      REQUIRE(got.bytes == bytes);
      if (up) uplink = got.from;
    }
    CHECK(running.totals().to_server.datagrams + running.totals().to_client.datagrams == captured.all.size());
  }
  REQUIRE(tap.stop().ok());
  CHECK(verified({path, "", "", 0}) == verified({capture, "aos", "0.75", 33001}));
}

}  // namespace
}  // namespace entente::enet_datagrams_test
