// Convolutions by the book: every product of an image element and a kernel
// element that meets it, one at a time, in double precision.
#include <functional>

#include "sluice/kernels/reference.h"
#include "sluice/ops/nn/conv_samples.h"

namespace sluice {

namespace {

// Entry of a list that may be empty, of one entry for all axes, or of one per
// axis.
int64_t Entry(const Ints& list, size_t axis, int64_t otherwise) {
  if (list.empty()) return otherwise;
  return list.size() == 1 ? list[0] : list[axis];
}

struct Window {
  Window(const Attrs& attrs, size_t axes) {
    const Ints& padding = attrs.get<Ints>("padding");
    for (size_t i = 0; i < axes; ++i) {
      stride.push_back(Entry(attrs.get<Ints>("strides"), i, 1));
      dilation.push_back(Entry(attrs.get<Ints>("dilation"), i, 1));
      if (padding.size() == 2 * axes) {
        before.push_back(padding[2 * i]);
        after.push_back(padding[2 * i + 1]);
      } else {
        before.push_back(Entry(padding, i, 0));
        after.push_back(before.back());
      }
    }
  }
  Ints stride, dilation, before, after;
};

Ints OutDims(const Ints& x, const Ints& w, const Window& window) {
  Ints y = {x[0], w[0]};
  for (size_t i = 2; i < x.size(); ++i) {
    int64_t room = x[i] + window.before[i - 2] + window.after[i - 2] -
                   window.dilation[i - 2] * (w[i] - 1) - 1;
    y.push_back(room / window.stride[i - 2] + 1);
  }
  return y;
}

// f(index in x, in w, in y) for every product x * w that is part of y.
void ForEachProduct(
    const Ints& x, const Ints& w, const Ints& y, const Attrs& attrs,
    const std::function<void(const Ints&, const Ints&, const Ints&)>& f) {
  Window window(attrs, x.size() - 2);
  int64_t rows_per_group = w[0] / attrs.get<int64_t>("groups");
  Ints taps(w.begin() + 1, w.end());
  ref::ForEach(ref::MakeShape(y), [&](const Ints& to) {
    ref::ForEach(ref::MakeShape(taps), [&](const Ints& tap) {
      Ints from = {to[0], to[1] / rows_per_group * w[1] + tap[0]};
      Ints weight = {to[1], tap[0]};
      for (size_t i = 2; i < x.size(); ++i) {
        int64_t at = to[i] * window.stride[i - 2] +
                     tap[i - 1] * window.dilation[i - 2] - window.before[i - 2];
        if (at < 0 || at >= x[i]) return;
        from.push_back(at);
        weight.push_back(tap[i - 1]);
      }
      f(from, weight, to);
    });
  });
}

RefArray Zeros(const Ints& dims) {
  return ref::Build(ref::MakeShape(dims), [](const Ints&) { return 0.0; });
}
double& Cell(RefArray& a, const Ints& index) {
  return a.v[static_cast<size_t>(ref::Flat(a.shape, index))];
}
Ints AsInts(const RefArray& a) { return Ints(a.v.begin(), a.v.end()); }

std::vector<RefArray> InputGrad(const RefArray& dy, const RefArray& w,
                                const Ints& x, const Attrs& attrs) {
  RefArray dx = Zeros(x);
  ForEachProduct(x, ref::DimsOf(w.shape), ref::DimsOf(dy.shape), attrs,
                 [&](const Ints& i, const Ints& k, const Ints& o) {
                   Cell(dx, i) += ref::At(dy, o) * ref::At(w, k);
                 });
  return {dx};
}

}  // namespace

std::vector<RefArray> ConvReference(const std::vector<RefArray>& in,
                                    const Attrs& attrs) {
  Ints x = ref::DimsOf(in[0].shape), w = ref::DimsOf(in[1].shape);
  RefArray y = Zeros(OutDims(x, w, Window(attrs, x.size() - 2)));
  ForEachProduct(x, w, ref::DimsOf(y.shape), attrs,
                 [&](const Ints& i, const Ints& k, const Ints& o) {
                   Cell(y, o) += ref::At(in[0], i) * ref::At(in[1], k);
                 });
  return {y};
}

std::vector<RefArray> ConvTransposeReference(const std::vector<RefArray>& in,
                                             const Attrs& attrs) {
  Ints y = ref::DimsOf(in[0].shape), w = ref::DimsOf(in[1].shape);
  Window window(attrs, y.size() - 2);
  Ints x = {y[0], w[1] * attrs.get<int64_t>("groups")};
  for (size_t i = 2; i < y.size(); ++i) {
    x.push_back((y[i] - 1) * window.stride[i - 2] - window.before[i - 2] -
                window.after[i - 2] + window.dilation[i - 2] * (w[i] - 1) + 1 +
                Entry(attrs.get<Ints>("output_padding"), i - 2, 0));
  }
  return InputGrad(in[0], in[1], x, attrs);
}

std::vector<RefArray> ConvInputGradReference(const std::vector<RefArray>& in,
                                             const Attrs& attrs) {
  return InputGrad(in[0], in[1], AsInts(in[2]), attrs);
}

std::vector<RefArray> ConvFilterGradReference(const std::vector<RefArray>& in,
                                              const Attrs& attrs) {
  RefArray dw = Zeros(AsInts(in[2]));
  ForEachProduct(ref::DimsOf(in[0].shape), AsInts(in[2]),
                 ref::DimsOf(in[1].shape), attrs,
                 [&](const Ints& i, const Ints& k, const Ints& o) {
                   Cell(dw, k) += ref::At(in[0], i) * ref::At(in[1], o);
                 });
  return {dw};
}

}  // namespace sluice
