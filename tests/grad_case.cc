#include "tests/grad_case.h"

#include "sluice/autodiff/gradients.h"
#include "sluice/base/random.h"
#include "sluice/op/run_op.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

Array Direction(DType dtype, const Shape& shape, uint64_t stream) {
  Array a = *Array::Make(dtype, shape);
  DispatchReals(dtype, [&]<class T>() {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      uint64_t bits = RandomKey::Mix(stream << 32 ^ static_cast<uint64_t>(i));
      double size = 0.25 + 0.75 * static_cast<double>(bits >> 12) * 0x1p-52;
      a.mutable_data<T>()[i] = static_cast<T>(bits & 1 ? size : -size);
    }
  });
  return a;
}

namespace {

// x + a * v + b * u.
Array Moved(const Array& x, double a, const Array& v, double b,
            const Array& u) {
  Array y = *x.Clone();
  DispatchReals(x.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      y.mutable_data<T>()[i] =
          static_cast<T>(static_cast<double>(y.data<T>()[i]) +
                         a * static_cast<double>(v.data<T>()[i]) +
                         b * static_cast<double>(u.data<T>()[i]));
    }
  });
  return y;
}

double Number(const Array& a) {
  double n = 0;
  DispatchReals(a.dtype(),
                [&]<class T>() { n = static_cast<double>(a.data<T>()[0]); });
  return n;
}

// The weights of the directions, far from those the samples are drawn with.
constexpr uint64_t kWeights = 900, kFirst = 1000, kSecond = 2000;

}  // namespace

Result<std::unique_ptr<GradCase>> GradCase::Make(const OpRecord& op,
                                                 const Attrs& attrs,
                                                 std::vector<Array> inputs) {
  std::unique_ptr<GradCase> made(new GradCase());
  made->inputs_ = std::move(inputs);
  // Gradients are checked in the widest type the call has.
  for (const Array& in : made->inputs_) {
    if (!kFloats.contains(in.dtype())) continue;
    if (made->dtype_ != DType::kF64) made->dtype_ = in.dtype();
  }
  SL_RETURN_IF_ERROR(made->Build(op, attrs));
  return made;
}

Result<Value> GradCase::Add(std::string_view op, std::vector<Value> inputs,
                            const Attrs& attrs) {
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph_.Add(graph_.root(), op, inputs, attrs));
  return node->output();
}

Result<Value> GradCase::Constant(const Array& value) {
  return Add("Const", {}, {{"value", value}});
}

Result<Value> GradCase::Inner(const std::vector<Value>& a,
                              const std::vector<Value>& b) {
  std::vector<Value> parts;
  for (size_t i = 0; i < a.size(); ++i) {
    SL_ASSIGN_OR_RETURN(Value product, Add("Mul", {a[i], b[i]}));
    SL_ASSIGN_OR_RETURN(Value sum, Add("Sum", {product}));
    parts.push_back(sum);
  }
  if (parts.size() == 1) return parts[0];
  return Add("AddN", parts);
}

Status GradCase::Build(const OpRecord& op, const Attrs& attrs) {
  std::vector<Value> args;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Array& in = inputs_[i];
    // What is no number to be moved may decide shapes: it is known.
    if (in.dtype() != dtype_) {
      SL_ASSIGN_OR_RETURN(Value value, Constant(in));
      args.push_back(value);
      continue;
    }
    SL_ASSIGN_OR_RETURN(Value arg,
                        graph_.AddArg(graph_.root(), "x" + std::to_string(i),
                                      {in.dtype(), PartialShape(in.shape())}));
    args.push_back(arg);
    moved_.push_back(i);
    v_.push_back(Direction(dtype_, in.shape(), kFirst + i));
    u_.push_back(Direction(dtype_, in.shape(), kSecond + i));
  }
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph_.Add(graph_.root(), op.name, args, attrs));
  StepContext step;
  SL_ASSIGN_OR_RETURN(std::vector<Array> ran,
                      RunOp(op, node->attrs(), inputs_, &step));
  std::vector<Value> ys, weights, xs, v, u;
  for (int i = 0; i < node->num_outputs(); ++i) {
    const Array& y = ran[static_cast<size_t>(i)];
    if (y.dtype() != dtype_) continue;
    SL_ASSIGN_OR_RETURN(
        Value w, Constant(Direction(dtype_, y.shape(),
                                    kWeights + static_cast<uint64_t>(i))));
    ys.push_back(node->output(i));
    weights.push_back(w);
  }
  outputs_ = static_cast<int>(ys.size());
  for (size_t k = 0; k < moved_.size(); ++k) {
    xs.push_back(args[moved_[k]]);
    SL_ASSIGN_OR_RETURN(Value first, Constant(v_[k]));
    SL_ASSIGN_OR_RETURN(Value second, Constant(u_[k]));
    v.push_back(first);
    u.push_back(second);
  }
  if (!differentiable()) return OkStatus();

  GradientOptions zeros{.zeros_when_unconnected = true};
  SL_ASSIGN_OR_RETURN(Value loss, Inner(ys, weights));
  SL_ASSIGN_OR_RETURN(std::vector<Value> dx,
                      Gradients(graph_, {&loss, 1}, xs, {}, zeros));
  SL_ASSIGN_OR_RETURN(Value slope, Inner(dx, v));
  SL_ASSIGN_OR_RETURN(std::vector<Value> dy, Jvp(graph_, ys, xs, v));
  SL_ASSIGN_OR_RETURN(Value forward, Inner(dy, weights));
  SL_ASSIGN_OR_RETURN(std::vector<Value> dxx,
                      Gradients(graph_, {&slope, 1}, xs, {}, zeros));
  SL_ASSIGN_OR_RETURN(Value bend, Inner(dxx, u));
  graph_.SetResults(graph_.root(), {loss, slope, forward, bend});
  return OkStatus();
}

Result<GradValues> GradCase::At(double a, double b) const {
  std::vector<Array> args;
  for (size_t k = 0; k < moved_.size(); ++k) {
    args.push_back(Moved(inputs_[moved_[k]], a, v_[k], b, u_[k]));
  }
  StepContext step;
  SL_ASSIGN_OR_RETURN(std::vector<Array> got, Interpret(graph_, args, step));
  return GradValues{Number(got[0]), Number(got[1]), Number(got[2]),
                    Number(got[3])};
}

void GradCase::Nudge(int attempt) {
  for (size_t k = 0; k < moved_.size(); ++k) {
    Array& x = inputs_[moved_[k]];
    Array w = Direction(dtype_, x.shape(), 3000 + 17 * k + attempt);
    x = Moved(x, 0.01, w, 0, w);
  }
}

}  // namespace sluice
