#include "sluice/gpu/loop_lists.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/device/stream_order.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/list.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

int64_t BytesOf(const ValueType& type) {
  return type.shape.ToShape().num_elements() * DTypeSize(type.dtype);
}

CUdeviceptr At(const Array& array) {
  return reinterpret_cast<CUdeviceptr>(array.address());
}

Status InNode(const Node& node, const Status& status) {
  return AtNode(InOp(node.op(), status), node, {});
}

}  // namespace

bool LoopLists::append() const {
  return std::any_of(written.begin(), written.end(),
                     [](const Written& w) { return w.appends; });
}

int64_t LoopLists::StepBytes() const {
  int64_t bytes = 0;
  for (const Written& w : written) bytes += ElementStep(BytesOf(w.element));
  return bytes;
}

Status LoopListRun::WriteTables(std::span<const Array> inputs,
                                std::vector<Array>& tables, bool* moved) {
  tables.resize(lists_.read.size());
  for (size_t k = 0; k < lists_.read.size(); ++k) {
    const LoopLists::Read& read = lists_.read[k];
    const ListValue* list = ListOf(inputs[read.input]);
    if (!list) return InNode(*read.node, InvalidArgument("wanted a list"));
    std::vector<uint64_t> table = {static_cast<uint64_t>(list->size())};
    for (int64_t i = 0; i < list->size(); ++i) {
      Array element = list->at(i);
      if (!element) {
        table.push_back(0);
        continue;
      }
      if (element.dtype() != read.element.dtype ||
          !(PartialShape(element.shape()) == read.element.shape)) {
        return InNode(
            *read.node,
            InvalidArgument(StrCat("element ", i, " is ", element.TypeText(),
                                   "; wanted ", DTypeName(read.element.dtype),
                                   read.element.shape)));
      }
      if (element.on_host()) {
        SL_ASSIGN_OR_RETURN(element, CopyTo(element, device_));
      }
      SL_ASSIGN_OR_RETURN(element, ContiguousOn(element));
      BeforeRead(device_.stream(), element);
      table.push_back(At(element));
      held_.push_back(std::move(element));
    }
    auto bytes = static_cast<int64_t>(table.size() * sizeof(uint64_t));
    if (!tables[k] || tables[k].bytes() < bytes) {
      *moved = true;
      SL_ASSIGN_OR_RETURN(
          tables[k],
          Array::Make(DType::kU8, {std::max<int64_t>(1024, bytes * 2)},
                      device_.memory().allocator()));
      BeforeWrite(device_.stream(), tables[k]);
    }
    device_.Enter();
    SL_CUDA(cuMemcpyHtoDAsync(At(tables[k]), table.data(),
                              static_cast<size_t>(bytes),
                              device_.stream().handle()),
            "telling where a list's elements are");
  }
  return OkStatus();
}

Status LoopListRun::MakeRoom(int64_t capacity) {
  Allocator& allocator = device_.memory().allocator();
  capacity_ = capacity;
  SL_ASSIGN_OR_RETURN(
      control_,
      Array::Make(DType::kU8, {static_cast<int64_t>(sizeof(LoopControl))},
                  allocator));
  rooms_.clear();
  marks_.clear();
  for (const LoopLists::Written& w : lists_.written) {
    int64_t step = ElementStep(BytesOf(w.element)) / DTypeSize(w.element.dtype);
    SL_ASSIGN_OR_RETURN(
        Array room, Array::Make(w.element.dtype, {capacity * step}, allocator));
    rooms_.push_back(std::move(room));
    marks_.emplace_back();
    if (w.appends) continue;
    SL_ASSIGN_OR_RETURN(marks_.back(),
                        Array::Make(DType::kU8, {capacity}, allocator));
  }
  return OkStatus();
}

void LoopListRun::AddTables(const std::vector<Array>& tables,
                            GpuOperands& operands) const {
  for (const Array& table : tables) {
    operands.at.push_back(table.address());
    operands.bytes.push_back(table.bytes());
  }
}

void LoopListRun::AddOutput(int carried, GpuOperands& operands) const {
  for (size_t k = 0; k < rooms_.size(); ++k) {
    if (lists_.written[k].carried != carried) continue;
    operands.Write(device_.stream(), rooms_[k]);
    return;
  }
  operands.at.push_back(nullptr);
  operands.bytes.push_back(0);
}

void LoopListRun::AddRest(GpuOperands& operands) const {
  operands.Write(device_.stream(), control_);
  for (const Array& marks : marks_) {
    if (marks) operands.Write(device_.stream(), marks);
  }
}

Status LoopListRun::Grow(GpuBases& bases) {
  std::vector<Array> old_rooms = rooms_, old_marks = marks_;
  Array control = control_;
  int64_t before = capacity_;
  SL_RETURN_IF_ERROR(MakeRoom(before * 2));
  control_ = control;
  CUstream stream = device_.stream().handle();
  auto copy = [&](const Array& from, const Array& to) -> Status {
    BeforeWrite(device_.stream(), to);
    device_.Enter();
    SL_CUDA(cuMemcpyDtoDAsync(At(to), At(from),
                              static_cast<size_t>(from.bytes()), stream),
            "making room for a list");
    AfterRead(device_.stream(), from);
    return OkStatus();
  };
  size_t marked = bases.outputs.size();
  for (const Array& marks : marks_) marked -= marks ? 1 : 0;
  for (size_t k = 0; k < rooms_.size(); ++k) {
    SL_RETURN_IF_ERROR(copy(old_rooms[k], rooms_[k]));
    bases.outputs[static_cast<size_t>(lists_.written[k].carried)] =
        rooms_[k].address();
    if (!marks_[k]) continue;
    SL_RETURN_IF_ERROR(copy(old_marks[k], marks_[k]));
    SL_CUDA(cuMemsetD8Async(At(marks_[k]) + static_cast<CUdeviceptr>(before), 0,
                            static_cast<size_t>(before), stream),
            "making room for a list");
    bases.outputs[marked++] = marks_[k].address();
  }
  bases.capacity = capacity_;
  return OkStatus();
}

Status LoopListRun::StartReading(LoopControl* control) {
  CUstream stream = device_.stream().handle();
  device_.Enter();
  SL_CUDA(cuMemcpyDtoHAsync(control, At(control_), sizeof *control, stream),
          "asking how far a loop came");
  seen_.assign(marks_.size(), {});
  for (size_t k = 0; k < marks_.size(); ++k) {
    if (!marks_[k]) continue;
    seen_[k].resize(static_cast<size_t>(marks_[k].bytes()));
    SL_CUDA(cuMemcpyDtoHAsync(seen_[k].data(), At(marks_[k]), seen_[k].size(),
                              stream),
            "asking how far a loop came");
  }
  for (const Array& element : held_) AfterRead(device_.stream(), element);
  return OkStatus();
}

Array LoopListRun::ElementOf(size_t written, int64_t i) const {
  const LoopLists::Written& w = lists_.written[written];
  Shape shape = w.element.shape.ToShape();
  int64_t step = ElementStep(BytesOf(w.element)) / DTypeSize(w.element.dtype);
  return Array::View(rooms_[written], i * step, shape,
                     ContiguousStrides(shape));
}

Status LoopListRun::TakeOutputs(const LoopControl& control,
                                std::span<const Array> inputs,
                                std::span<Array> outputs) const {
  for (const LoopLists::Carried& c : lists_.carried) {
    outputs[static_cast<size_t>(c.carried)] = inputs[c.input];
  }
  for (size_t k = 0; k < rooms_.size(); ++k) {
    const LoopLists::Written& w = lists_.written[k];
    Array& out = outputs[static_cast<size_t>(w.carried)];
    AfterWrite(device_.stream(), rooms_[k], /*mark=*/false);
    if (!ListOf(out)) return InNode(*w.node, InvalidArgument("wanted a list"));
    SL_ASSIGN_OR_RETURN(out, WritableList(out));
    ListValue& list = *ListOf(out);
    auto fits = [&](const Array& element) {
      Status status = list.CheckElement(element);
      return status.ok() ? status : InNode(*w.node, status);
    };
    for (int64_t i = 0; w.appends && i < control.count; ++i) {
      Array element = ElementOf(k, i);
      SL_RETURN_IF_ERROR(fits(element));
      SL_RETURN_IF_ERROR(list.Append(std::move(element)));
    }
    for (size_t i = 0; i < seen_[k].size(); ++i) {
      if (!seen_[k][i]) continue;
      auto at = static_cast<int64_t>(i);
      Array element = ElementOf(k, at);
      SL_RETURN_IF_ERROR(fits(element));
      if (at >= list.size()) SL_RETURN_IF_ERROR(list.Resize(at + 1));
      list.Set(at, std::move(element));
    }
  }
  return OkStatus();
}

}  // namespace sluice
