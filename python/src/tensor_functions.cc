#include "tensor_functions.h"

#include <cstddef>

#include "errors.h"
#include "op_call.h"
#include "operand.h"
#include "out_argument.h"

namespace sluice::py {

namespace {

struct Function {
  PyObject_HEAD vectorcallfunc call;
  PyObject* fast;     // an op's function, or null
  PyObject* slow;     // supports all but name= and out=
  PyObject* names;    // keywords that `fast` also accepts
  Py_ssize_t places;  // how many positional arguments it accepts
  bool own_name;      // `slow` supports name=, too
};

Function* Of(PyObject* o) { return reinterpret_cast<Function*>(o); }

PyObject* NameWord() {
  static PyObject* word = PyUnicode_InternFromString("name");
  return word;
}

PyObject* OutWord() {
  static PyObject* word = PyUnicode_InternFromString("out");
  return word;
}

bool IsPlain(PyObject* o) {
  return o == Py_None || PyLong_Check(o) ||
         ((PyTuple_CheckExact(o) || PyList_CheckExact(o)) &&
          PySequence_Fast_GET_SIZE(o) > 0);
}

bool GoesFast(const Function& f, PyObject* const* args, Py_ssize_t count,
              PyObject* names) {
  if (!f.fast || count == 0 || count > f.places || !IsTensor(args[0])) {
    return false;
  }
  const Tensor& first = AsTensor(args[0]);
  if (!first.defined() || !IsFloating(first.dtype())) return false;
  // A tensor without axes follows special rules.
  if (first.rank() == 0) return false;
  for (Py_ssize_t i = 1; i < count; ++i) {
    // A bool is not an axis: std(x, False) has another meaning.
    if (!IsPlain(args[i]) || (i == 1 && PyBool_Check(args[i]))) return false;
  }
  Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t k = 0; k < named; ++k) {
    // Keywords are interned, like names in programs.
    PyObject* word = PyTuple_GET_ITEM(names, k);
    if (word == NameWord()) continue;
    bool known = IsPlain(args[count + k]);
    bool found = false;
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(f.names); ++n) {
      found = found || PyTuple_GET_ITEM(f.names, n) == word;
    }
    if (!known || !found) return false;
  }
  return true;
}

int PlaceOf(PyObject* word, PyObject* names) {
  for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) {
    if (PyTuple_GET_ITEM(names, k) == word) return static_cast<int>(k);
  }
  return -1;
}

// The result under another name.
PyObject* Named(PyObject* result, PyObject* name) {
  if (!result || name == Py_None || !IsTensor(result)) return result;
  nb::object made = nb::steal(result);
  if (!PyUnicode_Check(name)) {
    PyErr_Format(PyExc_TypeError, "name is a %s; wanted a str",
                 Py_TYPE(name)->tp_name);
    return nullptr;
  }
  try {
    std::string text = nb::cast<std::string>(nb::handle(name));
    Given inputs[] = {{AsTensor(made), {}, false}};
    if (!AsTensor(made).symbolic()) {
      AsTensor(made).set_name(text);
      return made.release().ptr();
    }
    CallResult same = CallOp(OpNamed("Identity"), inputs, {}, text);
    return Wrap(std::move(same.tensors[0])).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

// The call without the keyword at that position.
PyObject* CallWithout(PyObject* function, PyObject* const* args,
                      Py_ssize_t count, PyObject* names, int place) {
  Py_ssize_t named = PyTuple_GET_SIZE(names);
  std::vector<PyObject*> rest(args, args + count + named);
  rest.erase(rest.begin() + count + place);
  nb::object words = nb::steal(PyTuple_New(named - 1));
  for (Py_ssize_t k = 0, n = 0; k < named; ++k) {
    if (k == place) continue;
    PyTuple_SET_ITEM(words.ptr(), n++, Py_NewRef(PyTuple_GET_ITEM(names, k)));
  }
  return PyObject_Vectorcall(function, rest.data(), static_cast<size_t>(count),
                             words.ptr());
}

std::string NameOf(PyObject* function) {
  nb::object name = nb::getattr(nb::handle(function), "__name__");
  return nb::cast<std::string>(name);
}

PyObject* Call(PyObject* self, PyObject* const* args, size_t flags,
               PyObject* names) {
  const Function& f = *Of(self);
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (GoesFast(f, args, count, names)) {
    return PyObject_Vectorcall(f.fast, args, flags, names);
  }
  int out = PlaceOf(OutWord(), names);
  if (out >= 0) [[unlikely]] {
    return WrittenOver(CallWithout(self, args, count, names, out),
                       args[count + out], NameOf(f.slow));
  }
  int place = f.own_name ? -1 : PlaceOf(NameWord(), names);
  if (place >= 0) {
    return Named(CallWithout(f.slow, args, count, names, place),
                 args[count + place]);
  }
  return PyObject_Vectorcall(f.slow, args, flags, names);
}

PyObject* Attribute(PyObject* self, void* name) {
  return PyObject_GetAttrString(Of(self)->slow, static_cast<const char*>(name));
}

PyObject* Repr(PyObject* self) { return PyObject_Repr(Of(self)->slow); }

char name_text[] = "__name__", doc_text[] = "__doc__";
char module_text[] = "__module__", annotations_text[] = "__annotations__";

PyObject* Reduce(PyObject* self, PyObject*) {
  return Attribute(self, name_text);  // pickled by that name
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, call), READONLY,
     nullptr},
    {"__wrapped__", T_OBJECT, offsetof(Function, slow), READONLY, nullptr},
    {}};
PyGetSetDef getset[] = {
    {"__name__", Attribute, nullptr, nullptr, name_text},
    {"__qualname__", Attribute, nullptr, nullptr, name_text},
    {"__doc__", Attribute, nullptr, nullptr, doc_text},
    {"__module__", Attribute, nullptr, nullptr, module_text},
    {"__annotations__", Attribute, nullptr, nullptr, annotations_text},
    {}};
PyMethodDef methods[] = {{"__reduce__", Reduce, METH_NOARGS, nullptr}, {}};
PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(&Repr)},
    {Py_tp_members, members},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {0, nullptr}};
PyType_Spec spec = {"sluice.Function", sizeof(Function), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

nb::object Make(nb::handle fast, nb::handle slow,
                const std::vector<std::string>& names, Py_ssize_t places,
                bool own_name) {
  static auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!type) throw nb::python_error();
  if (Py_TYPE(slow.ptr()) == type) return nb::borrow(slow);
  auto* made = PyObject_New(Function, type);
  if (!made) throw nb::python_error();
  made->call = &Call;
  // Never released: functions live as long as the module.
  made->fast = fast.is_none() ? nullptr : fast.inc_ref().ptr();
  made->slow = slow.inc_ref().ptr();
  made->places = places;
  made->own_name = own_name;
  made->names = PyTuple_New(static_cast<Py_ssize_t>(names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    PyTuple_SET_ITEM(made->names, static_cast<Py_ssize_t>(i),
                     PyUnicode_InternFromString(names[i].c_str()));
  }
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

}  // namespace

void BindTensorFunctions(nb::module_& m) {
  m.def("fast_path", &Make, "fast"_a.none(), "slow"_a, "names"_a, "places"_a,
        "own_name"_a = false);
  m.def(
      "named",
      [](nb::handle function, bool own_name) {
        return Make(nb::none(), function, {}, 0, own_name);
      },
      "function"_a, "own_name"_a = false,
      "The function, which now takes out= as well, and name=.");
}

}  // namespace sluice::py
