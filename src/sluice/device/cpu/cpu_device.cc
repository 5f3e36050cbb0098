#include "sluice/device/cpu/cpu_device.h"

#include <cstring>

#include "sluice/device/capped_allocator.h"

namespace sluice {

namespace {

class DoneEvent final : public Event {
 public:
  bool Reached() override { return true; }
};

class HostStream final : public Stream {
 public:
  explicit HostStream(Device& device) : device_(device) {}
  Device& device() override { return device_; }
  const std::string& name() const override { return name_; }
  EventRef Record() override {
    static const auto& done = *new EventRef(std::make_shared<DoneEvent>());
    return done;
  }
  // What comes next is issued by the host, and so after whatever it has seen;
  // who hands work to the host waits for the event first.
  void WaitFor(const EventRef&) override {}
  void Copy(const Place& to, const Place& from, int64_t bytes) override {
    std::memcpy(to.address, from.address, static_cast<size_t>(bytes));
  }
  void Then(void (*callback)(void*), void* context) override {
    callback(context);
  }
  Status Synchronize() override { return OkStatus(); }

 private:
  Device& device_;
  const std::string name_ = "host";
};

class CpuMemory final : public Memory {
 public:
  CpuMemory(Device& device, bool main)
      : device_(device), main_(main), capped_(*this) {}
  DeviceKind kind() const override { return DeviceKind::kCpu; }
  const std::string& device_name() const override {
    return device_.name_text();
  }
  bool on_host() const override { return true; }
  Allocator& allocator() override {
    return main_ ? HostAllocator() : static_cast<Allocator&>(capped_);
  }

 private:
  Device& device_;
  const bool main_;
  CappedAllocator capped_;
};

class Cpu final : public Device {
 public:
  explicit Cpu(int index)
      : Device(DeviceName::Local(DeviceKind::kCpu, index)),
        main_(index == 0),
        memory_(*this, main_),
        stream_(*this) {}
  Memory& memory() override { return memory_; }
  Memory* array_memory() override { return main_ ? nullptr : &memory_; }
  Stream& stream(StreamUse) override { return stream_; }
  bool synchronous() const override { return true; }

 private:
  const bool main_;
  CpuMemory memory_;
  HostStream stream_;
};

}  // namespace

std::unique_ptr<Device> MakeCpuDevice(int index) {
  return std::make_unique<Cpu>(index);
}

}  // namespace sluice
