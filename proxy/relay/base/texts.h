// What players are told in the operator's words. An empty text stands for Entente's own.
// Invariant: thread-safe. Texts may change while sessions run; each is read when it is needed.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace entente::relay {

struct Texts {
  std::string server_down;  ///< no server can be reached
  std::string server_away;  ///< a player waits for the server that was lost
  std::string server_back;  ///< the player is on a server again
  std::string server_full;  ///< a player waits for a free place
  std::string draining;     ///< the route takes no newcomers
};

class SharedTexts {
 public:
  void set(Texts texts) {
    auto fresh = std::make_shared<const Texts>(std::move(texts));
    const std::lock_guard lock(mutex_);
    texts_ = std::move(fresh);
  }
  std::shared_ptr<const Texts> get() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }
  /// The operator's text, or `otherwise`.
  std::string text(std::string Texts::*which, const char* otherwise) const {
    const auto texts = get();
    const std::string& own = (*texts).*which;
    return own.empty() ? otherwise : own;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Texts> texts_ = std::make_shared<const Texts>();
};

}  // namespace entente::relay
