// `entente convert`: nothing is lost, and a session becomes a recording that bzfs replays.
#include "proxy/program/conversion/convert.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "adapters/bzflag/rec/rec.h"
#include "proxy/program/import/import.h"
#include "proxy/program/recordings/inspect.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/trace/recorder.h"
#include "proxy/trace/recording.h"
#include "tests/program/folder.h"
#include "tests/program/import/packets.h"
#include "tests/program/recorded.h"
#include "tests/support/paths.h"

namespace entente::convert_test {
namespace {

const std::string kWalks = testing::source_dir() + "/tests/traces/aos/piqueserver-walks.jsonl";
constexpr WallTime kSecond = 1'000'000'000, kStart = 1'700'000'000 * kSecond;
const std::string kRec = testing::source_dir() + "/tests/traces/bzflag/bzfs2426-ctf.rec";

struct Said {
  int exit = 0;
  std::string out, err;
};

Said converted(const std::string& file, const std::string& to, const std::string& game = "") {
  std::ostringstream out, err;
  const int exit = convert({{.file = file, .game = game}, to}, out, err);
  return {exit, out.str(), err.str()};
}

Said converted_link(const std::string& file, const std::string& to, std::uint32_t link) {
  std::ostringstream out, err;
  ConvertOptions options{.input = {.file = file}, .to = to};
  options.link = link;
  const int exit = convert(options, out, err);
  return {exit, out.str(), err.str()};
}

/// Keeps what a server said in the only session of a file.
class Heard final : public ImportSink {
 public:
  std::vector<Buffer> frames;
  void opened(ConnectionId, const ImportedConnection&, WallTime) override {}
  void bytes(const Imported& piece) override {
    if (piece.way == wire::Way::kToClient) frames.emplace_back(piece.bytes.begin(), piece.bytes.end());
  }
  void stream_gap(ConnectionId, wire::Way, std::uint64_t, WallTime) override {}
  void half_closed(ConnectionId, const ImportedClose&) override {}
  void connection_over(ConnectionId) override {}
  void remark(std::string_view) override {}
};

/// Writes a recording of two sessions of Ace of Spades: link 1 lasts 5 s, and link 2 lasts 9 s. `map`: link 2 has one.
void two_demos(const std::string& path, bool map = true) {
  Heard heard;
  REQUIRE(import_file(kWalks, {}, heard).ok());
  const auto to = trace::Recorder::open(path);
  REQUIRE(to.ok());
  for (const std::uint32_t link : {1U, 2U}) {
    trace::Opened opened;
    opened.set_link(link);
    opened.set_game("aos");
    opened.set_dialect("0.75");
    opened.set_client("127.0.0.1:" + std::to_string(link));
    (*to)->opened(kStart, opened);
  }
  for (const std::uint32_t link : {1U, 2U}) {
    for (const Buffer& frame : heard.frames)
      if (map || link == 1 || frame[0] != 19)  // MapChunk
        (*to)->frame(kStart, {.link = link, .way = trace::TO_CLIENT, .lane = trace::STREAM, .bytes = frame});
    (*to)->closed(kStart + (link == 1 ? 5 : 9) * kSecond, link, "client left");
  }
  REQUIRE((*to)->close(kStart + 9 * kSecond).ok());
}

std::string verdict(const std::string& file) {
  std::ostringstream out, err;
  VerifyOptions options;
  options.input.file = file;
  verify(options, out, err);
  const std::string all = out.str();
  const std::size_t before = all.rfind('\n', all.size() - 2);
  return before == std::string::npos ? all : all.substr(before + 1);
}

Buffer contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The messages of a recording that a viewer sees, in order: code and payload.
Buffer shown(const std::string& path) {
  const Buffer file = contents(path);
  auto reader = bzflag::RecReader::open(file);
  REQUIRE(reader.ok());
  Buffer all;
  int snapshots = 0;  // bzfs sends the later ones only to viewers who seek
  for (;;) {
    const auto packet = reader->next();
    REQUIRE(packet.ok());
    if (!*packet) return all;
    const auto& head = (*packet)->head;
    if (head.mode == bzflag::kRecUpdate) ++snapshots;
    if (head.mode != bzflag::kRecReal && (head.mode != bzflag::kRecState || snapshots > 1)) continue;
    all.push_back(static_cast<std::uint8_t>(head.code >> 8U));
    all.push_back(static_cast<std::uint8_t>(head.code));
    append(all, (*packet)->payload);
  }
}

std::string exact(int frames) {
  const std::string count = std::to_string(frames);
  return "frames=" + count + " exact=" + count + " opaque=0 refused=0 undecoded=0 mismatched=0\n";
}

TEST_CASE("a bzfs recording verifies, and also after its conversion") {
  const Folder folder;
  CHECK(verdict(kRec) == exact(890));
  CHECK(converted(kRec, folder.file("a.mcap")).exit == kOk);
  CHECK(verdict(folder.file("a.mcap")) == exact(668));  // without hidden messages and repeated snapshots
}

TEST_CASE("a bzfs recording that was converted and converted back shows a viewer the same") {
  const Folder folder;
  REQUIRE(converted(kRec, folder.file("a.mcap")).exit == kOk);
  const Said back = converted(folder.file("a.mcap"), folder.file("a.rec"));
  CHECK(back.exit == kOk);
  CHECK(same(shown(folder.file("a.rec")), shown(kRec)));
}

TEST_CASE("of several sessions the longest is written, or that with --link, and the others are named") {
  const Folder folder;
  const std::string path = folder.file("two.mcap"), out = folder.file("one.demo");
  two_demos(path);
  const Said longest = converted(path, out);
  REQUIRE_MESSAGE(longest.exit == kOk, longest.err);
  CHECK(longest.out.find("the session of 127.0.0.1:2") != std::string::npos);
  CHECK(longest.err.find("127.0.0.1:1 (link 1, 0:05): left out: the file holds one session, that with link 2; --link "
                         "chooses another\n") != std::string::npos);
  const Said first = converted_link(path, folder.file("first.demo"), 1);
  CHECK(first.exit == kOk);
  CHECK(first.out.find("the session of 127.0.0.1:1") != std::string::npos);
  const Said none = converted_link(path, folder.file("none.demo"), 7);
  CHECK(none.exit == kFailed);
  CHECK(none.err.find("no session has the link 7; there are: 127.0.0.1:1 (link 1, 0:05), 127.0.0.1:2 (link 2, 0:09)") !=
        std::string::npos);
  CHECK(converted_link(path, folder.file("all.mcap"), 1).exit == kUsage);
  // The longest session has no map, so the other one is written.
  two_demos(folder.file("other.mcap"), false);
  const Said other = converted(folder.file("other.mcap"), folder.file("other.demo"));
  CHECK(other.exit == kOk);
  CHECK(other.out.find("the session of 127.0.0.1:1") != std::string::npos);
  CHECK(other.err.find("127.0.0.1:2: left out: the client was never sent the map") != std::string::npos);
}

TEST_CASE("a failed conversion has an error, and leaves no partial .rec") {
  const Folder folder;
  const Said ending = converted(kRec, folder.file("a.zip"));
  CHECK(ending.exit == kUsage);
  CHECK(ending.err.find(".mcap, .rec, .demo or .dem") != std::string::npos);

  folder.write("panic.jsonl", R"({"t_ms":1,"conn":1,"dir":"s2c","hex":"10"})"
                              "\n");
  const Said nothing = converted(folder.file("panic.jsonl"), folder.file("b.rec"), "panic");
  CHECK(nothing.exit == kFailed);
  CHECK_FALSE(std::filesystem::exists(folder.file("b.rec")));

  Buffer cut = contents(kRec);
  cut.resize(cut.size() - 5);
  folder.write("cut.rec", std::string(as_text(cut)));
  const Said broken = converted(folder.file("cut.rec"), folder.file("c.mcap"));
  CHECK(broken.exit == kFailed);
  CHECK(broken.err.find("message too short") != std::string::npos);
  CHECK(verdict(folder.file("c.mcap")).starts_with("frames=667 exact=667 "));
}

TEST_CASE("where a recording misses messages, its words end, and the conversion says so") {
  const Folder folder;
  Heard heard;
  REQUIRE(import_file(kWalks, {}, heard).ok());
  const auto to = trace::Recorder::open(folder.file("a.mcap"));
  REQUIRE(to.ok());
  WallTime now = 1'700'000'000'000'000'000;
  trace::Opened opened;
  opened.set_link(1);
  opened.set_game("aos");
  opened.set_dialect("0.75");
  opened.set_client("127.0.0.1:1");
  (*to)->opened(now, opened);
  for (const Buffer& frame : heard.frames) {
    trace::FrameView view{1, trace::TO_CLIENT, trace::STREAM, frame, "", false};
    if (&frame == &heard.frames.back()) view.missing = {3, 50};
    (*to)->frame(now += 1'000'000, view);
  }
  REQUIRE((*to)->close(now).ok());
  std::ostringstream out, err;
  ConvertOptions options{.input = {.file = folder.file("a.mcap")}, .to = folder.file("b.mcap")};
  options.words = true;
  CHECK(convert(options, out, err) == kOk);
  CHECK_MESSAGE(err.str().find("127.0.0.1:1: the words end before the bytes: framing is lost\n") != std::string::npos,
                err.str());
}

/// Its openings, ends and notes, and the bytes of its frames, with times in seconds since kStart.
std::string events(const std::string& path, WallTime start = kStart) {
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::ostringstream all;
  for (;;) {
    const auto next = (*recording)->next();
    REQUIRE_MESSAGE(next.ok(), next.error().text);
    if (*next == nullptr) return all.str();
    const trace::Recording::Event& event = **next;
    const std::string at = std::to_string((event.time - start) / kSecond) + " ";
    if (event.opened != nullptr) all << at << "open " << event.opened->link() << '\n';
    if (event.frame != nullptr)
      all << at << (event.frame->raw() ? "raw " : "frame ") << to_hex(as_bytes(event.frame->data())) << '\n';
    if (event.closed != nullptr) all << at << "close " << event.closed->link() << ' ' << event.closed->reason() << '\n';
    if (event.note == nullptr) continue;
    all << at << "note " << event.note->text();
    if (event.note->link() != 0) all << " of " << event.note->link();
    if (event.note->bytes_lost() != 0) all << " lost " << event.note->bytes_lost();
    all << '\n';
  }
}

constexpr const char* kAction = "0001010200000001";  // of Panic

TEST_CASE("notes keep their time and what they say is lost, and have the new numbers of their links") {
  const Folder folder;
  const auto to = recorder(folder.file("a.mcap"));
  to->opened(kStart, opening(7, "panic", "be-packed"));
  to->opened(kStart, opening(9, "panic", "be-packed"));
  to->note(kStart + 1 * kSecond, 9, "somebody took the seat");
  to->note(kStart + 2 * kSecond, 7, "the tap could not keep up", 5'000);
  to->note(kStart + 3 * kSecond, 0, "about nobody");
  to->closed(kStart + 4 * kSecond, 7, "client left");
  to->closed(kStart + 4 * kSecond, 9, "client left");
  to->note(kStart + 5 * kSecond, 7, "after its end", 6);
  REQUIRE(to->close(kStart + 9 * kSecond).ok());
  std::ostringstream out, err;
  CHECK(convert({.input = {.file = folder.file("a.mcap")}, .to = folder.file("b.mcap")}, out, err) == kOk);
  CHECK(events(folder.file("b.mcap")) ==
        "0 open 1\n0 open 2\n1 note somebody took the seat of 2\n2 note the tap could not keep up of 1 lost 5000\n"
        "3 note about nobody\n4 close 1 client left\n4 close 2 client left\n5 note after its end lost 6\n");
  std::ostringstream inspected, remarks;
  InspectOptions options;
  options.input.file = folder.file("a.mcap");
  CHECK(inspect(options, inspected, remarks) == kOk);
  CHECK(remarks.str() ==
        "link 9: somebody took the seat\nlink 7: the tap could not keep up\nabout nobody\nlink 7: after its end\n");
}

TEST_CASE("a recording that begins with a note keeps its date") {
  const Folder folder;
  const auto to = recorder(folder.file("a.mcap"));
  to->note(kStart, 0, "this recording continues older.mcap");
  to->opened(kStart + kSecond, opening(1, "panic", "be-packed"));
  record(*to, 1, trace::TO_SERVER, kAction, kStart + 2 * kSecond);
  to->closed(kStart + 3 * kSecond, 1, "client left");
  REQUIRE(to->close(kStart + 3 * kSecond).ok());
  REQUIRE(converted(folder.file("a.mcap"), folder.file("b.mcap")).exit == kOk);
  CHECK(events(folder.file("b.mcap")) == "0 note this recording continues older.mcap\n1 open 1\n2 frame " +
                                             std::string(kAction) + "\n3 close 1 client left\n");
}

TEST_CASE("why sessions ended stays in a recording that is converted") {
  const Folder folder;
  const auto to = recorder(folder.file("a.mcap"));
  for (std::uint32_t link = 1; link <= 3; ++link) to->opened(kStart, opening(link, "panic", "be-packed"));
  to->closed(kStart, 1, "banned by the operator");
  to->closed(kStart, 2, "server left");
  to->closed(kStart, 3, "");
  REQUIRE(to->close(kStart).ok());
  REQUIRE(converted(folder.file("a.mcap"), folder.file("b.mcap")).exit == kOk);
  CHECK(events(folder.file("b.mcap")) ==
        "0 open 1\n0 open 2\n0 open 3\n0 close 1 banned by the operator\n0 close 2 server left\n0 close 3 \n");
}

TEST_CASE("the beginning of a message whose end never came is converted, and ends no words") {
  const Folder folder;
  const auto to = recorder(folder.file("a.mcap"));
  to->opened(kStart, opening(1, "panic", "be-packed"));
  record(*to, 1, trace::TO_SERVER, std::string(kAction) + "0001", kStart + kSecond);
  to->closed(kStart + 2 * kSecond, 1, "client left");
  REQUIRE(to->close(kStart + 2 * kSecond).ok());
  const Said made = converted(folder.file("a.mcap"), folder.file("frames.mcap"));
  CHECK(made.exit == kOk);
  CHECK_MESSAGE(made.err == "", made.err);
  const std::string frames = "0 open 1\n1 frame " + std::string(kAction) + "\n2 raw 0001\n2 close 1 client left\n";
  CHECK(events(folder.file("frames.mcap")) == frames);
  CHECK(converted(folder.file("frames.mcap"), folder.file("again.mcap")).exit == kOk);
  CHECK(events(folder.file("again.mcap")) == frames);

  std::ostringstream out, err;
  ConvertOptions options{.input = {.file = folder.file("a.mcap")}, .to = folder.file("words.mcap")};
  options.words = true;
  (void)convert(options, out, err);
  CHECK_MESSAGE(err.str().find("framing is lost") == std::string::npos, err.str());
  const std::string words = events(options.to);
  CHECK_MESSAGE(words.find("2 raw 0001\n") != std::string::npos, words);
  CHECK_MESSAGE(words.find("framing is lost") == std::string::npos, words);
}

TEST_CASE("of JSON lines without times, what comes before a bad line is converted") {
  const Folder folder;
  const std::string line = R"({"conn":1,"dir":"c2s","hex":")" + std::string(kAction) + "\"}\n";
  const std::string path = folder.write("a.jsonl", line + line + "nonsense\n");
  const Said made = converted(path, folder.file("b.mcap"), "panic");
  CHECK(made.exit == kFailed);
  CHECK(made.err.find("a.jsonl:3: not a JSON object") != std::string::npos);
  REQUIRE(std::filesystem::exists(folder.file("b.mcap")));
  const std::string frame = "0 frame " + std::string(kAction) + "\n";
  CHECK(events(folder.file("b.mcap"), 0) == "0 open 1\n" + frame + frame + "0 close 1 \n");
}

TEST_CASE("in a capture of ENet, a session lasts until a side disconnects, also if the client comes back") {
  const Folder folder;
  const Ports other{1001, 32887};
  DatagramCapture capture(32887);
  capture.at(10).up(enet_connect(1, 3)).at(11).down(enet_packet("12 00001800")).at(12).up(enet_disconnect(0));
  capture.at(15).put(other, enet_connect(2, 3), false).at(16).put(other, enet_disconnect(0), false);
  capture.at(20).up(enet_connect(3, 3)).at(30).down(enet_packet("12 00001900"));
  const std::string path = folder.write("a.pcap", capture.text());
  REQUIRE(converted(path, folder.file("b.mcap"), "aos").exit == kOk);
  CHECK(events(folder.file("b.mcap"), 0) ==
        "10 open 1\n11 frame 1200001800\n12 close 1 client left\n15 open 2\n16 close 2 client left\n"
        "20 open 3\n30 frame 1200001900\n30 close 3 \n");
}

/// While it lives, no file can grow beyond this size, as on a full disk.
struct SmallDisk {
  explicit SmallDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() { ::setrlimit(RLIMIT_FSIZE, &before); }

  rlimit before{};
};

TEST_CASE("on a full disk, a conversion fails, and the error says what the recording lacks") {
  const Folder folder;
  Said full;
  {
    const SmallDisk disk(20'000);
    full = converted(kRec, folder.file("a.mcap"));
  }
  CHECK(full.exit == kFailed);
  CHECK(full.err.find("a.mcap: lacks ") != std::string::npos);
  CHECK(full.err.find("File too large") != std::string::npos);
  const std::string held = verdict(folder.file("a.mcap"));  // "frames=N exact=N …"
  const std::string frames = held.substr(7, held.find(' ') - 7);
  CHECK(std::stoi(frames) < 890);
  CHECK(full.out == folder.file("a.mcap") + ": " + frames + " frames\n");
  CHECK(full.err.find(" lacks " + std::to_string(668 - std::stoi(frames)) + " frames; ") != std::string::npos);
}

TEST_CASE("a recording that cannot begin leaves no file that would prevent the next try") {
  const Folder folder;
  {
    const SmallDisk disk(100);
    const Said full = converted(kRec, folder.file("a.mcap"));
    CHECK(full.exit == kFailed);
    CHECK(full.err.find("File too large") != std::string::npos);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK(converted(kRec, folder.file("a.mcap")).exit == kOk);
}

TEST_CASE("a .rec is written whole or not at all, and no file is overwritten") {
  const Folder folder;
  const Buffer original = contents(kRec);
  const auto own = folder.write("own.rec", std::string(as_text(original)));
  const Said onto_itself = converted(own, own);
  CHECK(onto_itself.exit == kFailed);
  CHECK(onto_itself.err.find("own.rec exists already") != std::string::npos);
  CHECK(same(contents(own), original));
  {
    const SmallDisk disk(1000);
    CHECK(converted(own, folder.file("b.rec")).exit == kFailed);
  }
  using Files = std::filesystem::directory_iterator;
  CHECK(std::distance(Files(folder.path()), Files()) == 1);
}

TEST_CASE(
    "a capture that is read as another game: what could not be cut into messages is told, and the command fails") {
  const Folder folder;
  const std::string chat = testing::source_dir() + "/tests/traces/bzflag/bzfs2426-bzadmin-chat.pcap";
  const Said cut = converted(chat, folder.file("a.mcap"), "native");
  CHECK(cut.exit == 1);
  CHECK_MESSAGE(cut.err.find(" bytes could not be cut into messages; the first: 127.0.0.1:56158 c2s: oversize frame in "
                             "length, byte 0 of a message\n") != std::string::npos,
                cut.err);
  CHECK(cut.err.ends_with("a.mcap: no message of " + chat + " could be read; check --game and --dialect\n"));
  const Said unknown = converted(chat, folder.file("c.mcap"), "ogar");
  CHECK(unknown.exit == 1);
  CHECK_MESSAGE(
      unknown.err.find(chat + ": 4 of 4 messages do not decode, and were copied as they are") != std::string::npos,
      unknown.err);
  const Said right = converted(chat, folder.file("b.mcap"));
  CHECK(right.exit == 0);
  CHECK(right.err == "");
}

}  // namespace
}  // namespace entente::convert_test
