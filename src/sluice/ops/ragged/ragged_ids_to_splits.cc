#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

using namespace ragged;

// The kernel rejects invalid ids and names them.
int64_t RowsUpTo(const Array& ids) {
  if (ids.num_elements() == 0) return 0;
  int64_t last = IntValues(ids).back();
  return last < 0 ? 0 : std::min(last, kMaxElements) + 1;
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  SL_RETURN_IF_ERROR(c.WantRank(1, 0));
  int64_t rows = kUnknownDim;
  if (const Array* given = c.value(1)) {
    rows = given->data<int64_t>()[0];
    if (rows < 0) rows = c.value(0) ? RowsUpTo(*c.value(0)) : kUnknownDim;
    rows = std::min(rows, kMaxElements);
  }
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      MakeOutShape(c, Ints{rows < 0 ? rows : rows + 1}));
  c.set_out(0, out);
  return OkStatus();
}

template <class I>
Status Fill(KernelContext& ctx, const I* ids, int64_t n) {
  int64_t rows = ctx.out(0).dim(0) - 1, next = 0;
  int64_t* splits = ctx.out(0).mutable_data<int64_t>();
  for (int64_t i = 0, last = 0; i < n; last = ids[i++]) {
    if (ids[i] >= last) continue;
    return ctx.Error(StrCat("ids[", i, "] is ", int64_t{ids[i]}, " after ",
                            last, "; wanted ids from 0 that never fall"));
  }
  // splits[r] is known for r < next.
  for (int64_t i = 0; i < n; ++i) {
    int64_t id = ids[i];
    if (id >= rows) {
      return ctx.Error(
          StrCat("ids[", i, "] is ", id, "; wanted an id below ", rows));
    }
    while (next <= id) splits[next++] = i;
  }
  while (next <= rows) splits[next++] = n;
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& ids = ctx.in(0);
  Status status;
  DispatchIndex(ids.dtype(), [&]<class I>() {
    status = Fill(ctx, ids.data<I>(), ids.num_elements());
  });
  return status;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  double rows = in[1].v[0];
  if (rows < 0) rows = in[0].v.empty() ? 0 : in[0].v.back() + 1;
  Ints splits;
  for (double r = 0; r <= rows; ++r) {
    splits.push_back(std::count_if(in[0].v.begin(), in[0].v.end(),
                                   [&](double id) { return id < r; }));
  }
  return {RefInts(splits)};
}

Array Rows(int64_t n) { return Array::Scalar<int64_t>(n); }

}  // namespace

SL_OP(RaggedIdsToSplits)
    .doc(
        "The splits of a ragged array from the row of every value; ids begin "
        "at 0 or later and never fall. A negative number of rows stands for "
        "as many as the last id says.")
    .input("ids: I")
    .input("rows: i64")
    .output("splits: i64")
    .types("I", kIndices)
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {Splits({0, 0, 2, 2, 2}), Rows(4)}},
              {.in = {Array::Vector<int32_t>({1, 1, 3}), Rows(-1)}},
              {.in = {Splits({}), Rows(3)}},
              {.in = {Splits({}), Rows(-1)}},
              {.in = {Splits({0}), Rows(1)}}})
    .rejects({{.in = {Splits({0, 2, 1}), Rows(3)},
               .message = "[RaggedIdsToSplits] ids[2] is 1 after 2; wanted ids "
                          "from 0 that never fall"},
              {.in = {Splits({0, 2, 1}), Rows(-1)},
               .message = "[RaggedIdsToSplits] ids[2] is 1 after 2; wanted"},
              {.in = {Splits({-1, 0}), Rows(-1)},
               .message = "[RaggedIdsToSplits] ids[0] is -1 after 0; wanted"},
              {.in = {Splits({0, 3}), Rows(3)},
               .message = "[RaggedIdsToSplits] ids[1] is 3; wanted an id below "
                          "3"},
              {.in = {Splits({0, INT64_MAX}), Rows(-1)},
               .message = "[RaggedIdsToSplits] shape [2814"},
              {.in = {Splits({0}), Rows(INT64_MAX)},
               .message = "[RaggedIdsToSplits] shape [2814"},
              {.in = {Splits({0}), Splits({1})},
               .message = "[RaggedIdsToSplits] rows is i64[1]; wanted rank 0"},
              {.in = {Rows(0), Rows(1)},
               .message = "[RaggedIdsToSplits] ids is i64[]; wanted rank 1"}});

}  // namespace sluice
