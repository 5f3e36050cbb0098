// Functions as methods: t.relu() for relu(t). A Method forwards directly to the
// function, without additional cost.

#include <cstddef>

#include "bindings.h"
#include "tensor_functions.h"
#include "tensor_matmul.h"
#include "tensor_write.h"

namespace sluice::py {

namespace {

struct Method {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
};

Method* Of(PyObject* o) { return reinterpret_cast<Method*>(o); }

// `args` start with the tensor: Python passes it in method calls.
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
  BindTensorFunctions(m);
  BindTensorWrite(m);
  BindMatMul(m);
}

}  // namespace sluice::py
