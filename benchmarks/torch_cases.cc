#include "benchmarks/torch_cases.h"

#include "sluice/eager/call.h"

namespace sluice::bench {

namespace {

using Ints = std::vector<int64_t>;

Array Uniform(const Shape& shape, uint64_t seed, double lo = -1,
              double hi = 1) {
  return RandomInput(DType::kF32, shape, lo, hi, seed);
}

Array Indices(const Shape& shape, int64_t below, uint64_t seed = 9) {
  return RandomInput(DType::kI64, shape, 0, static_cast<double>(below), seed);
}

// One op on all inputs; its first output counts.
GraphCall::Build One(const char* op, Attrs attrs = {}) {
  return [=](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    return {call(op, in, attrs)[0]};
  };
}

TorchCase Elementwise(int number) {
  const Shape kMillion{1024, 1024};
  switch (number) {
    case 0:
      return {"add", {Uniform(kMillion, 1), Uniform(kMillion, 2)}, One("Add")};
    case 1:
      return {
          "mul_row", {Uniform(kMillion, 1), Uniform({1024}, 2)}, One("Mul")};
    case 2:
      return {"relu", {Uniform(kMillion, 1)}, One("Relu")};
    case 3:
      return {"exp", {Uniform(kMillion, 1, -5, 5)}, One("Exp")};
    case 4:
      return {"tanh", {Uniform(kMillion, 1, -3, 3)}, One("Tanh")};
    case 5:
      return {"sigmoid", {Uniform(kMillion, 1, -5, 5)}, One("Sigmoid")};
    case 6:
      return {"gelu", {Uniform(kMillion, 1, -3, 3)}, One("Gelu")};
    case 7:
      return {"where",
              {RandomInput(DType::kBool, kMillion), Uniform(kMillion, 1),
               Uniform(kMillion, 2)},
              One("Select")};
    default:
      return {"cast_bf16",
              {Uniform(kMillion, 1)},
              One("Cast", {{"dtype", DType::kBF16}})};
  }
}

TorchCase Reduction(int number) {
  const Attrs kRows = {{"axes", Ints{1}}};
  switch (number) {
    case 9:
      return {"sum_all", {Uniform({1024, 1024}, 1, 0, 1)}, One("Sum")};
    case 10:
      return {"sum_rows", {Uniform({1024, 1024}, 1, 0, 1)}, One("Sum", kRows)};
    case 11:
      return {"sum_columns",
              {Uniform({1024, 1024}, 1, 0, 1)},
              One("Sum", {{"axes", Ints{0}}})};
    case 12:
      return {"max_rows", {Uniform({1024, 1024}, 1)}, One("Max", kRows)};
    case 13:
      return {"argmax_rows",
              {Uniform({1024, 1024}, 1)},
              One("ArgMax", {{"axis", 1}})};
    case 14:
      return {"var_rows",
              {Uniform({1024, 1024}, 1)},
              One("Var", {{"axes", Ints{1}}, {"correction", 0}})};
    default:
      return {"cumsum_rows",
              {Uniform({1024, 1024}, 1, 0, 1)},
              One("CumSum", {{"axis", 1}})};
  }
}

TorchCase Normalisation(int number) {
  switch (number) {
    case 16:
      return {"softmax", {Uniform({2048, 1000}, 1, -4, 4)}, One("Softmax")};
    case 17:
      return {
          "log_softmax", {Uniform({2048, 1000}, 1, -4, 4)}, One("LogSoftmax")};
    case 18:
      return {"layer_norm",
              {Uniform({2048, 1024}, 1), Uniform({1024}, 2, 0.5, 1),
               Uniform({1024}, 3)},
              One("LayerNorm")};
    case 19:
      return {"batch_norm",
              {Uniform({32, 64, 28, 28}, 1), Uniform({64}, 2),
               Uniform({64}, 3, 0.5, 1), Uniform({64}, 4), Uniform({64}, 5)},
              [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
                // x, gamma, beta, mean, variance
                return {call("BatchNormInference",
                             {in[0], in[3], in[4], in[1], in[2]})[0]};
              }};
    default:
      return {
          "group_norm",
          {Uniform({32, 64, 28, 28}, 1), Uniform({64}, 2), Uniform({64}, 3)},
          One("GroupNorm", {{"groups", 8}})};
  }
}

TorchCase Product(int number) {
  switch (number) {
    case 21:
      return {"matmul",
              {Uniform({512, 512}, 1), Uniform({512, 512}, 2)},
              One("MatMul")};
    case 22:
      return {"linear",
              {Uniform({128, 1024}, 1), Uniform({1024, 1024}, 2),
               Uniform({1024}, 3)},
              [](const std::vector<Tensor>& in) {
                return call("Add", {call("MatMul", {in[0], in[1]})[0], in[2]});
              }};
    case 23:
      return {"batched_matmul",
              {Uniform({64, 128, 64}, 1), Uniform({64, 64, 128}, 2)},
              One("BatchMatMul")};
    case 24:
      return {"one_row_matmul",
              {Uniform({1, 1024}, 1), Uniform({1024, 4096}, 2)},
              One("MatMul")};
    default:
      return {"attention",
              {Uniform({4, 8, 256, 64}, 1), Uniform({4, 8, 256, 64}, 2),
               Uniform({4, 8, 256, 64}, 3)},
              One("Attention")};
  }
}

TorchCase Image(int number) {
  Array x = Uniform({8, 64, 56, 56}, 1), w = Uniform({64, 64, 3, 3}, 2),
        dy = Uniform({8, 64, 56, 56}, 3);
  const Attrs kSame = {{"strides", Ints{1, 1}}, {"padding", Ints{1, 1}}};
  const Attrs kHalve = {{"kernel_size", Ints{2, 2}}};
  switch (number) {
    case 26:
      return {"conv2d", {x, w}, One("Conv2D", kSame)};
    case 27:
      return {
          "conv2d_input_grad", {x, w, dy}, [=](const std::vector<Tensor>& in) {
            return call("Conv2DInputGrad",
                        {in[2], in[1], Array::Vector(x.shape().dims())}, kSame);
          }};
    case 28:
      return {
          "conv2d_filter_grad", {x, w, dy}, [=](const std::vector<Tensor>& in) {
            return call("Conv2DFilterGrad",
                        {in[0], in[2], Array::Vector(w.shape().dims())}, kSame);
          }};
    case 29:
      return {"max_pool2d", {x}, One("MaxPool2D", kHalve)};
    default:
      return {"avg_pool2d", {x}, One("AvgPool2D", kHalve)};
  }
}

TorchCase Indexing(int number) {
  switch (number) {
    case 31:
      return {"embedding",
              {Uniform({100'000, 128}, 1), Indices({4096}, 100'000)},
              One("Gather")};
    case 32:
      return {"index_add",
              {Uniform({10'000, 64}, 1), Indices({4096}, 10'000),
               Uniform({4096, 64}, 2)},
              One("IndexAdd")};
    case 33:
      return {"take_along",
              {Uniform({1024, 1024}, 1), Indices({1024, 256}, 1024)},
              One("TakeAlong", {{"axis", 1}})};
    case 34:
      // Values and the places they came from, as torch.sort gives both.
      return {"sort",
              {Uniform({64, 10'000}, 1)},
              [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
                return {call("Sort", in)[0], call("ArgSort", in)[0]};
              }};
    default:
      return {"topk",
              {Uniform({64, 10'000}, 1)},
              [](const std::vector<Tensor>& in) {
                return call("TopK", in, {{"k", 10}});
              }};
  }
}

TorchCase Rest(int number) {
  switch (number) {
    case 36:
      return {"concat",
              {Uniform({256, 1024}, 1), Uniform({256, 1024}, 2),
               Uniform({256, 1024}, 3), Uniform({256, 1024}, 4)},
              One("Concat", {{"axis", 1}})};
    case 37:
      // Heads back into rows, as after attention: the order changes in memory.
      return {"permute",
              {Uniform({32, 12, 128, 64}, 1)},
              [](const std::vector<Tensor>& in) {
                Tensor y =
                    call("Transpose", {in[0]}, {{"perm", Ints{0, 2, 1, 3}}})[0];
                return call("Reshape",
                            {y, Array::Vector<int64_t>({32, 128, 768})});
              }};
    case 38:
      return {"cross_entropy",
              {Uniform({256, 1000}, 1, -4, 4), Indices({256}, 1000)},
              One("SoftmaxCrossEntropy")};
    default:
      return {"random_normal",
              {},
              [](const std::vector<Tensor>&) {
                return call("RandomNormal", std::vector<Tensor>(),
                            {{"shape", Shape{1024, 1024}}});
              },
              false};
  }
}

}  // namespace

TorchCase MakeTorchCase(int number) {
  if (number < 9) return Elementwise(number);
  if (number < 16) return Reduction(number);
  if (number < 21) return Normalisation(number);
  if (number < 26) return Product(number);
  if (number < 31) return Image(number);
  if (number < 36) return Indexing(number);
  return Rest(number);
}

}  // namespace sluice::bench
