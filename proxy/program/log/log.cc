#include "proxy/program/log/log.h"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "proxy/net/service_manager.h"
#include "proxy/net/thread_share.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/log/library_log.h"
#include "proxy/program/log/log_format.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

std::atomic<bool> log_has_begun{false};

constexpr const char* kLoggerName = "entente";

constexpr std::size_t kQueuedLines = 8192;     // beyond these, the oldest are dropped rather than waited for
constexpr std::chrono::seconds kTellLost{10};  // how often the log says how many were lost

Outcome<std::FILE*> open_log(const std::string& file) {
  std::FILE* to = file.empty() ? stderr : std::fopen(file.c_str(), "ae");
  if (to) return to;
  return Error{"the log file " + file + " cannot be opened (" + std::strerror(errno) +
               "); set log.file to a writable path, or leave it empty for standard error"};
}

/// Whether the last line of the file lacks its end: the disk was full, and then its writer was killed.
bool is_torn(const std::string& file) {
  std::ifstream stream(file);
  return stream.seekg(-1, std::ios::end) && stream.peek() != '\n';
}

// Lines to a C stream. spdlog's own file sinks throw when a file cannot be opened; this one is given it open.
class StreamSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  /// `torn`: what it has so far needs an end of line.
  StreamSink(std::FILE* to, bool torn) : to_(to), torn_(torn) {}
  ~StreamSink() override { replace(stderr, false); }
  StreamSink(const StreamSink&) = delete;
  StreamSink& operator=(const StreamSink&) = delete;

  /// `pool`: whose thread writes here, and which counts what it drops.
  void count_lost_of(spdlog::details::thread_pool& pool) { pool_ = &pool; }
  void write_to(std::FILE* to, bool torn) {
    const std::lock_guard lock(mutex_);
    replace(to, torn);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (steady_clock::now() >= tell_lost_at_) tell_lost();
    write(message);
  }
  void flush_() override {
    tell_lost();
    std::fflush(to_);
  }

 private:
  using steady_clock = std::chrono::steady_clock;

  void tell_lost() {
    const std::size_t lost = pool_ != nullptr ? pool_->overrun_counter() : 0;
    if (lost == told_lost_) return;
    const std::string text = "lost " + counted(lost - std::exchange(told_lost_, lost), "line") +
                             " of the log: they came faster than they could be written";
    write(spdlog::details::log_msg(kLoggerName, spdlog::level::err, text));
    tell_lost_at_ = steady_clock::now() + kTellLost;
  }
  void write(const spdlog::details::log_msg& message) {
    line_.clear();
    if (torn_) line_.push_back('\n');
    formatter_->format(message, line_);
    const bool taken = std::fwrite(line_.data(), 1, line_.size(), to_) == line_.size();
    torn_ = std::fflush(to_) != 0 || !taken;
  }
  void replace(std::FILE* to, bool torn) {
    if (to_ != stderr) std::fclose(to_);
    to_ = to;
    torn_ = torn;
  }

  std::FILE* to_;
  spdlog::memory_buf_t line_;
  bool torn_;  // the last line may lack its end: the disk was full
  spdlog::details::thread_pool* pool_ = nullptr;
  std::size_t told_lost_ = 0;
  steady_clock::time_point tell_lost_at_{};  // not before
};

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

spdlog::level::level_enum level_of(config::Log::Level level) {
  switch (level) {
    case config::Log::trace:
      return spdlog::level::trace;
    case config::Log::debug:
      return spdlog::level::debug;
    case config::Log::warn:
      return spdlog::level::warn;
    case config::Log::error:
      return spdlog::level::err;
    case config::Log::off:
      return spdlog::level::off;
    default:
      return spdlog::level::info;
  }
}

}  // namespace

Outcome<Done> start_log(const config::Log& settings) {
  const auto to = open_log(settings.file());
  if (!to) return to.error();
  auto sink = std::make_shared<StreamSink>(*to, is_torn(settings.file()));  // spdlog shares its sinks
  const bool journal = *to == stderr && net::leads_to_journal(STDERR_FILENO);
  sink->set_formatter(settings.format() == config::Log::json ? json_lines(journal) : text_lines(journal));
  spdlog::init_thread_pool(kQueuedLines, 1, [] { net::name_this_thread("log"); });
  sink->count_lost_of(*spdlog::thread_pool());
  auto logger = std::make_shared<spdlog::async_logger>(kLoggerName, std::move(sink), spdlog::thread_pool(),
                                                       spdlog::async_overflow_policy::overrun_oldest);
  logger->set_error_handler(&hear_spdlog);
  logger->set_level(level_of(settings.level()));
  spdlog::set_default_logger(std::move(logger));
  log_has_begun = true;
  return Done{};
}

void set_log_level(const config::Log& settings) { spdlog::default_logger()->set_level(level_of(settings.level())); }

Outcome<Done> renew_log(const config::Log& settings) {
  set_log_level(settings);
  const auto logger = spdlog::default_logger();
  auto* const sink = logger->sinks().empty() ? nullptr : dynamic_cast<StreamSink*>(logger->sinks().front().get());
  if (sink == nullptr || settings.file().empty()) return Done{};
  const auto to = open_log(settings.file());
  if (!to) return to.error();
  sink->write_to(*to, is_torn(settings.file()));
  return Done{};
}

void stop_log() {
  log_rest_of_libraries();
  log_has_begun = false;
  if (spdlog::logger* const log = spdlog::default_logger_raw()) log->flush();  // says how many lines were lost
  spdlog::shutdown();
}

std::uint64_t lost_log_lines() {
  const auto pool = spdlog::thread_pool();
  return pool ? pool->overrun_counter() : 0;
}

bool log_is_open() { return log_has_begun; }

std::string and_more(std::uint64_t suppressed) {
  return suppressed == 0 ? "" : " (and " + std::to_string(suppressed) + " more like this)";
}

void write_log(LogLevel level, fmt::string_view format, fmt::format_args values, std::span<const LogField> fields) {
  spdlog::logger* const log = spdlog::default_logger_raw();  // null after stop_log()
  if (log != nullptr && log->should_log(level_of(level)))
    log->log(level_of(level), log_payload(fmt::vformat(format, values), fields));
}

}  // namespace entente
