// Owns a libuv handle. libuv closes handles later: uv_close only begins it, and the memory must stay until the loop
// has called back. So a handle lives on the heap, its owner may go at any time, and the loop frees it.
//
//   timer_ = make_handle<uv_timer_t>(this, [&](uv_timer_t* it) { return uv_timer_init(loop.raw(), it); });
//   uv_timer_start(timer_.get(), [](uv_timer_t* it) { static_cast<Owner*>(it->data)->rang(); }, 100, 0);
//
// Invariant: no other file calls uv_close. After its owner is gone, a handle makes no callbacks.
#pragma once

#include <uv.h>

#include <cerrno>
#include <memory>
#include <type_traits>

namespace entente::net {

struct HandleCloser {
  template <class T>
  void operator()(T* handle) const {
    uv_close(reinterpret_cast<uv_handle_t*>(handle), [](uv_handle_t* closed) { delete reinterpret_cast<T*>(closed); });
  }
};

template <class T>
using Handle = std::unique_ptr<T, HandleCloser>;

/// `owner` becomes the handle's `data`. `init(T*)` calls a function of the uv_*_init family. If it fails (not 0), there
/// is no handle, and errno says why.
template <class T, class Init>
Handle<T> make_handle(void* owner, Init&& init) {
  auto raw = std::make_unique<T>();
  if (const int error = init(raw.get()); error != 0) {
    raw.reset();
    errno = -error;
    return nullptr;
  }
  raw->data = owner;
  return Handle<T>(raw.release());
}

}  // namespace entente::net
