// Recordings of bzfs: what bzfs does not show to the viewers of a replay is left out, and that is said.
#include "proxy/program/import/rec.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "adapters/bzflag/rec/rec.h"
#include "tests/program/folder.h"
#include "tests/program/import/heard.h"
#include "tests/support/hex.h"
#include "tests/support/paths.h"

namespace entente::rec_import_test {
namespace {

using bzflag::kRecHidden, bzflag::kRecReal, bzflag::kRecState, bzflag::kRecUpdate;

struct Packet {
  std::uint16_t mode;
  std::string text;  // its payload
};

constexpr bzflag::Code kCode = 0x6d67;  // MsgMessage

/// A recording with the header of a real one, and these packets.
std::string recording(const Folder& folder, const std::vector<Packet>& packets) {
  std::ifstream real(testing::source_dir() + "/tests/traces/bzflag/bzfs2426-ctf.rec", std::ios::binary);
  const Buffer bytes{std::istreambuf_iterator<char>(real), std::istreambuf_iterator<char>()};
  const auto like = bzflag::RecReader::open(bytes);
  REQUIRE(like.ok());
  Buffer file;
  bzflag::RecWriter writer(like->dialect(), false, like->header(), like->flags(), like->world(), file);
  std::int64_t time = 1'000'000;
  for (const Packet& packet : packets) {
    bzflag::RecPacket head;
    head.mode = packet.mode;
    head.code = kCode;
    head.time = time += 1000;
    writer.add(head, as_bytes(packet.text));
  }
  return folder.write("made.rec", std::string(as_text(file)));
}

/// The payloads that are delivered after the header, each followed by a blank, and the remarks.
std::string delivered(const std::string& path, const ImportOptions& options = {}) {
  HeardImport heard;
  const auto done = import_rec(path, options, heard);
  REQUIRE(done.ok());
  std::string all;
  for (std::size_t at = 0; at < heard.all.size();) {
    const std::size_t end = heard.all.find('\n', at);
    const std::string line = heard.all.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("remark ")) all += "\n" + line.substr(line.find(": ") + 2);
    const std::size_t code = line.find("6d67");
    if (line.starts_with("remark ") || code == std::string::npos || line.find(' ', line.find(' ') + 1) + 5 != code)
      continue;
    const Buffer payload = from_hex(std::string_view(line).substr(code + 4));
    all += std::string(as_text(payload)) + " ";
  }
  return all;
}

TEST_CASE("hidden packets of a bzfs recording are left out, and counted") {
  const Folder folder;
  CHECK(delivered(recording(folder, {{kRecUpdate, ""},
                                     {kRecState, "state"},
                                     {kRecHidden, "admin"},
                                     {kRecReal, "hello"},
                                     {kRecHidden, "/password sesame"},
                                     {kRecReal, "there"}})) ==
        "state hello there \n2 hidden messages left out (private chat, commands, addresses)");
  CHECK(delivered(recording(folder, {{kRecReal, "hello"}, {77, "of an unknown kind"}})) ==
        "hello \n1 hidden message left out (private chat, commands, addresses)");
  CHECK(delivered(recording(folder, {{kRecReal, "hello"}})) == "hello ");
  ImportOptions all;
  all.hidden = true;
  CHECK(delivered(recording(folder, {{kRecUpdate, ""}, {kRecHidden, "admin"}, {kRecReal, "hello"}}), all) ==
        "admin hello ");
}

TEST_CASE("of a bzfs recording's snapshots, the first one is delivered, because the others repeat what is known") {
  const Folder folder;
  CHECK(delivered(recording(folder, {{kRecUpdate, ""},
                                     {kRecState, "anna"},
                                     {kRecState, "ben"},
                                     {kRecReal, "hello"},
                                     {kRecUpdate, ""},
                                     {kRecState, "anna"},
                                     {kRecState, "ben"},
                                     {kRecReal, "there"},
                                     {kRecUpdate, ""},
                                     {kRecState, "anna"}})) == "anna ben hello there ");
}

}  // namespace
}  // namespace entente::rec_import_test
