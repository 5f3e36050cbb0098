#include "sluice/base/caught.h"

#include <unistd.h>

#include <exception>
#include <new>
#include <system_error>

#include "sluice/base/error.h"

namespace sluice {

namespace {

// Created in advance: when it is needed there may be no memory to create it.
const Status no_memory = ResourceExhausted("out of memory");

Status Translate() {
  try {
    throw;
  } catch (const Error& e) {
    return Status(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (const std::system_error& e) {
    bool threads = e.code() == std::errc::resource_unavailable_try_again;
    return threads ? ResourceExhausted(e.what()) : Internal(e.what());
  } catch (const std::exception& e) {
    return Internal(e.what());
  } catch (...) {
    return Internal("something was thrown that is no std::exception");
  }
}

}  // namespace

const Status& NoMemory() noexcept { return no_memory; }

Status CaughtStatus() noexcept {
  // Not a C++ exception: the thread is being ended, by pthread_exit or the
  // like, which must not be stopped here and cannot continue through this
  // function.
  if (!std::current_exception()) {
    for (;;) pause();
  }
  try {
    return Translate();
  } catch (...) {
    return no_memory;
  }
}

}  // namespace sluice
