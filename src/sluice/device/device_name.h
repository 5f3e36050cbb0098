// DeviceName: which device, or which devices: "/job:worker/task:3/device:gpu:0"
// names one; a name that leaves parts out is a constraint that many devices
// meet. Short forms are accepted: "gpu:0", "/gpu:0", "gpu", "cpu", "/job:ps".
//
// A value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/tensor/memory.h"

namespace sluice {

struct DeviceName {
  std::string job;  // empty: any, as are the others when they are not said
  std::optional<int> task;
  std::optional<DeviceKind> kind;
  std::optional<int> index;

  // Errors: text of another form.
  static Result<DeviceName> Parse(std::string_view text);
  // A device of this process.
  static DeviceName Local(DeviceKind kind, int index);

  // The parts that are said: "/job:ps/device:gpu:1"; "" for a name that any
  // device meets.
  std::string ToString() const;
  // Names one device of its task: kind and index are said.
  bool full() const { return kind && index; }
  // Whether `device` has every part that is said here.
  bool Covers(const DeviceName& device) const;
  // What both say; an error when they contradict each other.
  static Result<DeviceName> Both(const DeviceName& a, const DeviceName& b);

  bool operator==(const DeviceName&) const = default;
};

}  // namespace sluice
