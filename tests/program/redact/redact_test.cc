// `entente redact`: pseudonyms, --keep, --last, and refused files.
#include "proxy/program/redact/redact.h"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "proxy/program/base/interruption.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/program/redact/censor.h"
#include "proxy/program/redact/redactor.h"
#include "proxy/trace/recording_info.h"
#include "tests/program/clips/clip_match.h"
#include "tests/program/folder.h"
#include "tests/program/redact/redacted.h"
#include "tests/support/process.h"

namespace entente::redact_test {
namespace {

using clip_match::kSecond;
using clip_match::kStart;
using clip_match::match;
using clip_match::players_of;
using wire::Personal;

std::string inspected(const std::string& path) {
  std::ostringstream out, err;
  InspectOptions options;
  options.input.file = path;
  REQUIRE(inspect(options, out, err) == kOk);
  return out.str();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A frame of BZFlag: a length, a code, and a payload padded to `size`.
Buffer bz(std::uint16_t code, std::string payload, std::size_t size = 0) {
  payload.resize(std::max(size, payload.size()), '\0');
  Buffer out{static_cast<std::uint8_t>(payload.size() >> 8U), static_cast<std::uint8_t>(payload.size()),
             static_cast<std::uint8_t>(code >> 8U), static_cast<std::uint8_t>(code)};
  append(out, as_bytes(payload));
  return out;
}

std::string padded(std::string text, std::size_t size) {
  text.resize(size, '\0');
  return text;
}

/// Anna and bob play on a relayed server, which reports in the chat who destroyed whom.
std::string relayed(const std::string& path) {
  const auto to = recorder(path);
  trace::Opened opened = opening(1, "bzflag", "2.4");
  opened.set_client("198.18.7.7:50123");
  opened.set_server("198.18.9.9:5154");
  opened.set_continues(true);
  opened.set_client_sent(true);
  opened.set_server_sent(true);
  to->opened(kStart, opened);
  WallTime now = kStart;
  const auto say = [&](trace::Way way, const Buffer& frame) {
    to->frame(now += kSecond, {1, way, trace::STREAM, frame, "", false});
  };
  say(trace::TO_SERVER, bz(0x656e, std::string("\0\0\0\2", 4) + padded("Anna", 32) + padded("anna@home.org", 128) +
                                       padded("sesame-token", 22) + padded("2.4.26.20231119-STABLE-linux", 60)));
  for (const auto& [id, name] : {std::pair{'\1', "Anna"}, {'\2', "bob"}})
    say(trace::TO_CLIENT, bz(0x6170, std::string(1, id) + std::string(10, '\0') + padded(name, 32) + padded("", 128)));
  const std::string from_server("\xfd\xfe\0", 3);
  say(trace::TO_CLIENT, bz(0x6d67, from_server + padded("anna destroyed bob (198.18.7.7)", 128)));
  say(trace::TO_CLIENT, bz(0x6d67, std::string("\2\1\0", 3) + padded("see http://bob.example.org/x, ANNA!", 128)));
  say(trace::TO_SERVER, bz(0x6d67, std::string("\xfe", 1) + padded("/password hunter2", 128)));
  say(trace::TO_CLIENT, bz(0x6d67, from_server + padded("the token was sesame-token", 128)));
  say(trace::TO_SERVER, bz(0x6d67, std::string("\xfe", 1) + padded("/identify Swordfish", 128)));
  say(trace::TO_CLIENT, bz(0x6d67, from_server + padded("Unknown command [identify swordfish]", 128)));
  to->closed(now, 1, "client left");
  REQUIRE(to->close(now).ok());
  return path;
}

TEST_CASE("a recording without a date, all of it at time 0, is redacted like any other") {
  const Folder folder;
  const auto to = recorder(folder.file("a.mcap"));
  to->opened(0, opening(1, "panic", "be-packed"));
  record(*to, 1, trace::TO_SERVER, "0001010200000001", 0);
  to->closed(0, 1, "client left");
  REQUIRE(to->close(0).ok());
  const Redacted made = redacted({folder.file("a.mcap"), folder.file("out.mcap")});
  CHECK_MESSAGE(made.exit == kOk, made.err);
  CHECK_MESSAGE(has(made.out, "out.mcap: 0:00, 1 frames, 0 words\n"), made.out);
}

TEST_CASE("a player has the same pseudonym in frames, in kept chat and in the summary") {
  const Folder folder;
  const std::string whole = relayed(folder.file("evening.mcap")), path = folder.file("out.mcap");
  const Redacted made = redacted({whole, path, {"chat"}});
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(made.err == "");
  const std::string text = inspected(path);
  CHECK(has(text, "callsign=\"player1\""));
  CHECK(has(text, "callsign=\"player2\""));
  CHECK(has(text, "\"player1 destroyed player2 (192.0.2."));
  CHECK(has(text, "\"see host"));
  CHECK(has(text, ", player1!\""));
  CHECK(has(text, "\"/password ***\""));
  CHECK(has(text, "\"the token was ***\""));
  CHECK(has(text, "\"/identify ***\""));
  CHECK(has(text, "\"Unknown command [identify ***]\""));
  CHECK(has(text, "version=\"2.4.26\""));
  for (const char* gone :
       {"nna", "bob", "sesame", "hunter2", "wordfish", "198.18", "home.org", "example.org", "evening"})
    CHECK_MESSAGE(!has(text, gone), gone);
  const auto end = trace::read_end(path);
  REQUIRE((end.ok() && *end && (*end)->info));
  CHECK((*end)->info->players == std::set<std::string>{"player1"});
  std::ostringstream out, err;
  CHECK(verify({{path}}, out, err) == kOk);
}

TEST_CASE("chat, names and addresses are removed unless --keep names them") {
  const Folder folder;
  const std::string whole = relayed(folder.file("whole.mcap"));
  REQUIRE(redacted({whole, folder.file("nothing.mcap")}).exit == kOk);
  const std::string nothing = inspected(folder.file("nothing.mcap"));
  CHECK(has(nothing, "text=\"[chat]\""));
  CHECK(!has(nothing, "destroyed"));
  CHECK(!has(nothing, "password"));
  REQUIRE(redacted({whole, folder.file("some.mcap"), {"names", "chat", "addresses"}}).exit == kOk);
  const std::string some = inspected(folder.file("some.mcap"));
  CHECK(has(some, "\"anna destroyed bob (198.18.7.7)\""));
  CHECK(has(some, "callsign=\"Anna\""));
  CHECK(has(some, "198.18.7.7:50123"));
  CHECK(!has(some, "hunter2"));
  CHECK(!has(some, "example.org"));
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kPersonalGroups; ++i) all.emplace_back(text(static_cast<PersonalGroup>(i)));
  REQUIRE(redacted({whole, folder.file("all.mcap"), all}).exit == kOk);
  CHECK(has(inspected(folder.file("all.mcap")), "sesame-token"));
}

TEST_CASE("--last writes a clip of the end, whose world has pseudonyms") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), path = folder.file("out.mcap");
  const Redacted made = redacted({whole, path, {}, 8});
  REQUIRE_MESSAGE(made.exit == kOk, made.err);
  CHECK(has(made.out, path + ": 0:08, 80 frames, 160 words\n"));
  CHECK(players_of(path) == std::set<std::string>{"player1", "player2"});
  CHECK(!has(inspected(path), "anna"));
  CHECK(!has(inspected(path), "whole"));
  const auto session = clip_match::session_of(path);
  CHECK(session->begins_with_world());
  CHECK(session->end_time() >= 7 * core::kSecond);
  REQUIRE(redacted({whole, folder.file("longer.mcap"), {}, 3600}).exit == kOk);
  CHECK(clip_match::said(folder.file("longer.mcap")).size() == clip_match::said(whole).size());
}

TEST_CASE("redacted sessions of real programs verify, and keep all frames and words") {
  struct Trace {
    const char *name, *game = "", *dialect = "";
  };
  for (const Trace& trace :
       std::initializer_list<Trace>{{"bzflag/bzfs2426-bzadmin-chat.pcap"},
                                    {"bzflag/bzfs1108-hand-session.pcap"},
                                    {"bzflag/bzfs2426-ctf.rec"},
                                    {"aos/betterspades-start.pcap"},
                                    {"aos/piqueserver-walks.jsonl", "aos", "0.75"},
                                    {"ogar/m3-02-two-players-chat.jsonl"},
                                    {"ogar/l06-real-browser-cigar2-play.jsonl"},
                                    {"panic/master-2p-test-kill-win.jsonl", "panic", "le-padded"}}) {
    const Folder folder;
    const FileOptions from{trace_file(trace.name), trace.game, trace.dialect};
    INFO(from.file);
    std::ostringstream out, err;
    const std::string whole = folder.file("whole.mcap"), path = folder.file("out.mcap");
    REQUIRE_MESSAGE(convert({.input = from, .to = whole, .words = true}, out, err) == kOk, err.str());
    const Redacted made = redacted({whole, path});
    REQUIRE_MESSAGE(made.exit == kOk, made.err);
    CHECK_MESSAGE(!has(made.out, "left out"), made.out);
    std::ostringstream verified, remarks;
    CHECK_MESSAGE(verify({{path}}, verified, remarks) == kOk, verified.str(), remarks.str());
    CHECK(clip_match::said(path).size() == clip_match::said(whole).size());
  }
}

TEST_CASE("other files as input and existing files as output are refused, and nothing is left behind") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), out = folder.file("out.mcap");
  const auto refused = [&](const RedactOptions& options, int exit, const std::string& why) {
    const auto before = folder.names();
    const Redacted made = redacted(options);
    CHECK(made.exit == exit);
    CHECK(made.out == "");
    CHECK_MESSAGE(has(made.err, why), made.err);
    CHECK(folder.names() == before);
  };
  refused({folder.file("none.mcap"), out}, kFailed, "No such file");
  refused({folder.write("x.jsonl", "{}\n"), out}, kFailed, "`entente convert` makes one from a capture");
  refused({whole, whole}, kFailed, "exists already: choose another name");
  refused({whole, folder.file("out.txt")}, kUsage, "must end in .mcap");
  RedactOptions nothing{whole, out};
  nothing.last = 0;
  refused(nothing, kUsage, "--last must be more than 0");
  RedactOptions no_part{whole, out};
  no_part.words = true;
  refused(no_part, kUsage, "--words works only with --last");
  REQUIRE(recorder(folder.file("nothing.mcap"))->close(2).ok());
  refused({folder.file("nothing.mcap"), out}, kFailed, "has no messages");
  std::filesystem::copy(whole, folder.file("cut.mcap"));
  std::filesystem::resize_file(folder.file("cut.mcap"), std::filesystem::file_size(whole) / 2);
  refused({folder.file("cut.mcap"), out}, kFailed, "`entente recover` saves the readable part");
  const Interruption interruption;
  REQUIRE(std::raise(SIGINT) == 0);
  refused({whole, out}, kFailed, "interrupted");
}

TEST_CASE("a full disk leaves no copy") {
  const Folder folder;
  const std::string whole = match(folder.file("whole.mcap")), path = folder.file("copy.mcap");
  const std::string blocks = std::to_string(std::filesystem::file_size(whole) / 2 / 512);
  const Ended limited = run({"/bin/sh", "-c", "ulimit -f " + blocks + "; exec \"$0\" redact \"$1\" -o \"$2\"",
                             testing::entente_binary(), whole, path});
  CHECK(limited.code == 1);
  CHECK_MESSAGE(has(limited.err, "is not written: "), limited.err);
  CHECK(folder.names() == std::set<std::string>{"whole.mcap"});
}

TEST_CASE("a disk that is full before all words are made leaves no copy of a part of them") {
  const Folder folder;
  const std::string whole = folder.file("whole.mcap"), words = folder.file("words.mcap");
  std::ostringstream out, err;
  REQUIRE(convert({{trace_file("ogar/m3-03-split-eject-merge.jsonl")}, whole}, out, err) == kOk);
  REQUIRE(convert({.input = {whole}, .to = words, .words = true}, out, err) == kOk);
  const std::string blocks = std::to_string(std::filesystem::file_size(words) / 4 / 512);
  const Ended limited =
      run({"/bin/sh", "-c", "ulimit -f " + blocks + "; exec \"$0\" redact \"$1\" --last 10s --words -o \"$2\"",
           testing::entente_binary(), whole, folder.file("copy.mcap")});
  CHECK(limited.code == 1);
  CHECK_MESSAGE(has(limited.err, "copy.mcap.words.mcap: lacks "), limited.err);
  CHECK(folder.names() == std::set<std::string>{"whole.mcap", "words.mcap"});
}

/// Runs a command that writes `to`, where files can have only so many blocks.
Ended limited(std::uintmax_t blocks, const std::string& command, const std::string& file, const std::string& to) {
  return run({"/bin/sh", "-c", "ulimit -f " + std::to_string(blocks) + "; exec \"$0\" " + command + " -o \"$2\"",
              testing::entente_binary(), file, to});
}

TEST_CASE("wherever the disk is full, redact and clip leave no file, and say nothing of one") {
  const Folder folder, elsewhere;
  const std::string whole = folder.file("whole.mcap"), words = elsewhere.file("words.mcap");
  std::ostringstream out, err;
  REQUIRE(convert({{trace_file("ogar/m3-03-split-eject-merge.jsonl")}, whole}, out, err) == kOk);
  std::uintmax_t part = 8;  // blocks with which `convert` leaves a .part: even the end of the file has no room
  for (; part < 64 && elsewhere.names().empty(); ++part) (void)limited(part, "convert \"$1\" --words", whole, words);
  REQUIRE(elsewhere.names() == std::set<std::string>{"words.mcap.part"});
  for (const char* command : {"redact \"$1\" --last 10s --words", "clip \"$1\""}) {
    for (const std::uintmax_t blocks : {std::uintmax_t{1}, part - 2, part - 1, part, 2 * part}) {
      CAPTURE(command);
      CAPTURE(blocks);
      const Ended ended = limited(blocks, command, whole, folder.file("copy.mcap"));
      CHECK(ended.code == 1);
      CHECK_MESSAGE(!has(ended.err, "recover"), ended.err);
      CHECK(folder.names() == std::set<std::string>{"whole.mcap"});
    }
  }
}

TEST_CASE("texts: what is left of each kind") {
  Censor censor({});
  const auto told = [&](Personal kind, const std::string& text) { return censor.text(kind, text).value_or(text); };
  CHECK(told(Personal::kName, " Anna ") == "player1");
  CHECK(told(Personal::kName, "Anna") == "player1");
  CHECK(told(Personal::kName, "anna") == "player2");
  CHECK(told(Personal::kVersion, "BZFS0221") == "BZFS0221");
  CHECK(told(Personal::kVersion, "192.168.0.1") == "192.168.0");
  CHECK(told(Personal::kVersion, "anna") == "");
  CHECK(told(Personal::kCode, "R*") == "R*");
  CHECK(told(Personal::kCode, "anna") == "");
  CHECK(told(Personal::kGame, "bzflag") == "bzflag");
  CHECK(told(Personal::kGame, "2.4") == "2.4");
  CHECK(told(Personal::kGame, "anna") == "");
  CHECK(told(Personal::kHash, "pd41d8cd98f00b204e9800998ecf8427e") == "pd41d8cd98f00b204e9800998ecf8427e");
  CHECK(told(Personal::kHash, "anna") == "");
  CHECK(told(Personal::kVariable, "_tankSpeed") == "_tankSpeed");
  CHECK(told(Personal::kVariable, "_anna") == "");
  CHECK(told(Personal::kVariable, "BZFLAG._tankSpeed") == "BZFLAG._tankSpeed");
  CHECK(told(Personal::kVariable, "BZFLAG.maxFlags") == "BZFLAG.maxFlags");
  CHECK(told(Personal::kVariable, "BZFLAG._anna") == "");
  CHECK(told(Personal::kValue, "0.72 * _tankLength") == "0.72 * _tankLength");
  CHECK(told(Personal::kValue, "1.5e-3") == "1.5e-3");
  CHECK(told(Personal::kValue, "anna") == "");
  CHECK(told(Personal::kValue, "10.1.2.3") == "");
  CHECK(told(Personal::kStatistics, R"({"name":"anna's","playersAlive":3,"anna":1,"mode":"FFA"})") ==
        R"({"mode":"FFA","playersAlive":3,"name":""})");
  CHECK(told(Personal::kStatistics, "anna") == "{}");
  CHECK(told(Personal::kAddress, "127.0.0.1:5154") == "127.0.0.1:49152");
  CHECK(told(Personal::kAddress, "10.1.2.3:5154") == "192.0.2.1:49152");
  CHECK(told(Personal::kAddress, "[::ffff:10.1.2.3]:7") == "192.0.2.1:49153");
  CHECK(told(Personal::kAddress, "[2001:470::7]:5154") == "[2001:db8::1]:49152");
  CHECK(told(Personal::kAddress, "10.9.9.9/udp") == "192.0.2.2/udp");
  CHECK(told(Personal::kAddress, "anna's computer") == "host1.example");
  CHECK(censor.remark("client left") == "client left");
  CHECK(censor.remark("not forwarded: 3 Health") == "not forwarded: 3 Health");
  CHECK(censor.remark("dialling 10.1.2.3:5154 for anna-b") == "dialling 192.0.2.1:5154 for player2-_");
}

TEST_CASE("of a long note or reason only the beginning is looked at; a long text does not stay") {
  PersonalGroups keep;
  keep.set(static_cast<std::size_t>(PersonalGroup::kTexts));
  keep.set(static_cast<std::size_t>(PersonalGroup::kChat));
  for (const PersonalGroups& kept : {PersonalGroups(), keep}) {
    Censor censor(kept);
    CHECK(censor.remark(std::string(1U << 20U, ':')) == "_");
    CHECK(censor.remark("client left " + std::string(1U << 20U, ':')) == "client left _");
    CHECK(censor.remark("client left " + std::string(4'084, ':')).size() == 4'096);
    const std::string longest(65'536, 'a');
    CHECK(censor.text(Personal::kChat, longest).has_value() != kept.any());
    CHECK(censor.text(Personal::kChat, longest + "a") == "[chat]");
    CHECK(censor.text(Personal::kStatistics, "{" + std::string(65'536, ' ') + "}") == "{}");
  }
}

TEST_CASE("a recording whose note and reason are long is redacted") {
  const Folder folder;
  const std::string path = folder.file("long.mcap"), text(1U << 20U, ':');
  const auto to = recorder(path);
  to->opened(kStart, opening(1, "bzflag", "2.4"));
  to->note(kStart, 1, text, 0);
  to->closed(kStart + kSecond, 1, text);
  REQUIRE(to->close(kStart + kSecond).ok());
  CHECK(redacted({path, folder.file("copy.mcap")}).exit == kOk);
}

TEST_CASE("kept texts: versions, variables and their values stay, but not the names and addresses in them") {
  PersonalGroups keep;
  keep.set(static_cast<std::size_t>(PersonalGroup::kTexts));
  Censor censor(keep);
  (void)censor.text(Personal::kName, "Anna");
  const auto told = [&](Personal kind, const std::string& text) { return censor.text(kind, text).value_or(text); };
  CHECK(told(Personal::kVersion, "2.4.26.20231119-STABLE-linux") == "2.4.26.20231119-STABLE-linux");
  CHECK(told(Personal::kVersion, "2.4-anna") == "2.4-player1");
  CHECK(told(Personal::kVersion, "OpenSpades 0.1.3") == "OpenSpades 0.1.3");
  CHECK(told(Personal::kVersion, "10.1.2.3") == "192.0.2.1");
  CHECK(told(Personal::kVariable, "_serverMotto") == "_serverMotto");
  CHECK(told(Personal::kVariable, "_ofAnna") == "_ofplayer1");
  CHECK(told(Personal::kValue, "be nice") == "be nice");
  CHECK(told(Personal::kValue, "10.1.2.3") == "192.0.2.1");
  CHECK(told(Personal::kCode, "a mine") == "a mine");
  CHECK(told(Personal::kGame, "bzflag 9") == "bzflag 9");
}

TEST_CASE("kept chat: names in any case, inside words too; addresses, hosts and secrets") {
  PersonalGroups keep;
  keep.set(static_cast<std::size_t>(PersonalGroup::kChat));
  Censor censor(keep);
  (void)censor.text(Personal::kName, "Anna");
  (void)censor.text(Personal::kName, "Annabel");
  (void)censor.text(Personal::kName, "Al");
  (void)censor.text(Personal::kPassword, "hunter2");
  const auto told = [&](const std::string& text) { return censor.text(Personal::kChat, text).value_or(text); };
  CHECK(told("ANNA, annabel and xannax: all for al!") == "player1, player2 and xplayer1x: all for player3!");
  CHECK(told("it is hunter2") == "it is ***");
  CHECK(told("/kick anna for it") == "/kick ***");
  CHECK(told("from=10.1.2.3:80, or ::ffff:10.1.2.3; 2a02::5") == "from=192.0.2.1:80, or 192.0.2.1; 2001:db8::1");
  CHECK(told("1.2.3.4.5") == "0.0.0.0");
  CHECK(told("at 10:30:15, 3.5 times") == "at 10:30:15, 3.5 times");
  CHECK(told("see www.home.org.") == "see host1.example.");
  CHECK(told("mail me@home.org") == "mail host2.example");
  CHECK(told("IP:2a02::5 (2a02::5): [2a02::5]:80") == "IP:2001:db8::1 (2001:db8::1): [2001:db8::1]:80");
  CHECK(told("at:bob.home.org:5154/x") == "host3.example");
  CHECK(told("\xd0\xbf\xd1\x80.\xd1\x80\xd1\x84") == "host4.example");
  (void)censor.text(Personal::kName, "\xc3\x84rger \xd0\x96\xd1\x83\xd0\xba");
  CHECK(told("\xc3\xa4RGER \xd0\xb6\xd0\xa3\xd0\x9a!") == "player4!");
  // A program may have cut off a name at the end of a long text.
  const std::string filler(100, '.');
  CHECK(told(filler + " killed by annab") == filler + " killed by player2");
  CHECK(told(filler + " killed by Annab...") == filler + " killed by player2");
  // Or anywhere, marked with "...".
  CHECK(told("Annab... destroyed ANN...") == "player2 destroyed player2");
  CHECK(told("\x1b[31mAn\x1b[1;32mnab\x1b[0m... left") == "\x1b[31mplayer2\x1b[0m left");
  CHECK(told("anna annabel...") == "player1 player2...");
  CHECK(told("hosanna... and an... and xann...") == "hosplayer1... and an... and xann...");
  CHECK(told("ann") == "ann");
  CHECK(told("nobody here") == "nobody here");
  // Colours and invisible characters, in chat and in names.
  CHECK(told("\x1b[31mA\x1b[1;32mnn\x1b[0ma\x1b[0m: hi") == "\x1b[31mplayer1\x1b[0m: hi");
  CHECK(told("an\xe2\x80\x8b"
             "na, \x1b[31mal\x1b[0m or a\x01l") == "player1, \x1b[31mplayer3\x1b[0m or player3");
  CHECK(told("\x1b[31mal\nall") == "\x1b[31mplayer3\nall");
  CHECK(censor.text(Personal::kName, "\x1b[31mBo\x1b[32mb\x1b[0m") == "player5");
  CHECK(censor.text(Personal::kName, "Bob") == "player5");
  // A bridge removes the escape characters.
  CHECK(told("[31mA[1;32mnn[0mabel[0m: hi") == "[31mplayer2[0m: hi");
  CHECK(told("[31mA[1;32mnn[0m... or [1] [2m] [m") == "[31mplayer2[0m or [1] [2m] [m");
  CHECK(censor.text(Personal::kName, "[31mBo[32mb[0m") == "player5");
  CHECK(told("BOB \x1b[31mB\x1b[32mob\x1b[0m \x1b[") == "player5 \x1b[31mplayer5\x1b[0m \x1b[");
}

TEST_CASE("kept chat: also a password of three characters is removed; a shorter one may be a part of any word") {
  PersonalGroups keep;
  keep.set(static_cast<std::size_t>(PersonalGroup::kChat));
  Censor censor(keep);
  for (const char* password : {"q7x", "it"}) (void)censor.text(Personal::kPassword, password);
  const auto told = [&](const std::string& text) { return censor.text(Personal::kChat, text).value_or(text); };
  CHECK(told("it is q7x") == "it is ***");
}

/// Passes events to a redactor.
struct Passing {
  explicit Passing(PersonalGroups keep = {}) : redactor(keep) {}

  trace::Opened opened(std::uint32_t link, const char* game = "bzflag", const char* dialect = "2.4") {
    trace::Opened opened = opening(link, game, dialect);
    opened.set_before("anna/evening.mcap");
    opened.set_before_id(7);
    const auto* event = redactor.pass({.time = at, .opened = &opened});
    REQUIRE(event != nullptr);
    REQUIRE(event->opened != nullptr);
    return *event->opened;
  }
  /// None: it is left out.
  std::optional<trace::Frame> frame(std::uint32_t link, trace::Way way, const char* hex, bool raw = false,
                                    trace::Lab lab = trace::LAB_PASSED) {
    trace::Frame frame;
    frame.set_link(link);
    frame.set_way(way);
    frame.set_lane(trace::STREAM);
    frame.set_raw(raw);
    frame.set_lab(lab);
    frame.set_data(std::string(as_text(from_hex(hex))));
    const auto* event = redactor.pass({.time = at, .frame = &frame});
    return event != nullptr ? std::optional(*event->frame) : std::nullopt;
  }
  /// What becomes of a message behind others.
  trace::Frame killed(std::uint32_t link) {
    const auto passed = frame(link, trace::TO_CLIENT, "00086b6c0102000100054742");
    REQUIRE(passed.has_value());
    return *passed;
  }
  trace::Frame exits(std::uint32_t link) {
    const auto passed = frame(link, trace::TO_SERVER, "00006578");
    REQUIRE(passed.has_value());
    return *passed;
  }
  trace::Closed closed(std::uint32_t link) {
    trace::Closed closed;
    closed.set_link(link);
    closed.set_reason("client left");
    const auto* event = redactor.pass({.time = at, .closed = &closed});
    REQUIRE(event->closed != nullptr);
    return *event->closed;
  }
  std::string says(std::uint32_t link, const std::string& text) {
    words::Intent say;
    say.mutable_say()->set_text(text);
    return redactor.pass({.time = at, .word = {{.link = link, .intent = &say}}})->word->intent->say().text();
  }
  std::string hears(std::uint32_t link, const std::string& text) {
    words::Fact said;
    said.mutable_said()->set_text(text);
    return redactor.pass({.time = at, .word = {{.link = link, .fact = &said}}})->word->fact->said().text();
  }

  Redactor redactor;
  WallTime at = 1;
};

constexpr bool kRaw = true;

TEST_CASE("the next message of a direction tells how many before it were left out, also if there are many") {
  Passing its;
  its.opened(1);
  for (int i = 0; i < 2; ++i) {
    CHECK_FALSE(its.frame(1, trace::TO_CLIENT, "abcdef", kRaw));
    CHECK_FALSE(its.frame(1, trace::TO_CLIENT, "ab", kRaw));
    CHECK_FALSE(its.frame(1, trace::TO_SERVER, "abcd", kRaw));
    const trace::Frame down = its.killed(1), up = its.exits(1);
    CHECK(down.frames_missing() == 2);
    CHECK(down.bytes_missing() == 4);
    CHECK(up.frames_missing() == 1);
    CHECK(up.bytes_missing() == 2);
    CHECK(its.killed(1).frames_missing() == 0);
  }
  CHECK_FALSE(its.frame(1, trace::TO_CLIENT, "ab", false, trace::LAB_KEPT));
  CHECK(its.killed(1).frames_missing() == 0);  // its peer did not get it
  using Reasons = std::map<std::string, std::uint64_t>;
  CHECK(its.redactor.left_out() == Reasons{{"not cut into messages", 6}, {"not passed on by the lab", 1}});
}

TEST_CASE("of a connection that is closed, nothing is left for the next one of its number") {
  Passing its;
  its.opened(1);
  CHECK_FALSE(its.frame(1, trace::TO_CLIENT, "abcdef", kRaw));
  CHECK_FALSE(its.frame(1, trace::TO_SERVER, "abcdef", kRaw));
  const trace::Closed closed = its.closed(1);
  CHECK(closed.link() == 1);
  CHECK(closed.reason() == "client left");
  CHECK_FALSE(its.frame(1, trace::TO_CLIENT, "00086b6c0102000100054742"));
  CHECK(its.redactor.left_out().at("of an unknown game") == 1);
  its.closed(1);
  its.opened(1);
  CHECK(its.frame(1, trace::TO_CLIENT, "425a465330323231ff").value().frames_missing() == 0);
  CHECK(its.frame(1, trace::TO_SERVER, "425a464c41470d0a0d0a").value().frames_missing() == 0);
}

TEST_CASE("what was counted before the part that is copied does not count") {
  Passing its;
  const auto leaves_out = [&](WallTime at) {
    its.at = at;
    CHECK_FALSE(its.frame(1, trace::TO_CLIENT, "abcdef", kRaw));
    return its.redactor.left_out().at("not cut into messages");
  };
  const auto names = [&] { return its.redactor.censor().replaced(PersonalGroup::kAddresses); };
  its.opened(1);
  CHECK(leaves_out(2) == 1);
  CHECK(leaves_out(20) == 2);
  CHECK(names() != 0);
  its.redactor.learned(10);
  CHECK(its.redactor.left_out().empty());
  CHECK(names() == 0);
  its.at = 1;
  its.opened(1);
  CHECK(names() != 0);
  CHECK(leaves_out(2) == 1);
  CHECK(leaves_out(9) == 2);
  CHECK(leaves_out(10) == 1);  // the copy begins
  CHECK(names() == 0);
  CHECK(leaves_out(11) == 2);
  const trace::Frame killed = its.killed(1);
  CHECK(killed.frames_missing() == 2);
  CHECK(killed.bytes_missing() == 6);
}

TEST_CASE("what is told of a connection's opening, and of a loss") {
  Passing its;
  const trace::Opened known = its.opened(1), unknown = its.opened(2, "annas-game", "annas-dialect");
  CHECK(known.link() == 1);
  CHECK(known.game() == "bzflag");
  CHECK(known.dialect() == "2.4");
  CHECK(known.before() == "");
  CHECK(known.before_id() == 0);
  CHECK(unknown.game() == "");
  CHECK(unknown.dialect() == "");
  trace::Note note;
  note.set_link(2);
  note.set_text("client left");
  note.set_bytes_lost(77);
  const auto* event = its.redactor.pass({.time = 1, .note = &note});
  REQUIRE(event->note != nullptr);
  CHECK(event->note->link() == 2);
  CHECK(event->note->text() == "client left");
  CHECK(event->note->bytes_lost() == 77);
}

TEST_CASE("kept chat: a password that was said in a session is removed from its texts, and not from those of others") {
  PersonalGroups keep;
  keep.set(static_cast<std::size_t>(PersonalGroup::kChat));
  Passing its(keep);
  CHECK(its.says(1, "/password sesame") == "/password ***");
  CHECK(its.hears(2, "sesame is a seed") == "sesame is a seed");
  CHECK(its.hears(1, "unknown password sesame") == "unknown password ***");
  its.closed(1);
  CHECK(its.hears(1, "sesame is a seed") == "sesame is a seed");
}

TEST_CASE("versions are cut after three numbers of at most three digits") {
  Censor censor({});
  const auto told = [&](const std::string& text) { return censor.text(Personal::kVersion, text).value_or(text); };
  CHECK(told("2.4.26") == "2.4.26");
  CHECK(told("2.4.26.20231119-STABLE") == "2.4.26");
  CHECK(told("1.2345") == "1");
  CHECK(told("1234.5") == "");
  CHECK(told("1-2.3") == "1");
  CHECK(told("221") == "221");
  CHECK(told("12345") == "");
  CHECK(told("BZFS") == "");
  CHECK(told("BZFS02211") == "");
  CHECK(told("BZFS022x") == "");
}

}  // namespace
}  // namespace entente::redact_test
