// The lists of a loop that stays on a GPU. A written list has elements of one
// shape in one allocation with a fixed capacity; an iteration appends, or
// writes at an index. A list that is read is a table of addresses. After the
// loop, the host reads the number of iterations once and makes lists whose
// elements are views of the allocation.
//
// LoopLists describes the lists, immutable once built. LoopListRun is one run
// of the loop, by one thread.
#pragma once

#include <vector>

#include "sluice/device/cuda/cuda_device.h"
#include "sluice/gpu/gpu_program.h"
#include "sluice/gpu/list_launch.h"
#include "sluice/graph/node.h"

namespace sluice {

struct LoopLists {
  struct Written {
    int carried;
    bool appends;  // else: writes at an index
    ValueType element;
    const Node* node;
  };
  struct Read {
    size_t input;  // index among the program's inputs
    ValueType element;
    const Node* node;
  };
  struct Carried {
    int carried;
    size_t input;
  };
  std::vector<Written> written;
  std::vector<Read> read;
  std::vector<Carried> carried;  // all lists that the loop carries

  bool empty() const { return written.empty() && read.empty(); }
  bool append() const;
  // Bytes written to all lists in one iteration.
  int64_t StepBytes() const;
};

class LoopListRun {
 public:
  LoopListRun(const LoopLists& lists, CudaDevice& device)
      : lists_(lists), device_(device) {}

  // Writes the tables of lists that are read to `tables`. A table that is too
  // small is replaced, which sets `moved`.
  Status WriteTables(std::span<const Array> inputs, std::vector<Array>& tables,
                     bool* moved);
  // Allocates each written list with this capacity, in elements.
  Status MakeRoom(int64_t capacity);
  int64_t capacity() const { return capacity_; }

  // Add operands in the order the launches expect: the tables after the inputs,
  // a list's storage in place of the list's output, and the control block and
  // the marks of indexed lists after the outputs.
  void AddTables(const std::vector<Array>& tables, GpuOperands& operands) const;
  void AddOutput(int carried, GpuOperands& operands) const;
  void AddRest(GpuOperands& operands) const;

  // Doubles the capacity and keeps the contents; on the device's stream.
  Status Grow(GpuBases& bases);
  // Starts to copy the loop's state to `control`, which is valid after the
  // device's stream has been synchronized.
  Status StartReading(LoopControl* control);
  // The lists that the loop returns.
  Status TakeOutputs(const LoopControl& control, std::span<const Array> inputs,
                     std::span<Array> outputs) const;

 private:
  Array ElementOf(size_t written, int64_t i) const;

  const LoopLists& lists_;
  CudaDevice& device_;
  int64_t capacity_ = 0;
  Array control_;
  std::vector<Array> rooms_, marks_;        // by written list; empty: none
  std::vector<std::vector<uint8_t>> seen_;  // marks, copied to the host
  std::vector<Array> held_;  // keeps elements that are read alive
};

}  // namespace sluice
