#include "tests/lab/kernel/local.h"

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

#include "tests/lab/kernel/disk.h"
#include "tests/lab/kernel/memory.h"

namespace entente::lab {

std::pair<std::shared_ptr<LocalSocket>, std::shared_ptr<LocalSocket>> LocalSocket::pair(Kernel& kernel) {
  const Aside aside;
  auto one = std::make_shared<LocalSocket>(kernel), other = std::make_shared<LocalSocket>(kernel);
  one->connected_ = other->connected_ = true;
  one->peer_ = other;
  other->peer_ = one;
  return {std::move(one), std::move(other)};
}

int LocalSocket::bind(const std::string& path) {
  const Aside aside;
  if (!kernel_.disk().add_socket(path, weak_from_this())) return EADDRINUSE;
  path_ = path;
  return 0;
}

int LocalSocket::listen(int backlog) {
  listens_ = true;
  backlog_ = static_cast<std::size_t>(std::max(backlog, 1));
  return 0;
}

int LocalSocket::connect(const std::string& path) {
  const Aside aside;
  if (connected_) return EISCONN;
  const Disk::Inode* const found = kernel_.disk().look(path);
  if (found == nullptr) return ENOENT;
  const auto there = std::dynamic_pointer_cast<LocalSocket>(found->socket.lock());
  if (!there || !there->listens_) return ECONNREFUSED;
  if (there->accepted_.size() >= there->backlog_) return EAGAIN;
  auto here = std::make_shared<LocalSocket>(kernel_);
  here->path_ = there->path_;
  here->peer_program_ = kernel_.program();
  here->connected_ = connected_ = true;
  here->peer_ = weak_from_this();
  peer_ = here;
  peer_program_ = there->program_;
  there->accepted_.push_back(std::move(here));
  kernel_.note(0x6c63, peer_program_);
  return 0;
}

std::shared_ptr<LocalSocket> LocalSocket::accept() {
  const Aside aside;
  if (accepted_.empty()) return nullptr;
  auto first = std::move(accepted_.front());
  accepted_.pop_front();
  return first;
}

int LocalSocket::shut_down(bool reading, bool writing) {
  const Aside aside;
  if (listens_) return listens_ = false, 0;
  if (!connected_) return ENOTCONN;
  deaf_ = deaf_ || reading;
  end_sent_ = end_sent_ || writing;
  if (const auto there = peer_.lock()) {
    there->peer_ended_ = there->peer_ended_ || writing;
    there->end_sent_ = there->end_sent_ || reading;  // it gets EPIPE
  }
  return 0;
}

std::size_t LocalSocket::waiting() const {
  return std::accumulate(in_.begin(), in_.end(), std::size_t{0},
                         [](std::size_t sum, const Chunk& one) { return sum + one.bytes.size(); });
}

ssize_t LocalSocket::send(Bytes bytes, const Files& files) {
  const Aside aside;
  if (!connected_) return -ENOTCONN;
  if (std::exchange(reset_, false)) return -ECONNRESET;
  const auto there = peer_.lock();
  if (end_sent_ || !there || there->deaf_) return -EPIPE;
  const std::size_t full = there->waiting();
  if (full >= kRoom) return -EAGAIN;
  std::size_t size = std::min(bytes.size(), kRoom - full);
  if (!blocks && size > 1 && kernel_.chance(kernel_.faults.short_write)) size = 1 + kernel_.pick(size - 1);
  kernel_.note(0x6c73, size);
  kernel_.note(bytes.first(size));
  hold(files);
  there->in_.push_back({Buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), files});
  return static_cast<ssize_t>(size);
}

ssize_t LocalSocket::receive(std::span<std::uint8_t> into, bool peek, Files& files) {
  const Aside aside;
  if (!connected_) return -ENOTCONN;
  if (deaf_) return 0;
  if (in_.empty() && std::exchange(reset_, false)) return -ECONNRESET;
  if (in_.empty()) return peer_ended_ ? 0 : -EAGAIN;
  std::size_t size = 0, wanted = into.size();
  if (wanted > 1 && !peek && kernel_.chance(kernel_.faults.short_read)) wanted = 1 + kernel_.pick(wanted - 1);
  for (std::size_t i = 0; i < in_.size() && size < wanted; ++i) {
    Chunk& one = in_[i];
    if (i != 0 && !one.files.empty()) break;
    const std::size_t part = std::min(wanted - size, one.bytes.size());
    std::copy_n(one.bytes.begin(), part, into.begin() + static_cast<std::ptrdiff_t>(size));
    size += part;
    if (i == 0 && !peek && !one.files.empty()) {
      files = std::exchange(one.files, {});
      break;  // nothing else is read with it
    }
  }
  if (peek) return static_cast<ssize_t>(size);
  for (std::size_t left = size; left != 0;) {
    Buffer& first = in_.front().bytes;
    const std::size_t part = std::min(left, first.size());
    first.erase(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(part));
    left -= part;
    if (first.empty()) in_.pop_front();
  }
  return static_cast<ssize_t>(size);
}

bool LocalSocket::readable() const {
  if (listens_) return !accepted_.empty();
  return !in_.empty() || peer_ended_ || deaf_ || reset_;
}

bool LocalSocket::writable() const {
  if (listens_ || !connected_) return false;
  const auto there = peer_.lock();
  return end_sent_ || !there || there->deaf_ || there->waiting() < kRoom;
}

void LocalSocket::close() {
  listens_ = false;
  for (const auto& one : std::exchange(accepted_, {})) one->close();
  if (const auto there = peer_.lock()) {
    there->peer_ended_ = true;
    there->reset_ = !in_.empty();
  }
  peer_.reset();
  for (const Chunk& one : std::exchange(in_, {})) let_go(one.files);
}

void LocalSocket::hold(const Files& files) {
  for (const auto& one : files) ++one->descriptors;
}

void LocalSocket::let_go(const Files& files) {
  for (const auto& one : files)
    if (--one->descriptors == 0) one->close();
}

}  // namespace entente::lab
