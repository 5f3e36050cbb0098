// Random programs with their first- and second-order gradients, for tests.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "sluice/autodiff/gradients.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/random_flow_test_util.h"

namespace sluice {

using Arrays = std::vector<Array>;

inline Array InDoubles(const Array& a) {
  if (a.dtype() != DType::kF32) return a;
  Array wide = *Array::Make(DType::kF64, a.shape());
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    wide.mutable_data<double>()[i] = a.data<float>()[i];
  }
  return wide;
}

inline void Replace(std::string& text, std::string_view from,
                    std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The same program with f64 for f32: finite differences need the precision.
inline RandomFlow InDoubles(const RandomFlow& flow) {
  std::string text = PrintGraph(*flow.graph);
  Replace(text, "f32", "f64");
  Replace(text, "RandomUniform [", "RandomUniform [dtype = f64, ");
  RandomFlow wide;
  wide.graph = MustParse(text);
  for (const Array& a : flow.args) wide.args.push_back(InDoubles(a));
  return wide;
}

// A program that reduces all its floating-point results to one number, together
// with the gradients of that number with respect to the floating-point
// arguments, and the gradients of the sum of those.
class Differentiated {
 public:
  explicit Differentiated(RandomFlow flow) : flow_(std::move(flow)) {}

  Status Differentiate() {
    Region& root = flow_.graph->root();
    MutexLock lock(flow_.graph->mu());
    for (int i = 0; i < root.num_args(); ++i) {
      if (root.arg(i).dtype() != DType::kF64) continue;
      xs_.push_back(root.arg(i));
      which_.push_back(static_cast<size_t>(i));
    }
    SL_ASSIGN_OR_RETURN(Value y, Total(root.results()));
    GradientOptions zeros{.zeros_when_unconnected = true};
    SL_ASSIGN_OR_RETURN(std::vector<Value> first,
                        Gradients(*flow_.graph, {&y, 1}, xs_, {}, zeros));
    SL_ASSIGN_OR_RETURN(Value slope, Total(first));
    SL_ASSIGN_OR_RETURN(std::vector<Value> second,
                        Gradients(*flow_.graph, {&slope, 1}, xs_, {}, zeros));
    std::vector<Value> results = {y, slope};
    results.insert(results.end(), first.begin(), first.end());
    results.insert(results.end(), second.begin(), second.end());
    flow_.graph->SetResults(root, std::move(results));
    return Verify(*flow_.graph);
  }

  const RandomFlow& flow() const { return flow_; }
  RandomFlow Take() && { return std::move(flow_); }
  size_t num_xs() const { return xs_.size(); }

  // The arguments moved by `step` along a fixed direction.
  Arrays Moved(double step) const {
    Arrays args = flow_.args;
    for (size_t i : which_) {
      args[i] = *args[i].Clone();
      for (int64_t k = 0; k < args[i].num_elements(); ++k) {
        args[i].mutable_data<double>()[k] += step * Direction(i, k);
      }
    }
    return args;
  }
  // <gradient, direction>, for the gradients that start at result `begin`.
  double Along(const Arrays& results, size_t begin) const {
    double sum = 0;
    for (size_t n = 0; n < which_.size(); ++n) {
      Array g = *results[begin + n].AsContiguous();
      for (int64_t k = 0; k < g.num_elements(); ++k) {
        sum += g.data<double>()[k] * Direction(which_[n], k);
      }
    }
    return sum;
  }

 private:
  static double Direction(size_t i, int64_t k) {
    return std::sin(1.0 + 3.0 * static_cast<double>(i) +
                    static_cast<double>(k));
  }

  Result<Value> Total(std::span<const Value> values) {
    Graph& graph = *flow_.graph;
    Value total;
    double weight = 1;
    for (const Value& v : values) {
      if (v.dtype() != DType::kF64) continue;
      Value part = v;
      if (v.shape().rank() != 0) {
        std::vector<int64_t> axes = {0};
        SL_ASSIGN_OR_RETURN(Node * sum, graph.Add(graph.root(), "Sum", {&v, 1},
                                                  {{"axes", axes}}));
        part = sum->output();
      }
      SL_ASSIGN_OR_RETURN(Node * factor,
                          graph.Add(graph.root(), "Const", {},
                                    {{"value", Array::Scalar(weight)}}));
      Value in[] = {part, factor->output()};
      SL_ASSIGN_OR_RETURN(Node * scaled,
                          graph.Add(graph.root(), "Mul", in, {}));
      part = scaled->output();
      if (total) {
        Value both[] = {total, part};
        SL_ASSIGN_OR_RETURN(Node * sum,
                            graph.Add(graph.root(), "Add", both, {}));
        part = sum->output();
      }
      total = part;
      weight *= 0.7;
    }
    return total;
  }

  RandomFlow flow_;
  std::vector<Value> xs_;
  std::vector<size_t> which_;  // indices of the arguments in xs_
};

}  // namespace sluice
