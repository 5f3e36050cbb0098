// Functions as methods: t.relu() for relu(t). A Method calls straight through
// to the function, at no cost over calling that.
#include <Python.h>  // first, as structmember.h needs it
#include <structmember.h>

#include <cstddef>

#include "bindings.h"
#include "operand.h"
#include "tensor_matmul.h"
#include "tensor_write.h"

namespace sluice::py {

namespace {

struct Method {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
};

Method* Of(PyObject* o) { return reinterpret_cast<Method*>(o); }

// `args` begin with the tensor: Python passes it when a method is called.
PyObject* Call(PyObject* self, PyObject* const* args, size_t flags,
               PyObject* names) {
  return PyObject_Vectorcall(Of(self)->function, args, flags, names);
}

PyObject* Get(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* Attribute(PyObject* self, void* name) {
  return PyObject_GetAttrString(Of(self)->function,
                                static_cast<const char*>(name));
}

PyObject* Repr(PyObject* self) {
  return PyUnicode_FromFormat("<method of %R>", Of(self)->function);
}

void Free(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(Of(self)->function);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, call), READONLY,
     nullptr},
    {"__wrapped__", T_OBJECT, offsetof(Method, function), READONLY, nullptr},
    {}};
char name_text[] = "__name__", doc_text[] = "__doc__";
PyGetSetDef getset[] = {
    {"__name__", Attribute, nullptr, nullptr, name_text},
    {"__qualname__", Attribute, nullptr, nullptr, name_text},
    {"__doc__", Attribute, nullptr, nullptr, doc_text},
    {}};
PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(&Get)},
    {Py_tp_repr, reinterpret_cast<void*>(&Repr)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&Free)},
    {Py_tp_members, members},
    {Py_tp_getset, getset},
    {0, nullptr}};
PyType_Spec spec = {"sluice.OpMethod", sizeof(Method), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_METHOD_DESCRIPTOR |
                        Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

// ---- Two functions of one name ----
// `fast` for a tensor of floats and plain arguments; `slow`, which knows
// everything, for all else.

struct FastPath {
  PyObject_HEAD vectorcallfunc call;
  PyObject *fast, *slow;
  PyObject* names;  // a tuple of keywords `fast` takes as well
};

bool IsPlain(PyObject* o) {
  return o == Py_None || PyLong_Check(o) ||
         ((PyTuple_CheckExact(o) || PyList_CheckExact(o)) &&
          PySequence_Fast_GET_SIZE(o) > 0);
}

PyObject* CallFast(PyObject* self, PyObject* const* args, size_t flags,
                   PyObject* names) {
  auto* paths = reinterpret_cast<FastPath*>(self);
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  bool fast = count > 0 && IsTensor(args[0]) && AsTensor(args[0]) &&
              IsFloating(AsTensor(args[0]).dtype());
  for (Py_ssize_t i = 1; fast && i < count + named; ++i) {
    fast = IsPlain(args[i]);
  }
  for (Py_ssize_t k = 0; fast && k < named; ++k) {
    bool known = false;
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(paths->names); ++n) {
      // Both are interned, as names in programs are.
      known = known ||
              PyTuple_GET_ITEM(paths->names, n) == PyTuple_GET_ITEM(names, k);
    }
    fast = known;
  }
  return PyObject_Vectorcall(fast ? paths->fast : paths->slow, args, flags,
                             names);
}

PyObject* SlowAttribute(PyObject* self, void* name) {
  return PyObject_GetAttrString(reinterpret_cast<FastPath*>(self)->slow,
                                static_cast<const char*>(name));
}

PyObject* FastRepr(PyObject* self) {
  return PyObject_Repr(reinterpret_cast<FastPath*>(self)->slow);
}

PyObject* FastReduce(PyObject* self, PyObject*) {
  return SlowAttribute(self, name_text);
}

PyMemberDef fast_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FastPath, call), READONLY,
     nullptr},
    {"__wrapped__", T_OBJECT, offsetof(FastPath, slow), READONLY, nullptr},
    {}};
char module_text[] = "__module__", annotations_text[] = "__annotations__";
PyGetSetDef fast_getset[] = {
    {"__name__", SlowAttribute, nullptr, nullptr, name_text},
    {"__qualname__", SlowAttribute, nullptr, nullptr, name_text},
    {"__doc__", SlowAttribute, nullptr, nullptr, doc_text},
    {"__module__", SlowAttribute, nullptr, nullptr, module_text},
    {"__annotations__", SlowAttribute, nullptr, nullptr, annotations_text},
    {}};
PyMethodDef fast_methods[] = {{"__reduce__", FastReduce, METH_NOARGS, nullptr},
                              {}};
PyType_Slot fast_slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(&FastRepr)},
    {Py_tp_members, fast_members},
    {Py_tp_getset, fast_getset},
    {Py_tp_methods, fast_methods},
    {0, nullptr}};
PyType_Spec fast_spec = {"sluice.Function", sizeof(FastPath), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                             Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         fast_slots};

nb::object MakeFastPath(nb::handle fast, nb::handle slow,
                        const std::vector<std::string>& names) {
  static auto* type =
      reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&fast_spec));
  if (!type) throw nb::python_error();
  auto* made = PyObject_New(FastPath, type);
  if (!made) throw nb::python_error();
  made->call = &CallFast;
  // Owned for good: functions live as long as the module.
  made->fast = fast.inc_ref().ptr();
  made->slow = slow.inc_ref().ptr();
  made->names = PyTuple_New(static_cast<Py_ssize_t>(names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    PyTuple_SET_ITEM(made->names, static_cast<Py_ssize_t>(i),
                     PyUnicode_InternFromString(names[i].c_str()));
  }
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

}  // namespace

void BindTensorMethods(nb::module_& m) {
  static auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!type) throw nb::python_error();
  m.def(
      "method",
      [](nb::handle function) {
        auto* made = PyObject_New(Method, type);
        if (!made) throw nb::python_error();
        made->call = &Call;
        made->function = function.inc_ref().ptr();
        return nb::steal(reinterpret_cast<PyObject*>(made));
      },
      "function"_a, "The function as a method of the class it is set on.");
  m.def("fast_path", &MakeFastPath, "fast"_a, "slow"_a, "names"_a);
  BindTensorWrite(m);
  BindMatMul(m);
}

}  // namespace sluice::py
