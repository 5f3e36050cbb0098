// Lists of a loop that stays on a GPU. Elements that it writes have one shape
// and lie side by side in room for so many; an iteration's go behind those of
// the last, or to an index. Lists that it reads are tables of addresses. When
// the loop is over the host asks once how far it came, and makes lists of what
// is there: looks into the room.
//
// LoopLists says what there is, immutable once built. LoopListRun is one run of
// the loop, by one thread.
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
    bool appends;  // else: sets
    ValueType element;
    const Node* node;
  };
  struct Read {
    size_t input;  // of the program
    ValueType element;
    const Node* node;
  };
  struct Carried {
    int carried;
    size_t input;
  };
  std::vector<Written> written;
  std::vector<Read> read;
  std::vector<Carried> carried;  // all of them

  bool empty() const { return written.empty() && read.empty(); }
  bool append() const;
  // Of all that is written in one iteration.
  int64_t StepBytes() const;
};

class LoopListRun {
 public:
  LoopListRun(const LoopLists& lists, CudaDevice& device)
      : lists_(lists), device_(device) {}

  // Brings the tables of what is read to `tables`, which are made longer where
  // they are too short: then `moved`.
  Status WriteTables(std::span<const Array> inputs, std::vector<Array>& tables,
                     bool* moved);
  // Room for so many elements in each list that is written.
  Status MakeRoom(int64_t capacity);
  int64_t capacity() const { return capacity_; }

  // Operands that the launches know: behind the inputs the tables; in the place
  // of a list's output its room; behind the outputs the control block and the
  // marks of lists that are set.
  void AddTables(const std::vector<Array>& tables, GpuOperands& operands) const;
  void AddOutput(int carried, GpuOperands& operands) const;
  void AddRest(GpuOperands& operands) const;

  // Twice the room, with what is there; on the device's stream.
  Status Grow(GpuBases& bases);
  // Starts to ask how far the loop came: `control` is that when the device's
  // stream has been waited for.
  Status StartReading(LoopControl* control);
  // The lists the loop gives.
  Status TakeOutputs(const LoopControl& control, std::span<const Array> inputs,
                     std::span<Array> outputs) const;

 private:
  Array ElementOf(size_t written, int64_t i) const;

  const LoopLists& lists_;
  CudaDevice& device_;
  int64_t capacity_ = 0;
  Array control_;
  std::vector<Array> rooms_, marks_;        // by list written; empty: none
  std::vector<std::vector<uint8_t>> seen_;  // marks, as the host read them
  std::vector<Array> held_;                 // elements that are read
};

}  // namespace sluice
