// SimStream: a queue of work for a simulated device. Work runs when somebody
// drives the world it is part of. Thread safe; belongs to its device.
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
  // devices the slower one's link counts.
  // A copy that fails tells the CopyCaller around the call, if there is one,
  // else the next Synchronize.
  void Copy(const Place& to, const Place& from, int64_t bytes) override;
  // The host's clock moves to the end of the work before it calls back.
  void Then(void (*callback)(void*), void* context) override;
  // The first error of work on this stream since the last call.
  Status Synchronize() override;

  // Takes the longest of the least time of a kernel, its arithmetic and its
  // traffic.
  void Run(SimWork work);
  // The same for work that tells how long it took once it has run, instead.
  void RunTimed(SimWork work, std::function<double()> run);
  // Work that costs nothing and is on no timeline.
  void RunFree(std::string label, const ByteRange& writes,
               std::function<void()> run);

  // The same of what was executed so far, without waiting.
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
