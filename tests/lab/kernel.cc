#include "tests/lab/kernel.h"

#include <cstdio>
#include <cstdlib>

#include "proxy/base/hash.h"
#include "tests/lab/real.h"

namespace entente::lab {
namespace {

thread_local Kernel* of_this_thread = nullptr;

}  // namespace

Kernel* Kernel::current() { return of_this_thread; }

Kernel::Kernel(std::uint64_t seed, const Faults& wanted) : faults(wanted), random_(seed) {}

Kernel::~Kernel() {
  for (auto& thread : threads_) sem_destroy(&thread->may_run);
}

void Kernel::run(const std::function<void()>& body) {
  threads_.push_back(std::make_unique<Thread>());
  sem_init(&threads_[0]->may_run, 0, 0);
  of_this_thread = this;
  body();
  of_this_thread = nullptr;
  for (const auto& thread : threads_)
    if (thread != threads_[0] && !thread->ended) stuck();
  for (std::size_t i = 1; i < threads_.size(); ++i) real::pthread_join(threads_[i]->id);
}

// -- Time -------------------------------------------------------------------------------------------------------------

void Kernel::after(Nanos delay, std::function<void()> what) { events_.emplace(now_ + delay, std::move(what)); }

// -- Threads ----------------------------------------------------------------------------------------------------------

bool Kernel::wait(const std::function<bool()>& ready, Nanos until) {
  Thread& self = *threads_[running_];
  self.ready = &ready;
  self.until = until;
  hand_over(choose());
  return self.came;
}

void Kernel::call() {
  now_ += kCall;
  if (++calls_ % kMostCalls == 0 || chance(faults.switch_thread)) wait([] { return true; });
}

/// Lets that thread run, and returns when this one may.
void Kernel::hand_over(std::size_t to) {
  Thread& self = *threads_[running_];
  threads_[to]->ready = nullptr;
  if (to == running_) return;
  running_ = to;
  note(0x7468, to);
  sem_post(&threads_[to]->may_run);
  if (self.ended) return;
  while (sem_wait(&self.may_run) != 0) continue;
}

/// One of the threads that can go on; if there is none, lets time pass until there is one.
std::size_t Kernel::choose() {
  for (;;) {
    while (!events_.empty() && events_.begin()->first <= now_) {
      auto event = events_.extract(events_.begin());
      event.mapped()();
    }
    const std::size_t first = pick(threads_.size() - 1);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const std::size_t number = (first + i) % threads_.size();
      Thread& one = *threads_[number];
      if (one.ended || one.ready == nullptr) continue;
      one.came = (*one.ready)();
      if (one.came || one.until <= now_) return number;
    }
    Nanos next = events_.empty() ? kNever : events_.begin()->first;
    for (const auto& one : threads_)
      if (!one->ended && one->ready != nullptr) next = std::min(next, one->until);
    if (next == kNever) stuck();
    now_ = std::max(now_, next);
  }
}

void Kernel::stuck() const {
  std::fprintf(stderr, "lab: at %.3f s, all threads wait for ever\n", static_cast<double>(now_) / 1e9);
  std::abort();
}

std::size_t Kernel::start(std::function<void()> body) {
  const std::size_t number = threads_.size();
  auto thread = std::make_unique<Thread>();
  sem_init(&thread->may_run, 0, 0);
  static const std::function<bool()> kAtOnce = [] { return true; };
  thread->ready = &kAtOnce;
  thread->until = 0;
  Thread* const raw = thread.get();
  threads_.push_back(std::move(thread));
  raw->body = [this, raw, run = std::move(body)] {
    while (sem_wait(&raw->may_run) != 0) continue;
    of_this_thread = this;
    run();
    raw->ended = true;
    const std::size_t next = choose();
    of_this_thread = nullptr;
    hand_over(next);
  };
  const auto enter = [](void* its) -> void* { return (*static_cast<std::function<void()>*>(its))(), nullptr; };
  if (real::pthread_create(&raw->id, nullptr, enter, &raw->body) != 0) std::abort();
  return number;
}

// -- Descriptors ------------------------------------------------------------------------------------------------------

int Kernel::open(std::shared_ptr<File> file) {
  int fd = kFirst;
  for (const auto& [taken, its] : files_) {
    if (taken != fd) break;
    ++fd;
  }
  if (fd >= kFirst + kMost) return -1;
  if (file) ++file->descriptors;
  files_.emplace(fd, std::move(file));
  return fd;
}

std::shared_ptr<File> Kernel::file(int fd) const {
  const auto at = files_.find(fd);
  return at == files_.end() ? nullptr : at->second;
}

bool Kernel::close(int fd) {
  auto closed = files_.extract(fd);
  if (closed.empty()) return false;
  if (const auto& file = closed.mapped(); file && --file->descriptors == 0) file->close();
  return true;
}

// -- The network ------------------------------------------------------------------------------------------------------

bool Kernel::bind(int type, Address& at, const std::shared_ptr<File>& file) {
  while (at.second == 0) {
    if (++last_port_ < 30'000) last_port_ = 30'000;
    if (!bound(type, {at.first, last_port_})) at.second = last_port_;
  }
  auto& place = bound_[{type, at}];
  if (!place.expired()) return false;
  place = file;
  return true;
}

void Kernel::unbind(int type, const Address& at) { bound_.erase({type, at}); }

std::shared_ptr<File> Kernel::bound(int type, const Address& at) const {
  for (const Address& wanted : {at, Address{0, at.second}})
    if (const auto found = bound_.find({type, wanted}); found != bound_.end())
      if (auto file = found->second.lock()) return file;
  return nullptr;
}

// -- What happened ----------------------------------------------------------------------------------------------------

void Kernel::note(std::uint64_t what, std::uint64_t more) {
  for (const std::uint64_t word : {what, more, now_})
    for (unsigned shift = 0; shift < 64; shift += 8) hash_ = (hash_ ^ (word >> shift & 0xffU)) * 0x100000001b3;
}

void Kernel::note(Bytes bytes) { hash_ = fnv1a(bytes, hash_); }

}  // namespace entente::lab
