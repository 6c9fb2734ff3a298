// What `entente replay FILE` plays: the words in the file, or words that are made from it and kept beside it.
#include "proxy/program/playback/playable.h"

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "proxy/program/conversion/convert.h"
#include "proxy/program/recordings/recordings.h"
#include "proxy/program/storage/words_cache.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/program/recorded.h"
#include "tests/support/process.h"

namespace entente::playable_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours, std::chrono::milliseconds, std::chrono::seconds;

const std::string kEntente = testing::entente_binary();
constexpr WallTime kStart = 1'700'000'000'000'000'000;
constexpr const char* kChat = "bzflag/bzfs2426-bzadmin-chat.pcap";

/// A copy of a file of tests/traces.
std::string copied(const Folder& folder, const std::string& trace, const std::string& name) {
  fs::copy_file(trace_file(trace), folder.file(name));
  return folder.file(name);
}

/// A recording as of a relay, without words.
std::string relays(const Folder& folder, const std::string& name) {
  std::ostringstream out, err;
  REQUIRE(convert({{.file = trace_file(kChat)}, folder.file(name)}, out, err) == kOk);
  return folder.file(name);
}

struct Opened {
  Expected<std::unique_ptr<PlayedWords>, RecordedFile::OpenError> session;
  std::string shown;  // on a terminal

  PlayedWords& operator*() const { return **session; }
  std::string why() const { return session ? "" : session.error().text; }
  int exit() const { return session ? 0 : session.error().exit; }
  bool made() const { return shown.find("making words of ") != std::string::npos; }
};

constexpr milliseconds kQuick = hours(1), kSlow{0};

Opened open(PlayableOptions options, milliseconds patience) {
  spdlog::set_level(spdlog::level::warn);
  std::ostringstream terminal;
  options.patience = patience;
  options.terminal = &terminal;
  auto session = open_playable(options);
  return {std::move(session), terminal.str()};
}
Opened open_file(const std::string& path, milliseconds patience = kQuick) {
  return open({.input = {.file = path}}, patience);
}

/// All facts of a session.
std::string told(PlayedWords& session) {
  std::string all;
  while (session.next_at()) {
    Buffer bytes;
    core::write(session.next(), bytes);
    all += as_text(bytes);
  }
  return all;
}

std::set<std::string> files(const Folder& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.insert(entry.path().filename().string());
  return names;
}
using Names = std::set<std::string>;

TEST_CASE("a file of any kind plays, with the same facts as its words") {
  const std::map<std::string, std::string> kinds = {{"chat.pcap", kChat},
                                                    {"ogar.jsonl", "ogar/m3-02-two-players-chat.jsonl"},
                                                    {"panic.jsonl", "panic/patched-be-2p-smallreads.jsonl"},
                                                    {"ctf.rec", "bzflag/bzfs2426-ctf.rec"}};
  for (const auto& [name, trace] : kinds) {
    const Folder folder;
    const std::string file = copied(folder, trace, name);
    const Opened opened = open_file(file);
    REQUIRE_MESSAGE(opened.session.ok(), opened.why());
    CHECK(files(folder) == Names{name});  // making words was quick, so they are not kept
    CHECK(opened.shown.empty());

    const std::string converted = folder.file("words.mcap"), frames = folder.file("frames.mcap");
    std::ostringstream out, err;
    REQUIRE(convert({.input = {.file = file}, .to = converted, .words = true}, out, err) == kOk);
    REQUIRE(convert({.input = {.file = file}, .to = frames}, out, err) == kOk);
    const Opened words = open_file(converted, kSlow), relayed = open_file(frames);
    CHECK_FALSE(words.made());  // the file has words
    const std::string wanted = told(*words);
    CHECK(!wanted.empty());
    CHECK(told(*opened) == wanted);
    CHECK(told(*relayed) == wanted);
    CHECK((*opened).about().dialect == (*words).about().dialect);
    CHECK((*opened).end_time() == (*words).end_time());
  }
}

TEST_CASE("words that took long to make are kept beside the file, and used again") {
  const Folder folder;
  const std::string file = relays(folder, "evening.mcap");
  const std::string quick = told(*open_file(file));
  const Opened first = open_file(file, kSlow);
  CHECK(first.made());
  CHECK(first.shown.ends_with("\r\x1b[K"));
  CHECK(files(folder) == Names{"evening.mcap", "evening.mcap.words.mcap"});
  CHECK(told(*first) == quick);

  const Opened again = open_file(file, kSlow);
  CHECK_FALSE(again.made());
  CHECK(again.shown.find("reading the words of evening.mcap: ") != std::string::npos);
  CHECK(told(*again) == quick);
  CHECK(told(*open({.input = {.file = file}, .link = 2}, kSlow)) != quick);

  std::ostringstream out, err;
  CHECK(recordings({.place = folder.path().string(), .fleet = {}, .json = true}, out, err, false) == kOk);
  CHECK(out.str().find("evening.mcap\"") != std::string::npos);
  CHECK(out.str().find("words") == std::string::npos);
}

TEST_CASE("the words of a file that is temporary are not kept, and nothing else is said") {
  const Folder folder;
  const std::string file = relays(folder, "evening.mcap");
  const auto before = spdlog::default_logger();
  std::ostringstream log;
  const auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(log);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("", sink));
  std::ostringstream terminal;
  const auto session =
      open_playable({.input = {.file = file}, .temporary = true, .patience = kSlow, .terminal = &terminal});
  spdlog::set_default_logger(before);
  REQUIRE(session.ok());
  CHECK(files(folder) == Names{"evening.mcap"});
  CHECK_MESSAGE(log.str().find(" s; words of a fetched recording are not kept\n") != std::string::npos, log.str());
  CHECK(log.str().find("kept in") == std::string::npos);
}

TEST_CASE("a half-written file of a killed program does not prevent keeping words") {
  const Folder folder;
  const std::string file = relays(folder, "a.mcap");
  folder.write("a.mcap.words.mcap.new", "half of it");
  CHECK(open_file(file, kSlow).made());
  CHECK(files(folder) == Names{"a.mcap", "a.mcap.words.mcap"});
  CHECK_FALSE(open_file(file, kSlow).made());
}

TEST_CASE("a session stays readable after its words were removed") {
  const Folder folder;
  const std::string file = relays(folder, "evening.mcap");
  const Opened first = open_file(file, kSlow), second = open_file(file, kSlow);
  fs::remove(words_cache_of(file));
  const std::string all = told(*first);
  core::WorldState world;
  REQUIRE((*first).seek(0, world).ok());
  CHECK(all.ends_with(told(*first)));
  CHECK(told(*second) == all);
}

TEST_CASE("kept words are made again if the file has changed, or is read with other options") {
  const Folder folder;
  const std::string file = copied(folder, "ogar/m3-02-two-players-chat.jsonl", "a.jsonl");
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(file, now - hours(2));
  CHECK(open_file(file, kSlow).made());
  CHECK_FALSE(open_file(file, kSlow).made());

  fs::last_write_time(file, now - hours(1));  // older than the words, but changed
  CHECK(open_file(file, kSlow).made());
  CHECK_FALSE(open_file(file, kSlow).made());

  std::ofstream(file, std::ios::app) << "{\"ev\":\"note\"}\n";
  fs::last_write_time(file, now - hours(1));  // the same time, another size
  CHECK(open_file(file, kSlow).made());
  CHECK_FALSE(open_file(file, kSlow).made());

  CHECK(open({.input = {.file = file, .game = "ogar", .dialect = "modern3"}}, kSlow).made());
  CHECK(open({.input = {.file = file}, .set = {"maps=" + folder.path().string()}}, kSlow).made());
  CHECK(open_file(file, kSlow).made());
  CHECK_FALSE(open_file(file, kSlow).made());

  fs::last_write_time(words_cache_of(file), now - hours(3));  // words that seem older than the file: a clock was set
  CHECK_FALSE(open_file(file, kSlow).made());
}

TEST_CASE("with `once`, no words are made for sessions within the longest one") {
  const Folder folder;
  const std::string file = relays(folder, "a.mcap");
  const Opened all = open({.input = {.file = file}}, kSlow);
  fs::remove(words_cache_of(file));
  const Opened once = open({.input = {.file = file}, .once = true}, kSlow);
  CHECK(told(*once) == told(*all));
  CHECK((*once).end_time() == (*all).end_time());
  CHECK(files(folder) == Names{"a.mcap"});  // nothing is kept
  const auto has = [&](const PlayableOptions& options) { return open(options, kSlow).session.ok(); };
  CHECK(has({.input = {.file = file}, .link = 2, .once = true}));

  // The same for every kind of file.
  for (const std::string trace : {"bzflag/bzfs2426-bzadmin-chat.pcap", "bzflag/bzfs1108-hand-session.pcap",
                                  "ogar/m3-02-two-players-chat.jsonl", "panic/patched-be-2p-test-kill-win.jsonl"}) {
    const std::string copy = copied(folder, trace, "b" + fs::path(trace).extension().string());
    const Opened whole = open_file(copy), part = open({.input = {.file = copy}, .once = true}, kQuick);
    REQUIRE_MESSAGE(part.session.ok(), part.why());
    CHECK((*part).end_time() == (*whole).end_time());
    CHECK(told(*part) == told(*whole));
    fs::remove(copy);
  }
}

TEST_CASE("kept words that are damaged are made again") {
  const Folder folder;
  const std::string file = relays(folder, "a.mcap"), words = words_cache_of(file).string();
  const std::string whole = told(*open_file(file, kSlow));
  const auto size = fs::file_size(words);
  for (const auto left : {size - 20, size / 2, std::uintmax_t{10}, std::uintmax_t{0}}) {
    if (left < 100)
      fs::remove(words), folder.write("a.mcap.words.mcap", std::string(left, 'x'));
    else
      fs::resize_file(words, left);
    const Opened opened = open_file(file, kSlow);
    CHECK(opened.made());
    CHECK(told(*opened) == whole);
    if (left < 100) fs::remove(words), open_file(file, kSlow);
    CHECK(fs::file_size(words) == size);
  }
}

TEST_CASE("a file with the name of kept words that are not this recording's is neither used nor replaced") {
  const Folder folder;
  const std::string file = relays(folder, "a.mcap"), plain = told(*open_file(file));
  std::ostringstream out, err;
  REQUIRE(convert({.input = {.file = trace_file("panic/patched-be-2p-smallreads.jsonl")},
                   .to = words_cache_of(file).string(),
                   .words = true},
                  out, err) == kOk);
  const auto size = fs::file_size(words_cache_of(file));
  const Opened opened = open_file(file, kSlow);
  CHECK(opened.made());
  CHECK(told(*opened) == plain);
  CHECK(fs::file_size(words_cache_of(file)) == size);
  CHECK(files(folder) == Names{"a.mcap", "a.mcap.words.mcap"});
  CHECK(recordings({.place = folder.path().string(), .fleet = {}, .json = true}, out, err, false) == kOk);
  CHECK(out.str().find("a.mcap.words.mcap\"") != std::string::npos);
}

TEST_CASE("a file plays where its words cannot be kept") {
  const Folder folder;
  const std::string file = relays(folder, "a.mcap"), wanted = told(*open_file(file));
  const std::string name = std::string(246, 'n') + ".mcap";  // too long with any suffix
  fs::copy_file(file, folder.file(name));
  const Opened long_name = open_file(folder.file(name), kSlow);
  CHECK(long_name.made());
  CHECK(told(*long_name) == wanted);

  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Opened read_only = open_file(file, kSlow);
  fs::permissions(folder.path(), fs::perms::owner_all);
  CHECK(read_only.made());
  CHECK(told(*read_only) == wanted);
  Names left{"a.mcap", name};
  if (::geteuid() == 0) left.insert("a.mcap.words.mcap");  // root may write anywhere
  CHECK(files(folder) == left);
}

TEST_CASE("of several sessions the longest plays, and any can be chosen") {
  const Folder folder;
  const std::string file = folder.file("a.mcap");
  auto to = recorder(file);
  const std::map<std::uint32_t, core::Micros> lengths = {{1, 2}, {2, 5}, {3, 5}, {4, 1}};
  for (const auto& [link, length] : lengths) {
    to->opened(kStart, opening(link, "bzflag", "2.4"));
    for (const core::Micros at : {core::Micros{0}, length}) {
      core::Fact fact((words::Room()));
      fact.at = at * core::kSecond;
      Buffer bytes;
      core::write(fact, bytes);
      to->word(kStart + fact.at * 1000, link, trace::WordKind::kFact, bytes);
    }
  }
  REQUIRE(to->close(kStart + 9'000'000'000).ok());
  CHECK((*open_file(file)).about().link == 2);
  for (const auto& [link, length] : lengths) {
    const Opened one = open({.input = {.file = file}, .link = link}, kQuick);
    REQUIRE(one.session.ok());
    CHECK((*one).about().link == link);
    CHECK((*one).end_time() == length * core::kSecond);
  }
  const Opened none = open({.input = {.file = file}, .link = 5}, kQuick);
  CHECK(none.exit() == kFailed);
  CHECK(none.why().find("link 5 has no words; these links have words:\n  link 1") != std::string::npos);

  Process replays({kEntente, "replay", file, "--listen", "native://127.0.0.1:0"});
  CHECK(
      replays.err_has("holds 4 sessions; link 2 was chosen, the longest. --link chooses another: 1 (0:02), 3 (0:05), "
                      "4 (0:01)"));
}

TEST_CASE("a damaged file plays as far as it can be read, and its words are not kept") {
  const Folder folder;
  const std::string whole = told(*open_file(relays(folder, "whole.mcap")));
  const std::string cut = folder.file("cut.mcap"), pcap = copied(folder, kChat, "cut.pcap");
  fs::copy_file(folder.file("whole.mcap"), cut);
  fs::resize_file(cut, fs::file_size(cut) - 40);
  fs::resize_file(pcap, fs::file_size(pcap) / 2);
  for (const std::string& file : {cut, pcap}) {
    const Opened opened = open_file(file, kSlow);
    REQUIRE_MESSAGE(opened.session.ok(), opened.why());
    CHECK((*opened).damage().starts_with(file + ": "));
    const std::string facts = told(*opened);
    CHECK(!facts.empty());
    if (file == cut) CHECK(facts == whole);
  }
  CHECK(files(folder) == Names{"cut.mcap", "cut.pcap", "whole.mcap"});
}

TEST_CASE("a file that cannot be played is one error with the reason") {
  const Folder folder;
  const auto fails = [](const PlayableOptions& options, int exit, const std::string& why) {
    const Opened opened = open(options, kSlow);
    CHECK(opened.exit() == exit);
    CHECK_MESSAGE(opened.why().find(why) != std::string::npos, opened.why());
  };
  const auto plain = [](const std::string& file) { return PlayableOptions{.input = {.file = file}}; };
  const std::string chat = copied(folder, kChat, "chat.pcap");
  fails(plain(folder.file("none")), kFailed, "none: No such file or directory");
  fails(plain(folder.path().string()), kFailed, ": it is a folder, not a file");
  fails(plain("/dev/zero"), kFailed, ": it is neither a file nor a pipe");
  fails(plain(folder.write("empty", "")), kFailed, "the file is empty");
  fails(plain(folder.write("noise", std::string("\0\1\2noise", 8))), kFailed,
        "neither a recording nor a packet capture");
  fails(plain(folder.write("x.jsonl", "{\"dir\":\"c2s\",\"conn\":1,\"hex\":\"00\"}\n")), kUsage, "give --game");
  fails(plain(folder.write("x.rec", "rrBZ")), kFailed, "x.rec: ");
  fails(plain(folder.write("x.mcap", "\x89MCAP0\r\n")), kFailed, "x.mcap: ");
  fails(plain(folder.write("x.pcap", "\xd4\xc3\xb2\xa1")), kFailed, "x.pcap: ");
  fails({.input = {.file = chat, .port = 9}}, kFailed, " has no connection with port 9");
  fails({.input = {.file = chat, .game = "chess"}}, kUsage, "unknown game 'chess'; games: ");
  fails({.input = {.file = chat, .game = "bzflag", .dialect = "3.0"}}, kUsage, "unknown dialect '3.0' of bzflag");
  fails({.input = {.file = chat}, .set = {"maps"}}, kUsage, "expected KEY=VALUE");
  fails({.input = {.file = chat, .game = "panic", .dialect = "mixed"}}, kFailed,
        "holds nothing that can be replayed: ");

  auto to = recorder(folder.file("quiet.mcap"));
  REQUIRE(to->close(kStart).ok());
  fails(plain(folder.file("quiet.mcap")), kFailed, "quiet.mcap holds nothing that can be replayed");
  CHECK(files(folder) == Names{"chat.pcap", "empty", "noise", "quiet.mcap", "x.jsonl", "x.mcap", "x.pcap", "x.rec"});

  const Ended ended = run({kEntente, "replay", folder.file("noise"), "--listen", "native://127.0.0.1:0"});
  CHECK(ended.code == kFailed);
  CHECK(ended.out.empty());
}

int port_of(Process& program) {
  const auto line = program.line();
  REQUIRE_MESSAGE(line.has_value(), program.err());
  return std::stoi(line->substr(line->rfind(':') + 1));
}

TEST_CASE("a viewer sees a capture, and an arena continues it") {
  Process replays({kEntente, "replay", trace_file(kChat), "--listen", "native://127.0.0.1:0?dialect=json", "--speed",
                   "16", "--shared"});
  NativeClient client(port_of(replays));
  client.says("{\"enter\":{\"name\":\"watcher\"}}\n");
  const auto facts = client.hears();
  CHECK(std::any_of(facts.begin(), facts.end(), [](const auto& fact) { return fact.has_said(); }));
  CHECK(replays.wait() == 0);

  Process arena(
      {kEntente, "arena", "--from", trace_file("bzflag/bzfs2426-ctf.rec"), "--listen", "native://127.0.0.1:0"});
  CHECK(port_of(arena) != 0);
}

}  // namespace
}  // namespace entente::playable_test
