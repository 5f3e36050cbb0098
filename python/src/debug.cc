// Session.debug: a step run node by node (front/debug.h).
#include "sluice/front/debug.h"

#include "callback.h"
#include "errors.h"
#include "operand.h"
#include "session.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

nb::object Tensors(const std::vector<Array>& arrays) {
  nb::list list;
  for (const Array& a : arrays) {
    list.append(a ? nb::cast(ResultTensor(a)) : nb::none());
  }
  return list;
}

nb::list Places(const std::vector<DebugPlace>& places) {
  nb::list list;
  for (const DebugPlace& p : places) {
    list.append(nb::make_tuple(p.name, p.iteration));
  }
  return list;
}

// The first exception of a callback ends the run and is raised from it.
struct Raised {
  std::exception_ptr error;
};

// Calls Python with the event; returns its answer.
bool Ask(const Callback& callback, const DebugEvent& event, Raised& raised) {
  if (raised.error) return true;
  TakeGil gil;
  try {
    nb::object answer = callback(nb::cast(event));
    int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) throw nb::python_error();
    return truth != 0;
  } catch (...) {
    raised.error = std::current_exception();
    return true;
  }
}

std::function<DebugAction(const DebugEvent&)> Action(nb::handle callable,
                                                     Raised& raised) {
  if (callable.is_none()) return {};
  return [callback = Callback(callable), &raised](const DebugEvent& event) {
    return Ask(callback, event, raised) ? DebugAction::kStop
                                        : DebugAction::kGoOn;
  };
}

void CheckCallable(nb::handle object, const char* what) {
  if (object.is_none() || PyCallable_Check(object.ptr())) return;
  ThrowTypeError(StrCat(what, " is a ", Py_TYPE(object.ptr())->tp_name,
                        "; wanted a function of a DebugEvent"));
}

struct BreakpointObject {
  std::string node, op, line;
  nb::object condition, action;
};

Breakpoint ToBreakpoint(const BreakpointObject& b, Raised& raised) {
  Breakpoint made{b.node, b.op, b.line, {}, Action(b.action, raised)};
  if (!b.condition.is_none()) {
    made.condition = [callback = Callback(b.condition),
                      &raised](const DebugEvent& event) {
      return Ask(callback, event, raised);
    };
  }
  return made;
}

struct ResultObject {
  DebugResult result;
  nb::object fetches;
};

ResultObject Debug(SessionObject& session, nb::handle fetches, nb::handle feeds,
                   const std::vector<BreakpointObject*>& breakpoints,
                   nb::handle on_step, std::vector<std::string> watches,
                   int64_t max_trace_lines, nb::handle options) {
  CheckCallable(on_step, "on_step");
  Graph& graph = session.graph();
  KeyWords words;
  FetchTree tree(fetches, words);
  std::vector<Fetch> wanted;
  std::vector<Operation> targets;
  std::vector<bool> is_value;
  for (size_t i = 0; i < tree.leaves().size(); ++i) {
    Target found = FindTarget(graph, tree.leaves()[i], {"fetch", i});
    is_value.push_back(!found.run);
    if (found.run) {
      targets.emplace_back(graph, *found.run);
    } else {
      wanted.push_back(Tensor(graph, found.value));
    }
  }
  FeedDict dict(feeds);
  Feeds given;
  for (size_t i = 0; i < dict.keys.size(); ++i) {
    Value to = FeedTarget(graph, dict.keys[i], i);
    FeedValues value;
    AddFeed(to, dict.values[i], value, /*keep=*/true);
    given.push_back({Tensor(graph, to), value.arrays()[0]});
  }
  Raised raised;
  DebugOptions how;
  for (BreakpointObject* b : breakpoints) {
    if (!b) ThrowTypeError("breakpoints holds None; wanted Breakpoints");
    how.breakpoints.push_back(ToBreakpoint(*b, raised));
  }
  how.on_step = Action(on_step, raised);
  how.watches = std::move(watches);
  how.max_trace_lines = max_trace_lines;
  if (const RunOptions* said = OptionsFrom(options)) how.run = *said;
  ResultObject object;
  {
    ReleaseGil released;
    object.result = run_debug(session, wanted, given, how, targets);
  }
  if (raised.error) std::rethrow_exception(raised.error);
  object.fetches = nb::none();
  if (object.result.fetches.size() == wanted.size() &&
      object.result.error.empty() && !object.result.stopped) {
    std::vector<nb::object> results;
    size_t next = 0;
    for (bool value : is_value) {
      results.push_back(
          value ? nb::cast(ResultTensor(object.result.fetches[next++]))
                : nb::none());
    }
    object.fetches = tree.Rebuild(results);
  }
  return object;
}

nb::object Seen(const ResultObject& r, std::string_view name) {
  const auto* seen = r.result.seen(name);
  if (!seen) return nb::none();
  nb::list list;
  for (const DebugResult::Seen& s : *seen) {
    list.append(
        nb::make_tuple(Places(s.places),
                       s.value ? nb::cast(ResultTensor(s.value)) : nb::none()));
  }
  return list;
}

}  // namespace

void BindDebug(nb::module_& m) {
  nb::class_<DebugEvent>(m, "DebugEvent",
                         "An operation that is about to run, or has run.")
      .def_ro("node", &DebugEvent::node, "Its name: \"cell/MatMul\".")
      .def_ro("op", &DebugEvent::op, "\"MatMul\".")
      .def_ro("line", &DebugEvent::line, "The user's line: \"model.py:41\".")
      .def_prop_ro(
          "places", [](const DebugEvent& e) { return Places(e.places); },
          "The loops around it, outermost first: (name, iteration).")
      .def_prop_ro(
          "inputs", [](const DebugEvent& e) { return Tensors(e.inputs); },
          "What it reads, before it runs.")
      .def_prop_ro(
          "outputs", [](const DebugEvent& e) { return Tensors(e.outputs); },
          "What it gave, after it ran; None for what is dead.")
      .def("__repr__", [](const DebugEvent& e) {
        return StrCat("<sluice.DebugEvent ", e.ToString(), ">");
      });

  nb::class_<BreakpointObject>(
      m, "Breakpoint",
      "Stops Session.debug before operations that match all that is given: a "
      "name, an op, a line (\"model.py:41\"), and condition(event). "
      "action(event) says whether to stop; without one it does.")
      .def(
          "__init__",
          [](BreakpointObject* self, std::string node, std::string op,
             std::string line, nb::object condition, nb::object action) {
            CheckCallable(condition, "condition");
            CheckCallable(action, "action");
            new (self) BreakpointObject{std::move(node), std::move(op),
                                        std::move(line), std::move(condition),
                                        std::move(action)};
          },
          "node"_a = "", "op"_a = "", "line"_a = "", "condition"_a = nb::none(),
          "action"_a = nb::none());

  nb::class_<ResultObject>(m, "DebugResult", "What Session.debug saw.")
      .def_prop_ro(
          "fetches", [](const ResultObject& r) { return r.fetches; },
          "What was fetched; None when it did not reach the end.")
      .def_prop_ro(
          "stopped",
          [](const ResultObject& r) -> nb::object {
            return r.result.stopped ? nb::cast(*r.result.stopped) : nb::none();
          },
          "Where it was stopped or failed: a DebugEvent, or None.")
      .def_prop_ro(
          "error", [](const ResultObject& r) { return r.result.error; },
          "What the step failed with; \"\" when it did not.")
      .def_prop_ro(
          "trace", [](const ResultObject& r) { return r.result.trace; },
          "Every operation that ran, under the iterations it ran in.")
      .def("seen", &Seen, "name"_a,
           "All that was seen of a watched value: (places, value).")
      .def(
          "fetch",
          [](const ResultObject& r, std::string_view name,
             const std::vector<int64_t>& iterations) {
            return ResultTensor(r.result.fetch(name, iterations));
          },
          "name"_a, "iterations"_a = std::vector<int64_t>(),
          "A watched value in those iterations of the loops around it, "
          "outermost first.");

  nb::borrow<nb::class_<SessionObject>>(m.attr("Session"))
      .def("debug", &Debug, nb::arg("fetches").none(),
           "feed_dict"_a = nb::none(), nb::kw_only(),
           "breakpoints"_a = std::vector<BreakpointObject*>(),
           "on_step"_a = nb::none(), "watches"_a = std::vector<std::string>(),
           "max_trace_lines"_a = 0, "options"_a = nb::none(),
           "The same step, run one operation at a time with nothing optimised "
           "away. `watches` are names of values to keep, inside of loops too; "
           "`on_step` is called after every operation and says whether to "
           "stop. An error of the step is not raised: see "
           "DebugResult.error.");
}

}  // namespace sluice::py
