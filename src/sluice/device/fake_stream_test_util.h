// Fake streams for tests of stream usage: nothing runs, the test decides when
// events are reached, and every wait is recorded.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/device/device.h"

namespace sluice {

class FakeEvent final : public Event {
 public:
  explicit FakeEvent(std::string mark) : mark_(std::move(mark)) {}
  bool Reached() override { return reached_; }
  void Reach() { reached_ = true; }
  const std::string& mark() const { return mark_; }  // "compute 3"

 private:
  const std::string mark_;
  bool reached_ = false;
};

class FakeStream final : public Stream {
 public:
  explicit FakeStream(std::string name) : name_(std::move(name)) {}
  // Aborts: the device of a fake is never used.
  Device& device() override { std::abort(); }
  const std::string& name() const override { return name_; }
  EventRef Record() override {
    events_.push_back(std::make_shared<FakeEvent>(
        name_ + " " + std::to_string(events_.size() + 1)));
    return events_.back();
  }
  void WaitFor(const EventRef& event) override {
    waits_.push_back(static_cast<FakeEvent&>(*event).mark());
  }
  void Copy(const Place&, const Place&, int64_t) override {}
  void Then(void (*callback)(void*), void* context) override {
    callback(context);
  }
  Status Synchronize() override { return OkStatus(); }

  // Completes all work recorded so far.
  void Finish() {
    for (auto& event : events_) event->Reach();
  }
  int num_events() const { return static_cast<int>(events_.size()); }
  // The events it had to wait for since the last call: "copy 1, copy 2".
  std::string TakeWaits() {
    std::string text;
    for (const std::string& wait : waits_) {
      text += (text.empty() ? "" : ", ") + wait;
    }
    waits_.clear();
    return text;
  }

 private:
  const std::string name_;
  std::vector<std::shared_ptr<FakeEvent>> events_;
  std::vector<std::string> waits_;
};

// Memory with addresses but no content.
class FakeMemory final : public Memory {
 public:
  DeviceKind kind() const override { return DeviceKind::kSim; }
  const std::string& device_name() const override { return name_; }
  bool on_host() const override { return false; }
  Allocator& allocator() override { return *allocator_; }
  void set_allocator(Allocator& allocator) { allocator_ = &allocator; }

 private:
  const std::string name_ = "/device:sim:0";
  Allocator* allocator_ = nullptr;
};

}  // namespace sluice
