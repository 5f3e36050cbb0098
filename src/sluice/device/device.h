// Device, Stream, Event: where kernels run and how their work is ordered.
//
// A kernel is issued on a Stream and runs after what was issued there before;
// an Event marks a point in a stream that another stream, or the host, can wait
// for. On the CPU a launch is complete when it returns, so its stream is always
// idle; a GPU's runs behind the host. Devices live as long as the process;
// streams belong to their device. Thread safe unless said otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sluice/base/status.h"
#include "sluice/tensor/allocator.h"

namespace sluice {

class Event {
 public:
  virtual ~Event() = default;
  // True when everything issued before the mark is done; never blocks.
  virtual bool Reached() = 0;
};

// One thread at a time issues on a stream.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual std::unique_ptr<Event> Record() = 0;
  // Later work here starts only after the event.
  virtual void WaitFor(Event& event) = 0;
  // Copies between memory of this device and of the host, in stream order.
  virtual void Copy(void* to, const void* from, int64_t bytes) = 0;
  // Calls back once all work issued so far is done, from any thread.
  virtual void Then(void (*callback)(void*), void* context) = 0;
  // Blocks the calling thread: for tests and shutdown, never for a pool thread.
  virtual Status Synchronize() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const std::string& name() const = 0;  // "/cpu:0"
  // Kernels are registered by kind: "cpu", "cuda", "sim".
  virtual const char* kind() const = 0;
  // Memory kernels of this device read and write. The allocator keeps the
  // device's cap and refuses what goes beyond it.
  virtual Allocator& allocator() = 0;
  virtual Stream& stream() = 0;
  // True when the host may read and write this device's memory directly.
  virtual bool host_memory() const = 0;
};

}  // namespace sluice
