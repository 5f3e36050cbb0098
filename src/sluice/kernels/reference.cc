#include "sluice/kernels/reference.h"

#include <algorithm>

namespace sluice::ref {

Shape MakeShape(const Ints& dims) { return *Shape::Make(dims); }

Ints DimsOf(const Shape& shape) {
  return Ints(shape.dims().begin(), shape.dims().end());
}

int64_t Flat(const Shape& shape, const Ints& index) {
  int64_t flat = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    flat = flat * shape.dim(i) + index[static_cast<size_t>(i)];
  }
  return flat;
}

double At(const RefArray& a, const Ints& index) {
  return a.v[static_cast<size_t>(Flat(a.shape, index))];
}

double Broadcast(const RefArray& a, const Ints& index) {
  Ints mine(index.end() - a.shape.rank(), index.end());
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (a.shape.dim(i) == 1) mine[static_cast<size_t>(i)] = 0;
  }
  return At(a, mine);
}

void ForEach(const Shape& shape, const std::function<void(const Ints&)>& f) {
  if (shape.num_elements() == 0) return;
  Ints index(static_cast<size_t>(shape.rank()), 0);
  for (;;) {
    f(index);
    int axis = shape.rank() - 1;
    while (axis >= 0 && ++index[static_cast<size_t>(axis)] == shape.dim(axis)) {
      index[static_cast<size_t>(axis--)] = 0;
    }
    if (axis < 0) return;
  }
}

RefArray Build(const Shape& shape,
               const std::function<double(const Ints&)>& f) {
  RefArray out{shape, {}};
  out.v.reserve(static_cast<size_t>(shape.num_elements()));
  ForEach(shape, [&](const Ints& index) { out.v.push_back(f(index)); });
  return out;
}

RefArray Map(const std::vector<RefArray>& in,
             const std::function<double(const std::vector<double>&)>& f) {
  Shape shape;
  for (const RefArray& a : in) shape = *BroadcastShapes(shape, a.shape);
  return Build(shape, [&](const Ints& index) {
    std::vector<double> args;
    for (const RefArray& a : in) args.push_back(Broadcast(a, index));
    return f(args);
  });
}

int Axis(int64_t axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

RefArray Reduce(const RefArray& x, const Attrs& attrs,
                const std::function<double(const std::vector<double>&)>& fold) {
  int rank = x.shape.rank();
  const Ints& axes = attrs.get<Ints>("axes");
  std::vector<bool> reduced(static_cast<size_t>(rank), axes.empty());
  for (int64_t a : axes) reduced[static_cast<size_t>(Axis(a, rank))] = true;
  Ints dims, keep;
  for (int i = 0; i < rank; ++i) {
    bool r = reduced[static_cast<size_t>(i)];
    if (!r) dims.push_back(x.shape.dim(i));
    if (!r) keep.push_back(x.shape.dim(i));
    if (r && attrs.get<bool>("keep_dims")) keep.push_back(1);
  }
  Shape groups = MakeShape(dims);
  std::vector<std::vector<double>> members(
      static_cast<size_t>(groups.num_elements()));
  ForEach(x.shape, [&](const Ints& index) {
    Ints kept;
    for (int i = 0; i < rank; ++i) {
      if (!reduced[static_cast<size_t>(i)]) {
        kept.push_back(index[static_cast<size_t>(i)]);
      }
    }
    members[static_cast<size_t>(Flat(groups, kept))].push_back(At(x, index));
  });
  RefArray out{MakeShape(keep), {}};
  for (const auto& m : members) out.v.push_back(fold(m));
  return out;
}

}  // namespace sluice::ref
