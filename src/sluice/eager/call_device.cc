#include "sluice/eager/call_device.h"

#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/device/devices.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/late_errors.h"
#include "sluice/op/host_inputs.h"
#include "sluice/op/run_op.h"
#include "sluice/tensor/list.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

namespace {

using front_internal::EagerMode;

Status TwoDevices(const OpRecord& op, std::span<const Array> inputs, size_t a,
                  size_t b) {
  return OnTwoDevices(op, static_cast<int>(a), inputs[a].TypeText(),
                      Devices::Of(inputs[a]), static_cast<int>(b),
                      inputs[b].TypeText(), Devices::Of(inputs[b]));
}

// Where the elements of a list lie, by the first that is not the host's:
// numbers may be among them.
Memory* MemoryOfElements(const Array& array) {
  const ListValue* list = ListOf(array);
  if (list && list->holds_copies()) return nullptr;
  Memory* memory = nullptr;
  for (int64_t i = 0; list && i < list->size() && !memory; ++i) {
    Array element = list->at(i);
    if (!element) continue;
    bool inner = element.dtype() == DType::kList;
    memory = inner ? MemoryOfElements(element) : element.memory();
  }
  return memory;
}

// They are objects of the host, and what reads or makes them runs there.
bool HasStrings(const LaunchCall& call, std::span<const Array> inputs) {
  for (const Array& in : inputs) {
    if (in && in.dtype() == DType::kString) return true;
  }
  for (DType dtype : call.out_dtypes) {
    if (dtype == DType::kString) return true;
  }
  return false;
}

}  // namespace

bool ReadOnDevice(const OpRecord& op, const Array& in, size_t i, size_t count) {
  return in && !IsReference(in.dtype()) && !op.shape_only &&
         !HostReads(op, i, count);
}

Device* MakingDevice() {
  Device* device = EagerMode::Current().device;
  if (!device) device = &Devices::Default();
  return device == &CpuDevice() ? nullptr : device;
}

Status OnTwoDevices(const OpRecord& op, int a, const std::string& a_type,
                    const Device& a_device, int b, const std::string& b_type,
                    const Device& b_device) {
  return InvalidArgument(StrCat(
      "[", op.name, "] ", op.InputName(a), " is ", a_type, " on ",
      a_device.name_text(), ", ", op.InputName(b), " is ", b_type, " on ",
      b_device.name_text(), "; wanted both on one device (to() copies)"));
}

Status WrittenElsewhere(const OpRecord& op, const std::string& type,
                        const Device& made_on, const Device& target_on) {
  return InvalidArgument(StrCat("[", op.name, "] the result is ", type, " on ",
                                made_on.name_text(), "; wanted it on ",
                                target_on.name_text(),
                                " to write it in place (to() copies)"));
}

Status BringLiterals(const OpRecord& op, std::span<EagerValue* const> inputs,
                     std::span<const EagerRef> literals) {
  Device* there = nullptr;
  for (const EagerValue* in : inputs) {
    if (there || !in->array || !in->array.memory()) continue;
    there = &Devices::Of(in->array);
  }
  // Made of no tensor, as what constants make.
  bool alone = literals.size() == inputs.size();
  if (!there && alone) there = MakingDevice();
  if (!there) return OkStatus();
  for (size_t i = 0, next = 0; next < literals.size(); ++i) {
    if (inputs[i] != literals[next].get()) continue;
    Array& value = literals[next++]->array;
    if (!value || !IsPlainData(value.dtype())) continue;
    if (value.rank() == 0 && !alone) continue;  // it goes with the others
    if (!ReadOnDevice(op, value, i, inputs.size())) continue;
    SL_ASSIGN_OR_RETURN(value, CopyTo(value, *there));
    alone = false;
  }
  return OkStatus();
}

Result<Device*> CallDevice(const OpRecord& op, std::span<const Array> inputs) {
  // It touches no elements, wherever they are.
  if (op.any_memory) return nullptr;
  bool elsewhere = false, reads = false;
  Memory* in_list = nullptr;
  for (const Array& in : inputs) {
    elsewhere = elsewhere || (in && in.memory());
    // Of one whose size alone is asked for, more may not be there.
    if (in && in.dtype() == DType::kList && !op.shape_only && !in_list &&
        Devices::Count() > 1) {
      in_list = MemoryOfElements(in);
    }
  }
  elsewhere = elsewhere || in_list;
  Device* scope = MakingDevice();
  if (!elsewhere && !scope) [[likely]]
    return nullptr;
  size_t first = inputs.size();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!ReadOnDevice(op, inputs[i], i, inputs.size())) continue;
    // A number of the host goes anywhere.
    if (!inputs[i].memory() && inputs[i].rank() == 0) continue;
    reads = true;
    if (first == inputs.size()) {
      first = i;
    } else if (inputs[i].memory() != inputs[first].memory()) {
      return TwoDevices(op, inputs, first, i);
    }
  }
  Memory* memory = reads ? inputs[first].memory() : nullptr;
  // Beside a list of a device, what the host has are sizes of elements.
  if (!memory) memory = in_list;
  if (memory) return &Devices::Of(memory);
  if (reads) return nullptr;
  // Numbers alone stay where they are; what is made of nothing, or of numbers
  // as many elements, goes where the scope says, and what has the shape of
  // another where that one is.
  for (size_t i = 0; i < inputs.size(); ++i) {
    // Type and shape alone, as gradients know them, are nowhere.
    if (op.shape_only && inputs[i] && inputs[i].address()) {
      bool host = !inputs[i].memory() || GivesSizes(op);
      return host ? nullptr : &Devices::Of(inputs[i]);
    }
    if (!ReadOnDevice(op, inputs[i], i, inputs.size())) continue;
    if (!MakesOfNumbers(op, inputs.size())) return nullptr;
  }
  bool host = !scope || GivesSizes(op) || op.handle;
  return host ? nullptr : scope;
}

Status CallOn(Device& device, const LaunchCall& told, StepContext step,
              std::span<Array> inputs, std::span<Array> outputs) {
  // Where a program of another language calls from: what memory is in use for
  // is told by it.
  NodeInfo node = told.node;
  if (auto* find = SourceLine::find_caller.load(std::memory_order_relaxed)) {
    node.line = find();
  }
  const LaunchCall call{told.op, told.attrs, node, told.out_dtypes, told.known};
  AllocatesFor site(call.op.name, node.line);
  if (HasStrings(call, inputs)) {
    for (Array& in : inputs) {
      SL_ASSIGN_OR_RETURN(in, OnHost(in));
    }
    return LaunchCpu(call.op, call.attrs, call.node, step, inputs,
                     call.out_dtypes, outputs);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Array& in = inputs[i];
    if (!in || IsReference(in.dtype()) || call.op.shape_only) continue;
    if (TakesNumber(call.op, device, in)) continue;
    if (HostReads(call.op, device.kind(), i, inputs.size())) {
      SL_ASSIGN_OR_RETURN(in, OnHost(in));
    } else if (in.memory() != device.array_memory()) {
      SL_ASSIGN_OR_RETURN(in, CopyTo(in, device));
    }
  }
  step.memory = device.array_memory();
  if (device.synchronous()) {
    return LaunchCpu(call.op, call.attrs, call.node, step, inputs,
                     call.out_dtypes, outputs);
  }
  LateError late = [&device, line = node.line](const Status& error) {
    NoteLateError(device,
                  line.known() ? error.WithLine(StrCat("at ", line)) : error);
  };
  return LaunchOn(device, call, step, inputs, outputs, late);
}

Status WaitForDevice(Device& device) {
  for (int use = 0; use < kNumStreamUses; ++use) {
    Stream& stream = device.stream(static_cast<StreamUse>(use));
    SL_RETURN_IF_ERROR(stream.Synchronize());
  }
  return TakeLateError(device);
}

Result<Array> OnHost(const Array& array) {
  if (!array || array.on_host()) return array;
  Device& device = Devices::Of(array);
  SL_ASSIGN_OR_RETURN(Array copy, CopyTo(array, CpuDevice()));
  SL_RETURN_IF_ERROR(TakeLateError(device));
  return copy;
}

}  // namespace sluice
