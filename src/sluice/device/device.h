// Device, Stream, Event: where kernels run and how their work is ordered.
//
// A kernel is issued on a Stream and runs after what was issued there before;
// an Event marks a point in a stream that another stream, or the host, can wait
// for. On the CPU a launch is complete when it returns, so its streams are
// always idle; others run behind the host, which waits only where it needs a
// value. Devices live as long as the process; streams belong to their device.
// Thread safe unless said otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sluice/base/status.h"
#include "sluice/device/device_name.h"
#include "sluice/tensor/memory.h"

namespace sluice {

class Array;
class Device;

class Event {
 public:
  virtual ~Event() = default;
  // True when everything issued before the mark is done; never blocks.
  virtual bool Reached() = 0;
};
using EventRef = std::shared_ptr<Event>;

// Bytes in some memory; null: the host's main memory.
struct Place {
  Memory* memory = nullptr;
  void* address = nullptr;
};

// One thread at a time issues on a stream.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Device& device() = 0;
  virtual const std::string& name() const = 0;  // "compute", "to host"
  virtual EventRef Record() = 0;
  // Later work here starts only after the event, which may be another device's.
  virtual void WaitFor(const EventRef& event) = 0;
  // Copies in stream order, between memory of this device and of the host or
  // of another device. Bytes of the host must stay until it is done.
  virtual void Copy(const Place& to, const Place& from, int64_t bytes) = 0;
  // Calls back once all work issued so far is done, from any thread; at once
  // where nothing is open.
  virtual void Then(void (*callback)(void*), void* context) = 0;
  // Blocks the calling thread: for tests and shutdown, never for a pool thread.
  virtual Status Synchronize() = 0;
};

// A device's streams. Those for copies run beside the one for kernels, so that
// copies hide behind computation.
enum class StreamUse : uint8_t { kCompute, kToHost, kFromHost, kPeer };
inline constexpr int kNumStreamUses = 4;

class Device {
 public:
  virtual ~Device() = default;
  const DeviceName& name() const { return name_; }
  const std::string& name_text() const { return name_text_; }
  DeviceKind kind() const { return *name_.kind; }
  // Where its kernels read and write. The allocator keeps the device's cap and
  // refuses what goes beyond it.
  virtual Memory& memory() = 0;
  // As arrays tell it: null for the host's main memory.
  virtual Memory* array_memory() { return &memory(); }
  virtual Stream& stream(StreamUse use = StreamUse::kCompute) = 0;
  // Memory that work on that stream fills: it then waits for nothing but former
  // users of the memory.
  virtual Allocator& allocator_for(StreamUse) { return memory().allocator(); }
  // Whether a launch is complete when it returns.
  virtual bool synchronous() const = 0;
  // Does a piece of the work that waits, for devices that only run while
  // somebody waits for them; false when there was none.
  virtual bool Progress() { return false; }

 protected:
  // REQUIRES: name.full().
  explicit Device(DeviceName name)
      : name_(std::move(name)), name_text_(name_.ToString()) {}

 private:
  const DeviceName name_;
  const std::string name_text_;
};

}  // namespace sluice
