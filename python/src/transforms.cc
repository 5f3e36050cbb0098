// The raw functions behind grad, vjp, jvp, vmap, checkpoint and custom_vjp, on
// flat lists of tensors. _transforms.py and autograd/ have the public
// interfaces.
#include <algorithm>
#include <optional>

#include "autograd.h"
#include "bindings.h"
#include "errors.h"
#include "op_call.h"
#include "operand.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recompute.h"
#include "sluice/eager/scope.h"
#include "sluice/front/own_points.h"
#include "sluice/front/vmap.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/known_gradients.h"
#include "tape_function.h"
#include "tensor_fn.h"

namespace sluice::py {

namespace {

nb::list Gradients(nb::handle ys, nb::handle xs, nb::handle grad_ys,
                   bool retain_graph, bool create_graph,
                   std::string_view unconnected, bool dense) {
  std::vector<Tensor> from = TensorList(ys, "outputs");
  std::vector<Tensor> to = TensorList(xs, "inputs");
  GradOptions options{.zeros_when_unconnected = unconnected == "zeros",
                      .none_when_unconnected = unconnected == "none",
                      .retain_graph = retain_graph,
                      .create_graph = create_graph,
                      .dense = dense};
  if (!grad_ys.is_none()) {
    options.grad_ys = TensorList(grad_ys, "grad_outputs");
    for (size_t i = 0; i < options.grad_ys.size() && i < from.size(); ++i) {
      if (!options.grad_ys[i].defined() || !from[i].defined()) continue;
      CheckGradient(options.grad_ys[i], from[i], "grad_outputs");
    }
  }
  std::vector<Tensor> found;
  {
    ReleaseGil released;
    found = gradients(from, to, options);
  }
  return ListOf(found);
}

// The points at which a function is differentiated (front/own_points.h), and
// whether each is a private leaf.
nb::tuple Points(nb::handle xs) {
  front_internal::OwnPoints points(TensorList(xs, "arguments"),
                                   std::source_location::current());
  nb::list made;
  for (bool leaf : points.made) made.append(leaf);
  return nb::make_tuple(ListOf(points.at), made);
}

// `backward` gets None for missing incoming gradients.
nb::list CustomGradient(nb::handle forward, nb::handle backward,
                        nb::handle inputs) {
  BackwardFn back = BackwardFunction(backward);
  std::vector<Tensor> given = TensorList(inputs, "inputs");
  TensorFn run = TensorFnOf(forward, "what forward returned");
  std::vector<Tensor> results;
  {
    ReleaseGil released;
    results = custom_gradient(run, back, given, std::source_location::current(),
                              /*zeros=*/false);
  }
  return ListOf(results);
}

nb::list Checkpoint(nb::handle f, nb::handle inputs) {
  std::vector<Tensor> given = TensorList(inputs, "inputs");
  TensorFn run = checkpoint(TensorFnOf(f, "what the function returned"));
  std::vector<Tensor> results;
  {
    ReleaseGil released;
    results = run(given);
  }
  return ListOf(results);
}

void Gradcheck(nb::handle f, nb::handle inputs, double eps, double tolerance,
               bool second_order) {
  std::vector<Tensor> xs = TensorList(inputs, "inputs");
  TensorFn run = TensorFnOf(f, "what the function returned");
  ReleaseGil released;
  gradcheck(
      run, xs,
      {.step = eps, .tolerance = tolerance, .second_order = second_order});
}

// A function over lanes, recorded for one signature.
class LanesOf {
 public:
  LanesOf(nb::handle f, const std::vector<std::optional<int>>& in_axes,
          const std::vector<std::optional<int>>& out_axes, std::string name)
      : core_(TensorFnOf(f, "what the function under vmap returned"),
              {Axes(in_axes), Axes(out_axes), std::move(name)}) {}

  nb::list Call(nb::handle args) {
    std::vector<Tensor> given = TensorList(args, "arguments");
    std::vector<Tensor> results;
    {
      ReleaseGil released;
      results = core_.Call(given, std::source_location::current());
    }
    return ListOf(results);
  }
  std::string Report() const { return core_.report().ToString(); }

 private:
  static std::vector<int> Axes(const std::vector<std::optional<int>>& given) {
    std::vector<int> axes;
    for (const std::optional<int>& axis : given) {
      axes.push_back(axis.value_or(unbatched));
    }
    return axes;
  }

  front_internal::VmapCore core_;
};

// A tensor that does not keep its graph alive, unlike others
// (graph_lifetime.h): for objects that belong to the graph.
struct HeldTensor {
  Tensor tensor;

  nb::object Get() const {
    const EagerRef& value = tensor.identity();
    if (!tensor.traced() || value->traced->recording) return nb::cast(tensor);
    // Its recording is over: its graph is unavailable, but the tensor may be
    // used where gradients of that graph are built.
    nb::object made = nb::steal(nb::detail::type_caster_base<Tensor>::from_cpp(
        tensor, nb::rv_policy::copy, nullptr));
    if (!made.is_valid()) throw nb::python_error();
    std::shared_ptr<Graph> graph = value->traced->graph.lock();
    if (graph) KeepGraph(made, *graph);
    return made;
  }
};

struct ApartFromCheckpoints {
  std::optional<RecomputeRegion::Apart> scope;
};

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.traced() || b.traced()) return a.identity() == b.identity();
  if (a.symbolic() || b.symbolic()) {
    return a.symbolic() && b.symbolic() && a.value() == b.value();
  }
  return a.eager_gradient() == b.eager_gradient();
}

void MayBe(const Tensor& t, const Tensor& other) {
  Capture* capture = Capture::Open();
  if (!capture || !t.traced()) return;
  EagerRef value = capture->ValueOf(other);
  if (value->traced->number) return;
  capture->MayBe(*t.identity(), value, TraceState::Perhaps::How::kWhole);
}

bool IsOneOfSeveral(const Tensor& t) {
  if (!Capture::Open() || !t.traced()) return false;
  using Perhaps = TraceState::Perhaps;
  const std::vector<Perhaps>& all = t.identity()->traced->perhaps;
  return std::any_of(all.begin(), all.end(), [](const Perhaps& p) {
    return p.how == Perhaps::How::kWhole;
  });
}

// Queries about tensors and this thread.
void BindQuestions(nb::module_& m) {
  m.def("same_tensor", &SameTensor, "a"_a, "b"_a);
  m.def("may_be", &MayBe, "tensor"_a, "other"_a,
        "In a function being recorded: t is the other one, in some calls.");
  m.def("is_one_of_several", &IsOneOfSeveral, "tensor"_a,
        "In a function being recorded: t is another tensor, in some calls.");
  m.def("check_gradients_known", &front_internal::CheckGradientsKnown, "ys"_a,
        "xs"_a, "or_fail"_a = false,
        "Throws when only a run knows whether ys have gradients by xs, or has "
        "runs fail in which they have none.");
  m.def(
      "is_recording",
      [] {
        return Capture::Current() || front_internal::EagerMode::Current().grad;
      },
      "Calls on this thread end up in a graph or on the tape.");
  m.def(
      "is_building",
      [] { return front_internal::Building::Current().graph != nullptr; },
      "Calls on this thread become nodes of a graph.");
}

}  // namespace

void BindTransforms(nb::module_& m) {
  m.def("gradients", &Gradients, "outputs"_a, "inputs"_a,
        "grad_outputs"_a.none(), "retain_graph"_a, "create_graph"_a,
        "unconnected"_a, "dense"_a);
  m.def("points", &Points, "arguments"_a);
  m.def(
      "reaches_beyond",
      [](nb::handle outputs, nb::handle leaves) {
        return front_internal::ReachesBeyond(TensorList(outputs, "outputs"),
                                             TensorList(leaves, "leaves"));
      },
      "outputs"_a, "leaves"_a);
  m.def(
      "kept_if_beyond",
      [](nb::handle made, nb::handle others, nb::handle leaves) {
        const std::vector<Tensor> before = TensorList(made, "made");
        std::vector<Tensor> ys = before;
        front_internal::KeepIfBeyond(ys, TensorList(others, "others"),
                                     TensorList(leaves, "leaves"));
        nb::list changed;
        for (size_t i = 0; i < ys.size(); ++i) {
          bool same = ys[i].identity() == before[i].identity();
          changed.append(same ? nb::none() : nb::cast(ys[i]));
        }
        return changed;
      },
      "made"_a, "others"_a, "leaves"_a, "Those that changed, else None.");
  m.def(
      "retire",
      [](nb::handle leaves) {
        front_internal::Retire(TensorList(leaves, "leaves"));
      },
      "leaves"_a);
  BindQuestions(m);
  nb::class_<HeldTensor>(m, "HeldTensor")
      .def("__init__",
           [](HeldTensor* held, const Tensor& tensor) {
             new (held) HeldTensor{tensor};
           })
      .def("get", &HeldTensor::Get);
  // A derivative is taken inside it (eager/recompute.h).
  nb::class_<ApartFromCheckpoints>(m, "ApartFromCheckpoints")
      .def(nb::init<>())
      .def("__enter__", [](ApartFromCheckpoints& a) { a.scope.emplace(); })
      .def("__exit__",
           [](ApartFromCheckpoints& a, nb::args) { a.scope.reset(); });
  m.def("custom_gradient", &CustomGradient, "forward"_a, "backward"_a,
        "inputs"_a);
  m.def("checkpoint", &Checkpoint, "f"_a, "inputs"_a);
  m.def("gradcheck", &Gradcheck, "f"_a, "inputs"_a, "eps"_a, "tolerance"_a,
        "second_order"_a);
  nb::class_<LanesOf>(m, "LanesOf")
      .def(nb::init<nb::handle, const std::vector<std::optional<int>>&,
                    const std::vector<std::optional<int>>&, std::string>(),
           "f"_a, "in_axes"_a, "out_axes"_a, "name"_a)
      .def("__call__", &LanesOf::Call, "args"_a)
      .def("report", &LanesOf::Report);
}

}  // namespace sluice::py
