#include "sluice/trace/custom_rule.h"

#include "sluice/autodiff/graph_grad_context.h"
#include "sluice/autodiff/none_given.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/scope.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/inside_vmap.h"

namespace sluice::front_internal {

std::string WrongGradients(const std::vector<Tensor>& inputs,
                           const std::vector<Tensor>& returned) {
  if (returned.size() != inputs.size()) {
    return StrCat("its backward returned ", returned.size(),
                  " gradients; wanted ", inputs.size(), ", one per input");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor &g = returned[i], &x = inputs[i];
    if (!g.defined()) continue;
    if (g.dtype() == x.dtype() && g.shape().CompatibleWith(x.shape())) continue;
    return StrCat("its backward returned ", TypeText(g.dtype(), g.shape()),
                  " for input ", i, "; wanted ",
                  TypeText(x.dtype(), x.shape()));
  }
  return {};
}

size_t NumDifferentiated(const Node& node) {
  if (node.op().role != Role::kCustomGradient) {
    return static_cast<size_t>(node.num_inputs());
  }
  return static_cast<size_t>(node.attrs().get<int64_t>("num_inputs"));
}

void SayThroughInputs(GraphTapeNode& way, const Node& node) {
  const size_t count = NumDifferentiated(node);
  if (count == way.edges.size()) return;
  for (size_t k = 0; k < way.num_outputs(); ++k) {
    std::vector<GraphTapeNode::Through> by_x(way.edges.size());
    for (size_t i = count; i < by_x.size(); ++i) by_x[i].never = true;
    way.SetThrough(k, std::move(by_x));
  }
}

void SayThroughResults(GraphTapeNode& way, const Node& node) {
  const size_t count = NumDifferentiated(node);
  for (size_t k = 0; k < way.num_outputs(); ++k) {
    std::vector<GraphTapeNode::Through> by_x(way.edges.size(), {.never = true});
    by_x[count + k].never = false;
    way.SetThrough(k, std::move(by_x));
  }
}

namespace {

// The code that builds gradients holds the graph's lock. The user's function
// runs like any recorded code and takes the lock itself, so it is released
// here.
class Unlocked {
 public:
  explicit Unlocked(Graph& graph) SL_NO_THREAD_SAFETY_ANALYSIS
      : graph_(graph),
        locked_(std::exchange(Building::Current().locked, nullptr)) {
    graph_.mu().unlock();
  }
  ~Unlocked() SL_NO_THREAD_SAFETY_ANALYSIS {
    graph_.mu().lock();
    Building::Current().locked = locked_;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Graph& graph_;
  Graph* const locked_;
};

// The value of a tensor in the open graph.
Value ValueIn(const Tensor& t, const Capture::Region& inside) {
  Capture* capture = Capture::Open();
  if (!capture) return t.value();
  EagerRef value = capture->ValueOf(t);
  inside.CheckHooks(*value, "a backward of the user's");
  return capture->Now(*value);
}

}  // namespace

void BuildCustomRule(GradContext& g, size_t num_inputs,
                     const BackwardFn& backward, bool zeros) {
  auto* context = dynamic_cast<GraphGradContext*>(&g);
  if (!context) return g.fail("a graph's gradient was asked for elsewhere");
  Graph& graph = context->graph();
  std::vector<Tensor> inputs, results, flows;
  for (size_t i = 0; i < num_inputs; ++i) {
    inputs.emplace_back(graph, context->ValueOf(g.in(static_cast<int>(i))));
  }
  for (int i = 0; i < g.num_outputs(); ++i) {
    results.emplace_back(graph, context->ValueOf(g.out(i)));
    if (!zeros && !g.has_dy(i)) {
      flows.emplace_back();
      continue;
    }
    GradVar dy = g.dy(i);
    if (!dy) return;
    flows.emplace_back(graph, context->ValueOf(dy));
  }
  GraphScope building(graph);
  Building::Current().region = &context->region();
  // The nodes may be moved or removed, so the recording forgets them.
  Capture::Region inside(Capture::Open());
  Capture::DrawsApart apart(Capture::Open());
  std::vector<Tensor> returned;
  std::vector<std::pair<Value, Value>> found(inputs.size());
  try {
    Unlocked free(graph);
    returned = backward(inputs, results, flows);
    std::string wrong = WrongGradients(inputs, returned);
    if (!wrong.empty()) throw Error(InvalidArgument(wrong));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!returned[i].defined()) continue;
      bool rows = returned[i].is_sparse();
      found[i].first =
          ValueIn(rows ? returned[i].values() : returned[i], inside);
      if (rows) found[i].second = ValueIn(returned[i].indices(), inside);
    }
  } catch (const Error& e) {
    return g.fail(e.what());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto [value, rows] = found[i];
    int k = static_cast<int>(i);
    if (rows) {
      g.set_dx_rows(k, context->VarOf(rows), context->VarOf(value));
    } else if (value) {
      g.set_dx(k, context->VarOf(value));
    } else if (Value x = context->ValueOf(g.in(k));
               CarriesGradient(x.dtype()) && !InsideVmap()) {
      NoneGiven::Note(x);
    }
  }
}

}  // namespace sluice::front_internal
