#include "tests/support/nats_server.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace entente {
namespace {

std::optional<std::string> nats_program() {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/bin/", "/usr/local/sbin/"})
    if (std::string path = std::string(folder) + "nats-server"; ::access(path.c_str(), X_OK) == 0) return path;
  return std::nullopt;
}

}  // namespace

bool NatsServer::is_missing() {
  if (nats_program()) return false;
  static bool told = false;
  if (!told) std::printf("not run: tests that need nats-server (Debian's package nats-server)\n");
  return told = true;
}

NatsServer::NatsServer(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
  std::string pattern = (std::filesystem::temp_directory_path() / "entente-nats-XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  if (std::find(arguments_.begin(), arguments_.end(), "--tls") != arguments_.end()) scheme_ = "tls://";
  start();
}

NatsServer::~NatsServer() {
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void NatsServer::start() {
  std::vector<std::string> argv = {*nats_program(),       "-a",  "127.0.0.1", "-p",
                                   std::to_string(port_), "-js", "-sd",       folder_};
  argv.insert(argv.end(), arguments_.begin(), arguments_.end());
  process_ = std::make_unique<Process>(argv);
  [[maybe_unused]] const bool ready = process_->err_has("Server is ready");
  assert(ready);
}

void NatsServer::start_with(std::vector<std::string> arguments) {
  arguments_ = std::move(arguments);
  start();
}

void NatsServer::start_empty() {
  std::filesystem::remove_all(folder_);
  start();
}

std::string NatsServer::cluster_url() const {
  constexpr std::string_view kForRoutes = "Listening for route connections on ";
  [[maybe_unused]] const bool listens = process_->err_has(kForRoutes);
  assert(listens);
  const std::string& log = process_->err();
  const auto colon = log.rfind(':', log.find('\n', log.find(kForRoutes)));
  return "nats://127.0.0.1:" + std::to_string(std::atoi(log.c_str() + colon + 1));
}

void NatsServer::kill() {
  process_->signal(SIGKILL);
  process_->wait();
}

void NatsServer::freeze() const { process_->signal(SIGSTOP); }
void NatsServer::thaw() const { process_->signal(SIGCONT); }

}  // namespace entente
