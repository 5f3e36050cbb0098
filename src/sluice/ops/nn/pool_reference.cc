// Pools by the book: the list of elements under every window.
#include <cmath>
#include <functional>
#include <limits>

#include "sluice/kernels/reference.h"
#include "sluice/ops/nn/pool_samples.h"

namespace sluice {

namespace {

int64_t Entry(const Ints& list, size_t axis, int64_t otherwise) {
  if (list.empty()) return otherwise;
  return list.size() == 1 ? list[0] : list[axis];
}
bool Flag(const Attrs& attrs, std::string_view name) {
  const AttrValue* value = attrs.find(name);
  return value && value->get<bool>();
}
Ints List(const Attrs& attrs, std::string_view name) {
  const AttrValue* value = attrs.find(name);
  return value ? value->get<Ints>() : Ints{};
}

// One spatial axis: the elements of each window, and the number of positions
// that count.
struct Axis {
  std::vector<Ints> elements;
  Ints counts;
};

Axis FixedAxis(const Attrs& attrs, size_t i, size_t axes, int64_t size) {
  int64_t kernel = Entry(List(attrs, "kernel_size"), i, 1);
  int64_t stride = Entry(List(attrs, "strides"), i, kernel);
  int64_t dilation = Entry(List(attrs, "dilation"), i, 1);
  Ints padding = List(attrs, "padding");
  int64_t before = Entry(padding, i, 0), after = before;
  if (padding.size() == 2 * axes) {
    before = padding[2 * i], after = padding[2 * i + 1];
  }
  bool count_padding = Flag(attrs, "count_include_pad");
  Axis axis;
  for (int64_t start = -before;; start += stride) {
    int64_t last = start + (kernel - 1) * dilation;
    // A window beyond the padding is one more of ceil_mode, if the one before
    // left elements of the padded axis and it starts on or before an element.
    if (last >= size + after && !(Flag(attrs, "ceil_mode") && start < size &&
                                  last - stride < size + after - 1)) {
      break;
    }
    Ints elements;
    int64_t count = 0;
    for (int64_t t = 0; t < kernel; ++t) {
      int64_t at = start + t * dilation;
      bool inside = at >= 0 && at < size;
      if (inside) elements.push_back(at);
      if (inside || (count_padding && at < size + after)) ++count;
    }
    axis.elements.push_back(elements);
    axis.counts.push_back(count);
  }
  return axis;
}

Axis EvenAxis(int64_t size, int64_t out) {
  Axis axis;
  for (int64_t o = 0; o < out; ++o) {
    double begin = std::floor(double(o) * double(size) / double(out));
    double end = std::ceil(double(o + 1) * double(size) / double(out));
    Ints elements;
    for (double at = begin; at < end; ++at) {
      elements.push_back(static_cast<int64_t>(at));
    }
    axis.elements.push_back(elements);
    axis.counts.push_back(static_cast<int64_t>(elements.size()));
  }
  return axis;
}

// f(index of the output, indices of its elements, positions counted) for every
// window of images of sizes x; y gives the output sizes of an adaptive pool.
Shape ForEachWindow(
    const Ints& x, const Ints& y, const Attrs& attrs,
    const std::function<void(const Ints&, const std::vector<Ints>&, double)>&
        f) {
  size_t axes = x.size() - 2;
  std::vector<Axis> axis;
  Ints out = {x[0], x[1]};
  for (size_t i = 0; i < axes; ++i) {
    axis.push_back(attrs.find("kernel_size")
                       ? FixedAxis(attrs, i, axes, x[2 + i])
                       : EvenAxis(x[2 + i], y[2 + i]));
    out.push_back(static_cast<int64_t>(axis[i].counts.size()));
  }
  ref::ForEach(ref::MakeShape(out), [&](const Ints& to) {
    std::vector<Ints> found = {{to[0], to[1]}};
    double counted = 1;
    for (size_t i = 0; i < axes; ++i) {
      auto o = static_cast<size_t>(to[2 + i]);
      std::vector<Ints> longer;
      for (const Ints& index : found) {
        for (int64_t at : axis[i].elements[o]) {
          longer.push_back(index);
          longer.back().push_back(at);
        }
      }
      found = longer;
      counted *= static_cast<double>(axis[i].counts[o]);
    }
    f(to, found, counted);
  });
  return ref::MakeShape(out);
}

// The output sizes of an adaptive pool for x.
Ints Wanted(const Ints& x, const Attrs& attrs) {
  Ints y = x, sizes = List(attrs, "output_size");
  for (size_t i = 2; i < y.size() && !sizes.empty(); ++i) {
    y[i] = Entry(sizes, i - 2, 1);
  }
  return y;
}

Ints First(const RefArray& a) { return ref::DimsOf(a.shape); }
double& Cell(RefArray& a, const Ints& index) {
  return a.v[static_cast<size_t>(ref::Flat(a.shape, index))];
}
RefArray Zeros(const Ints& dims) {
  return ref::Build(ref::MakeShape(dims), [](const Ints&) { return 0.0; });
}

// Null if there are none.
const Ints* FirstGreatest(const RefArray& x,
                          const std::vector<Ints>& elements) {
  const Ints* best = nullptr;
  for (const Ints& e : elements) {
    double v = ref::At(x, e), m = best ? ref::At(x, *best) : v;
    if (!best || v > m || (std::isnan(v) && !std::isnan(m))) best = &e;
  }
  return best;
}

}  // namespace

std::vector<RefArray> MaxPoolReference(const std::vector<RefArray>& in,
                                       const Attrs& attrs) {
  RefArray y;
  y.shape = ForEachWindow(
      First(in[0]), Wanted(First(in[0]), attrs), attrs,
      [&](const Ints&, const std::vector<Ints>& elements, double) {
        double best = -std::numeric_limits<double>::infinity();
        for (const Ints& e : elements) {
          double v = ref::At(in[0], e);
          if (v > best || std::isnan(v)) best = v;
        }
        y.v.push_back(best);
      });
  return {y};
}

std::vector<RefArray> AvgPoolReference(const std::vector<RefArray>& in,
                                       const Attrs& attrs) {
  RefArray y;
  y.shape = ForEachWindow(
      First(in[0]), Wanted(First(in[0]), attrs), attrs,
      [&](const Ints&, const std::vector<Ints>& elements, double counted) {
        double sum = 0;
        for (const Ints& e : elements) sum += ref::At(in[0], e);
        y.v.push_back(counted > 0 ? sum / counted : 0);
      });
  return {y};
}

std::vector<RefArray> MaxPoolPickReference(const std::vector<RefArray>& in,
                                           const Attrs& attrs) {
  RefArray y;
  y.shape = ForEachWindow(
      First(in[0]), Wanted(First(in[0]), attrs), attrs,
      [&](const Ints&, const std::vector<Ints>& elements, double) {
        const Ints* best = FirstGreatest(in[0], elements);
        y.v.push_back(best ? ref::At(in[1], *best) : 0);
      });
  return {y};
}

std::vector<RefArray> MaxPoolGradReference(const std::vector<RefArray>& in,
                                           const Attrs& attrs) {
  RefArray dx = Zeros(First(in[0]));
  ForEachWindow(First(in[0]), First(in[1]), attrs,
                [&](const Ints& to, const std::vector<Ints>& elements, double) {
                  const Ints* best = FirstGreatest(in[0], elements);
                  if (best) Cell(dx, *best) += ref::At(in[1], to);
                });
  return {dx};
}

std::vector<RefArray> AvgPoolGradReference(const std::vector<RefArray>& in,
                                           const Attrs& attrs) {
  Ints x(in[1].v.begin(), in[1].v.end());
  RefArray dx = Zeros(x);
  ForEachWindow(
      x, First(in[0]), attrs,
      [&](const Ints& to, const std::vector<Ints>& elements, double counted) {
        for (const Ints& e : elements) {
          Cell(dx, e) += ref::At(in[0], to) / counted;
        }
      });
  return {dx};
}

}  // namespace sluice
