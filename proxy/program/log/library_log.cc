#include "proxy/program/log/library_log.h"

#include <google/protobuf/stubs/logging.h>

#include <string>
#include <string_view>
#include <utility>

#include "proxy/base/time.h"
#include "proxy/program/log/log.h"
#include "proxy/program/log/say.h"
#include "proxy/relay/base/log_limiter.h"

namespace entente {
namespace {

relay::LogLimiter& library_limiter() {
  static relay::LogLimiter limiter;
  return limiter;
}

/// `library`: a literal.
void log_of_library(std::string_view library, LogLevel level, std::string text) {
  if (!log_is_open()) return;
  library_limiter().say(relay::LogKind::kMachine, library, steady_now(),
                        [library, level, text = std::move(text)](std::uint64_t more) {
                          log_at(level, "{}: {}{}", library, text, and_more(more));
                        });
}

void hear_protobuf(google::protobuf::LogLevel level, const char* /*file*/, int /*line*/, const std::string& text) {
  const bool warns = level == google::protobuf::LOGLEVEL_INFO || level == google::protobuf::LOGLEVEL_WARNING;
  log_of_library("libprotobuf", warns ? LogLevel::kWarn : LogLevel::kError, text);
}

}  // namespace

void redirect_library_logs() { google::protobuf::SetLogHandler(&hear_protobuf); }

void hear_spdlog(const std::string& why) { log_of_library("spdlog", LogLevel::kError, why); }

void log_rest_of_libraries() { library_limiter().say_rest(); }

}  // namespace entente
