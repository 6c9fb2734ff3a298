#include "tests/support/heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count{0}, in_use{0}, most{0};
thread_local std::size_t here = 0;
thread_local std::ptrdiff_t bytes = 0;

void* take(std::size_t size) {
  void* const at = std::malloc(size ? size : 1);
  if (!at) std::abort();
  count.fetch_add(1, std::memory_order_relaxed);
  ++here;
  bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(at));
  const std::size_t now = in_use.fetch_add(malloc_usable_size(at)) + malloc_usable_size(at);
  std::size_t before = most.load();
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
  return at;
}

void give_back(void* at) {
  if (at) {
    in_use.fetch_sub(malloc_usable_size(at));
    bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(at));
  }
  std::free(at);
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
// The standard library uses these for optional buffers. The default ones would not call take().
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void operator delete(void* at) noexcept { give_back(at); }
void operator delete[](void* at) noexcept { give_back(at); }
void operator delete(void* at, std::size_t) noexcept { give_back(at); }
void operator delete[](void* at, std::size_t) noexcept { give_back(at); }

namespace entente::testing {

std::size_t allocations() { return count; }
std::size_t allocations_here() { return here; }
std::size_t bytes_in_use() { return in_use; }
std::ptrdiff_t bytes_here() { return bytes; }
std::size_t most_bytes() { return most.exchange(in_use.load()); }

}  // namespace entente::testing
