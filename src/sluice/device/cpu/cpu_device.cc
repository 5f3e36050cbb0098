#include "sluice/device/cpu/cpu_device.h"

#include <cstring>

namespace sluice {

namespace {

class DoneEvent final : public Event {
 public:
  bool Reached() override { return true; }
};

class HostStream final : public Stream {
 public:
  std::unique_ptr<Event> Record() override {
    return std::make_unique<DoneEvent>();
  }
  void WaitFor(Event&) override {}
  void Copy(void* to, const void* from, int64_t bytes) override {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void Then(void (*callback)(void*), void* context) override {
    callback(context);
  }
  Status Synchronize() override { return OkStatus(); }
};

class Cpu final : public Device {
 public:
  const std::string& name() const override { return name_; }
  const char* kind() const override { return "cpu"; }
  Allocator& allocator() override { return HostAllocator(); }
  Stream& stream() override { return stream_; }
  bool host_memory() const override { return true; }

 private:
  const std::string name_ = "/cpu:0";
  HostStream stream_;
};

}  // namespace

Device& CpuDevice() {
  static auto* cpu = new Cpu;
  return *cpu;
}

}  // namespace sluice
