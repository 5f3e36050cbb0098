// DeviceName: names a device or a set of devices.
// "/job:worker/task:3/device:gpu:0" names one; a name with missing parts is a
// constraint that many devices can meet. Short forms are accepted: "gpu:0",
// "/gpu:0", "gpu", "cpu", "/job:ps".
//
// A value type; constant objects may be read from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/tensor/memory.h"

namespace sluice {

struct DeviceName {
  std::string job;  // empty: any; the same holds for the other parts
  std::optional<int> task;
  std::optional<DeviceKind> kind;
  std::optional<int> index;

  // Errors: malformed text.
  static Result<DeviceName> Parse(std::string_view text);
  // A device of this process.
  static DeviceName Local(DeviceKind kind, int index);

  // The given parts: "/job:ps/device:gpu:1"; "" for a name that any device
  // meets.
  std::string ToString() const;
  // Whether it names one device within its task: kind and index are given.
  bool full() const { return kind && index; }
  // Whether `device` matches every part given here.
  bool Covers(const DeviceName& device) const;
  // The intersection of both; an error if they contradict each other.
  static Result<DeviceName> Both(const DeviceName& a, const DeviceName& b);

  bool operator==(const DeviceName&) const = default;
};

}  // namespace sluice
