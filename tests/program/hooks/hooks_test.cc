// Hooks: what is sent to receivers that take it, fail, hang or answer nonsense, and to commands.
#include "proxy/program/hooks/hooks.h"

#include <doctest/doctest.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <csignal>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "proxy/net/secret.h"
#include "proxy/program/bounds.h"
#include "proxy/program/log/log.h"
#include "proxy/program/monitor/metrics.h"
#include "tests/program/asked.h"
#include "tests/support/certificate.h"
#include "tests/support/heap.h"
#include "tests/support/no_files_left.h"
#include "tests/support/receiver.h"

namespace entente::hooks_test {
namespace {

using relay::News, relay::NewsField, relay::NewsKind, testing::Receiver;

constexpr HookPatience kQuick{.first = 10, .most = 40, .asked = 1'000, .at_end = 5'000};

News join(const std::string& player, const std::string& route = "ctf") {
  return std::move(News(NewsKind::kJoin).set(NewsField::kPlayer, player).set(NewsField::kRoute, route));
}

News leave(const std::string& player, const std::string& route = "ctf") {
  return std::move(News(NewsKind::kLeave).set(NewsField::kPlayer, player).set(NewsField::kRoute, route));
}

HookSettings settings_of(const std::string& toml_url, const std::vector<std::string>& events = {"join"}) {
  config::Hook hook;
  hook.set_name("h");
  hook.set_url(toml_url);
  for (const std::string& one : events) hook.add_events(one);
  hook.set_timeout_s(30);
  hook.set_give_up_s(600);
  auto its = hook_settings(hook);
  REQUIRE_MESSAGE(its, its.error().text);
  return std::move(*its);
}

HookSettings command_of(const std::vector<std::string>& command) {
  HookSettings its = settings_of("http://127.0.0.1/");
  its.url = "";
  its.at.reset();
  its.command = command;
  return its;
}

google::protobuf::Struct parsed(const std::string& json) {
  google::protobuf::Struct object;
  REQUIRE_MESSAGE(google::protobuf::util::JsonStringToMessage(json, &object).ok(), json);
  return object;
}

std::string text_of(const google::protobuf::Struct& object, const std::string& name) {
  return object.fields().at(name).string_value();
}

HookLine::Report report_of(const Hooks& hooks) { return hooks.lines().front()->report(); }

bool reports(const Hooks& hooks, const std::function<bool(const HookLine::Report&)>& is) {
  return eventually([&] { return is(report_of(hooks)); }, std::chrono::milliseconds(2));
}

TEST_CASE("an event is sent as JSON with a new id, and one that no hook wants is not") {
  Receiver receiver;
  Hooks hooks;
  CHECK_FALSE(hooks.wants(NewsKind::kBan));
  CHECK(hooks.set({settings_of(receiver.url("/a"), {"join", "empty"})}) == "added: hook 'h'\n");
  CHECK_FALSE(hooks.wants(NewsKind::kBan));
  hooks.post(join("anna"));
  hooks.post(join("bob"));
  hooks.post(leave("anna"));  // is not wanted
  hooks.post(leave("bob"));   // is not, but "empty" is
  const auto got = receiver.await(3);
  const auto first = parsed(got[0].body), second = parsed(got[1].body), third = parsed(got[2].body);
  CHECK(got[0].line == "POST /a HTTP/1.1");
  CHECK(got[0].headers.at("x-entente-event") == "join");
  CHECK(got[0].headers.at("x-entente-id") == text_of(first, "id"));
  CHECK(got[0].headers.count("x-entente-signature") == 0);
  CHECK(text_of(first, "player") == "anna");
  CHECK(text_of(first, "text") == "anna joined ctf (1 player)");
  CHECK(text_of(second, "text") == "bob joined ctf (2 players)");
  CHECK(text_of(first, "id") != text_of(second, "id"));
  CHECK(text_of(third, "event") == "empty");
  CHECK(reports(hooks, [](const auto& its) { return its.totals.delivered == 3 && its.waiting == 0; }));
}

TEST_CASE("while another process has players, too, no place is said to be empty, and later those that still are") {
  Receiver receiver;
  Hooks hooks;
  hooks.set({settings_of(receiver.url("/a"), {"empty"})});
  hooks.hold_empty(true);
  hooks.post(join("anna"));
  hooks.post(leave("anna"));
  hooks.post(join("bob", "ffa"));
  hooks.post(leave("bob", "ffa"));
  hooks.post(join("bob", "ffa"));
  REQUIRE(hooks.test("h", ""));
  CHECK(text_of(parsed(receiver.await(1)[0].body), "event") == "test");
  hooks.hold_empty(false);
  CHECK(text_of(parsed(receiver.await(2)[1].body), "route") == "ctf");
  hooks.post(leave("bob", "ffa"));
  CHECK(text_of(parsed(receiver.await(3)[2].body), "route") == "ffa");

  hooks.hold_empty(true);
  hooks.post(join("carl"));
  hooks.post(leave("carl"));
  hooks.stop_telling_empty();
  hooks.hold_empty(false);
  hooks.post(join("carl"));
  hooks.post(leave("carl"));
  REQUIRE(hooks.test("h", ""));
  CHECK(text_of(parsed(receiver.await(4)[3].body), "event") == "test");
}

TEST_CASE("a hook that a reload adds while no descriptor is left works once there are some") {
  Receiver receiver;
  Hooks hooks;
  {
    const testing::NoFilesLeft none;
    CHECK(hooks.set({settings_of(receiver.url("/a"), {"join"})}) == "added: hook 'h'\n");
  }
  hooks.post(join("anna"));
  CHECK(text_of(parsed(receiver.await(1)[0].body), "player") == "anna");
}

TEST_CASE("a signature is the HMAC of the time and the body") {
  Receiver receiver;
  Hooks hooks;
  HookSettings its = settings_of(receiver.url());
  its.secret = "0123456789abcdef0123456789abcdef";
  its.token = "syt_token";
  hooks.set({its});
  hooks.post(join("anna"));
  const auto got = receiver.await(1).front();
  const std::string signature = got.headers.at("x-entente-signature");
  const std::string time = signature.substr(2, signature.find(',') - 2);
  CHECK(signature == "t=" + time + ",v1=" + net::signature(its.secret, time + "." + got.body));
  CHECK(std::abs(std::stoll(time) - std::time(nullptr)) < 100);
  CHECK(got.headers.at("authorization") == "Bearer syt_token");
  CHECK(net::signature("Jefe", "what do ya want for nothing?") ==  // RFC 4231, 4.3
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST_CASE("a hook is limited to its routes and arenas; what belongs to no route is for all") {
  Receiver receiver;
  Hooks hooks;
  HookSettings its = settings_of(receiver.url(), {"join", "match_begun", "ban"});
  its.routes = {"ctf", "lobby"};
  hooks.set({its});
  hooks.post(join("anna", "elsewhere"));
  hooks.post(join("bob", "ctf"));
  hooks.post(std::move(News(NewsKind::kMatchBegun).set(NewsField::kArena, "elsewhere")));
  hooks.post(std::move(News(NewsKind::kMatchBegun).set(NewsField::kArena, "lobby")));
  hooks.post(std::move(News(NewsKind::kBan).set(NewsField::kNetwork, "192.0.2.7")));
  const auto got = receiver.await(3);
  CHECK(text_of(parsed(got[0].body), "player") == "bob");
  CHECK(text_of(parsed(got[1].body), "arena") == "lobby");
  CHECK(text_of(parsed(got[2].body), "network") == "");  // addresses = false
}

TEST_CASE("addresses are sent only if the hook says so") {
  Receiver receiver;
  Hooks hooks;
  HookSettings its = settings_of(receiver.url(), {"refused"});
  hooks.set({its});
  const News news = std::move(News(NewsKind::kRefused).set(NewsField::kAddress, "192.0.2.7:4000"));
  hooks.post(news);
  CHECK(receiver.await(1).back().body.find("192.0.2.7") == std::string::npos);
  its.addresses = true;
  its.source = "another";
  CHECK(hooks.set({its}) == "changed: hook 'h'\n");
  hooks.post(news);
  CHECK(text_of(parsed(receiver.await(2).back().body), "address") == "192.0.2.7:4000");
}

TEST_CASE("5xx, 429 and broken connections are tried again, in order; other answers are not") {
  std::atomic<int> asked{0};
  Receiver receiver([&](Receiver::Talk& talk, const Receiver::Request&) {
    switch (asked++) {
      case 0:
        return talk.send("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n");
      case 1:
        talk.send("HTTP/1.1 429 Slow\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return false;
      case 2:
        return false;  // closes a new connection; if one that was used before is closed, curl itself tries again
      case 3:
        return talk.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      case 4:
        return talk.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
      case 5:
        return talk.send("HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
      default:
        return talk.send("HTTP/1.1 204 No Content\r\n\r\n");
    }
  });
  Hooks hooks({.patience = kQuick});
  hooks.set({settings_of(receiver.url())});
  for (const char* name : {"a", "b", "c", "d"}) hooks.post(join(name));
  const auto got = receiver.await(7);
  std::string players;
  for (const auto& one : got) players += text_of(parsed(one.body), "player");
  CHECK(players == "aaaabcd");
  CHECK(text_of(parsed(got[0].body), "id") == text_of(parsed(got[3].body), "id"));
  CHECK(parsed(got[6].body).fields().at("lost").number_value() == 2);  // b and c
  CHECK(reports(hooks, [](const auto& its) { return its.totals.delivered == 2 && its.totals.failed == 2; }));
  CHECK(report_of(hooks).totals.retried == 3);
}

TEST_CASE("a receiver that asks for a rest of a year gets the next try after the longest rest that may be asked for") {
  std::atomic<int> asked{0};
  Receiver receiver([&](Receiver::Talk& talk, const Receiver::Request&) {
    return talk.send(asked++ == 0 ? "HTTP/1.1 429 Slow\r\nRetry-After: 31536000\r\nContent-Length: 0\r\n\r\n"
                                  : "HTTP/1.1 204 No Content\r\n\r\n");
  });
  Hooks hooks({.patience = kQuick});
  hooks.set({settings_of(receiver.url())});
  hooks.post(join("a"));
  CHECK(reports(hooks, [](const auto& its) { return its.totals.delivered == 1; }));
  CHECK(asked == 2);
}

TEST_CASE("an event is given up after its time, with those that wait for as long; later ones are sent") {
  Receiver receiver(Receiver::status("500 Oops"));
  Hooks hooks({.patience = kQuick});
  HookSettings its = settings_of(receiver.url());
  its.give_up = 0;
  hooks.set({its});
  hooks.post(join("a"));
  CHECK(reports(hooks, [](const auto& now) { return now.totals.failed == 1; }));
  CHECK(report_of(hooks).error == "it answered 500");
  receiver.set(Receiver::status("204 No Content"));
  hooks.post(join("b"));
  CHECK(parsed(receiver.await("\"b\"").body).fields().at("lost").number_value() == 1);
  CHECK(reports(hooks, [](const auto& now) { return now.totals.delivered == 1 && now.error.empty(); }));
}

TEST_CASE("the log is told of each event that was given up once, also of those that it is told of later") {
  const Folder folder;
  config::Log settings;
  settings.set_file(folder.file("log"));
  const auto before = spdlog::default_logger();
  REQUIRE(start_log(settings).ok());
  {
    Receiver receiver(Receiver::status("404 Not Found"));
    Hooks hooks({.patience = {.first = 600'000, .most = 600'000, .asked = 600'000, .at_end = 60'000}});
    hooks.set({settings_of(receiver.url())});
    for (std::uint64_t failed = 1; failed <= 3; ++failed) {
      hooks.post(join("anna"));
      CHECK(reports(hooks, [&](const auto& now) { return now.totals.failed == failed; }));
    }
    receiver.set(Receiver::status("500 Oops"));
    hooks.post(join("bob"));
    CHECK(reports(hooks, [](const auto& now) { return now.totals.retried == 1; }));
    hooks.stop();
  }
  stop_log();
  spdlog::set_default_logger(before);
  std::ifstream file(settings.file());
  const std::string log(std::istreambuf_iterator<char>(file), {});
  CHECK_MESSAGE(has(log, "hook 'h': gave up 1 event: it answered 404\n"), log);
  CHECK_MESSAGE(has(log, "hook 'h': gave up 3 events: it answered 500\n"), log);  // of four
}

TEST_CASE("of 10,000 events at once, the queue keeps 1000; the others are counted, and the next one says how many") {
  std::atomic<bool> open{false};
  Receiver receiver([&](Receiver::Talk& talk, const Receiver::Request&) {
    while (!open) std::this_thread::yield();
    return talk.send("HTTP/1.1 204 No Content\r\n\r\n");
  });
  Hooks hooks;
  hooks.set({settings_of(receiver.url())});
  hooks.post(join("the first"));
  receiver.await(1);  // so it was sent before any were dropped
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; ++worker)
    workers.emplace_back([&hooks, worker] {
      for (int i = worker == 0 ? 1 : 0; i < 2'500; ++i)
        hooks.post(join("player " + std::to_string(worker * 2'500 + i)));
    });
  for (std::thread& one : workers) one.join();
  const auto full = report_of(hooks);
  CHECK(full.waiting == HookLine::kMostEvents);
  CHECK(full.waiting_bytes <= HookLine::kMostBytes);
  CHECK(full.totals.dropped == 9'000);
  open = true;
  const auto got = receiver.await(HookLine::kMostEvents);
  CHECK(parsed(got[0].body).fields().at("lost").number_value() == 0);
  CHECK(parsed(got[1].body).fields().at("lost").number_value() == 9'000);
  CHECK(parsed(got[2].body).fields().at("lost").number_value() == 0);
}

TEST_CASE("what waits for a receiver takes at most the memory of its bound, whatever happens") {
  const Bound* const bound = find_bound("hook");
  REQUIRE(bound != nullptr);
  for (const std::size_t size : {0U, 10U, 1'000U, 100'000U}) {
    HookLine line(settings_of("http://127.0.0.1:1/"));
    const std::size_t before = testing::bytes_in_use();
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      News news = join(std::string(size, 'x'));
      news.set(NewsField::kGame, std::string(size, 'y')).set(NewsField::kAddress, std::string(size, 'z'));
      (void)line.put(
          std::make_shared<const HookEvent>(HookEvent{std::move(news), "0123456789abcdef-" + std::to_string(i)}), 0);
    }
    CHECK(testing::bytes_in_use() - before <= bound->bytes);
    CHECK(line.report().totals.dropped > 0);
  }
}

TEST_CASE("large events fill a queue by their bytes") {
  HookLine line(settings_of("http://127.0.0.1:1/"));
  std::vector<relay::NewsScore> board(1'000, {std::string(100, 'x'), "red", 1, 2});
  const auto event = std::make_shared<const HookEvent>(
      HookEvent{std::move(News(NewsKind::kMatchEnded).set(NewsField::kScores, board)), "1"});
  while (line.put(event, 0) != HookLine::Put::kDropped) {
  }
  CHECK(line.report().waiting > 3);
  CHECK(line.report().waiting_bytes <= HookLine::kMostBytes);
}

TEST_CASE("a receiver that hangs costs the others nothing, and ends with the program in a bounded time") {
  Receiver hanging(Receiver::hang()), good;
  HookPatience patience = kQuick;
  patience.at_end = 50;
  Hooks hooks({.patience = patience});
  HookSettings one = settings_of(hanging.url()), other = settings_of(good.url());
  other.name = "other";
  hooks.set({one, other});
  hooks.post(join("a"));
  hanging.await(1);
  for (int i = 0; i < 20; ++i) hooks.post(join("b"));
  good.await(21);
  hooks.stop();
  CHECK(report_of(hooks).totals.delivered == 0);
  CHECK(report_of(hooks).waiting == 21);
  hooks.post(join("c"));  // is dropped
}

TEST_CASE("a stop sends what waits, without pauses, and gives up a receiver that fails") {
  Receiver receiver;
  {
    Hooks hooks;
    hooks.set({settings_of(receiver.url())});
    for (int i = 0; i < 100; ++i) hooks.post(join("a"));
    hooks.stop();
    CHECK(report_of(hooks).totals.delivered == 100);
  }
  receiver.set(Receiver::status("503 Busy", "Retry-After: 1000\r\n"));
  Hooks hooks;
  hooks.set({settings_of(receiver.url())});
  for (int i = 0; i < 100; ++i) hooks.post(join("a"));
  CHECK(reports(hooks, [](const auto& its) { return its.totals.retried == 1; }));
  hooks.stop();
  CHECK(report_of(hooks).totals.failed == 100);
  CHECK(receiver.count() == 102);
}

TEST_CASE("a name whose lookup never ends is tried again, and a stop does not wait for it") {
  struct Never {
    std::mutex mutex;
    std::condition_variable change;
    bool over = false;
  };
  const auto never = std::make_shared<Never>();
  {
    Hooks hooks({.patience = kQuick, .look_up = [never](const std::string&) -> Outcome<std::vector<net::Address>> {
                   std::unique_lock lock(never->mutex);
                   never->change.wait(lock, [&] { return never->over; });
                   return Error{"over"};
                 }});
    hooks.set({settings_of("http://receiver.invalid/")});
    hooks.post(join("a"));
    CHECK(reports(hooks, [](const auto& its) { return its.totals.retried > 0; }));
    CHECK(report_of(hooks).error == "no address of receiver.invalid was found in time");
    hooks.stop();
  }
  const std::lock_guard lock(never->mutex);
  never->over = true;
  never->change.notify_all();
}

TEST_CASE("a name is looked up by us, and TLS is checked against it") {
  const Certificate certificate;
  Receiver receiver(Receiver::status("204 No Content"), certificate.file());
  Hooks hooks({.patience = kQuick, .look_up = [](const std::string& host) -> Outcome<std::vector<net::Address>> {
                 if (host != "localhost") return Error{"no such name"};
                 return std::vector{*net::Address::parse("127.0.0.1", 0)};
               }});
  HookSettings its = settings_of("https://localhost:" + std::to_string(receiver.port()) + "/");
  hooks.set({its});
  hooks.post(join("a"));
  CHECK(reports(hooks, [](const auto& now) { return now.error.find("certificate") != std::string::npos; }));
  its.authorities = certificate.file();
  its.source = "another";
  hooks.set({its});  // what waits is sent to the hook as it is now
  CHECK(text_of(parsed(receiver.await(1).front().body), "player") == "a");
}

TEST_CASE("a reload: a hook that does not differ goes on, one that is gone sends nothing more") {
  Receiver one, two;
  Hooks hooks({.patience = kQuick});
  HookSettings first = settings_of(one.url()), second = settings_of(two.url());
  first.name = "first";
  second.name = "second";
  hooks.set({first, second});
  hooks.post(join("a"));
  one.await(1);
  two.await(1);
  const auto line = hooks.lines().front();
  CHECK(hooks.set({first}).starts_with("removed: hook 'second'"));
  CHECK(hooks.lines().front() == line);
  hooks.post(join("b"));
  one.await(2);
  CHECK(hooks.set({}).starts_with("removed: hook 'first'"));
  CHECK_FALSE(hooks.wants(NewsKind::kBan));
  hooks.post(join("c"));
  hooks.stop();
  CHECK(one.count() == 2);
  CHECK(two.count() == 1);
}

TEST_CASE("a reload: a hook that differs sends to its new receiver what waited for the old one") {
  Receiver old(Receiver::status("503 Busy")), fresh;
  Hooks hooks({.patience = kQuick});
  HookSettings its = settings_of(old.url());
  hooks.set({its});
  hooks.post(join("a"));
  hooks.post(join("b"));
  old.await(1);
  CHECK(reports(hooks, [](const auto& report) { return report.totals.retried > 0; }));
  const std::uint64_t retried = report_of(hooks).totals.retried;
  its = settings_of(fresh.url());
  CHECK(hooks.set({its}) == "changed: hook 'h'\n");
  const auto got = fresh.await(2);
  CHECK(text_of(parsed(got[0].body), "player") == "a");
  CHECK(text_of(parsed(got[1].body), "player") == "b");
  CHECK(reports(hooks, [](const auto& report) { return report.totals.delivered == 2; }));
  CHECK(report_of(hooks).totals.retried >= retried);
}

TEST_CASE("a command gets the event without a shell, and is tried again if it fails") {
  std::signal(SIGPIPE, SIG_IGN);
  const Folder folder;
  const std::string script =
      folder.write("tell", "#!/bin/sh\n[ -e \"$1.once\" ] || { touch \"$1.once\"; exit 1; }\ncat >>\"$1\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  Hooks hooks({.patience = kQuick});
  hooks.set({command_of({script, folder.file("a; touch b")})});
  hooks.post(join("$(touch x) \"'`;\n"));
  hooks.post(join("bob"));
  CHECK(reports(hooks, [](const auto& its) { return its.totals.delivered == 2; }));
  CHECK(report_of(hooks).totals.retried == 1);
  std::ifstream in(folder.file("a; touch b"));
  std::string first, second;
  std::getline(in, first);
  std::getline(in, second);
  CHECK(text_of(parsed(first), "player") == "$(touch x) \"'`;");
  CHECK(text_of(parsed(second), "player") == "bob");
  CHECK(folder.names().size() == 3);
}

/// The processes whose numbers are in this file, and that run.
std::vector<int> running(const std::string& file) {
  std::ifstream in(file);
  std::vector<int> all;
  for (int pid = 0; in >> pid;) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (std::getline(stat, line) && line.find(") Z ") == std::string::npos) all.push_back(pid);
  }
  return all;
}

/// Notes its number, and hangs.
std::vector<std::string> hanging(const std::string& file) {
  return {"/bin/sh", "-c", "echo $$ >>" + file + "; exec sleep 1000"};
}

TEST_CASE("a command that hangs is killed after its time") {
  std::signal(SIGPIPE, SIG_IGN);
  const Folder folder;
  HookSettings its = command_of(hanging(folder.file("pids")));
  its.time = 200;
  its.give_up = 0;
  Hooks hooks({.patience = kQuick});
  hooks.set({its});
  hooks.post(join("a"));
  CHECK(reports(hooks, [](const auto& now) { return now.totals.failed == 1; }));
  CHECK(report_of(hooks).error.find("the command took longer than") == 0);
  CHECK(eventually([&] { return running(folder.file("pids")).empty(); }));
}

TEST_CASE("at most four commands run at once; the others wait for their turn, and end with the program") {
  std::signal(SIGPIPE, SIG_IGN);
  const Folder folder;
  const std::string pids = folder.file("pids");
  std::vector<HookSettings> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(command_of(hanging(pids)));
    all.back().name = "h" + std::to_string(i);
    all.back().give_up = 0;
  }
  HookPatience patience = kQuick;
  patience.at_end = 50;
  Hooks hooks({.patience = patience});
  hooks.set(all);
  hooks.post(join("a"));
  CHECK(eventually([&] { return running(pids).size() == Hooks::kMostCommands; }));
  for (int i = 0; i < 100; ++i) {
    CHECK(running(pids).size() == Hooks::kMostCommands);
    std::this_thread::yield();
  }
  ::kill(running(pids).front(), SIGTERM);
  CHECK(eventually([&] {
    std::ifstream in(pids);
    return std::distance(std::istream_iterator<int>(in), {}) == 5;
  }));
  hooks.stop();
  CHECK(eventually([&] { return running(pids).empty(); }));
}

TEST_CASE("a command that waits for its turn begins as soon as others are killed after their time") {
  std::signal(SIGPIPE, SIG_IGN);
  const Folder folder;
  const std::string pids = folder.file("pids"), done = folder.file("done");
  std::vector<HookSettings> all;
  all.push_back(settings_of("http://127.0.0.1/", {"leave"}));
  all.back().url = "";
  all.back().at.reset();
  all.back().command = {"/bin/sh", "-c", "cat > " + done};
  for (std::size_t i = 0; i < Hooks::kMostCommands; ++i) {
    all.push_back(command_of(hanging(pids)));
    all.back().name = "h" + std::to_string(i);
    all.back().time = 500;
  }
  HookPatience patience = kQuick;
  patience.first = patience.most = 600'000;
  patience.at_end = 50;
  Hooks hooks({.patience = patience});
  hooks.set(all);
  hooks.post(join("a"));
  REQUIRE(eventually([&] { return running(pids).size() == Hooks::kMostCommands; }));
  hooks.post(leave("a"));
  CHECK(eventually([&] { return std::filesystem::exists(done); }));
}

TEST_CASE("where more hooks have commands than may run, each gets its turn, however much waits for the others") {
  std::signal(SIGPIPE, SIG_IGN);
  const Folder folder;
  const std::string done = folder.file("done");
  std::vector<HookSettings> all;
  for (std::size_t i = 0; i <= Hooks::kMostCommands; ++i) {
    const std::string name = "h" + std::to_string(i);
    all.push_back(command_of({"/bin/sh", "-c", "cat > /dev/null; echo " + name + " >> " + done}));
    all.back().name = name;
  }
  Hooks hooks({.patience = kQuick});
  hooks.set(all);
  constexpr std::size_t kEvents = 8;
  for (std::size_t i = 0; i < kEvents; ++i) hooks.post(join("a"));
  std::vector<std::string> order;
  REQUIRE(eventually([&] {
    std::ifstream in(done);
    order = {std::istream_iterator<std::string>(in), {}};
    return order.size() == kEvents * all.size();
  }));
  const auto last = std::find(order.begin(), order.end(), all.back().name);
  CHECK(last - order.begin() < 3 * static_cast<std::ptrdiff_t>(all.size()));
}

TEST_CASE("a reload says how many events a hook that is gone has not sent") {
  Receiver receiver(Receiver::status("500 Oops"));
  HookPatience patience = kQuick;
  patience.first = patience.most = 600'000;
  Hooks hooks({.patience = patience});
  hooks.set({settings_of(receiver.url())});
  for (int i = 0; i < 3; ++i) hooks.post(join("a"));
  receiver.await(1);
  CHECK(hooks.set({}) == "removed: hook 'h'; 3 events not sent\n");
}

TEST_CASE("a command that cannot be run is an error of its hook") {
  Hooks hooks({.patience = kQuick});
  hooks.set({command_of({"/there/is/no/such/program"})});
  hooks.post(join("a"));
  CHECK(reports(hooks, [](const auto& its) { return its.totals.retried > 1; }));
  CHECK(report_of(hooks).error.find("cannot run /there/is/no/such/program") == 0);
}

TEST_CASE("a test event is for one hook, whatever it wants; metrics count all") {
  Receiver one, two;
  Hooks hooks;
  HookSettings first = settings_of(one.url(), {"ban"}), second = settings_of(two.url(), {"ban"});
  second.name = "second";
  hooks.set({first, second});
  CHECK(hooks.test("second", "by me").ok());
  CHECK_FALSE(hooks.test("third", "by me").ok());
  CHECK(text_of(parsed(two.await(1).front().body), "text") == "this is a test by me");
  CHECK(one.count() == 0);
  CHECK(eventually([&] {
    Metrics metrics;
    hooks.measure(metrics);
    return metrics.text().find("entente_hook_events_delivered_total{hook=\"second\"} 1") != std::string::npos;
  }));
}

TEST_CASE("what a hook has given up and tried again is measured, and whether it fails now") {
  Receiver receiver(Receiver::status("503 Busy", "Retry-After: 1000\r\n"));
  Hooks hooks;
  hooks.set({settings_of(receiver.url())});
  for (int i = 0; i < 3; ++i) hooks.post(join("a"));
  CHECK(reports(hooks, [](const auto& its) { return its.totals.retried == 1; }));
  hooks.stop();
  Metrics metrics;
  hooks.measure(metrics);
  CHECK(has(metrics.text(), "entente_hook_events_failed_total{hook=\"h\"} 3\n"));
  CHECK(has(metrics.text(), "entente_hook_retries_total{hook=\"h\"} 1\n"));
  CHECK(has(metrics.text(), "entente_hook_fails{hook=\"h\"} 1\n"));
}

TEST_CASE("a receiver that redirects is an error of its hook, which says what to do") {
  Receiver receiver(Receiver::status("308 Moved", "Location: /elsewhere\r\n"));
  Hooks hooks({.patience = kQuick});
  hooks.set({settings_of(receiver.url())});
  hooks.post(join("a"));
  CHECK(reports(hooks,
                [](const auto& its) { return has(its.error, "a redirect; set url to the place where it leads"); }));
}

}  // namespace
}  // namespace entente::hooks_test
