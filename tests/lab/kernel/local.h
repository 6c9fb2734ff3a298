// Local (Unix) stream sockets of the simulated kernel, which also pass descriptors.
// Invariant: as on Linux. What one call sent with descriptors is not read together with what came before or after it,
// and descriptors that nobody receives are closed.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/lab/kernel/kernel.h"

namespace entente::lab {

class LocalSocket final : public File, public std::enable_shared_from_this<LocalSocket> {
 public:
  using Files = std::vector<std::shared_ptr<File>>;

  explicit LocalSocket(Kernel& kernel) : kernel_(kernel), program_(kernel.program()) {}

  /// Two that are connected with each other, as a pipe.
  static std::pair<std::shared_ptr<LocalSocket>, std::shared_ptr<LocalSocket>> pair(Kernel& kernel);

  // Each returns an errno; 0: done.
  int bind(const std::string& path);
  int listen(int backlog);
  int connect(const std::string& path);
  int shut_down(bool reading, bool writing);
  /// Null: nobody waits.
  std::shared_ptr<LocalSocket> accept();
  /// Sends a part of the bytes, and all of the files with it. Returns how many bytes, or minus an errno.
  ssize_t send(Bytes bytes, const Files& files);
  /// The same of what comes. `files`: gets those that came with the first byte.
  ssize_t receive(std::span<std::uint8_t> into, bool peek, Files& files);

  const std::string& path() const { return path_; }
  bool listens() const { return listens_; }
  bool is_connected() const { return connected_; }
  /// The program at the other end: the one that connected, or that listens.
  std::size_t peer_program() const { return peer_program_; }
  Nanos patience = 0;  ///< SO_RCVTIMEO; 0: for ever

  bool readable() const override;
  bool writable() const override;
  bool ended() const override { return peer_ended_; }
  void close() override;

  /// Files on their way count as open.
  static void hold(const Files& files);
  static void let_go(const Files& files);

 private:
  struct Chunk {
    Buffer bytes;
    Files files;
  };
  static constexpr std::size_t kRoom = 200 * 1024;  // bytes that wait at one end
  std::size_t waiting() const;

  Kernel& kernel_;
  const std::size_t program_;
  std::string path_;
  std::size_t backlog_ = 0, peer_program_ = 0;
  bool listens_ = false, connected_ = false, deaf_ = false, end_sent_ = false, peer_ended_ = false, reset_ = false;
  std::deque<std::shared_ptr<LocalSocket>> accepted_;
  std::weak_ptr<LocalSocket> peer_;
  std::deque<Chunk> in_;
};

}  // namespace entente::lab
