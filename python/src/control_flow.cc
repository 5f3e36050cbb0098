// Branches on trees of tensors, and the save option of loops. _capture.py
// supplies their arguments and defaults.
#include "control_flow.h"

#include "bindings.h"
#include "errors.h"
#include "op_call.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/scope.h"
#include "sluice/trace/capture.h"

namespace sluice::py {

namespace {

using front_internal::BranchOutcome;
using front_internal::Code;
using front_internal::CodeResult;

// A predicate as a bool scalar. Numbers are true unless they are zero, as in
// Python.
Tensor Predicate(nb::handle object) {
  Tensor t = ToTensor(object, "cond: pred");
  if (t.dtype() != DType::kBool) {
    if (!kNumbers.contains(t.dtype())) {
      ThrowTypeError(StrCat("cond: pred is ", TypeText(t.dtype(), t.shape()),
                            "; wanted a scalar of bool"));
    }
    Given zero{{}, Array::Scalar<int64_t>(0), true};
    t = CallOne("NotEqual", {{t, {}, false}, zero});
  }
  return t;
}

Tensor Index(nb::handle object) {
  Tensor t = ToTensor(object, "switch: index");
  if (!IsInteger(t.dtype()) && t.dtype() != DType::kBool) {
    ThrowTypeError(StrCat("switch: index is ", TypeText(t.dtype(), t.shape()),
                          "; wanted a scalar of int64"));
  }
  if (t.dtype() == DType::kI64 || t.dtype() == DType::kI32) return t;
  return CallOne("Cast", {{t, {}, false}}, {{"dtype", DType::kI64}});
}

// An axis of size one can be dropped.
Tensor WithoutAxes(Tensor t) {
  if (!t.shape().rank_known() || t.rank() == 0 || t.num_elements() != 1) {
    return t;
  }
  Given none{{}, Array::Zeros(DType::kI64, Shape({0})), false};
  return CallOne("Reshape", {{t, {}, false}, none});
}

// The branches of one call. Numbers that one returns take the type of another
// branch's result in the same position.
class Branches {
 public:
  Branches(std::string what, nb::tuple operands)
      : what_(std::move(what)), operands_(std::move(operands)) {}

  // Compares the results of a branch with those recorded before; true if an
  // earlier branch must be recorded again with better-known types.
  Code Of(nb::handle callable) {
    return [this, callable](const std::vector<Tensor>&) -> CodeResult {
      nb::object result = CallCode(callable, operands_);
      last_ = TakeParts(result, what_, types_);
      Compare();
      return {last_.tensors, last_.Text()};
    };
  }

  void Begin() { first_.reset(); }
  const Parts& last() const { return last_; }

 private:
  void Compare() {
    if (!first_) {
      first_ = last_;
      types_.resize(last_.tensors.size(), DType::kInvalid);
      return;
    }
    if (first_->tensors.size() != last_.tensors.size()) return;
    bool again = false;
    for (size_t k = 0; k < last_.tensors.size(); ++k) {
      DType before = first_->tensors[k].dtype();
      DType now = last_.tensors[k].dtype();
      if (before == now) continue;
      if (last_.weak[k] && Fits(now, before)) {
        types_[k] = before;
        again = true;
      } else if (first_->weak[k] && Fits(before, now)) {
        types_[k] = now;
        again = true;
      }
    }
    if (again) throw OtherTypes{types_};
  }

  std::string what_;
  nb::tuple operands_;
  std::vector<DType> types_;
  std::optional<Parts> first_;
  Parts last_;
};

// Leaves that were tensors remain the same objects.
nb::object AsReturned(const Parts& parts) {
  std::vector<nb::object> leaves = parts.leaves;
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (!IsTensor(leaves[k])) leaves[k] = nb::cast(parts.tensors[k]);
  }
  return parts.tree.Unflatten(leaves);
}

nb::object RunBranches(const std::string& what, nb::handle chooser,
                       nb::list callables, nb::tuple operands,
                       bool has_default) {
  Tensor decides =
      WithoutAxes(what == "cond" ? Predicate(chooser) : Index(chooser));
  Branches branches(what + ": a branch's result", std::move(operands));
  std::vector<Code> codes;
  for (nb::handle callable : callables) codes.push_back(branches.Of(callable));
  for (;;) {
    try {
      branches.Begin();
      BranchOutcome outcome = front_internal::RunBranch(
          decides, codes, has_default, std::source_location::current());
      if (!outcome.node) return AsReturned(branches.last());
      // In a graph run by a session, a result without values is an operation.
      if (outcome.tensors.empty() && !Capture::Current()) {
        return nb::cast(outcome.node);
      }
      return Together(branches.last().tree, outcome.tensors);
    } catch (const OtherTypes&) {
      continue;
    }
  }
}

}  // namespace

void CheckWeak(const std::vector<DType>& carried, const std::vector<bool>& weak,
               std::span<const Tensor> next) {
  if (next.size() < carried.size()) return;
  OtherTypes other{carried};
  for (size_t k = 0; k < carried.size(); ++k) {
    DType now = next[k].dtype();
    if (now == carried[k] || !weak[k] || !Fits(carried[k], now)) continue;
    other.dtypes[k] = now;
  }
  if (other.dtypes != carried) throw other;
}

front_internal::LoopSettings Settings(nb::handle save, std::string name,
                                      int64_t parallel, int64_t maximum) {
  front_internal::LoopSettings settings;
  settings.name = std::move(name);
  settings.parallel = parallel;
  settings.maximum = maximum;
  if (nb::isinstance<Save>(save)) {
    settings.save = nb::cast<Save>(save);
  } else if (PyUnicode_Check(save.ptr())) {
    settings.save = Save(nb::cast<std::string>(save));
  } else {
    ThrowTypeError(StrCat("save is a ", Py_TYPE(save.ptr())->tp_name,
                          "; wanted \"device\", \"recompute\" or "
                          "sl.budget(bytes)"));
  }
  return settings;
}

void BindControlFlow(nb::module_& m) {
  nb::class_<Save>(m, "Save", "What a loop keeps for its gradient.")
      .def_prop_ro("how", &Save::how)
      .def_prop_ro("bytes", &Save::bytes)
      .def("__repr__", [](const Save& s) {
        return s.bytes() > 0 ? StrCat("budget(", s.bytes(), ")")
                             : StrCat("Save('", s.how(), "')");
      });
  auto checked = [](Save save) {
    if (std::string wrong = save.Wrong(); !wrong.empty()) {
      ThrowValueError("budget: " + wrong);
    }
    return save;
  };
  m.def(
      "budget", [checked](int64_t bytes) { return checked(budget(bytes)); },
      "bytes"_a);
  m.def(
      "budget",
      [checked](std::string_view bytes) { return checked(budget(bytes)); },
      "bytes"_a);
  m.def("run_branches", &RunBranches, "what"_a, "chooser"_a, "branches"_a,
        "operands"_a, "has_default"_a);
  BindLoops(m);
  BindSequences(m);
}

}  // namespace sluice::py
