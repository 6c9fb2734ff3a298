// A node of a fleet as a process: `entente run` with an arena of the fleet, controlled through its control socket.
#pragma once

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/program/asked.h"
#include "tests/program/folder.h"
#include "tests/support/nats_server.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente {

inline std::string content_of(const std::string& path) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return all.str();
}

/// The process that an upgrade started. It is stopped at the end of the test.
struct Young {
  ~Young() {
    if (pid > 0) ::kill(pid, SIGTERM);
  }
  int pid = 0;
};

class NodeProcess {
 public:
  /// `more`: tables of the configuration. `of_arena`: keys of its arena. `top`: keys above all tables.
  NodeProcess(const NatsServer& nats, std::string name, const std::string& more = "", const std::string& of_arena = "",
              const std::string& top = "")
      : name_(std::move(name)) {
    config_ =
        folder_.write("node.toml", top + "[control]\nsocket = '" + folder_.file("c.sock") +
                                       "'\n[access]\nban_file = '" + folder_.file("bans") + "'\n[fleet]\nnats = ['" +
                                       nats.url() + "']\nnode = '" + name_ + "'\n" + more +
                                       "\n[[arena]]\nname = 'field'\nfleet = true\nlisten = "
                                       "['native://127.0.0.1:0?dialect=json']\n" +
                                       of_arena + "\n");
    start();
  }

  void start() {
    process_ = std::make_unique<Process>(std::vector<std::string>{testing::entente_binary(), "run", config_});
    const auto line = process_->line();
    REQUIRE_MESSAGE(line.has_value(), process_->err());
    port_ = std::stoi(line->substr(line->rfind(':') + 1));
  }
  void kill() {
    process_->signal(9);
    process_->wait();
  }

  /// Stops it as `systemctl stop` does.
  void stop() {
    process_->signal(15);
    CHECK_MESSAGE(process_->wait() == 0, process_->err());
  }

  const std::string& name() const { return name_; }
  const std::string& config() const { return config_; }
  int port() const { return port_; }
  std::string url() const { return "native://127.0.0.1:" + std::to_string(port_) + "?dialect=json"; }
  Process& process() { return *process_; }
  const Folder& folder() const { return folder_; }

  Ended ctl(std::vector<std::string> words) const {
    words.insert(words.begin(), {testing::entente_binary(), "ctl", "--socket", folder_.file("c.sock")});
    return run(words);
  }
  /// Waits until the answer to this command has `text` or, if not `wanted`, lacks it.
  bool says(const std::vector<std::string>& words, const std::string& text, bool wanted = true) const {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    return eventually([&] {
      const std::string answer = answer_of(folder_.file("c.sock"), line);
      return !answer.empty() && has(answer, text) == wanted;
    });
  }
  std::unique_ptr<Process> bot(const std::string& bot_name) const {
    auto bot = std::make_unique<Process>(
        std::vector<std::string>{testing::entente_binary(), "bot", url(), "--name", bot_name, "--behaviour", "idle"});
    REQUIRE(says({"list"}, "\t" + bot_name));
    return bot;
  }

 private:
  const Folder folder_;
  const std::string name_;
  std::string config_;
  int port_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace entente
