#include "benchmarks/sim_devices.h"

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"

namespace sluice::bench {

void AddSimDevices() {
  SimOptions slow;
  slow.flops_per_second = 0.5e9;
  SL_CHECK(sluice::AddSimDevices(kPipelineDevices, slow).ok());
  // What a K40 was seen to reach in this model, not what its maker says: 5.8 ms
  // for an iteration.
  SimOptions old;
  old.memory_bytes = int64_t{64} << 30;  // benchmarks set limits of their own
  old.flops_per_second = 1.3e12;
  old.bytes_per_second = 240e9;
  old.kernel_seconds = 5e-6;
  old.launch_seconds = 6e-6;
  old.link_bytes_per_second = 10e9;
  old.run_work = false;
  SL_CHECK(sluice::AddSimDevices(kOldDevice + 1, old).ok());
  SimOptions fresh;
  fresh.memory_bytes = int64_t{64} << 30;
  fresh.flops_per_second = 378e12;
  fresh.bytes_per_second = 4.17e12;
  fresh.link_bytes_per_second = 55e9;
  fresh.run_work = false;
  SL_CHECK(sluice::AddSimDevices(kNewDevice + 1, fresh).ok());
}

std::string SimName(int i) { return StrCat("/device:sim:", i); }

SimDevice& Sim(int i) {
  return static_cast<SimDevice&>(*Devices::Find(SimName(i)).value());
}

}  // namespace sluice::bench
