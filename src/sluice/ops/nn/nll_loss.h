// Shared by NllLoss and its gradient: x is [n, classes, ...], labels [n, ...].
#pragma once

#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/labels.h"
#include "sluice/kernels/cpu/loss.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"

namespace sluice::nll {

// labels' shape from x's, as far as it is known.
inline Status CheckShapes(const ShapeContext& c, int x, int labels,
                          PartialShape* want) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(x, 2));
  if (!c.in(x).rank_known()) {
    *want = c.in(labels);
    return OkStatus();
  }
  Ints dims(c.in(x).dims().begin(), c.in(x).dims().end());
  dims.erase(dims.begin() + 1);
  SL_ASSIGN_OR_RETURN(*want, PartialShape::Make(dims));
  if (want->CompatibleWith(c.in(labels))) return OkStatus();
  return c.Error(StrCat(c.Describe(x), ", ", c.Describe(labels),
                        "; wanted one label for every vector along axis 1"));
}

struct View {
  int64_t classes, inner = 1, count;  // of labels
  bool mean, none;
  int64_t ignored;

  View(const Shape& x, const Array& labels, const Attrs& attrs)
      : classes(x.dim(1)), count(labels.num_elements()) {
    for (int i = 2; i < x.rank(); ++i) inner *= x.dim(i);
    mean = attrs.get<std::string>("reduction") == "mean";
    none = attrs.get<std::string>("reduction") == "none";
    ignored = attrs.get<int64_t>("ignore_index");
  }
  // The index in x of position k's number for this label.
  int64_t At(int64_t k, int64_t label) const {
    return (k / inner * classes + label) * inner + k % inner;
  }
  bool Ignores(int64_t label) const { return label == ignored; }
};

// The number of labels that count.
inline int64_t Counted(const KernelContext& ctx, const View& v,
                       const Array& labels) {
  double skipped = loss::SumChunks(
      ctx.step().pool, v.count, [&](int64_t begin, int64_t end) -> double {
        int64_t n = 0;
        for (int64_t k = begin; k < end; ++k) {
          n += v.Ignores(LabelAt(labels, k)) ? 1 : 0;
        }
        return static_cast<double>(n);
      });
  return v.count - static_cast<int64_t>(skipped);
}

}  // namespace sluice::nll
