// Passes letters from other threads to a loop.
//
//   Mailbox<Order, Worker> mailbox_{loop, *this};            // on the loop's thread, or before it runs
//   worker.mailbox_.post(std::move(order));                  // on any thread
//   void mail() { mailbox_.take(orders_); … orders_.clear(); }   // on the loop's thread
//
// Invariant: its lock is held only for a push or a swap.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "proxy/net/loop.h"

namespace entente::net {

/// It keeps its loop running until close(). `User` has `void mail()`, called on the loop's thread at least once after
/// each post: there may be letters.
template <class Letter, class User>
class Mailbox {
 public:
  Mailbox(Loop& loop, User& user)
      : async_(make_handle<uv_async_t>(&user, [&](uv_async_t* it) {
          return uv_async_init(loop.raw(), it, [](uv_async_t* woken) { static_cast<User*>(woken->data)->mail(); });
        })) {}

  /// Callable from any thread. False if the mailbox is closed; the letter is then destroyed.
  [[nodiscard]] bool post(Letter letter) {
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    letters_.push_back(std::move(letter));
    uv_async_send(async_.get());
    return true;
  }

  /// Calls mail() soon, if the mailbox is not closed. Safe in a signal handler.
  void wake() { uv_async_send(async_.get()); }

  /// Moves all letters into `into`, which must be empty; oldest first.
  void take(std::vector<Letter>& into) {
    std::lock_guard lock(mutex_);
    letters_.swap(into);
  }

  /// Closes the mailbox: it takes no more letters and no longer keeps the loop running. Letters that were not taken are
  /// destroyed. On the loop's thread.
  void close() {
    std::lock_guard lock(mutex_);
    letters_.clear();
    close_locked();
  }

  /// As close(), if all letters were taken. False: it stays open, and mail() follows. On the loop's thread.
  [[nodiscard]] bool close_if_empty() {
    std::lock_guard lock(mutex_);
    if (!letters_.empty()) return false;
    close_locked();
    return true;
  }

 private:
  void close_locked() {
    closed_ = true;
    uv_unref(reinterpret_cast<uv_handle_t*>(async_.get()));
  }

  std::mutex mutex_;
  std::vector<Letter> letters_;
  bool closed_ = false;
  Handle<uv_async_t> async_;
};

}  // namespace entente::net
