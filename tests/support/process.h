// A program that a test starts, reads the output of, and ends. For tests of the binary.
// Invariant: all waits together take at most kPatience, and the program does not outlive the object.
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
  static constexpr std::chrono::seconds kPatience{150};  // enough for a sanitizer's build on a busy machine

  /// Runs argv[0], which is a path, and reads its output through pipes.
  explicit Process(const std::vector<std::string>& argv);
  ~Process();  ///< kills the program if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// The next whole line of standard output; nothing if the output has ended, or the time is over.
  std::optional<std::string> line();
  /// Waits until standard error has `text`. Returns false if it has ended, or the time is over.
  bool err_has(std::string_view text);
  void signal(int number) const;
  pid_t pid() const { return pid_; }

  /// Reads its output to the end. Returns its exit code, 128 + the signal that ended it, or -1 if the time is over.
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

/// The exit code and the output of a program that ends by itself.
struct Ended {
  int code;
  std::string out, err;
};

Ended run(const std::vector<std::string>& argv);

struct BotEnded : Ended {
  int runs = 0;  ///< times that it was started
};

/// Runs `entente bot` with that URL, again and for longer until it was let in: a busy machine may need more than a
/// second.
BotEnded run_bot(const std::string& url);

}  // namespace entente
