// What this process logs while a test runs.
#pragma once

#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/program/log/log.h"
#include "tests/program/fleet/fleet_process.h"
#include "tests/program/folder.h"

namespace entente {

class Logged {
 public:
  Logged() {
    settings_.set_file(folder_.file("log"));
    REQUIRE(start_log(settings_).ok());
  }
  ~Logged() { end(); }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;

  /// So far.
  std::string lines() const { return content_of(settings_.file()); }
  /// Writes what is queued. Later lines are not kept.
  void end() {
    if (before_ == nullptr) return;
    stop_log();
    spdlog::set_default_logger(std::move(before_));
  }
  /// How often the log has this text. REQUIRES: end().
  std::size_t times(std::string_view text) const {
    const std::string all = lines();
    std::size_t count = 0;
    for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + text.size())) ++count;
    return count;
  }

 private:
  const Folder folder_;
  config::Log settings_;
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

}  // namespace entente
