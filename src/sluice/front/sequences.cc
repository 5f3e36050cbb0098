#include "sluice/front/sequences.h"

#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/foreign_error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/index.h"
#include "sluice/eager/scope.h"
#include "sluice/eager/sizes.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/trace/region_draft.h"
#include "sluice/trace/run_loop_now.h"
#include "sluice/trace/step_types.h"

namespace sluice::front_internal {

namespace {

Tensor One(std::string_view op, std::vector<Operand> inputs, const Attrs& attrs,
           std::source_location where) {
  return CallOne(op, inputs, attrs, "", where);
}

// The shape of one element of a sequence.
PartialShape ElementShape(const PartialShape& shape) {
  if (!shape.rank_known()) return {};
  std::vector<int64_t> dims(shape.dims().begin() + 1, shape.dims().end());
  return PartialSizes(dims).shape();
}

// The length all sequences have, -1 when it is not known before the run.
int64_t CommonLength(const SequenceCall& call) {
  if (call.sequences.empty()) {
    Refuse(call.what, "there is no sequence", call.where);
  }
  int64_t length = -1;
  for (const Tensor& x : call.sequences) {
    if (!x.defined()) Refuse(call.what, "a sequence holds nothing", call.where);
    PartialShape shape = x.shape();
    if (!shape.rank_known()) continue;
    if (shape.rank() == 0) {
      Refuse(call.what,
             StrCat("a sequence is ", TypeText(x.dtype(), shape),
                    "; wanted at least one axis"),
             call.where);
    }
    int64_t here = shape[0];
    if (here < 0) continue;
    if (length >= 0 && here != length) {
      Refuse(call.what,
             StrCat("sequences have ", length, " and ", here,
                    " elements; wanted equal lengths"),
             call.where);
    }
    length = here;
  }
  return length;
}

// What the step gives, without running it.
StepTypes TypesOf(const SequenceCall& call) {
  std::vector<ValueType> args;
  for (const Tensor& t : call.carried) args.push_back({t.dtype(), t.shape()});
  for (const Tensor& x : call.sequences) {
    args.push_back({x.dtype(), ElementShape(x.shape())});
  }
  std::vector<Tensor> around = call.carried;
  around.insert(around.end(), call.sequences.begin(), call.sequences.end());
  return TypesOfStep({call.what, call.step, std::move(args),
                      call.carried.size(), std::move(around), call.where});
}

// The code is called for every element, or again: it gives as much each time.
void CheckSame(const SequenceCall& call, size_t before, size_t got) {
  if (got == before) return;
  Refuse(call.what,
         StrCat("the function returns ", got, " tensors and has returned ",
                before, " before; wanted as many each time"),
         call.where);
}

void CheckCount(const SequenceCall& call, size_t got) {
  if (got >= call.carried.size()) return;
  Refuse(call.what,
         StrCat("the function returns ", got, " tensors; wanted the ",
                call.carried.size(), " it carries"),
         call.where);
}

SequenceResult RunSequenceNow(const SequenceCall& call, int64_t length) {
  RefuseToRepeat(call.what, call.settings, call.where);
  SequenceResult result;
  result.carried = call.carried;
  std::vector<std::vector<Tensor>> rows, elements;
  // Taken apart once: the gradients of all elements are put together once.
  for (const Tensor& x : call.sequences) {
    if (length == 0) break;
    elements.push_back(CallMany("Unstack", std::vector<Operand>{x},
                                {{"num", length}}, "", call.where));
  }
  for (int64_t k = 0; k < length; ++k) {
    int64_t at = call.reverse ? length - 1 - k : k;
    std::vector<Tensor> in = result.carried;
    for (const std::vector<Tensor>& x : elements) {
      in.push_back(x[static_cast<size_t>(at)]);
    }
    CodeResult out;
    try {
      out = call.step(in);
    } catch (const Error& error) {
      throw Error(Status(error.code(), error.what())
                      .WithLine(StrCat("in iteration ", k, " of the loop at ",
                                       SourceLine::From(call.where))));
    } catch (...) {
      AddToForeignError(StrCat("in iteration ", k, " of the loop at ",
                               SourceLine::From(call.where)));
      throw;
    }
    CheckCount(call, out.tensors.size());
    size_t n = call.carried.size();
    if (k > 0) CheckSame(call, n + rows.size(), out.tensors.size());
    rows.resize(out.tensors.size() - n);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].push_back(out.tensors[n + i]);
    }
    result.carried = Part(out.tensors, 0, n);
  }
  if (length == 0) {
    for (const ValueType& type : TypesOf(call).collected) {
      std::vector<int64_t> dims{0};
      for (int64_t d : type.shape.dims()) dims.push_back(d < 0 ? 0 : d);
      result.collected.push_back(Tensor(
          MakeRef<EagerValue>(Array::Zeros(type.dtype, Sizes(dims).shape()))));
    }
    return result;
  }
  for (std::vector<Tensor>& list : rows) {
    if (call.reverse) std::reverse(list.begin(), list.end());
    std::vector<Operand> parts;
    for (const Tensor& t : list) parts.emplace_back(t, call.where);
    result.collected.push_back(One("Stack", parts, {}, call.where));
  }
  return result;
}

// The number of iterations. Lengths known only when it runs are compared then:
// a loop over the shorter one would leave elements out and say nothing.
Tensor LengthInGraph(const SequenceCall& call, int64_t length) {
  const std::source_location where = call.where;
  Tensor n;
  if (length >= 0) n = One("Identity", {Operand(length, where)}, {}, where);
  std::vector<Operation> checks;
  for (const Tensor& x : call.sequences) {
    PartialShape shape = x.shape();
    if (shape.rank_known() && shape[0] >= 0) continue;
    Tensor here = One(
        "Gather", {One("Shape", {x}, {}, where), Operand(int64_t{0}, where)},
        {}, where);
    if (!n.defined()) {
      n = here;
      continue;
    }
    Tensor equal = One("Equal", {here, n}, {}, where);
    checks.push_back(CallOperation(
        "Assert", std::vector<Operand>{equal, n, here},
        {{"message", StrCat("the sequences of ", call.what,
                            " differ in length; wanted equal lengths")}},
        "", where));
  }
  if (checks.empty()) return n;
  ControlScope after(checks);
  return One("Identity", {n}, {}, where);
}

// Element `at` of a sequence, in a loop. Of floats by way of a list: nothing is
// copied, and what an element adds to the gradient is of its size alone.
struct ElementsInGraph {
  ElementsInGraph(const Tensor& x, std::source_location where)
      : x(x), as_list(IsFloating(x.dtype())) {
    if (as_list) this->x = One("ListUnstack", {x}, {}, where);
    attrs = {{"dtype", x.dtype()}, {"shape", ElementShape(x.shape())}};
  }
  Tensor At(const Tensor& at, std::source_location where) const {
    if (as_list) return One("ListGet", {x, at}, attrs, where);
    return One("Gather", {x, at}, {}, where);
  }

  Tensor x;
  bool as_list;
  Attrs attrs;
};

SequenceResult RecordSequence(const SequenceCall& call, int64_t length) {
  StepTypes types = TypesOf(call);
  CheckCount(call, types.carried.size());
  const std::source_location where = call.where;
  Tensor n = LengthInGraph(call, length);
  size_t num_carried = call.carried.size();
  std::vector<Tensor> inits{ZeroLike(n, where)};
  inits.insert(inits.end(), call.carried.begin(), call.carried.end());
  for (const ValueType& type : types.collected) {
    inits.push_back(One("ListNew", {n},
                        {{"dtype", type.dtype}, {"shape", type.shape}}, where));
  }
  std::vector<ElementsInGraph> elements;
  for (const Tensor& x : call.sequences) elements.emplace_back(x, where);
  Code cond = [&](const std::vector<Tensor>& v) -> CodeResult {
    return {{Below(v[0], n, where)}, "tensor"};
  };
  Code body = [&](const std::vector<Tensor>& v) -> CodeResult {
    Tensor at = v[0];
    if (call.reverse) {
      Tensor past = One("Sub", {n, v[0]}, {}, where);
      at = One("Sub", {past, Operand(1, where)}, {}, where);
    }
    std::vector<Tensor> in = Part(v, 1, 1 + num_carried);
    for (const ElementsInGraph& x : elements) in.push_back(x.At(at, where));
    CodeResult out = call.step(in);
    CheckSame(call, num_carried + types.collected.size(), out.tensors.size());
    std::vector<Tensor> next{PlusOne(v[0], where)};
    for (size_t i = 0; i < out.tensors.size(); ++i) {
      if (i < num_carried) {
        next.push_back(out.tensors[i]);
      } else {
        next.push_back(
            One("ListSet", {v[1 + i], at, out.tensors[i]}, {}, where));
      }
    }
    return {std::move(next), "carried"};
  };
  LoopSettings settings = call.settings;
  if (settings.name.empty()) settings.name = call.what;
  std::vector<Tensor> last =
      RunLoop(cond, body, inits, "carried", settings, where);
  SequenceResult result;
  result.carried = Part(last, 1, 1 + num_carried);
  for (size_t i = 0; i < types.collected.size(); ++i) {
    const ValueType& type = types.collected[i];
    result.collected.push_back(
        One("ListStack", {last[1 + num_carried + i]},
            {{"dtype", type.dtype}, {"shape", type.shape}, {"size", length}},
            where));
  }
  return result;
}

}  // namespace

SequenceResult RunSequence(const SequenceCall& call) {
  int64_t length = CommonLength(call);
  if (std::string wrong = call.settings.save.Wrong(); !wrong.empty()) {
    Refuse(call.what, wrong, call.where);
  }
  std::vector<Tensor> all = call.carried;
  all.insert(all.end(), call.sequences.begin(), call.sequences.end());
  if (RunsNow(all)) return RunSequenceNow(call, length);
  return RecordSequence(call, length);
}

std::pair<std::vector<Tensor>, std::vector<Tensor>> HeadAndRest(
    const char* what, const std::vector<Tensor>& sequences, bool reverse,
    std::source_location where) {
  std::vector<Tensor> head, rest;
  for (const Tensor& x : sequences) {
    if (!x.defined()) Refuse(what, "a sequence holds nothing", where);
    if (x.shape().rank_known() && x.rank() > 0 && x.dim(0) == 0) {
      Refuse(what,
             "the sequence is empty and there is no initial value; wanted one "
             "of them",
             where);
    }
    head.push_back(x.at({Index(reverse ? -1 : 0)}, where));
    rest.push_back(x.at({reverse ? slice_to(-1) : slice_from(1)}, where));
  }
  return {std::move(head), std::move(rest)};
}

}  // namespace sluice::front_internal
