// while_loop on trees of tensors.
#include "control_flow.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

using front_internal::Code;
using front_internal::CodeResult;
using front_internal::LoopSettings;

// One loop: its code and its carried values, a tuple. The body may be called
// long after the loop has ended, for gradients that recompute.
struct Loop {
  nb::object cond, body;
  size_t count = 0;  // of carried values
  TreeDef tree;      // of the tuple
  std::vector<DType> dtypes;
  std::vector<bool> weak;
  bool stepped = false;
  int64_t iteration = 0;  // of an eager loop that runs once
  bool counts = false;

  nb::object Run(nb::handle code, const std::vector<Tensor>& carried) {
    try {
      return CallCode(code, Together(tree, carried));
    } catch (nb::python_error& error) {
      if (counts) RethrowFromIteration(error, iteration);
      throw;
    }
  }

  CodeResult Test(const std::vector<Tensor>& carried) {
    nb::object more = Run(cond, carried);
    return {{ToTensor(more, "while_loop: what the condition gives")}, "tensor"};
  }

  CodeResult Step(const std::vector<Tensor>& carried) {
    nb::object next = Run(body, carried);
    ++iteration;
    Parts parts =
        TakeParts(AsTuple(next), "while_loop: what the body gives", dtypes);
    if (parts.tree == tree && !stepped) CheckWeak(dtypes, weak, parts.tensors);
    stepped = true;
    return {std::move(parts.tensors), parts.Text()};
  }

  // Several values are returned as a tuple or a list, a single one as itself.
  nb::object AsTuple(const nb::object& next) const {
    if (count == 0 && next.is_none()) return nb::make_tuple();
    bool sequence = PyTuple_Check(next.ptr()) || PyList_Check(next.ptr());
    if (count != 1) {
      if (sequence && nb::len(next) == count) return nb::tuple(next);
      return next;
    }
    nb::tuple alone = nb::make_tuple(next);
    if (!sequence || nb::len(next) != 1) return alone;
    std::vector<nb::object> leaves;
    if (TreeDef::Flatten(alone, leaves) == tree) return alone;
    return nb::tuple(next);
  }
};

nb::object WhileLoop(nb::object cond, nb::object body, nb::tuple init,
                     nb::handle save, std::string name, int64_t parallel,
                     int64_t maximum) {
  LoopSettings settings = Settings(save, std::move(name), parallel, maximum);
  // The code is kept alive as long as it may be called.
  settings.repeatable = true;
  std::vector<DType> types;
  for (;;) {
    Parts start = TakeParts(init, "while_loop: an initial value", types);
    auto loop =
        UnderGil(Loop{cond, body, nb::len(init), start.tree, {}, start.weak});
    for (const Tensor& t : start.tensors) loop->dtypes.push_back(t.dtype());
    loop->counts = front_internal::RunsNow(start.tensors) &&
                   settings.save.how() == "device";
    Code test = [loop](const std::vector<Tensor>& carried) {
      TakeGil gil;
      return loop->Test(carried);
    };
    Code step = [loop](const std::vector<Tensor>& carried) {
      TakeGil gil;
      return loop->Step(carried);
    };
    try {
      std::vector<Tensor> last =
          front_internal::RunLoop(test, step, start.tensors, start.Text(),
                                  settings, std::source_location::current());
      return Together(start.tree, last);
    } catch (const OtherTypes& other) {
      types = other.dtypes;
    }
  }
}

}  // namespace

void BindLoops(nb::module_& m) {
  m.def("while_loop", &WhileLoop, "cond"_a, "body"_a, "init"_a, "save"_a,
        "name"_a, "parallel_iterations"_a, "maximum_iterations"_a);
}

}  // namespace sluice::py
