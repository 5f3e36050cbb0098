#include "sluice/kernels/cpu/einsum/contract.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/gemm/launch.h"

namespace sluice {

namespace {

constexpr int64_t kAlignment = 64;

// Labels in some order.
struct Labels {
  int count = 0;
  int8_t at[kNumEinsumLabels];

  void Add(int label) { at[count++] = static_cast<int8_t>(label); }
  bool Has(int label) const {
    return std::find(at, at + count, label) != at + count;
  }
};

// An operand or a result: its address and the strides of its labels. Labels of
// size 1 are omitted: nothing moves along them.
struct View {
  const void* data = nullptr;
  Labels labels;
  int64_t stride[kNumEinsumLabels] = {};  // by label
};

// Labels of one view as a single index.
struct Merged {
  bool ok = true;
  int64_t size = 1, stride = 0;
};

class Runner {
 public:
  explicit Runner(const EinsumCall& call)
      : call_(call), type_(GemmTypeOf(call.dtype)) {
    std::fill_n(dim_, kNumEinsumLabels, 1);
    for (int i = 0; i < call.equation.operands(); ++i) {
      const EinsumTerm& term = call.equation.in(i);
      for (int k = 0; k < term.rank; ++k) {
        int64_t d = call.shapes[i].dim(k);
        if (d != 1) dim_[term.label[k]] = d;
      }
    }
  }

  Result<int64_t> Run();

 private:
  View Operand(int i) const;
  View Output() const;
  Result<View> Temporary(const Labels& labels);
  Result<View> SumOut(const View& x, const Labels& keep);
  Status Copy(const View& from, const View& to) const;
  Result<View> Contract(View a, View b, const Labels& keep, const View* out);
  Merged Merge(const View& x, const Labels& group) const;
  bool AsMatrix(const View& x, const Labels& free, const Labels& inner,
                GemmMatrix* matrix) const;
  Status Multiply(const View& a, const View& b, const Labels& batch,
                  const Labels& rows, const Labels& columns,
                  const Labels& inner, const View& c);

  const EinsumCall& call_;
  const GemmType type_;
  int64_t dim_[kNumEinsumLabels];
  int64_t used_ = 0;  // bytes of the workspace
};

// A contiguous operand. A label that occurs twice walks its diagonal; an axis
// of size 1 under a larger label stays where it is.
View Runner::Operand(int i) const {
  const EinsumTerm& term = call_.equation.in(i);
  View view;
  view.data = call_.data ? call_.data[i] : nullptr;
  int64_t step = 1;
  for (int k = term.rank - 1; k >= 0; --k) {
    int label = term.label[k];
    int64_t d = call_.shapes[i].dim(k);
    if (d != 1) view.stride[label] += step;
    step *= d;
  }
  for (int k = 0; k < term.rank; ++k) {
    int label = term.label[k];
    if (view.stride[label] != 0 && !view.labels.Has(label)) {
      view.labels.Add(label);
    }
  }
  return view;
}

View Runner::Output() const {
  const EinsumTerm& term = call_.equation.out();
  View view;
  view.data = call_.out;
  int64_t step = 1;
  for (int k = term.rank - 1; k >= 0; --k) {
    view.stride[term.label[k]] = step;
    step *= dim_[term.label[k]];
  }
  for (int k = 0; k < term.rank; ++k) {
    if (dim_[term.label[k]] != 1) view.labels.Add(term.label[k]);
  }
  return view;
}

// Room in the workspace for an array of these labels in this order.
Result<View> Runner::Temporary(const Labels& labels) {
  View view;
  view.labels = labels;
  int64_t elements = 1;
  for (int k = labels.count - 1; k >= 0; --k) {
    view.stride[labels.at[k]] = elements;
    if (!CheckedMul(elements, dim_[labels.at[k]], &elements) ||
        elements > kMaxElements) {
      return InvalidArgument(
          StrCat("a product on the way to the result would have more than ",
                 kMaxElements, " elements"));
    }
  }
  if (call_.data) view.data = static_cast<char*>(call_.workspace) + used_;
  used_ += AlignUp(elements * DTypeSize(call_.dtype), kAlignment);
  return view;
}

Status Runner::Copy(const View& from, const View& to) const {
  if (!call_.data) return OkStatus();
  SumAxis kept[kNumEinsumLabels], summed[kNumEinsumLabels];
  int num_kept = 0, num_summed = 0;
  for (int k = 0; k < to.labels.count; ++k) {
    int l = to.labels.at[k];
    kept[num_kept++] = {dim_[l], from.stride[l], to.stride[l]};
  }
  for (int k = 0; k < from.labels.count; ++k) {
    int l = from.labels.at[k];
    if (!to.labels.Has(l)) summed[num_summed++] = {dim_[l], from.stride[l], 0};
  }
  auto* y = const_cast<void*>(to.data);
  if (call_.engine) {
    return call_.engine->Sum(call_.dtype, from.data, kept, num_kept, summed,
                             num_summed, y);
  }
  StridedSum(call_.dtype, from.data, kept, num_kept, summed, num_summed, y,
             call_.pool);
  return OkStatus();
}

// x without the labels that are not in `keep`; x itself if there are none.
Result<View> Runner::SumOut(const View& x, const Labels& keep) {
  Labels left;
  for (int k = 0; k < x.labels.count; ++k) {
    if (keep.Has(x.labels.at[k])) left.Add(x.labels.at[k]);
  }
  if (left.count == x.labels.count) return x;
  SL_ASSIGN_OR_RETURN(View sum, Temporary(left));
  SL_RETURN_IF_ERROR(Copy(x, sum));
  return sum;
}

Merged Runner::Merge(const View& x, const Labels& group) const {
  Merged merged;
  for (int k = group.count - 1; k >= 0; --k) {
    int l = group.at[k];
    if (k == group.count - 1) {
      merged.stride = x.stride[l];
    } else if (x.stride[l] != merged.stride * merged.size) {
      merged.ok = false;
    }
    merged.size *= dim_[l];
  }
  return merged;
}

// x as a matrix of `free` rows and `inner` columns, if its layout allows that.
bool Runner::AsMatrix(const View& x, const Labels& free, const Labels& inner,
                      GemmMatrix* matrix) const {
  Merged f = Merge(x, free), i = Merge(x, inner);
  if (!f.ok || !i.ok) return false;
  matrix->data = x.data;
  if (i.stride == 1 || i.size == 1) {
    matrix->stride = f.stride, matrix->transposed = false;
    return true;
  }
  matrix->stride = i.stride, matrix->transposed = true;
  return f.stride == 1 || f.size == 1;
}

// c[batch, rows, columns] = sum over inner of a * b. c's columns are adjacent,
// its rows evenly spaced.
Status Runner::Multiply(const View& a, const View& b, const Labels& batch,
                        const Labels& rows, const Labels& columns,
                        const Labels& inner, const View& c) {
  GemmArgs g;
  g.m = Merge(c, rows).size, g.n = Merge(c, columns).size;
  g.ldc = rows.count > 0 ? Merge(c, rows).stride : g.n;
  g.c = const_cast<void*>(c.data);
  g.k = Merge(a, inner).size;
  View left = a, right = b;
  auto in_order = [&](const Labels& free) {
    Labels all = batch;
    for (int k = 0; k < free.count; ++k) all.Add(free.at[k]);
    for (int k = 0; k < inner.count; ++k) all.Add(inner.at[k]);
    return all;
  };
  if (!AsMatrix(left, rows, inner, &g.a)) {
    SL_ASSIGN_OR_RETURN(left, Temporary(in_order(rows)));
    SL_RETURN_IF_ERROR(Copy(a, left));
    AsMatrix(left, rows, inner, &g.a);
  }
  if (!AsMatrix(right, columns, inner, &g.b)) {
    SL_ASSIGN_OR_RETURN(right, Temporary(in_order(columns)));
    SL_RETURN_IF_ERROR(Copy(b, right));
    AsMatrix(right, columns, inner, &g.b);
  }
  // AsMatrix views b as `columns` rows; a product needs its transpose.
  g.b.transposed = !g.b.transposed;
  GemmBatch stack;
  for (int k = 0; k < batch.count; ++k) {
    int l = batch.at[k];
    stack.Add(dim_[l], left.stride[l], right.stride[l], c.stride[l]);
  }
  if (call_.for_engine) {
    return call_.data ? call_.engine->Multiply(call_.dtype, g, stack)
                      : OkStatus();
  }
  const int64_t bytes = BatchedGemmWorkspace(type_, g, stack);
  if (call_.data) {
    void* workspace =
        bytes > 0 ? static_cast<char*>(call_.workspace) + used_ : nullptr;
    BatchedGemm(type_, g, stack, nullptr, call_.pool, workspace);
  }
  used_ += AlignUp(bytes, kAlignment);
  return OkStatus();
}

// The product of a and b summed over labels not in `keep`, at `out` if given.
Result<View> Runner::Contract(View a, View b, const Labels& keep,
                              const View* out) {
  // Labels of only one side that are not needed later are summed first.
  Labels keep_a = keep, keep_b = keep;
  for (int k = 0; k < b.labels.count; ++k) {
    if (!keep_a.Has(b.labels.at[k])) keep_a.Add(b.labels.at[k]);
  }
  for (int k = 0; k < a.labels.count; ++k) {
    if (!keep_b.Has(a.labels.at[k])) keep_b.Add(a.labels.at[k]);
  }
  SL_ASSIGN_OR_RETURN(a, SumOut(a, keep_a));
  SL_ASSIGN_OR_RETURN(b, SumOut(b, keep_b));

  Labels batch, rows, columns, inner;
  for (int k = 0; k < a.labels.count; ++k) {
    int l = a.labels.at[k];
    (!b.labels.Has(l) ? rows : keep.Has(l) ? batch : inner).Add(l);
  }
  for (int k = 0; k < b.labels.count; ++k) {
    if (!a.labels.Has(b.labels.at[k])) columns.Add(b.labels.at[k]);
  }
  if (out) {
    // The result's order, outermost first, so that its axes merge.
    auto by_stride = [&](int8_t x, int8_t y) {
      return out->stride[x] > out->stride[y];
    };
    std::sort(rows.at, rows.at + rows.count, by_stride);
    std::sort(columns.at, columns.at + columns.count, by_stride);
    // Prefer adjacent columns to adjacent rows; otherwise use a temporary,
    // reordered afterwards.
    Merged r = Merge(*out, rows), c = Merge(*out, columns);
    // An engine also requires adjacent rows.
    auto close = [&](const Merged& outer, const Merged& inner) {
      return !call_.for_engine || outer.size == 1 || outer.stride == inner.size;
    };
    if (r.ok && c.ok && (c.size == 1 || c.stride == 1) && close(r, c)) {
      SL_RETURN_IF_ERROR(Multiply(a, b, batch, rows, columns, inner, *out));
      return *out;
    }
    if (r.ok && c.ok && (r.size == 1 || r.stride == 1) && close(c, r)) {
      SL_RETURN_IF_ERROR(Multiply(b, a, batch, columns, rows, inner, *out));
      return *out;
    }
  }
  Labels all = batch;
  for (int k = 0; k < rows.count; ++k) all.Add(rows.at[k]);
  for (int k = 0; k < columns.count; ++k) all.Add(columns.at[k]);
  SL_ASSIGN_OR_RETURN(View c, Temporary(all));
  SL_RETURN_IF_ERROR(Multiply(a, b, batch, rows, columns, inner, c));
  if (!out) return c;
  SL_RETURN_IF_ERROR(Copy(c, *out));
  return *out;
}

Result<int64_t> Runner::Run() {
  const EinsumEquation& eq = call_.equation;
  if (std::find(dim_, dim_ + kNumEinsumLabels, 0) != dim_ + kNumEinsumLabels) {
    // Empty sums. From here on no axis is empty.
    int64_t elements = 1;
    for (int k = 0; k < eq.out().rank; ++k) {
      if (dim_[eq.out().label[k]] == 0) return 0;
    }
    for (int k = 0; k < eq.out().rank; ++k) {
      elements *= dim_[eq.out().label[k]];
    }
    int64_t bytes = elements * DTypeSize(call_.dtype);
    if (call_.data && call_.engine) {
      SL_RETURN_IF_ERROR(call_.engine->Zero(call_.out, bytes));
    } else if (call_.data) {
      std::memset(call_.out, 0, static_cast<size_t>(bytes));
    }
    return 0;
  }
  View out = Output();
  View product = Operand(0);
  for (int i = 1; i < eq.operands(); ++i) {
    // Labels the result or a later operand still needs.
    Labels keep = out.labels;
    for (int later = i + 1; later < eq.operands(); ++later) {
      const EinsumTerm& term = eq.in(later);
      for (int k = 0; k < term.rank; ++k) {
        if (!keep.Has(term.label[k])) keep.Add(term.label[k]);
      }
    }
    SL_ASSIGN_OR_RETURN(product,
                        Contract(product, Operand(i), keep,
                                 i + 1 == eq.operands() ? &out : nullptr));
  }
  if (eq.operands() == 1) SL_RETURN_IF_ERROR(Copy(product, out));
  return used_;
}

}  // namespace

Result<int64_t> RunEinsum(const EinsumCall& call) { return Runner(call).Run(); }

}  // namespace sluice
