// A log file whose disk is full for a while.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <spdlog/async.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "proxy/net/fd.h"
#include "proxy/program/log/log.h"
#include "proxy/program/log/say.h"
#include "tests/program/folder.h"
#include "tests/support/pattern.h"

namespace entente::log_file_test {
namespace {

/// Waits until the log's thread has written what came before.
bool is_written() {
  spdlog::default_logger()->flush();
  for (int i = 0; i < 1'000 && spdlog::thread_pool()->queue_size() != 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return spdlog::thread_pool()->queue_size() == 0;
}

/// What the lines of a log say.
std::string texts_of(const std::string& file) {
  std::ifstream stream(file);
  const std::string all(std::istreambuf_iterator<char>(stream), {});
  std::string texts;
  for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1)
    texts += all.substr(at + 31, all.find('\n', at) - at - 31) + "\n";
  return texts;
}

}  // namespace

TEST_CASE("a log that another process left with half a line begins anew, also after a reload") {
  const Folder folder;
  config::Log settings;
  settings.set_file(folder.file("log"));
  const auto tear = [&] { std::ofstream(settings.file(), std::ios::app) << "2026-11-29T02:30:00.000Z info  ha"; };
  const auto before = spdlog::default_logger();
  tear();
  REQUIRE(start_log(settings).ok());
  log_info("first");
  REQUIRE(is_written());
  tear();
  REQUIRE(renew_log(settings).ok());
  log_info("second");
  stop_log();
  spdlog::set_default_logger(before);
  CHECK(texts_of(settings.file()) == "ha\nfirst\nha\nsecond\n");
}

TEST_CASE("after a line that the disk had no room for, the next one begins anew") {
  const Folder folder;
  const std::string file = folder.file("log");
  config::Log settings;
  settings.set_file(file);
  const auto before = spdlog::default_logger();
  REQUIRE(start_log(settings).ok());
  const std::string first = "2026-11-29T02:30:00.000Z info  first\n";
  log_info("first");
  REQUIRE(is_written());
  rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual) == 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{first.size() + 35, usual.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  log_info("second");
  REQUIRE(is_written());
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &usual) == 0);
  std::signal(SIGXFSZ, handler);
  log_info("third");
  log_info("fourth");
  stop_log();
  spdlog::set_default_logger(before);
  CHECK(texts_of(file) == "first\nseco\nthird\nfourth\n");
}

TEST_CASE("lines that nobody reads in time are lost and counted, and the log says how many") {
  const Folder folder;
  config::Log settings;
  settings.set_file(folder.file("pipe"));
  REQUIRE(::mkfifo(settings.file().c_str(), 0600) == 0);
  const net::Fd reader(::open(settings.file().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  REQUIRE(reader);
  const auto before = spdlog::default_logger();
  REQUIRE(start_log(settings).ok());
  constexpr std::size_t kLines = 20'000;
  for (std::size_t i = 0; i < kLines; ++i) log_info("line {:08}", i);
  const std::uint64_t lost = lost_log_lines();
  CHECK(lost > 8'000);
  std::atomic<bool> ended{false};
  std::string all;
  std::thread reads([&] {
    std::array<char, 4096> some{};
    for (bool last = false;;) {
      const ssize_t size = ::read(reader.get(), some.data(), some.size());
      if (size > 0) {
        all.append(some.data(), static_cast<std::size_t>(size));
        continue;
      }
      if (last) break;
      last = ended;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  stop_log();
  ended = true;
  reads.join();
  spdlog::set_default_logger(before);
  std::size_t told = 0;
  const auto lines = testing::all_matches(all, "lost ([0-9]+) lines? of the log: they came faster");
  for (const auto& line : lines) told += std::stoul(line[1]);
  CHECK(told >= lost);
  CHECK(testing::all_matches(all, "line [0-9]+\n").size() == kLines - told);
}

}  // namespace entente::log_file_test
