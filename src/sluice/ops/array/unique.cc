#include <algorithm>
#include <map>

#include "sluice/base/checked_math.h"
#include "sluice/kernels/cpu/sort.h"
#include "sluice/kernels/cpu/sort_key.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  c.set_out(0, PartialShape::OfRank(1));
  c.set_out(1, c.in(0));
  c.set_out(2, PartialShape::OfRank(1));
  return OkStatus();
}

// Groups of equal elements, found by sorting: where each group begins in x, and
// how large it is.
struct Groups {
  Array first, counts;  // i64, one for each element
  int64_t num = 0;
};

Result<Array> Places(int64_t n) {
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(std::array{n}));
  return Array::Make(DType::kI64, shape);
}

// Sorts n elements into `order`.
Status Order(DType dtype, const void* x, int64_t n, const Array& order,
             WorkerPool* pool) {
  SortRows job{dtype, 1, n, false};
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(std::array{SortBytes(job)}));
  SL_ASSIGN_OR_RETURN(Array scratch, Array::Make(DType::kU8, shape));
  ArgSort(job, x, order.mutable_data<int64_t>(), scratch.mutable_raw(), pool);
  return OkStatus();
}

template <class T>
void Walk(const T* x, const Array& order, Groups& groups, int64_t* inverse) {
  const int64_t* at = order.data<int64_t>();
  auto* first = groups.first.mutable_data<int64_t>();
  auto* counts = groups.counts.mutable_data<int64_t>();
  int64_t g = -1;
  typename SortKey<T>::Key last{};
  for (int64_t i = 0; i < order.num_elements(); ++i) {
    auto key = SortKey<T>::Of(x[at[i]]);
    if (g < 0 || key != last) {
      first[++g] = at[i];
      counts[g] = 0;
      last = key;
    }
    ++counts[g];
    inverse[at[i]] = g;
  }
  groups.num = g + 1;
}

// Groups in the order in which they first appear, instead of by size.
Status ByAppearance(Groups& groups, int64_t* inverse, int64_t n,
                    WorkerPool* pool) {
  SL_ASSIGN_OR_RETURN(Array order, Places(groups.num));
  SL_RETURN_IF_ERROR(
      Order(DType::kI64, groups.first.raw(), groups.num, order, pool));
  SL_ASSIGN_OR_RETURN(Array rank, Places(groups.num));
  Groups next{groups.first, groups.counts, groups.num};
  SL_ASSIGN_OR_RETURN(next.first, Places(groups.num));
  SL_ASSIGN_OR_RETURN(next.counts, Places(groups.num));
  for (int64_t i = 0; i < groups.num; ++i) {
    int64_t g = order.data<int64_t>()[i];
    rank.mutable_data<int64_t>()[g] = i;
    next.first.mutable_data<int64_t>()[i] = groups.first.data<int64_t>()[g];
    next.counts.mutable_data<int64_t>()[i] = groups.counts.data<int64_t>()[g];
  }
  const int64_t* to = rank.data<int64_t>();
  ParallelFor(pool, n, 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) inverse[i] = to[inverse[i]];
  });
  groups = next;
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  int64_t n = x.num_elements();
  WorkerPool* pool = ctx.step().pool;
  SL_RETURN_IF_ERROR(ctx.AllocateOut(1, DType::kI64, x.shape()));
  int64_t* inverse = ctx.out(1).mutable_data<int64_t>();
  Groups groups;
  SL_ASSIGN_OR_RETURN(groups.first, Places(n));
  SL_ASSIGN_OR_RETURN(groups.counts, Places(n));
  if (n > 0) {
    SL_ASSIGN_OR_RETURN(Array order, Places(n));
    SL_RETURN_IF_ERROR(Order(x.dtype(), x.raw(), n, order, pool));
    DType as = x.dtype() == DType::kBool ? DType::kU8 : x.dtype();
    DispatchReals(as, [&]<class T>() {
      Walk(static_cast<const T*>(x.raw()), order, groups, inverse);
    });
    if (!ctx.attr<bool>("sorted")) {
      SL_RETURN_IF_ERROR(ByAppearance(groups, inverse, n, pool));
    }
  }
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(std::array{groups.num}));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, x.dtype(), shape));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(2, DType::kI64, shape));
  const int64_t* first = groups.first.data<int64_t>();
  DispatchBySize(x.dtype(), [&]<class T>() {
    for (int64_t g = 0; g < groups.num; ++g) {
      static_cast<T*>(ctx.out(0).mutable_raw())[g] =
          static_cast<const T*>(x.raw())[first[g]];
    }
  });
  std::copy_n(groups.counts.data<int64_t>(), groups.num,
              ctx.out(2).mutable_data<int64_t>());
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  RefArray values, inverse, counts;
  auto same = [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  };
  for (double v : in[0].v) {
    bool known = false;
    for (double u : values.v) known = known || same(u, v);
    if (!known) values.v.push_back(v);
  }
  if (attrs.get<bool>("sorted")) {
    std::sort(values.v.begin(), values.v.end(), [](double a, double b) {
      return std::isnan(b) ? !std::isnan(a) : a < b;
    });
  }
  counts.v.assign(values.v.size(), 0);
  for (double v : in[0].v) {
    size_t k = 0;
    while (!same(values.v[k], v)) ++k;
    inverse.v.push_back(static_cast<double>(k));
    ++counts.v[k];
  }
  inverse.shape = in[0].shape;
  values.shape = counts.shape =
      ref::MakeShape({static_cast<int64_t>(values.v.size())});
  return {values, inverse, counts};
}

Array Specials() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return Array::Vector<float>({0.0f, kNan, -0.0f, kInf, -kNan, -kInf, 1, kInf});
}

}  // namespace

SL_OP(Unique)
    .doc(
        "The different elements of x in the order in which they first appear "
        "(or sorted); for every element of x which one it is; and how often "
        "each is there. All NaN are one, and so are 0 and -0.")
    .input("x: T")
    .output("values: T")
    .output("inverse: i64")
    .output("counts: i64")
    .types("T", kReals | DTypeSet{DType::kBool})
    .attr("sorted", false, "Smallest first, NaN last.")
    .shape(Infer)
    .no_grad("how many values there are depends on x")
    .cpu(Launch)
    .dynamic_output()
    .reference(Reference)
    .samples({{.in = {{9}}},
              {.in = {{9}}, .attrs = {{"sorted", true}}},
              {.in = {{3, 4}}},
              {.in = {Specials()}},
              {.in = {Specials()}, .attrs = {{"sorted", true}}},
              {.in = {Shape()}},
              {.in = {{0, 3}}},
              {.in = {{700}}, .lo = -40, .hi = 40},
              {.in = {{700}}, .attrs = {{"sorted", true}}, .lo = -9, .hi = 9}});

}  // namespace sluice
