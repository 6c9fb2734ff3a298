// Checks when the thread for works that are done now and then calls them.
#include "proxy/program/base/housekeeping.h"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <semaphore>
#include <thread>

namespace entente::housekeeping_test {

TEST_CASE("a work is called at once, when its time has passed, and after news") {
  Housekeeping thread("test");
  std::counting_semaphore<> once(0), often(0);
  Housekeeping::Work waits(thread, [&] { return once.release(), Housekeeping::kIdle; });
  const Housekeeping::Work repeats(thread, [&] { return often.release(), Millis{1}; });
  once.acquire();
  for (int i = 0; i < 3; ++i) often.acquire();
  CHECK_FALSE(once.try_acquire());  // others' calls are none of its own
  waits.news();
  once.acquire();
}

TEST_CASE("a work that ends waits for its call, and is not called again") {
  Housekeeping thread("test");
  std::binary_semaphore under_way(0), may_end(0);
  std::atomic<int> calls{0};
  std::atomic<bool> ended{false};
  std::optional<Housekeeping::Work> work;
  work.emplace(thread, [&] {
    if (calls++ == 0) under_way.release(), may_end.acquire();
    CHECK_FALSE(ended);
    return Millis{0};
  });
  under_way.acquire();
  std::thread ends([&] {
    work.reset();
    ended = true;
  });
  may_end.release();
  ends.join();
  std::counting_semaphore<> other(0);
  const Housekeeping::Work next(thread, [&] { return other.release(), Millis{1}; });
  for (int i = 0; i < 3; ++i) other.acquire();  // the thread goes on
}

}  // namespace entente::housekeeping_test
