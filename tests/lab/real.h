// The functions of the system, for what is not simulated.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>

namespace entente::lab::real {

/// The next definition of this name after the lab's.
template <class Function>
Function* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

inline int pthread_create(pthread_t* id, const pthread_attr_t* how, void* (*enter)(void*), void* with) {
  static auto* const function = next<decltype(::pthread_create)>("pthread_create");
  return function(id, how, enter, with);
}

inline void pthread_join(pthread_t id) {
  static auto* const function = next<decltype(::pthread_join)>("pthread_join");
  function(id, nullptr);
}

}  // namespace entente::lab::real

/// Calls the real function, with the same arguments.
#define ENTENTE_LAB_REAL(name, ...)                                                  \
  ([&] {                                                                             \
    static auto* const function = entente::lab::real::next<decltype(::name)>(#name); \
    return function(__VA_ARGS__);                                                    \
  }())
