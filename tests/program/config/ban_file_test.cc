// The ban file: bans outlast the process, and a reader never sees a half-written file.
#include "proxy/program/settings/ban_file.h"

#include <doctest/doctest.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "proxy/program/log/log.h"
#include "tests/program/asked.h"
#include "tests/program/folder.h"

namespace entente::ban_file_test {
namespace {

using relay::Ban;

net::Network net_of(const char* text) { return *net::Network::parse(text); }

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("each ban is a line, and is read back") {
  const Folder folder;
  const std::string path = folder.file("bans");
  REQUIRE(write_bans(path, {{{net_of("192.0.2.7"), Ban::kForGood, "no cheating, please", false},
                             {net_of("2001:db8::/32"), 1'763'650'800, "", false}},
                            {}})
              .ok());
  CHECK(text_of(path) == "192.0.2.7 forever no cheating, please\n2001:db8::/32 2025-11-20T15:00:00Z\n");
  CHECK_FALSE(std::filesystem::exists(path + ".new"));
  const auto file = read_bans(path, 1'763'650'799);
  REQUIRE(file.ok());
  const auto* bans = &file->bans;
  REQUIRE(bans->size() == 2);
  CHECK((*bans)[0].who == net_of("192.0.2.7"));
  CHECK((*bans)[0].until == Ban::kForGood);
  CHECK((*bans)[0].why == "no cheating, please");
  CHECK((*bans)[1].until == 1'763'650'800);
  CHECK(read_bans(path, 1'763'650'800)->bans.size() == 1);
}

TEST_CASE("a ban may end in the far future: the file can be read back, and the wait for the end can be interrupted") {
  const Folder folder;
  const std::string path = folder.write("bans", "192.0.2.7 9999-12-31T23:59:59Z\n");
  relay::Bans bans;
  relay::ListedNetworks listed;
  Housekeeping files("files");
  KeptBans kept(bans, listed, path, files);
  REQUIRE(kept.load().ok());
  bans.add({net_of("192.0.2.8"), std::time_t{1} << 62, "", false});
  REQUIRE(kept.save().ok());
  REQUIRE(kept.begin().ok());  // writes it
  CHECK(text_of(path) == "192.0.2.7 9999-12-31T23:59:59Z\n192.0.2.8 forever\n");
  CHECK(read_bans(path, 0)->bans.size() == 2);
}

TEST_CASE("a file or a link that somebody else has put beside the ban file is not written through") {
  const Folder folder;
  const std::string path = folder.file("bans"), victim = folder.file("victim");
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, path + ".new");
  REQUIRE(write_bans(path, {{{net_of("192.0.2.7"), Ban::kForGood, "", false}}, {}}).ok());
  CHECK(text_of(victim) == "precious");
  CHECK(text_of(path) == "192.0.2.7 forever\n");
  CHECK_FALSE(std::filesystem::is_symlink(path));
  REQUIRE(::mkfifo((path + ".pipe").c_str(), 0600) == 0);
  CHECK(read_bans(path + ".pipe", 0).error().text.find("is not a file") != std::string::npos);  // and it does not wait
}

TEST_CASE("networks that operators allow or deny are lines of the same file, and are read back") {
  using enum relay::ListedNetwork::List;
  const Folder folder;
  const std::string path = folder.write("bans", "192.0.2.7 forever\n10.0.0.0/8 denied a botnet\n10.1.0.0/16 allowed\n");
  relay::Bans bans;
  relay::ListedNetworks listed;
  Housekeeping files("files");
  KeptBans kept(bans, listed, path, files);
  REQUIRE(kept.load().ok());
  REQUIRE(kept.begin().ok());
  const auto all = listed.all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].who == net_of("10.0.0.0/8"));
  CHECK(all[0].list == kDeny);
  CHECK(all[0].why == "a botnet");
  CHECK(all[1].list == kAllow);
  CHECK(bans.all().size() == 1);
  REQUIRE(listed.remove(net_of("10.1.0.0/16")));
  REQUIRE(listed.put({net_of("10.2.0.0/16"), kAllow, "friends"}));
  REQUIRE(kept.save().ok());
  CHECK(text_of(path) == "192.0.2.7 forever\n10.0.0.0/8 denied a botnet\n10.2.0.0/16 allowed friends\n");
  kept.leave_file([](const Ban&) { return Done{}; });
  CHECK_FALSE(kept.save_listed(net_of("10.2.0.0/16"), nullptr).ok());
}

TEST_CASE("bans of the fleet are written a second apart, however many there are, and all of them before the end") {
  const Folder folder;
  const std::string path = folder.file("bans");
  relay::Bans bans;
  relay::ListedNetworks listed;
  Housekeeping files("files");
  {
    KeptBans kept(bans, listed, path, files);
    REQUIRE(kept.load().ok());
    REQUIRE(kept.begin().ok());
    std::set<std::filesystem::file_time_type> written;
    int added = 0;
    const Millis began = steady_now();
    const auto add = [&] {
      if (added < 200) bans.add({net_of(("192.0.2." + std::to_string(added++)).c_str()), Ban::kForGood, "", false});
      kept.save_soon();
      std::error_code none;
      const auto at = std::filesystem::last_write_time(path, none);
      if (!none) written.insert(at);
      return added == 200 && written.size() >= 2;
    };
    REQUIRE(eventually(add, std::chrono::milliseconds(5)));
    CHECK(steady_now() - began >= (written.size() - 1) * KeptBans::kSoon);
    CHECK(kept.stale_file() == path);  // one that takes over may have read the old one
    bans.add({net_of("192.0.2.200"), Ban::kForGood, "", false});
    kept.save_soon();
  }
  CHECK(read_bans(path, 0)->bans.size() == 201);
}

TEST_CASE("a ban that is saved while another process takes over reaches that process") {
  const Folder folder;
  relay::Bans bans;
  relay::ListedNetworks listed;
  Housekeeping files("files");
  KeptBans kept(bans, listed, folder.file("bans"), files);
  std::vector<std::string> told;
  const auto save = [&](const char* who) {
    const Ban ban{net_of(who), Ban::kForGood, "", false};
    bans.add(ban);
    CHECK(kept.save(ban).ok());
  };
  save("192.0.2.1");
  kept.begin_leaving();
  save("192.0.2.2");
  kept.stay();  // that process has failed
  save("192.0.2.3");
  kept.begin_leaving();
  save("192.0.2.4");
  CHECK(read_bans(folder.file("bans"), 0)->bans.size() == 4);
  kept.leave_file([&](const Ban& ban) { return told.push_back(ban.who.text()), Done{}; });
  save("192.0.2.5");
  CHECK(told == std::vector<std::string>{"192.0.2.4", "192.0.2.5"});
  CHECK(read_bans(folder.file("bans"), 0)->bans.size() == 4);
}

TEST_CASE("a ban file that could not be written leaves nothing beside it") {
  const Folder folder;
  const std::string path = folder.file("bans");
  std::filesystem::create_directory(path);
  CHECK(write_bans(path, {}).error().text.starts_with("cannot replace " + path + ": "));
  CHECK(folder.names() == std::set<std::string>{"bans"});
  std::filesystem::remove(path);
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual) == 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, usual.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto written = write_bans(path, {{{net_of("192.0.2.7"), Ban::kForGood, "", false}}, {}});
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &usual) == 0);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().text.starts_with("cannot write " + path + ".new: "));
  CHECK(folder.names().empty());
}

TEST_CASE("a write of the ban file that failed is tried again, and the log says once that it works again") {
  const Folder folder;
  const std::string path = folder.file("bans");
  config::Log settings;
  settings.set_file(folder.file("log"));
  const auto logger = spdlog::default_logger();
  REQUIRE(start_log(settings).ok());
  {
    relay::Bans bans;
    relay::ListedNetworks listed;
    Housekeeping files("files");
    KeptBans kept(bans, listed, path, files, 20);
    REQUIRE(kept.load().ok());
    REQUIRE(kept.begin().ok());
    for (const char* who : {"192.0.2.1", "192.0.2.2"}) bans.add({net_of(who), Ban::kForGood, "", false});
    REQUIRE(kept.save().ok());
    CHECK(kept.stale_file() == "");
    std::filesystem::create_directory(path + ".new");  // so that it cannot be written
    for (const char* who : {"192.0.2.1", "192.0.2.2"}) {
      REQUIRE(bans.remove(net_of(who)));
      CHECK_FALSE(kept.save().ok());  // the caller tells so
    }
    CHECK(kept.stale_file() == path);
    const Millis began = steady_now();
    while (steady_now() < began + 200) std::this_thread::yield();  // some tries
    CHECK(text_of(path) == "192.0.2.1 forever\n192.0.2.2 forever\n");
    std::filesystem::remove(path + ".new");
    CHECK(entente::eventually([&] { return text_of(path).empty(); }));
    CHECK(kept.stale_file() == path);  // another process may have read it before
  }
  stop_log();
  spdlog::set_default_logger(logger);
  const std::string lines = text_of(settings.file());
  const std::string again = path + " is written again (access.ban_file)\n";
  CHECK(lines.ends_with(again));
  CHECK(lines.find(again) == lines.size() - again.size());
  // The thread may have tried between remove() and save(), and then it tells of the failure.
  CHECK_MESSAGE(std::count(lines.begin(), lines.end(), '\n') <= 2, lines);
}

TEST_CASE("the end of a ban that cannot be removed from the file is logged once, and removed later") {
  const Folder folder;
  const std::string path = folder.file("bans");
  config::Log settings;
  settings.set_file(folder.file("log"));
  const auto logger = spdlog::default_logger();
  REQUIRE(start_log(settings).ok());
  {
    relay::Bans bans;
    relay::ListedNetworks listed;
    Housekeeping files("files");
    KeptBans kept(bans, listed, path, files, 20);
    REQUIRE(kept.load().ok());
    REQUIRE(kept.begin().ok());
    bans.add({net_of("192.0.2.1"), std::time(nullptr) + 1, "", false});
    REQUIRE(kept.save().ok());
    std::filesystem::create_directory(path + ".new");
    CHECK(entente::eventually([&] { return kept.stale_file() == path; }));
    const Millis began = steady_now();
    while (steady_now() < began + 200) std::this_thread::yield();  // some tries
    std::filesystem::remove(path + ".new");
    CHECK(entente::eventually([&] { return text_of(path).empty(); }));
  }
  stop_log();
  spdlog::set_default_logger(logger);
  const std::string lines = text_of(settings.file());
  CHECK_MESSAGE(std::count(lines.begin(), lines.end(), '\n') == 2, lines);
  CHECK(lines.find("a ban has ended; cannot write " + path + ".new: ") != std::string::npos);
}

TEST_CASE("a pipe that is put in the place of the ban file is replaced, and nobody waits for its writer") {
  const Folder folder;
  const std::string path = folder.file("bans");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(write_bans(path, {}).ok());
  CHECK(std::filesystem::is_regular_file(path));
}

TEST_CASE("a missing file means no bans; comments and empty lines are skipped") {
  const Folder folder;
  CHECK(read_bans(folder.file("none"), 0)->bans.empty());
  CHECK(read_bans(folder.write("bans", "# friends of mine\n\n192.0.2.7 forever\n"), 0)->bans.size() == 1);
}

TEST_CASE("a ban is removed from the file when it ends, or when the file is next read or written; comments stay") {
  const Folder folder;
  const std::string forever = "# friends of mine\n198.51.100.1 forever\n";
  const std::string path =
      folder.write("bans", "# friends of mine\n192.0.2.7 2020-01-01T00:00:00Z old\n198.51.100.1 forever\n");
  relay::Bans bans;
  relay::ListedNetworks listed;
  {
    Housekeeping files("files");
    KeptBans kept(bans, listed, path, files);
    REQUIRE(kept.load().ok());
    CHECK(text_of(path) != forever);  // another process may have the file
    REQUIRE(kept.begin().ok());
    std::promise<void> looked;  // once this is called, the file is watched: the thread calls one after another
    const Housekeeping::Work after(files, [&, first = true]() mutable {
      if (std::exchange(first, false)) looked.set_value();
      return Housekeeping::kIdle;
    });
    looked.get_future().wait();
    CHECK(text_of(path) == forever);
    const std::time_t soon = std::time(nullptr) + 2;
    bans.add({net_of("192.0.2.8"), soon, "", false});
    bans.add({net_of("192.0.2.9"), Ban::kForGood, "", true});  // banned by a server
    REQUIRE(kept.save().ok());
    CHECK(text_of(path) == "# friends of mine\n192.0.2.8 " + until_text(soon) + "\n198.51.100.1 forever\n");
    const Millis began = steady_now();
    CHECK(entente::eventually([&] { return text_of(path) == forever; }));
    CHECK(steady_now() - began < Housekeeping::kIdle / 2);  // not only when the file is looked at anyway
    CHECK(bans.all().size() == 2);
  }
  bans.add({net_of("192.0.2.7"), 1, "", false});
  Housekeeping files("files");
  KeptBans again(bans, listed, path, files);
  REQUIRE(again.save().ok());
  CHECK(text_of(path) == forever);
}

TEST_CASE("when the wall clock is set, the ban file gets the new ends") {
  constexpr std::time_t kHour = 3'600;
  const Folder folder;
  const std::string path = folder.file("bans");
  std::atomic<std::time_t> ahead{0};
  relay::Bans bans(60, [&ahead] { return ahead.load(); });
  relay::ListedNetworks listed;
  Housekeeping files("files");
  KeptBans kept(bans, listed, path, files);
  REQUIRE(kept.load().ok());
  REQUIRE(kept.begin().ok());
  const std::time_t now = steady_seconds();
  bans.add({net_of("192.0.2.1"), now + kHour, "", false});
  bans.add({net_of("192.0.2.2"), now + 2, "", false});  // then the file is looked at
  REQUIRE(kept.save().ok());
  bans.add({net_of("192.0.2.3"), Ban::kForGood, "", false});  // so that there are not fewer bans than in the file
  ahead = 2 * kHour;
  CHECK(entente::eventually([&] { return read_bans(path, 0)->bans.front().until == now + 3 * kHour; }));
}

TEST_CASE("the error about a wrong file has its place, and that about a failed write has the reason") {
  const Folder folder;
  const std::string name = folder.write("bans", "192.0.2.7 forever\nexample.org forever\n");
  CHECK(read_bans(name, 0).error().text.starts_with(name + ":2: 'example.org' is not a network"));
  const std::string time = folder.write("times", "192.0.2.7 tomorrow\n");
  CHECK(read_bans(folder.path().string(), 0).error().text ==
        folder.path().string() + " is a folder; access.ban_file must be a file");
  CHECK(read_bans(time, 0).error().text.starts_with(time + ":1: 'tomorrow' is not a time"));
  const auto written = write_bans(folder.file("no/such/folder"), {});
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().text.find("No such file or directory") != std::string::npos);
}

}  // namespace
}  // namespace entente::ban_file_test
