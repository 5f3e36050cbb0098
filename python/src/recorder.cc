#include "recorder.h"

#include <optional>

#include "caller_line.h"
#include "errors.h"
#include "operand.h"
#include "sluice/eager/view_write.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/decisions.h"
#include "tensor_values.h"

namespace sluice::py {

namespace {

uint64_t epoch = 1, news = 0;

thread_local PyObject* recorder = nullptr;  // kept alive by its scope

// attr(object, name): reads the attribute and reports it to the recorder.
PyObject* Attr(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "attr takes an object and a name");
    return nullptr;
  }
  if (!recorder || IsTensor(args[0])) {
    return PyObject_GetAttr(args[0], args[1]);
  }
  static PyObject* name = PyUnicode_InternFromString("attr");
  return PyObject_CallMethodObjArgs(recorder, name, args[0], args[1], nullptr);
}

// place(object): the object on which attributes or elements are set instead.
PyObject* PlaceOf(PyObject*, PyObject* object) {
  if (!recorder || IsTensor(object)) {
    Py_INCREF(object);
    return object;
  }
  static PyObject* name = PyUnicode_InternFromString("place");
  return PyObject_CallMethodObjArgs(recorder, name, object, nullptr);
}

PyObject* Bump(PyObject*, PyObject*) {
  ++epoch;
  Py_RETURN_NONE;
}

PyObject* BumpNews(PyObject*, PyObject*) {
  ++epoch;
  ++news;
  Py_RETURN_NONE;
}

PyObject* Recorder(PyObject*, PyObject*) {
  PyObject* now = recorder ? recorder : Py_None;
  Py_INCREF(now);
  return now;
}

// recorded_here(tensor): whether it belongs to the graph being recorded here.
PyObject* RecordedHere(PyObject*, PyObject* object) {
  bool here = false;
  if (IsTensor(object)) {
    const Tensor& tensor = AsTensor(object);
    Capture* capture = Capture::Current();
    // Nothing else can be asked of a tensor whose recording is over.
    here = capture && tensor.defined() &&
           (tensor.traced()
                ? tensor.identity()->traced->recording == capture
                : tensor.symbolic() && &tensor.graph() == &capture->graph());
  }
  return PyBool_FromLong(here ? 1 : 0);
}

// The address range of the elements; strides in bytes.
struct Bytes {
  const char *low, *high;

  Bytes(const void* data, int64_t size) {
    low = static_cast<const char*>(data);
    high = low + size;
  }
  void Along(int64_t count, int64_t stride) {
    int64_t reach = (count - 1) * stride;
    (reach < 0 ? low : high) += reach;
  }
  bool Meets(const Bytes& o) const { return low < o.high && o.low < high; }
};

Bytes BytesOf(const Array& a) {
  Bytes bytes(a.address(), DTypeSize(a.dtype()));
  for (int i = 0; i < a.rank(); ++i) {
    bytes.Along(a.dim(i),
                a.strides()[static_cast<size_t>(i)] * DTypeSize(a.dtype()));
  }
  return bytes;
}

// written_over(buffer): describes a captured tensor that the code has written
// and whose elements overlap the buffer; None if there is none.
PyObject* WrittenOver(PyObject*, PyObject* object) {
  Capture* capture = Capture::Current();
  Py_buffer view;
  if (!capture || PyObject_GetBuffer(object, &view, PyBUF_STRIDED_RO) != 0) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  Bytes looked(view.buf, view.itemsize);
  for (int i = 0; i < view.ndim; ++i) {
    looked.Along(view.shape[i], view.strides[i]);
  }
  bool empty = view.len == 0;
  PyBuffer_Release(&view);
  for (const Capture::Entry& entry : capture->entries()) {
    const Array& array = entry.value->array;
    if (empty || !entry.written() || !array || !array.on_host()) continue;
    if (array.num_elements() == 0 || !BytesOf(array).Meets(looked)) continue;
    std::string text = entry.value->Describe();
    return PyUnicode_FromStringAndSize(text.data(),
                                       static_cast<Py_ssize_t>(text.size()));
  }
  Py_RETURN_NONE;
}

// come_from(views, parts): see eager/view_write.h. Two tuples of tensors.
PyObject* ComeFrom(PyObject*, PyObject* const* args, Py_ssize_t count) {
  try {
    if (count != 2 || !PyTuple_CheckExact(args[0]) ||
        !PyTuple_CheckExact(args[1]) ||
        PyTuple_GET_SIZE(args[0]) != PyTuple_GET_SIZE(args[1])) {
      ThrowTypeError("come_from() wanted two tuples of one length");
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[0]); ++i) {
      PyObject* view = PyTuple_GET_ITEM(args[0], i);
      PyObject* part = PyTuple_GET_ITEM(args[1], i);
      if (!IsTensor(view) || !IsTensor(part) || !AsTensor(view).identity() ||
          !AsTensor(part).identity()) {
        ThrowTypeError("come_from() wanted tensors with elements");
      }
      sluice::ComeFrom(*AsTensor(view).identity(), *AsTensor(part).identity());
    }
    Py_RETURN_NONE;
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

// decide(tensor): its element in the recorded call, for decisions by value.
PyObject* Decide(PyObject*, PyObject* object) {
  try {
    Decisions* here = IsTensor(object) ? Decisions::OfBranches() : nullptr;
    if (!here) Py_RETURN_NONE;
    SourceLine line = PythonLine();
    std::optional<Array> value = here->Decide(AsTensor(object), line);
    if (!value || value->num_elements() != 1) Py_RETURN_NONE;
    return ElementToPython(value->dtype(), value->raw()).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

PyObject* Decides(PyObject*, PyObject*) {
  return PyBool_FromLong(Decisions::OfBranches() ? 1 : 0);
}

PyObject* SetRecorder(PyObject*, PyObject* wanted) {
  PyObject* before = recorder ? recorder : Py_None;
  // The setter keeps it alive until it restores the previous one.
  recorder = wanted == Py_None ? nullptr : wanted;
  Py_INCREF(before);
  return before;
}

template <class F>
PyCFunction AsMethod(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyMethodDef methods[] = {
    {"attr", AsMethod(&Attr), METH_FASTCALL,
     "attr(object, name)\n--\n\nAn attribute, told to who records."},
    {"place", PlaceOf, METH_O,
     "place(object)\n--\n\nWhat to assign parts of instead of the object."},
    {"bump_news", BumpNews, METH_NOARGS,
     "bump_news()\n--\n\nAn option of an optimizer has changed."},
    {"bump_epoch", Bump, METH_NOARGS,
     "bump_epoch()\n--\n\nA part of a module or an optimizer has changed."},
    {"recorder", Recorder, METH_NOARGS,
     "recorder()\n--\n\nWho records on this thread, or None."},
    {"recorded_here", RecordedHere, METH_O,
     "recorded_here(tensor)\n--\n\nWhether it is of the graph being recorded."},
    {"written_over", WrittenOver, METH_O,
     "written_over(buffer)\n--\n\nA tensor with elements there that the code "
     "being recorded has\nwritten, in words; or None."},
    {"come_from", AsMethod(&ComeFrom), METH_FASTCALL,
     "come_from(views, parts)\n--\n\nGradients of the views go by the call "
     "that "
     "cut the parts."},
    {"decide", Decide, METH_O,
     "decide(tensor)\n--\n\nIts element in the call being recorded, which "
     "serves "
     "calls of the same\nonly; None where that is not wanted, or unknown."},
    {"decides", Decides, METH_NOARGS,
     "decides()\n--\n\nWhether values decide in the code being recorded."},
    {"set_recorder", SetRecorder, METH_O,
     "set_recorder(recorder)\n--\n\nThe one before; the caller keeps both."},
    {}};

}  // namespace

uint64_t Epoch() { return epoch; }

uint64_t News() { return news; }

RecorderScope::RecorderScope(nb::handle wanted)
    : before_(recorder), own_(nb::borrow(wanted)) {
  recorder = own_.ptr();
}

RecorderScope::~RecorderScope() { recorder = before_; }

nb::object CurrentRecorder() { return nb::borrow(recorder); }

void BindRecorder(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), methods) != 0) throw nb::python_error();
}

}  // namespace sluice::py
