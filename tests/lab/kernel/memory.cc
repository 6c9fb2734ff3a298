#include "tests/lab/kernel/memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "tests/lab/kernel/kernel.h"

// Of AddressSanitizer, if the program has it: nobody else may touch a head.
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* at, std::size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* at, std::size_t size);
}

namespace {

using entente::lab::Kernel;

constexpr std::uint64_t kMagic = 0x6c61622068656170;
constexpr std::size_t kNobody = 0, kMostOwners = 1'000;

/// Before each block. Its owner: 1 and the number of a program, or kNobody.
struct alignas(std::max_align_t) Head {
  std::uint64_t magic;
  std::uint32_t owner;
  std::uint64_t size;
};

/// Atomic, because a thread that has ended gives back what it has for itself while another one runs.
struct Count {
  std::atomic<std::size_t> now{0}, most{0};
};
constinit std::array<Count, kMostOwners> counts;

std::size_t owner() {
  const Kernel* const now = entente::lab::Aside::here() ? nullptr : Kernel::current();
  return now != nullptr && now->program() + 1 < kMostOwners ? now->program() + 1 : kNobody;
}

void* take(std::size_t size) {
  auto* const head = static_cast<Head*>(std::malloc(sizeof(Head) + std::max<std::size_t>(size, 1)));
  if (head == nullptr) std::abort();
  *head = {kMagic, static_cast<std::uint32_t>(owner()), size};
  Count& count = counts[head->owner];
  if (const std::size_t now = count.now += size; now > count.most) count.most = now;
  if (__asan_poison_memory_region != nullptr) __asan_poison_memory_region(head, sizeof *head);
  return head + 1;
}

void give_back(void* at) {
  if (at == nullptr) return;
  Head* const head = static_cast<Head*>(at) - 1;
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(head, sizeof *head);
  if (std::exchange(head->magic, 0) != kMagic) {
    std::fprintf(stderr, "lab: memory is given back that was not taken, or twice\n");
    std::abort();
  }
  counts[head->owner].now -= head->size;
  std::free(head);
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* at) noexcept { give_back(at); }
void operator delete[](void* at) noexcept { give_back(at); }
void operator delete(void* at, std::size_t) noexcept { give_back(at); }
void operator delete[](void* at, std::size_t) noexcept { give_back(at); }
void operator delete(void* at, const std::nothrow_t&) noexcept { give_back(at); }
void operator delete[](void* at, const std::nothrow_t&) noexcept { give_back(at); }

namespace entente::lab {

std::size_t heap_of(std::size_t program) { return counts.at(program + 1).now; }

std::size_t most_heap_of(std::size_t program) {
  Count& its = counts.at(program + 1);
  return its.most.exchange(its.now);
}

}  // namespace entente::lab
