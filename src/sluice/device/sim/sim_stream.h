// SimStream: a queue of work for a simulated device. Work runs while a thread
// drives its world. Thread safe; belongs to its device.
#pragma once

#include <functional>
#include <string>

#include "sluice/device/device.h"
#include "sluice/device/sim/sim_work.h"
#include "sluice/device/sim/sim_world.h"

namespace sluice {

class SimDevice;
class SimMemory;

class SimStream final : public Stream {
 public:
  SimStream(SimDevice& device, std::string name);
  ~SimStream() override;

  Device& device() override;
  const std::string& name() const override { return name_; }
  EventRef Record() override;
  void WaitFor(const EventRef& event) override;
  // Both sides are memory of the host or of devices of this world. Between
  // devices the slower link determines the time. A failed copy calls the
  // CopyCaller around the call, if there is one; else the next Synchronize
  // returns the error.
  void Copy(const Place& to, const Place& from, int64_t bytes) override;
  // The host's clock advances to the end of the work before the callback.
  void Then(void (*callback)(void*), void* context) override;
  // Returns the first error of work on this stream since the last call.
  Status Synchronize() override;

  // Takes the maximum of the minimum kernel time, its arithmetic and its
  // traffic.
  void Run(SimWork work);
  // The same for work that returns its time after it has run.
  void RunTimed(SimWork work, std::function<double()> run);
  // Work that takes no time and is on no timeline.
  void RunFree(std::string label, const ByteRange& writes,
               std::function<void()> run);

  // Returns the error of the work executed so far, without waiting.
  Status TakeError();

  SimDevice& sim_device() const { return device_; }
  const Memory& memory() const;

 private:
  double CopySeconds(const SimMemory* to, const SimMemory* from,
                     int64_t bytes) const;

  SimDevice& device_;
  const std::string name_;
  SimWorld& world_;
  SimWorld::Queue* const queue_;
};

}  // namespace sluice
