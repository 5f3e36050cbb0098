// The class of captured functions: called directly by the interpreter
// (vectorcall), and bound to objects when used as a method, with separate
// recordings for each object.

#include <cstddef>

#include "bindings.h"
#include "errors.h"
#include "function_state.h"
#include "operand.h"
#include "recorder.h"
#include "self_call.h"
#include "sluice/base/strings.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/region_draft.h"
#include "tensor.h"

namespace sluice::py {

namespace {

struct Instance {
  nb::object weak;      // the object it belongs to
  nb::object function;  // that object's function
};

struct CapturedFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject* dict;
  PyObject* weak_references;
  std::shared_ptr<FunctionState>* state;
  // For a method: by the address of its object. Entries of dead objects are
  // removed when the next one is added.
  std::unordered_map<PyObject*, Instance>* instances;
};

// Kept for good.
PyTypeObject* type = nullptr;
PyObject* ledger = nullptr;  // makes what traces() returns

CapturedFunction* Of(PyObject* self) {
  return reinterpret_cast<CapturedFunction*>(self);
}

// Runs f(args, count) on the state, which the caller keeps alive by holding the
// function. A bound function's first argument is its object, which it knows.
template <class F>
PyObject* Guarded(PyObject* self, PyObject* const* args, size_t count, F f) {
  try {
    FunctionState& state = **Of(self)->state;
    if (state.bound() && count > 0) {
      ++args;
      --count;
    }
    return f(state, args, count).release().ptr();
  } catch (const front_internal::UnknownResults&) {
    SetUnknownResults();
  } catch (...) {
    SetPythonError();
  }
  return nullptr;
}

PyObject* Get(PyObject* self, PyObject* object, PyObject*);

// For a function of one object that is called with another: a method taken
// apart and bound again, as copy.deepcopy does. Null for the object's own
// function.
PyObject* OfOther(PyObject* self, PyObject* const* args, size_t count) {
  FunctionState& state = **Of(self)->state;
  if (count == 0 || !state.bound() || state.belongs_to(args[0])) return nullptr;
  PyObject* method = Get(self, args[0], nullptr);
  if (method && PyMethod_GET_FUNCTION(method) == self) {
    Py_DECREF(method);
    ThrowTypeError(
        "a captured method was bound to an object that cannot be "
        "referred to weakly; wanted one of its own object");
  }
  if (!method) throw nb::python_error();
  return method;
}

PyObject* Call(PyObject* self, PyObject* const* args, size_t flags,
               PyObject* keywords) {
  try {
    size_t count = static_cast<size_t>(PyVectorcall_NARGS(flags));
    nb::object other = nb::steal(OfOther(self, args, count));
    if (other.is_valid()) {
      return PyObject_Vectorcall(other.ptr(), args + 1, count - 1, keywords);
    }
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
  return Guarded(self, args, static_cast<size_t>(PyVectorcall_NARGS(flags)),
                 [&](FunctionState& state, PyObject* const* rest, size_t n) {
                   return state.Call(rest, n, keywords);
                 });
}

PyObject* New(const FunctionOptionsInPython& options, nb::object instance) {
  PyObject* made = type->tp_alloc(type, 0);
  if (!made) throw nb::python_error();
  CapturedFunction* f = Of(made);
  f->call = &Call;
  nb::object owned = nb::steal(made);
  f->state = new std::shared_ptr<FunctionState>(
      std::make_shared<FunctionState>(options, std::move(instance)));
  f->instances = new std::unordered_map<PyObject*, Instance>();
  return owned.release().ptr();
}

// The report of f.explain(x) and the like on a call; for a method,
// obj.f.explain(x), the object is not among the arguments.
template <auto kAsk>
PyObject* Ask(PyObject* self, PyObject* const* args, Py_ssize_t count,
              PyObject* keywords) {
  try {
    std::shared_ptr<FunctionState> state = *Of(self)->state;
    auto said = ((*state).*kAsk)(args, static_cast<size_t>(count), keywords);
    return nb::cast(std::move(said)).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

PyObject* Traces(PyObject* self, PyObject*) {
  try {
    std::shared_ptr<FunctionState> state = *Of(self)->state;
    nb::list rows;
    for (const TraceInfo& t : state->traces()) {
      rows.append(nb::make_tuple(t.signature, t.why, t.milliseconds, t.nodes,
                                 t.captured, t.calls));
    }
    return nb::borrow(ledger)(state->options().name, rows).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

// obj.f: a method whose function belongs to this object. Objects without weak
// references are passed as ordinary arguments.
PyObject* Get(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) {
    Py_INCREF(self);
    return self;
  }
  try {
    auto& instances = *Of(self)->instances;
    auto found = instances.find(object);
    if (found != instances.end() && found->second.weak().is(object)) {
      return PyMethod_New(found->second.function.ptr(), object);
    }
    nb::object weak = nb::steal(PyWeakref_NewRef(object, nullptr));
    if (!weak.is_valid()) {
      PyErr_Clear();
      return PyMethod_New(self, object);
    }
    std::erase_if(instances,
                  [](auto& entry) { return entry.second.weak().is_none(); });
    nb::object own = nb::steal(New((*Of(self)->state)->options(), weak));
    if (Of(self)->dict) {
      Of(own.ptr())->dict = PyDict_Copy(Of(self)->dict);
    }
    instances[object] = {weak, own};
    return PyMethod_New(own.ptr(), object);
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

PyObject* Repr(PyObject* self) {
  return PyUnicode_FromString(
      StrCat("<sluice function ", (*Of(self)->state)->options().name, ">")
          .c_str());
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(Of(self)->dict);
  if (Of(self)->instances) {
    for (auto& [object, own] : *Of(self)->instances) {
      Py_VISIT(own.function.ptr());
    }
  }
  // State shared with a recorded call must not be released here.
  if (Of(self)->state && Of(self)->state->use_count() >= 1) {
    return (*Of(self)->state)->Visit(visit, arg);
  }
  return 0;
}

int Clear(PyObject* self) {
  Py_CLEAR(Of(self)->dict);
  if (Of(self)->instances) Of(self)->instances->clear();
  if (Of(self)->state) (*Of(self)->state)->Clear();
  return 0;
}

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (Of(self)->weak_references) PyObject_ClearWeakRefs(self);
  Py_CLEAR(Of(self)->dict);
  delete Of(self)->instances;
  if (Of(self)->state) {
    (*Of(self)->state)->Close();
    delete Of(self)->state;
  }
  PyTypeObject* its_type = Py_TYPE(self);
  its_type->tp_free(self);
  Py_DECREF(its_type);
}

PyObject* Reduce(PyObject* self, PyObject*) {
  // Pickled by its name in its module, like functions.
  return PyObject_GetAttrString(self, "__qualname__");
}

template <class F>
PyCFunction AsMethod(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CapturedFunction, call),
     READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CapturedFunction, dict), READONLY,
     nullptr},
    {"__weaklistoffset__", T_PYSSIZET,
     offsetof(CapturedFunction, weak_references), READONLY, nullptr},
    {}};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict,
                         PyObject_GenericSetDict, nullptr, nullptr},
                        {}};
PyMethodDef methods[] = {
    {"traces", Traces, METH_NOARGS,
     "traces()\n--\n\nWhat was recorded: one entry for each trace, with its\n"
     "signature, the reason for it, milliseconds, nodes, captured tensors and\n"
     "calls. Prints as a table."},
    {"plan_memory", AsMethod(&Ask<&FunctionState::PlanMemory>),
     METH_FASTCALL | METH_KEYWORDS,
     "plan_memory(*args, **kwargs)\n--\n\nWhat a call with these arguments has "
     "live at most, before it runs: a MemoryForecast."},
    {"explain", AsMethod(&Ask<&FunctionState::Explain>),
     METH_FASTCALL | METH_KEYWORDS,
     "explain(*args, **kwargs)\n--\n\nThe plan behind a call with these "
     "arguments, as text."},
    {"graph", AsMethod(&Ask<&FunctionState::GraphText>),
     METH_FASTCALL | METH_KEYWORDS,
     "graph(*args, **kwargs)\n--\n\nThe graph behind a call with these "
     "arguments, as text."},
    {"__reduce__", Reduce, METH_NOARGS, nullptr},
    {}};
PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(&Get)},
    {Py_tp_repr, reinterpret_cast<void*>(&Repr)},
    {Py_tp_traverse, reinterpret_cast<void*>(&Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(&Clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&Dealloc)},
    {Py_tp_members, members},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_doc,
     const_cast<char*>("Python code captured as graphs: what sl.function "
                       "makes.")},
    {0, nullptr}};
PyType_Spec spec = {"sluice.Function", sizeof(CapturedFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

namespace {

// print(t) in unconverted recorded code prints once, without elements.
nb::object Printed(nb::handle self) {
  static bool said = false;
  if (said || !AsTensor(self).symbolic() || !Capture::Current()) {
    return nb::repr(self);
  }
  nb::object recorder = CurrentRecorder();
  if (!recorder.is_valid() || !nb::cast<bool>(recorder.attr("converted"))) {
    said = true;
    if (PyErr_WarnEx(PyExc_UserWarning,
                     "the text of a tensor in a function being recorded shows "
                     "no elements, and is made once, not at every call; wanted "
                     "sl.print(t) for those",
                     1) != 0) {
      throw nb::python_error();
    }
  }
  return nb::repr(self);
}

}  // namespace

void BindFunction(nb::module_& m) {
  BindSelfCall(m);
  TensorClass().def("__str__", &Printed);
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!type) throw nb::python_error();
  m.attr("Function") = nb::handle(reinterpret_cast<PyObject*>(type));
  m.def(
      "make_function",
      [](nb::object code, nb::object signature, nb::object convert,
         std::string name, int64_t max_traces, bool one_graph) {
        if (max_traces < 1) {
          ThrowValueError(StrCat("function: max_traces is ", max_traces,
                                 "; wanted at least 1"));
        }
        return nb::steal(New({code, signature, convert, std::move(name),
                              static_cast<size_t>(max_traces), one_graph},
                             {}));
      },
      "code"_a, "signature"_a, "convert"_a.none(), "name"_a, "max_traces"_a,
      "one_graph"_a = false);
  m.def(
      "set_ledger", [](nb::object make) { ledger = make.release().ptr(); },
      "make"_a);
}

}  // namespace sluice::py
