#include <span>

#include "sluice/kernels/cpu/random_fill.h"
#include "sluice/kernels/reference.h"
#include "sluice/ops/random/random_op.h"

namespace sluice {
namespace {

// Every element of the key counts, and so does its place.
template <class Elements>
RandomKey Keyed(const Elements& key, int64_t seed) {
  RandomKey mixed = RandomKey::Of(0, static_cast<uint64_t>(seed), 0, 0);
  for (auto element : key) {
    mixed.key = RandomKey::Mix(mixed.key ^ static_cast<uint64_t>(element));
  }
  return mixed;
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  std::span<const int64_t> key(ctx.in(0).data<int64_t>(),
                               static_cast<size_t>(ctx.in(0).num_elements()));
  FillUniform(Keyed(key, ctx.attr<int64_t>("seed")), y.dtype(),
              y.num_elements(), y.mutable_raw(), ctx.step().pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  std::vector<int64_t> elements;
  for (double v : in[0].v) elements.push_back(static_cast<int64_t>(v));
  RandomKey key = Keyed(elements, attrs.get<int64_t>("seed"));
  Shape shape = attrs.get<PartialShape>("shape").ToShape();
  bool wide = attrs.get<DType>("dtype") == DType::kF64;
  return {ref::Build(shape, [&](const Ints& index) -> double {
    auto i = static_cast<uint64_t>(ref::Flat(shape, index));
    if (!wide) return UniformFloat(RandomBits(key, i / 4)[i % 4]);
    RandomBlock bits = RandomBits(key, i / 2);
    return UniformDouble(bits[i % 2 * 2], bits[i % 2 * 2 + 1]);
  })};
}

Array Key(int64_t key) { return Array::Scalar(key); }

}  // namespace

SL_OP(KeyedUniform)
    .doc(
        "Random numbers uniform in [0, 1) that depend on the key and this op's "
        "seed and on nothing else: equal keys give equal numbers in every "
        "session, step and iteration. A program that counts its own steps "
        "draws the same ones however it is run.")
    .input("key: i64")
    .output("y: dtype")
    .types("dtype", {DType::kF32, DType::kF64})
    .attr("shape", AttrKind::kShape, "The shape of the result.")
    .attr("dtype", DType::kF32, "The type of the result.")
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(random_op::Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {Key(7)}, .attrs = {{"shape", Shape{3, 5}}}},
              {.in = {Key(-1)},
               .attrs = {{"shape", Shape{101}}, {"dtype", DType::kF64}}},
              {.in = {Array::Vector<int64_t>({1, 2, 3})},
               .attrs = {{"shape", Shape{70}}, {"seed", 5}}},
              {.in = {Array::Vector<int64_t>({})},
               .attrs = {{"shape", Shape()}}},
              {.in = {Key(0)}, .attrs = {{"shape", Shape{0, 2}}}}})
    .rejects({{.in = {Key(1)},
               .attrs = {{"shape", PartialShape({2, any})}},
               .message = "[KeyedUniform] shape is [2,?]; wanted every size "
                          "known"}});

}  // namespace sluice
