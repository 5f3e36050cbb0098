// Device, Stream, Event: where kernels run and how their work is ordered.
//
// A kernel issued on a Stream runs after all earlier work of that stream. An
// Event marks a point in a stream for which another stream, or the host, can
// wait. On the CPU a launch is complete on return, so its streams are always
// idle. Other devices run behind the host, which waits only when it needs a
// value. Devices live as long as the process; streams belong to their device.
// Thread safe unless stated otherwise.
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
  // True if all work before the event is done; never blocks.
  virtual bool Reached() = 0;
};
using EventRef = std::shared_ptr<Event>;

// A location in some memory; null: the host's main memory.
struct Place {
  Memory* memory = nullptr;
  void* address = nullptr;
};

// One thread at a time may issue work on a stream.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Device& device() = 0;
  virtual const std::string& name() const = 0;  // "compute", "to host"
  virtual EventRef Record() = 0;
  // Later work here starts only after the event, which may be on another
  // device.
  virtual void WaitFor(const EventRef& event) = 0;
  // Copies in stream order, within this device or to or from the host or
  // another device. Host memory must stay valid until the copy is done.
  virtual void Copy(const Place& to, const Place& from, int64_t bytes) = 0;
  // Calls back once all work issued so far is done, from any thread; at once if
  // the stream is idle.
  virtual void Then(void (*callback)(void*), void* context) = 0;
  // Blocks the calling thread: for tests and shutdown, never on a pool thread.
  virtual Status Synchronize() = 0;
};

// The streams of a device. Copies have their own streams, so that they overlap
// with computation.
enum class StreamUse : uint8_t { kCompute, kToHost, kFromHost, kPeer };
inline constexpr int kNumStreamUses = 4;

class Device {
 public:
  virtual ~Device() = default;
  const DeviceName& name() const { return name_; }
  const std::string& name_text() const { return name_text_; }
  DeviceKind kind() const { return *name_.kind; }
  // The memory in which its kernels read and write. The allocator enforces the
  // memory limit of the device.
  virtual Memory& memory() = 0;
  // The memory recorded in its arrays: null for the host's main memory.
  virtual Memory* array_memory() { return &memory(); }
  virtual Stream& stream(StreamUse use = StreamUse::kCompute) = 0;
  // Allocates memory that work on that stream will write: the stream then waits
  // only for earlier users of the memory.
  virtual Allocator& allocator_for(StreamUse) { return memory().allocator(); }
  // Whether a launch is complete on return.
  virtual bool synchronous() const = 0;
  // Executes a piece of pending work, for devices that run only while a thread
  // waits for them; false if there was none.
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
