// Shared by the Scatter* ops on variables: rows of a variable, selected by
// index, changed in place under its lock. Everything is checked before the
// first row is written.
#pragma once

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/scatter.h"
#include "sluice/kernels/device_scatter.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/variable.h"
#include "sluice/tensor/remote_work.h"

namespace sluice::scatter_rows {

// The required shape of updates: indices, then the axes of a row. Updates of
// one row's shape are used for every index.
inline Status CheckUpdates(const KernelContext& ctx, const Array& value,
                           bool* same) {
  const Array &indices = ctx.in(1), &updates = ctx.in(2);
  if (updates.dtype() != value.dtype()) {
    return InvalidArgument(StrCat("updates is ", updates.TypeText(),
                                  "; wanted ", DTypeName(value.dtype()),
                                  " as the variable"));
  }
  if (value.rank() == 0) {
    return InvalidArgument(StrCat("the variable is ", value.TypeText(),
                                  "; wanted rank 1 or more"));
  }
  std::vector<int64_t> row(value.shape().dims().begin() + 1,
                           value.shape().dims().end());
  std::vector<int64_t> wanted(indices.shape().dims().begin(),
                              indices.shape().dims().end());
  wanted.insert(wanted.end(), row.begin(), row.end());
  auto is = [&](const std::vector<int64_t>& dims) {
    return std::equal(dims.begin(), dims.end(), updates.shape().dims().begin(),
                      updates.shape().dims().end());
  };
  *same = !is(wanted) && is(row);
  if (*same || is(wanted)) return OkStatus();
  return InvalidArgument(StrCat("updates is ", updates.TypeText(),
                                "; wanted shape [", Join(wanted, ","), "] or [",
                                Join(row, ","), "]"));
}

template <ScatterOp op>
Status kernel(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable, ResourceOf<Variable>(ctx));
  const Array &indices = ctx.in(1), &updates = ctx.in(2);
  bool same = false;
  Status refused;
  Status status = variable->Modify(
      [&](const Array& value) { return CheckUpdates(ctx, value, &same); },
      [&](const Array& value) {
        RowScatter job{.op = op, .dtype = value.dtype()};
        job.rows = value.dim(0);
        job.inner = job.rows ? value.num_elements() / job.rows : 0;
        job.count = indices.num_elements();
        job.same_update = same;
        if (RemoteWork::Needed(value)) {
          return refused = DeviceScatter::Run(ctx, job, value);
        }
        int64_t good = job.count;
        ScatterRows(job, value.mutable_raw(), indices.dtype(), indices.raw(),
                    updates.raw(), ctx.step().pool, &good);
        if (good < job.count) refused = OutsideError(ctx, 1, good, job.rows);
        return refused;
      },
      ctx.step().pool);
  // OutsideError already names the op.
  return refused.ok() ? AsOpError(ctx, status) : refused;
}

inline std::vector<Reject> Rejects(std::string_view op) {
  return {{.in = {}, .message = StrCat("[", op, "] takes 3 inputs, got 0")},
          {.in = {{2}, Array::Vector<int64_t>({0}), {1}},
           .message = StrCat("[", op, "] handle is f32; wanted resource")}};
}

}  // namespace sluice::scatter_rows
