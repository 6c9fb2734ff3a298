// A relay whose server is started and stopped by commands.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tests/relay/toy.h"

namespace entente::testing {

/// Each command appends a letter to a file.
class Launched : public Serving {
 public:
  explicit Launched(Millis stop_after_ms = 0, const std::string& start = {}, const std::string& stop = {},
                    std::function<bool()> may_stop = {}, const wire::Game& game = toy::game(), std::size_t dialect = 0,
                    const Limits& limits = no_limits(), bool names_dialect = true, Millis check_ms = 20,
                    const std::function<void(relay::RouteOptions&)>& more = {})
      : Serving(1), at(free_for_both()) {
    options.game = &game;
    options.listen = loopback();
    options.listen_dialect = dialect;
    options.servers = {{at.ip_text(), at.port(), dialect}};
    if (!names_dialect) options.servers[0].dialect = std::nullopt;
    options.upstream.hold_ms = 60'000;
    options.upstream.check_ms = check_ms;
    options.limits = limits;
    options.upstream.launch.start = start.empty() ? writes("s") : start;
    if (stop_after_ms != 0) options.upstream.launch.stop = stop.empty() ? writes("e") : stop;
    options.upstream.launch.stop_after_ms = stop_after_ms;
    options.upstream.launch.may_stop = std::move(may_stop);
    if (more) more(options);
    serve_all(options, limits);
  }
  ~Launched() {
    stop();
    std::filesystem::remove(file_);
  }
  std::string writes(const std::string& letter) const { return "printf " + letter + " >> " + file_.string(); }
  std::string written() const {
    std::ifstream in(file_);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  bool wrote(const std::string& all) const {
    return eventually([&] { return written() == all; });
  }

  const net::Address at;
  relay::RouteOptions options;

 private:
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("entente-launcher-" + std::to_string(::getpid()));
};

}  // namespace entente::testing
