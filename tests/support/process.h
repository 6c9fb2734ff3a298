// A program that a test starts, hears and ends. For tests of the binary.
// Law: nothing is waited for longer than the patience below, and nothing outlives the test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace entente {

class Process {
 public:
  static constexpr std::chrono::seconds kPatience{150};  // a sanitizer's build on a busy machine

  /// Runs argv[0] by its path, its output into pipes.
  explicit Process(const std::vector<std::string>& argv);
  ~Process();  ///< kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// The next whole line of standard output; nothing if it ended, or took too long.
  std::optional<std::string> line();
  /// Waits until standard error has `text`.
  bool err_has(std::string_view text);
  void signal(int number) const;

  /// Hears it out. Its exit code, 128 + the signal that ended it, or -1 if it took too long.
  int wait();

  const std::string& out() const { return out_; }  ///< so far, without the lines that line() gave
  const std::string& err() const { return err_; }

 private:
  bool hear();
  static void take(int& fd, std::string& into);

  pid_t pid_ = -1;
  int out_fd_ = -1, err_fd_ = -1;
  std::string out_, err_;
  std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + kPatience;
};

/// What a program that ends by itself said.
struct Ended {
  int code;
  std::string out, err;
};

Ended run(const std::vector<std::string>& argv);

struct BotEnded : Ended {
  int runs = 0;  ///< times that it was started
};

/// `entente bot` at that URL, again and for longer until it was let in: a busy machine may need more than a second.
BotEnded run_bot(const std::string& url);

}  // namespace entente
