// Timers, in a heap in which each entry knows its own index.
//
//   queue.add(timer_, now + kSecond);                                   // timer_: a member of its owner
//   for (TimerQueue::Timer* due : queue.take_due(now, 64)) tick(due->id);
//   next_wake = queue.next();
//
// Invariant: an entry holds one time, the earliest that was requested, and fires once. Entries that are taken together
// fire in the order of their ids.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "proxy/core/word.h"

namespace entente::core {

class TimerQueue {
 public:
  static constexpr Micros kNever = std::numeric_limits<Micros>::max();

  /// An entry, part of its owner; it must stay in place until it is dropped.
  struct Timer {
    Id id = 0;
    Micros at = kNever;
    std::size_t place = 0;  // in the heap, from 1; 0: not in it
  };

  /// Requests to fire at `at`. A later time than the one requested before changes nothing.
  void add(Timer& timer, Micros at) {
    if (at >= timer.at) return;
    timer.at = at;
    if (timer.place == 0) {
      heap_.push_back(&timer);
      timer.place = heap_.size();
    }
    rise(timer.place);
  }

  /// Takes the request back, if there is one.
  void drop(Timer& timer) {
    timer.at = kNever;
    if (timer.place == 0) return;
    const std::size_t hole = std::exchange(timer.place, 0);
    Timer* const last = heap_.back();
    heap_.pop_back();
    if (last == &timer) return;
    put(last, hole);
    rise(hole);
    sink(last->place);
  }

  /// When take_due() is needed next; kNever: not at all.
  Micros next() const { return heap_.empty() ? kNever : heap_.front()->at; }

  /// Removes and returns the due timers, in the order of their ids; valid until the next call. At most `most`, those
  /// that are due first; the others stay due.
  const std::vector<Timer*>& take_due(Micros now, std::size_t most) {
    due_.clear();
    while (next() <= now && due_.size() < most) {
      due_.push_back(heap_.front());
      drop(*heap_.front());
    }
    std::sort(due_.begin(), due_.end(), [](const Timer* a, const Timer* b) { return a->id < b->id; });
    return due_;
  }

 private:
  Timer*& at(std::size_t place) { return heap_[place - 1]; }
  void put(Timer* timer, std::size_t place) {
    at(place) = timer;
    timer->place = place;
  }
  void swap(std::size_t a, std::size_t b) {
    Timer* const one = at(a);
    put(at(b), a);
    put(one, b);
  }
  void rise(std::size_t place) {
    for (; place > 1 && at(place)->at < at(place / 2)->at; place /= 2) swap(place, place / 2);
  }
  void sink(std::size_t place) {
    for (std::size_t child = 2 * place; child <= heap_.size(); place = child, child *= 2) {
      if (child < heap_.size() && at(child + 1)->at < at(child)->at) ++child;
      if (at(place)->at <= at(child)->at) return;
      swap(place, child);
    }
  }

  std::vector<Timer*> heap_, due_;
};

}  // namespace entente::core
