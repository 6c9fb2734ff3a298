#include "tests/lab/kernel/disk.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "tests/lab/kernel/memory.h"

namespace entente::lab {

void Disk::take_time() {
  kernel_.call();
  harmed_ = harmed_ || faults.slow != 0;
  if (faults.slow != 0) kernel_.wait([] { return false; }, kernel_.now() + kernel_.pick(faults.slow));
}

bool Disk::fails() {
  const bool fails = kernel_.chance(faults.fail);
  harmed_ = harmed_ || fails;
  return fails;
}

std::uint64_t Disk::used() const {
  std::uint64_t sum = 0;
  for (const auto& [name, its] : files_) sum += its->bytes.size();
  return sum;
}

ssize_t Disk::Opened::write(Bytes bytes) {
  const Aside aside;
  disk_.take_time();
  const DiskFaults& its = disk_.faults;
  Kernel& kernel = disk_.kernel_;
  if (folder_) return -EISDIR;
  if (kernel.chance(its.interrupt)) return -EINTR;
  if (disk_.fails()) return -EIO;
  const std::uint64_t used = disk_.used(), room = its.room > used ? its.room - used : 0;
  if (room == 0 && !bytes.empty()) return disk_.harmed_ = true, -ENOSPC;
  std::size_t size = std::min<std::uint64_t>(bytes.size(), room);
  if (size > 1 && kernel.chance(its.short_write)) size = 1 + kernel.pick(size - 1);
  kernel.note(0x6469, size);
  append(its_->bytes, bytes.first(size));
  return static_cast<ssize_t>(size);
}

ssize_t Disk::Opened::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  if (folder_) return -EISDIR;
  if (offset >= its_->bytes.size()) return 0;
  const std::size_t size = std::min<std::uint64_t>(into.size(), its_->bytes.size() - offset);
  std::copy_n(its_->bytes.begin() + static_cast<std::ptrdiff_t>(offset), size, into.begin());
  return static_cast<ssize_t>(size);
}

ssize_t Disk::Opened::read(std::span<std::uint8_t> into) {
  const ssize_t size = read(at_, into);
  if (size > 0) at_ += static_cast<std::uint64_t>(size);
  return size;
}

int Disk::Opened::cut(std::uint64_t size) {
  const Aside aside;
  disk_.take_time();
  if (disk_.fails()) return EIO;
  its_->bytes.resize(size);
  its_->synced = std::min<std::size_t>(its_->synced, size);
  return 0;
}

int Disk::Opened::sync() {
  const Aside aside;
  disk_.take_time();
  if (disk_.fails()) return EIO;
  if (folder_) return disk_.changes_.clear(), 0;
  its_->synced = its_->bytes.size();
  disk_.sync_names(*its_);
  return 0;
}

std::shared_ptr<Disk::Inode> Disk::fresh_inode() {
  auto fresh = std::make_shared<Inode>();
  fresh->number = ++last_number_;
  fresh->names = 1;
  return fresh;
}

void Disk::note(std::shared_ptr<const Inode> of, std::initializer_list<std::string> names) {
  Change change{std::move(of), {}};
  for (const std::string& name : names) {
    const auto found = files_.find(name);
    change.before.emplace_back(name, found != files_.end() ? found->second : nullptr);
  }
  changes_.push_back(std::move(change));
}

void Disk::sync_names(const Inode& of) {
  const auto last =
      std::find_if(changes_.rbegin(), changes_.rend(), [&of](const Change& one) { return one.of.get() == &of; });
  changes_.erase(changes_.begin(), last.base());
}

std::shared_ptr<Disk::Opened> Disk::open(const std::string& path, int flags, int& error) {
  const Aside aside;
  take_time();
  if (is_root(path)) return std::make_shared<Opened>(*this, nullptr, true);
  const auto found = files_.find(path);
  error = found == files_.end() ? ENOENT : EEXIST;
  if (found != files_.end() && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return nullptr;
  if (found != files_.end() && found->second->is_socket) return error = ENXIO, nullptr;
  if (found != files_.end()) return std::make_shared<Opened>(*this, found->second, false);
  if ((flags & O_CREAT) == 0) return nullptr;
  auto fresh = fresh_inode();
  note(fresh, {path});
  files_[path] = fresh;
  return std::make_shared<Opened>(*this, std::move(fresh), false);
}

void Disk::put(const std::string& path, Bytes bytes) {
  auto fresh = fresh_inode();
  fresh->bytes.assign(bytes.begin(), bytes.end());
  fresh->synced = bytes.size();
  files_[path] = std::move(fresh);
}

const Disk::Inode* Disk::look(const std::string& path) const {
  const auto found = files_.find(path);
  return found != files_.end() ? found->second.get() : nullptr;
}

bool Disk::add_socket(const std::string& path, std::weak_ptr<File> socket) {
  take_time();
  if (files_.contains(path)) return false;
  auto fresh = fresh_inode();
  fresh->is_socket = true;
  fresh->socket = std::move(socket);
  note(fresh, {path});
  files_[path] = std::move(fresh);
  return true;
}

int Disk::rename(const std::string& from, const std::string& to, bool replaces) {
  const Aside aside;
  take_time();
  const auto found = files_.find(from);
  if (found == files_.end()) return ENOENT;
  if (!replaces && files_.contains(to)) return EEXIST;
  note(found->second, {from, to});
  auto its = std::move(found->second);
  files_.erase(found);
  files_[to] = std::move(its);
  return 0;
}

int Disk::remove(const std::string& path) {
  take_time();
  const auto found = files_.find(path);
  if (found == files_.end()) return ENOENT;
  const Aside aside;
  note(found->second, {path});
  found->second->names = 0;
  files_.erase(found);
  return 0;
}

void Disk::tear() {
  torn_ = true;
  for (std::uint64_t lost = kernel_.pick(changes_.size()); lost != 0; --lost) {
    for (const auto& [name, its] : changes_.back().before)
      if (its != nullptr)
        files_[name] = its, its->names = 1;
      else
        files_.erase(name);
    changes_.pop_back();
  }
  changes_.clear();
  for (const auto& [name, its] : files_) {
    if (its->synced == its->bytes.size()) continue;
    const std::size_t kept = its->synced + kernel_.pick(its->bytes.size() - its->synced);
    its->bytes.resize(kept);
    // The file system may have made room that nothing was written to.
    if (kernel_.chance(0.3)) its->bytes.resize(kept + kernel_.pick(4'096));
  }
}

std::vector<std::string> Disk::names() const {
  std::vector<std::string> all;
  for (const auto& [name, its] : files_) all.push_back(name);
  return all;
}

}  // namespace entente::lab
