// Records what the proxy of a simulation passes on, on the simulated disk, and compares the files with what it passed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proxy/relay/tap/tap.h"
#include "tests/lab/watch.h"

namespace entente::lab {

class Recorded final : public relay::Tap {
 public:
  /// What is recorded is also told to `followed`.
  Recorded(Plan& plan, Verdict& verdict, Followed& followed);
  ~Recorded() override;
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  // In the proxy's program:
  /// The proxy begins: another life, with files of its own.
  void begin();
  /// It has ended: the files are complete, unless the disk was at fault.
  void end();
  relay::TapSink& sink(std::size_t worker) override;

  // In another program:
  /// The proxy was killed. `machine`: the machine crashed.
  void die(bool machine);
  /// Begins another file.
  void rotate();
  /// Reads all files. What must hold: each frame that was passed on is there, once and in order, or is counted as lost.
  void check();

 private:
  struct Life {
    int number = 0;
    Nanos died = 0;      // 0: it ended
    bool began = false;  // its first file could be opened
    bool machine_crashed = false, complete = false;
    bool fell_behind = false;  // as it said
    std::uint64_t lost = 0;    // frames that are counted as lost
  };
  class Both;
  struct Read;
  std::string path(int life) const { return "/lab/life-" + std::to_string(life) + ".mcap"; }
  std::unique_ptr<trace::Recorder> begin_file(std::string& why) const;
  void check(const Life& life);
  void check_link(const Life& life, const Followed::Key& key, const Followed::Session& session, const Read& read);
  void wrong(const Life& life, const std::string& what) {
    verdict_.wrong.push_back("the recording of life " + std::to_string(life.number) + ": " + what);
  }

  Plan& plan_;
  Verdict& verdict_;
  Followed& followed_;
  std::vector<Life> lives_;
  relay::TapThread* tap_ = nullptr;  // its memory is lost when the proxy is killed
  std::vector<std::unique_ptr<Both>> sinks_;
};

}  // namespace entente::lab
