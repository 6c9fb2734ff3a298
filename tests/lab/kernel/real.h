// The functions of the system, for what is not simulated.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

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

inline void sem_init(sem_t* semaphore) {
  static auto* const function = next<decltype(::sem_init)>("sem_init");
  function(semaphore, 0, 0);
}

inline void sem_post(sem_t* semaphore) {
  static auto* const function = next<decltype(::sem_post)>("sem_post");
  function(semaphore);
}

/// Returns when it was posted.
inline void sem_wait(sem_t* semaphore) {
  static auto* const function = next<decltype(::sem_wait)>("sem_wait");
  while (function(semaphore) != 0) continue;
}

}  // namespace entente::lab::real

/// Calls the real function, with the same arguments.
#define ENTENTE_LAB_REAL(name, ...)                                                  \
  ([&] {                                                                             \
    static auto* const function = entente::lab::real::next<decltype(::name)>(#name); \
    return function(__VA_ARGS__);                                                    \
  }())
