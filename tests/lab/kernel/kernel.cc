#include "tests/lab/kernel/kernel.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "proxy/base/hash.h"
#include "tests/lab/kernel/bus.h"
#include "tests/lab/kernel/disk.h"
#include "tests/lab/kernel/memory.h"
#include "tests/lab/kernel/process.h"
#include "tests/lab/kernel/real.h"

namespace entente::lab {
namespace {

thread_local Kernel* of_this_thread = nullptr;
constexpr Nanos kForOthers = 60'000 * kMilli;

}  // namespace

Kernel* Kernel::current() { return of_this_thread; }

Kernel::Kernel(std::uint64_t seed, const Faults& wanted, Nanos began)
    : faults(wanted),
      random_(seed),
      began_(began),
      disk_(std::make_unique<Disk>(*this)),
      processes_(std::make_unique<Processes>(*this)),
      bus_(std::make_unique<BusServer>(*this)) {}

Kernel::~Kernel() {
  for (auto& thread : threads_)
    if (!thread->ended || thread->killed) (void)thread.release();  // the real thread waits for ever
}

std::size_t Kernel::run(const std::function<void()>& body) {
  programs_.emplace_back().threads = 1;
  threads_.push_back(std::make_unique<Thread>());
  real::sem_init(&threads_[0]->may_run);
  of_this_thread = this;
  body();
  const auto is_last = [this] {
    return std::all_of(threads_.begin() + 1, threads_.end(), [](const auto& one) { return one->ended; });
  };
  if (!is_last()) wait(is_last, now_ + kForOthers);
  of_this_thread = nullptr;
  threads_[0]->ended = true;
  std::size_t left = 0;
  for (std::size_t i = 1; i < threads_.size(); ++i)
    if (threads_[i]->ended)
      finish(i);
    else
      ++left;
  return left;
}

// -- Time -------------------------------------------------------------------------------------------------------------

void Kernel::after(Nanos delay, std::function<void()> what) {
  const Aside aside;
  events_.emplace(now_ + delay, std::move(what));
}

// -- Threads ----------------------------------------------------------------------------------------------------------

bool Kernel::wait(const std::function<bool()>& ready, Nanos until) {
  const Aside aside;
  Thread& self = *threads_[running_];
  self.ready = &ready;
  self.until = until;
  hand_over(choose());
  return self.came;
}

void Kernel::call() {
  now_ += faults.call;
  ++programs_[program()].calls;
  if (++calls_ >= kEndless) {
    std::fprintf(stderr, "lab: at %.3f s, something spins\n", static_cast<double>(now_) / 1e9);
    std::abort();
  }
  if (calls_ % kMostCalls == 0) return (void)wait([] { return true; });
  let_others_run();
}

void Kernel::let_others_run() {
  if (chance(faults.switch_thread)) wait([] { return true; });
}

/// Lets that thread run, and returns when this one may.
void Kernel::hand_over(std::size_t to) {
  Thread& self = *threads_[running_];
  threads_[to]->ready = nullptr;
  if (to == running_) return;
  running_ = to;
  ++switches_;
  note(0x7468, to);
  processes_->enter(threads_[to]->program);
  const bool ended = self.ended && !self.killed;  // afterwards, the other one may kill this one
  real::sem_post(&threads_[to]->may_run);
  if (!ended) real::sem_wait(&self.may_run);  // for ever, if it is killed
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
      if (!may_run(one)) continue;
      one.came = (*one.ready)();
      if (one.came || one.until <= now_) return number;
    }
    Nanos next = events_.empty() ? kNever : events_.begin()->first;
    for (const auto& one : threads_) {
      if (one->ended || one->ready == nullptr) continue;
      const Nanos frozen_until = programs_[one->program].frozen_until;
      next = std::min(next, frozen_until > now_ ? frozen_until : one->until);
    }
    if (next == kNever) stuck();
    now_ = std::max(now_, next);
  }
}

void Kernel::stuck() const {
  std::fprintf(stderr, "lab: at %.3f s, all threads wait for ever\n", static_cast<double>(now_) / 1e9);
  std::abort();
}

std::size_t Kernel::start_in(std::size_t program, std::function<void()> body) {
  const Aside aside;
  const std::size_t number = threads_.size();
  auto thread = std::make_unique<Thread>();
  real::sem_init(&thread->may_run);
  static const std::function<bool()> kAtOnce = [] { return true; };
  thread->ready = &kAtOnce;
  thread->until = 0;
  thread->program = program;
  ++programs_[program].threads;
  Thread* const raw = thread.get();
  threads_.push_back(std::move(thread));
  raw->body = [this, raw, run = std::move(body)] {
    real::sem_wait(&raw->may_run);
    of_this_thread = this;
    run();
    end(*raw);
    const Aside at_the_end;
    const std::size_t next = choose();
    of_this_thread = nullptr;
    hand_over(next);
  };
  const auto enter = [](void* its) -> void* { return (*static_cast<std::function<void()>*>(its))(), nullptr; };
  if (real::pthread_create(&raw->id, nullptr, enter, &raw->body) != 0) std::abort();
  return number;
}

void Kernel::finish(std::size_t thread) {
  Thread& its = *threads_.at(thread);
  if (its.ended && !its.killed && !std::exchange(its.finished, true)) real::pthread_join(its.id);
}

void Kernel::finish_threads(std::size_t program) {
  for (std::size_t i = 1; i < threads_.size(); ++i)
    if (threads_[i]->program == program) finish(i);
}

void Kernel::end(Thread& thread) {
  thread.ended = true;
  --programs_[thread.program].threads;
}

// -- Programs ---------------------------------------------------------------------------------------------------------

std::size_t Kernel::begin_program(std::uint32_t host, std::function<void()> body) {
  const Aside aside;
  programs_.emplace_back().host = host;
  down_.erase(host);
  start_in(programs_.size() - 1, std::move(body));
  return programs_.size() - 1;
}

void Kernel::kill(std::size_t program) {
  if (is_over(program)) return;
  note(0x6b69, program);
  killed_ = true;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i]->program != program || threads_[i]->ended) continue;
    end(*threads_[i]);
    threads_[i]->killed = true;
    std::erase_if(locked, [i](const auto& one) { return one.second == i; });
  }
  std::erase_if(semaphores, [program](const auto& one) { return one.first.first == program; });
  close_files(program);
}

void Kernel::vanish(std::size_t program) {
  if (is_over(program)) return;
  const Aside aside;
  down_.insert(host_of(program));
  vanishes_ = true;
  kill(program);
  vanishes_ = false;
}

void Kernel::close_files(std::size_t program) {
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (files_[i].taken && files_[i].program == program) close(kFirst + static_cast<int>(i));
}

// -- Descriptors ------------------------------------------------------------------------------------------------------

bool Kernel::has_descriptor() {
  const Program& its = programs_[program()];
  return open_ < kMost && its.files < its.most_files;
}

int Kernel::open(std::shared_ptr<File> file) {
  const Aside aside;
  std::size_t place = 0;
  while (place < files_.size() && files_[place].taken) ++place;
  Program& its = programs_[program()];
  if (place >= kMost || its.files >= its.most_files) return -1;
  if (place == files_.size()) files_.emplace_back();
  if (file) ++file->descriptors;
  files_[place] = {std::move(file), program(), true};
  ++its.files;
  ++open_;
  return kFirst + static_cast<int>(place);
}

const std::shared_ptr<File>& Kernel::file(int fd) const {
  static const std::shared_ptr<File> none;
  const auto place = static_cast<std::size_t>(fd - kFirst);
  return fd >= kFirst && place < files_.size() ? files_[place].file : none;
}

bool Kernel::close(int fd) {
  const Aside aside;
  const auto place = static_cast<std::size_t>(fd - kFirst);
  if (fd < kFirst || place >= files_.size() || !files_[place].taken) return false;
  const Opened closed = std::exchange(files_[place], Opened());
  --programs_[closed.program].files;
  --open_;
  if (closed.file && --closed.file->descriptors == 0) vanishes_ ? closed.file->vanish() : closed.file->close();
  return true;
}

// -- The network ------------------------------------------------------------------------------------------------------

bool Kernel::bind(int type, Place& at, const std::shared_ptr<File>& file) {
  const Aside aside;
  while (at.second == 0) {
    if (++last_port_ < 30'000) last_port_ = 30'000;
    if (may_bind(type, {at.first, last_port_}, false)) at.second = last_port_;
  }
  if (!may_bind(type, at, file->shares_place)) return false;
  bound_.emplace(std::pair(type, at), file);
  return true;
}

bool Kernel::may_bind(int type, const Place& at, bool shares) const {
  const auto [begin, end] = bound_.equal_range({type, at});
  return std::all_of(begin, end, [&](const auto& one) {
    const auto other = one.second.lock();
    return !other || (other->shares_place && shares);
  });
}

void Kernel::unbind(int type, const Place& at, const File& file) {
  const auto [begin, end] = bound_.equal_range({type, at});
  for (auto one = begin; one != end;) {
    const auto its = one->second.lock();
    one = !its || its.get() == &file ? bound_.erase(one) : std::next(one);
  }
}

std::shared_ptr<File> Kernel::bound(int type, const Place& at, const Place& from) const {
  std::shared_ptr<File> best;
  const auto [begin, end] = bound_.equal_range({type, at});
  for (auto one = begin; one != end; ++one)
    if (auto its = one->second.lock(); its && its->suits(from) >= (best ? best->suits(from) : 1)) best = std::move(its);
  return best;
}

bool Kernel::is_cut(const Place& from, const Place& to) const {
  const auto found = cut_.find(std::minmax(host_at(from), host_at(to)));
  return found != cut_.end() && found->second > now_;
}

void Kernel::falsify(const Place& from, const Place& to, Buffer& bytes) {
  if (bytes.empty() || faults.lie == 0 || host_at(from) != faults.liar || host_at(to) != faults.fooled) return;
  if (chance(faults.lie)) bytes[pick(bytes.size() - 1)] ^= static_cast<std::uint8_t>(1 + pick(254));
}

Nanos Kernel::flight(const Place& from, const Place& to) {
  const Nanos usual = faults.delay + pick(faults.jitter);
  return is_cut(from, to) ? cut_.at(std::minmax(host_at(from), host_at(to))) - now_ + usual : usual;
}

// -- What happened ----------------------------------------------------------------------------------------------------

void Kernel::note(std::uint64_t what, std::uint64_t more) {
  if (traces)
    std::fprintf(stderr, "%.6f %c%c %llu\n", static_cast<double>(age()) / 1e9, static_cast<char>(what >> 8U),
                 static_cast<char>(what), static_cast<unsigned long long>(more));
  for (const std::uint64_t word : {what, more, now_})
    for (unsigned shift = 0; shift < 64; shift += 8) hash_ = (hash_ ^ (word >> shift & 0xffU)) * 0x100000001b3;
}

void Kernel::note(Bytes bytes) {
  if (traces) {
    for (const std::uint8_t one : bytes.first(std::min<std::size_t>(bytes.size(), kTracedBytes)))
      std::fprintf(stderr, " %02x", one);
    std::fprintf(stderr, " of %zu: %s\n", bytes.size(), hex_of(fnv1a(bytes)).c_str());
  }
  hash_ = fnv1a(bytes, hash_);
}

}  // namespace entente::lab
