// map_fn, scan and the folds on trees of tensors.
#include "sluice/front/sequences.h"

#include "control_flow.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

using front_internal::CodeResult;
using front_internal::LoopSettings;
using front_internal::SequenceResult;

// A function of the carried values and of one element of each sequence.
struct Sequence {
  std::string what;
  nb::object f;
  TreeDef carried, elements;
  std::vector<DType> dtypes;  // of the carried values
  std::vector<bool> weak;
  bool stepped = false;
  TreeDef kept;         // of the last collected values
  bool states = false;  // scan: collects the states themselves
  int64_t iteration = 0;
  bool counts = false;  // it runs eagerly

  nb::object Run(nb::tuple arguments) {
    try {
      nb::object result = CallCode(f, arguments);
      ++iteration;
      return result;
    } catch (nb::python_error& error) {
      if (counts) RethrowFromIteration(error, iteration);
      throw;
    }
  }

  nb::object Element(std::span<const Tensor> in) const {
    return Together(elements, in.subspan(carried.num_leaves()));
  }
  nb::object State(std::span<const Tensor> in) const {
    return Together(carried, in.first(carried.num_leaves()));
  }
  Parts Take(nb::handle tree, std::span<const DType> like) const {
    return TakeParts(tree, what + ": what the function gives", like);
  }
  void CheckState(const Parts& next) {
    if (next.tree == carried) {
      if (!stepped) CheckWeak(dtypes, weak, next.tensors);
      stepped = true;
      return;
    }
    ThrowValueError(StrCat(what, ": the function gives ", next.Text(),
                           " for the state; wanted ",
                           carried.ToString("tensor"), ", as it is given"));
  }

  CodeResult Map(std::span<const Tensor> in) {
    Parts made = Take(Run(nb::make_tuple(Element(in))), {});
    kept = made.tree;
    return {std::move(made.tensors), made.Text()};
  }

  CodeResult Fold(std::span<const Tensor> in) {
    Parts next = Take(Run(nb::make_tuple(State(in), Element(in))), dtypes);
    CheckState(next);
    return {std::move(next.tensors), next.Text()};
  }

  CodeResult Scan(std::span<const Tensor> in) {
    nb::object result = Run(nb::make_tuple(State(in), Element(in)));
    std::vector<nb::object> leaves;
    states = TreeDef::Flatten(result, leaves) == carried;
    if (states) {
      Parts next = Take(result, dtypes);
      CheckState(next);
      kept = next.tree;
      std::vector<Tensor> out = next.tensors;
      out.insert(out.end(), next.tensors.begin(), next.tensors.end());
      return {std::move(out), next.Text()};
    }
    bool pair = (PyTuple_Check(result.ptr()) || PyList_Check(result.ptr())) &&
                nb::len(result) == 2;
    if (!pair) {
      ThrowValueError(
          StrCat(what, ": the function gives ", Take(result, {}).Text(),
                 "; wanted the next state, ", carried.ToString("tensor"),
                 ", or a pair of what is to be kept and the next state"));
    }
    nb::object first = result[0], second = result[1];
    leaves.clear();
    TreeDef given = TreeDef::Flatten(second, leaves);
    if (!(given == carried)) {
      leaves.clear();
      bool swapped = TreeDef::Flatten(first, leaves) == carried;
      ThrowValueError(
          StrCat(what, ": the function gives ", given.ToString("tensor"),
                 " for the state; wanted ", carried.ToString("tensor"),
                 swapped ? ": what is kept comes first, the next state second"
                         : ", as it is given"));
    }
    Parts next = Take(second, dtypes);
    CheckState(next);
    Parts keeps = Take(first, {});
    kept = keeps.tree;
    std::vector<Tensor> out = std::move(next.tensors);
    out.insert(out.end(), keeps.tensors.begin(), keeps.tensors.end());
    return {std::move(out), StrCat("(", keeps.Text(), ", ", next.Text(), ")")};
  }
};

// The sequences to iterate over. A list of numbers only is a single literal
// sequence.
Parts TakeSequences(nb::handle xs, const std::string& what) {
  Parts parts = TakeParts(xs, what);
  bool numbers = PyList_Check(xs.ptr()) && !parts.weak.empty();
  for (bool weak : parts.weak) numbers = numbers && weak;
  return numbers ? TakeParts(nb::cast(ToTensor(xs, what)), what) : parts;
}

struct Asked {
  std::string what;
  nb::object f;
  nb::object xs;
  bool reverse;
  LoopSettings settings;
};

Sequence Begin(const Asked& asked, const Parts& elements) {
  Sequence s;
  s.what = asked.what;
  s.f = asked.f;
  s.elements = elements.tree;
  return s;
}

template <class Step>
SequenceResult Run(const Asked& asked, std::shared_ptr<Sequence> sequence,
                   Step step, std::vector<Tensor> carried,
                   std::vector<Tensor> elements) {
  std::vector<Tensor> all = carried;
  all.insert(all.end(), elements.begin(), elements.end());
  sequence->counts = front_internal::RunsNow(all);
  front_internal::Code code = [sequence, step](const std::vector<Tensor>& in) {
    TakeGil gil;
    return ((*sequence).*step)(in);
  };
  return front_internal::RunSequence(
      {asked.what.c_str(), code, std::move(carried), std::move(elements),
       asked.reverse, asked.settings, std::source_location::current()});
}

nb::object MapFn(nb::object f, nb::object xs, nb::handle save, std::string name,
                 int64_t parallel) {
  Asked asked{"map_fn", f, xs, false,
              Settings(save, std::move(name), parallel, -1)};
  Parts elements = TakeSequences(xs, "map_fn: xs");
  auto sequence = UnderGil(Begin(asked, elements));
  SequenceResult result =
      Run(asked, sequence, &Sequence::Map, {}, elements.tensors);
  return Together(sequence->kept, result.collected);
}

// scan and the folds, which differ in what they collect.
nb::object Carry(const Asked& asked, nb::handle init, const Parts& elements) {
  bool scans = asked.what == "scan";
  std::vector<DType> types;
  for (;;) {
    Parts start = TakeParts(init, asked.what + ": init", types);
    auto sequence = UnderGil(Begin(asked, elements));
    sequence->carried = start.tree;
    sequence->weak = start.weak;
    for (const Tensor& t : start.tensors) {
      sequence->dtypes.push_back(t.dtype());
    }
    try {
      SequenceResult result =
          Run(asked, sequence, scans ? &Sequence::Scan : &Sequence::Fold,
              start.tensors, elements.tensors);
      if (!scans) return Together(start.tree, result.carried);
      nb::object kept = Together(sequence->kept, result.collected);
      if (sequence->states) return kept;
      return nb::make_tuple(kept, Together(start.tree, result.carried));
    } catch (const OtherTypes& other) {
      types = other.dtypes;
    }
  }
}

nb::object Scan(nb::object f, nb::handle init, nb::object xs, bool reverse,
                nb::handle save, std::string name, int64_t parallel) {
  Asked asked{"scan", f, xs, reverse,
              Settings(save, std::move(name), parallel, -1)};
  return Carry(asked, init, TakeSequences(xs, "scan: xs"));
}

nb::object Fold(nb::object f, nb::object xs, nb::handle init, bool given,
                bool reverse, nb::handle save, std::string name,
                int64_t parallel) {
  Asked asked{reverse ? "foldr" : "foldl", f, xs, reverse,
              Settings(save, std::move(name), parallel, -1)};
  Parts elements = TakeSequences(xs, asked.what + ": xs");
  if (given) return Carry(asked, init, elements);
  auto [head, rest] =
      front_internal::HeadAndRest(asked.what.c_str(), elements.tensors, reverse,
                                  std::source_location::current());
  elements.tensors = std::move(rest);
  return Carry(asked, Together(elements.tree, head), elements);
}

}  // namespace

void BindSequences(nb::module_& m) {
  m.def("map_fn", &MapFn, "f"_a, "xs"_a, "save"_a, "name"_a,
        "parallel_iterations"_a);
  m.def("scan", &Scan, "f"_a, "init"_a.none(), "xs"_a, "reverse"_a, "save"_a,
        "name"_a, "parallel_iterations"_a);
  m.def("fold", &Fold, "f"_a, "xs"_a, "init"_a.none(), "given"_a, "reverse"_a,
        "save"_a, "name"_a, "parallel_iterations"_a);
}

}  // namespace sluice::py
