#include "sluice/vm/cells.h"

#include "sluice/base/strings.h"
#include "sluice/graph/flow_rules.h"
#include "sluice/launch/node_error.h"

namespace sluice {

Status BoxCell(const VmCell& cell, DType dtype, Array& into) {
  // A register that is also filled elsewhere may hold something else.
  if (!into || !into.unique() || into.dtype() != dtype || into.rank() != 0) {
    SL_ASSIGN_OR_RETURN(into, Array::Make(dtype, Shape()));
  }
  std::memcpy(into.mutable_raw(), cell.bytes,
              static_cast<size_t>(DTypeSize(dtype)));
  return OkStatus();
}

Status UnboxCell(const Array& from, DType dtype, VmCell& cell) {
  if (from.dtype() != dtype || from.rank() != 0) {
    return InvalidArgument(StrCat("a value is ", from.TypeText(),
                                  "; its type says ", DTypeName(dtype), "[]"));
  }
  std::memcpy(cell.bytes, from.raw(), static_cast<size_t>(DTypeSize(dtype)));
  return OkStatus();
}

Status BoxRow(const VmRow& row, const VmCell* cells, Array& into) {
  if (!into || !into.unique() || into.dtype() != row.dtype ||
      !(into.shape() == row.shape) || !into.contiguous()) {
    SL_ASSIGN_OR_RETURN(into, Array::Make(row.dtype, row.shape));
  }
  auto size = static_cast<size_t>(DTypeSize(row.dtype));
  char* to = static_cast<char*>(into.mutable_raw());
  for (int32_t cell : row.cells) {
    std::memcpy(to, cells[cell].bytes, size);
    to += size;
  }
  return OkStatus();
}

Status UnboxRow(const Array& from, const VmRow& row, VmCell* cells) {
  if (from.dtype() != row.dtype || !(from.shape() == row.shape)) {
    return InvalidArgument(StrCat("a value is ", from.TypeText(),
                                  "; its type says ", DTypeName(row.dtype),
                                  row.shape.ToString()));
  }
  SL_ASSIGN_OR_RETURN(Array dense, from.AsContiguous());
  auto size = static_cast<size_t>(DTypeSize(row.dtype));
  const char* at = static_cast<const char*>(dense.raw());
  for (int32_t cell : row.cells) {
    std::memcpy(cells[cell].bytes, at, size);
    at += size;
  }
  return OkStatus();
}

Result<size_t> ChosenByCell(const Node& node, const VmCell& cell) {
  bool narrow = node.input(0).dtype() == DType::kI32;
  int64_t index = narrow ? cell.as<int32_t>() : cell.as<int64_t>();
  if (index >= 0 && index < static_cast<int64_t>(node.regions().size())) {
    return static_cast<size_t>(index);
  }
  // Values that do not fit are handled by the rules common to all executors.
  Array boxed;
  SL_RETURN_IF_ERROR(BoxCell(cell, node.input(0).dtype(), boxed));
  Result<size_t> chosen = ChosenRegion(node, boxed);
  if (!chosen.ok()) return AtNode(chosen.status(), node, {&boxed, 1});
  return chosen;
}

}  // namespace sluice
