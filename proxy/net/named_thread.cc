#include "proxy/net/named_thread.h"

namespace entente::net {

std::atomic<bool>& no_thread_left() {
  static std::atomic<bool> none{false};
  return none;
}

Error no_thread_error() { return Error{"the machine has no thread left; raise the limit of tasks"}; }

}  // namespace entente::net
