#include "op_function.h"

#include <algorithm>
#include <cstddef>

#include "attr_value.h"
#include "errors.h"
#include "op_call.h"
#include "out_argument.h"
#include "sluice/base/strings.h"
#include "sluice/op/face.h"
#include "sluice/op/op_function.h"
#include "sluice/op/registry.h"
#include "sluice/trace/region_draft.h"

namespace sluice::py {

namespace {

struct Parameter {
  std::string name;
  PyObject* interned;  // never released
  const ArgSpec* input = nullptr;
  const AttrSpec* attr = nullptr;
};

struct Face {
  const OpRecord* op;
  std::string name;  // "matmul"
  std::vector<Parameter> parameters;
  size_t num_inputs = 0;
  bool plain = true;  // no input is a list
};

struct OpFunction {
  PyObject_HEAD vectorcallfunc call;
  Face* face;  // never released: functions live as long as the module
};

// Synonyms from different libraries.
constexpr std::string_view kAxis[] = {"axis", "axes", "dim", "dims"};
constexpr std::string_view kKeep[] = {"keepdims", "keepdim", "keep_dims"};
// The operand names of functions with one operand, or two.
constexpr std::string_view kFirst[] = {"input", "self"};
constexpr std::string_view kSecond[] = {"other", "exponent", "vec2", "mat2"};

template <size_t N>
bool In(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool SameMeaning(std::string_view a, std::string_view b) {
  return a == b || (In(kAxis, a) && In(kAxis, b)) ||
         (In(kKeep, a) && In(kKeep, b));
}

int Find(const Face& face, PyObject* keyword) {
  for (size_t i = 0; i < face.parameters.size(); ++i) {
    if (face.parameters[i].interned == keyword) return static_cast<int>(i);
  }
  std::string_view text = nb::cast<std::string_view>(nb::handle(keyword));
  for (size_t i = 0; i < face.parameters.size(); ++i) {
    if (SameMeaning(face.parameters[i].name, text)) return static_cast<int>(i);
  }
  const bool of_two = face.num_inputs == 2 && face.parameters[0].name == "a" &&
                      face.parameters[1].name == "b";
  const bool of_one = face.num_inputs == 1 && face.parameters[0].name == "x";
  if ((of_two || of_one) && In(kFirst, text)) return 0;
  if (of_two && In(kSecond, text)) return 1;
  return -1;
}

constexpr size_t kMaxParameters = 32;
struct Arguments {
  PyObject* values[kMaxParameters] = {};
  std::string_view name;
  PyObject* out = nullptr;  // to be overwritten
};

std::string ParameterList(const Face& face) {
  std::vector<std::string> names;
  for (const Parameter& p : face.parameters) names.push_back(p.name);
  return Join(names, ", ");
}

void Sort(const Face& face, PyObject* const* args, size_t count,
          PyObject* keywords, Arguments& out) {
  if (count > face.parameters.size()) {
    ThrowTypeError(StrCat(face.name, "() takes ", face.parameters.size(),
                          " arguments (", ParameterList(face), "), got ",
                          count));
  }
  std::copy(args, args + count, out.values);
  size_t named = keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0;
  for (size_t k = 0; k < named; ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(k));
    PyObject* value = args[count + k];
    int place = Find(face, keyword);
    if (place >= 0) {
      if (out.values[place]) {
        ThrowTypeError(StrCat(face.name, "() got ", face.parameters[place].name,
                              " twice"));
      }
      out.values[place] = value;
      continue;
    }
    std::string_view text = nb::cast<std::string_view>(nb::handle(keyword));
    if (text == "out") {
      out.out = value;
      continue;
    }
    if (text != "name") {
      ThrowTypeError(StrCat(face.name, "() has no argument \"", text,
                            "\"; wanted one of: ", ParameterList(face)));
    }
    if (value != Py_None) {
      if (!PyUnicode_Check(value)) {
        ThrowTypeError(StrCat(face.name, "() name is a ",
                              Py_TYPE(value)->tp_name, "; wanted a str"));
      }
      out.name = nb::cast<std::string_view>(nb::handle(value));
    }
  }
}

using Operands = SmallVector<Given, 4>;

// A number computed by recorded code is treated like the literal in sqrt(2.5).
void WeakIfNumber(Given& given) {
  if (front_internal::IsNumber(given.tensor)) given.weak = true;
}

void TakeInput(const Face& face, size_t i, PyObject* value, Operands& inputs) {
  const Parameter& p = face.parameters[i];
  if (!value) {
    if (p.input->list) return;
    ThrowTypeError(StrCat(face.name, "() lacks its argument \"", p.name, "\" (",
                          ParameterList(face), ")"));
  }
  if (IsTensor(value) && !p.input->list) {
    inputs.push_back({AsTensor(value), {}, false});
    if (!inputs.back().tensor.defined()) {
      ThrowValueError(StrCat(face.name, "(): ", p.name, " is an empty Tensor"));
    }
    return WeakIfNumber(inputs.back());
  }
  if (!p.input->list || IsTensor(value) ||
      !nb::hasattr(nb::handle(value), "__iter__")) {
    inputs.push_back(Take(value, StrCat(face.name, "(): ", p.name)));
    return WeakIfNumber(inputs.back());
  }
  size_t k = 0;
  for (nb::handle element : nb::iter(nb::handle(value))) {
    inputs.push_back(
        Take(element, StrCat(face.name, "(): ", p.name, "[", k++, "]")));
    WeakIfNumber(inputs.back());
  }
}

// None means the attribute's default.
void TakeAttr(const Face& face, size_t i, PyObject* value, Attrs& attrs) {
  const AttrSpec& spec = *face.parameters[i].attr;
  bool has_default = spec.default_value.kind() != AttrKind::kNone;
  if (!value || (value == Py_None && has_default)) {
    if (has_default) return;
    ThrowTypeError(StrCat(face.name, "() lacks its argument \"", spec.name,
                          "\" (", ParameterList(face), ")"));
  }
  attrs.set(spec.name, AttrFromPython(*face.op, spec, value));
}

PyObject* Wrapped(CallResult result) {
  if (result.tensors.size() == 1 && !result.tensors.empty()) {
    return Wrap(std::move(result.tensors[0])).release().ptr();
  }
  if (result.tensors.empty()) {
    if (!result.operation) Py_RETURN_NONE;
    return nb::cast(result.operation).release().ptr();
  }
  nb::list list;
  for (Tensor& t : result.tensors) list.append(Wrap(std::move(t)));
  return nb::tuple(list).release().ptr();
}

PyObject* Call(PyObject* self, PyObject* const* args, size_t flags,
               PyObject* keywords) {
  try {
    const Face& face = *reinterpret_cast<OpFunction*>(self)->face;
    auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
    Arguments given;
    Sort(face, args, count, keywords, given);
    Operands inputs;
    for (size_t i = 0; i < face.num_inputs; ++i) {
      TakeInput(face, i, given.values[i], inputs);
    }
    Attrs attrs;
    for (size_t i = face.num_inputs; i < face.parameters.size(); ++i) {
      TakeAttr(face, i, given.values[i], attrs);
    }
    return WrittenOver(Wrapped(CallOp(*face.op, inputs, attrs, given.name)),
                       given.out, face.name);
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

PyObject* Repr(PyObject* self) {
  const Face& face = *reinterpret_cast<OpFunction*>(self)->face;
  return PyUnicode_FromString(
      StrCat("<sluice op ", face.name, "(", ParameterList(face), ")>").c_str());
}

PyObject* Name(PyObject* self, void*) {
  return PyUnicode_FromString(
      reinterpret_cast<OpFunction*>(self)->face->name.c_str());
}

PyObject* Doc(PyObject* self, void*) {
  const OpRecord& op = *reinterpret_cast<OpFunction*>(self)->face->op;
  std::string text = StrCat(op.doc, "\n\n", op.Signature());
  for (const AttrSpec& attr : op.attrs) {
    if (!attr.doc.empty()) StrAppend(text, "\n", attr.name, ": ", attr.doc);
  }
  return PyUnicode_FromString(text.c_str());
}

PyObject* Reduce(PyObject* self, PyObject*) {
  return Name(self, nullptr);  // pickled by that name in its module
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                          offsetof(OpFunction, call), READONLY, nullptr},
                         {}};
PyGetSetDef getset[] = {{"__name__", Name, nullptr, nullptr, nullptr},
                        {"__qualname__", Name, nullptr, nullptr, nullptr},
                        {"__doc__", Doc, nullptr, nullptr, nullptr},
                        {}};
PyMethodDef methods[] = {{"__reduce__", Reduce, METH_NOARGS, nullptr}, {}};
PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(&Repr)},
    {Py_tp_members, members},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {0, nullptr}};
PyType_Spec spec = {"sluice.OpFunction", sizeof(OpFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

Face* MakeFace(const OpRecord& op) {
  auto* face = new Face{&op, FunctionName(op), {}, 0, true};
  auto add = [&](const std::string& name, const ArgSpec* input,
                 const AttrSpec* attr) {
    face->parameters.push_back(
        {name, PyUnicode_InternFromString(name.c_str()), input, attr});
  };
  for (const ArgSpec& in : op.inputs) {
    // The iteration that a random op draws for is set by gradients only.
    if (op.random && in.list && &in == &op.inputs.back()) continue;
    add(in.name, &in, nullptr);
    face->plain = face->plain && !in.list;
  }
  face->num_inputs = face->parameters.size();
  // Required attributes come first.
  for (bool required : {true, false}) {
    for (const AttrSpec& attr : op.attrs) {
      bool has_default = attr.default_value.kind() != AttrKind::kNone;
      if (has_default != required) add(attr.name, nullptr, &attr);
    }
  }
  SL_CHECK(face->parameters.size() <= kMaxParameters);
  return face;
}

}  // namespace

void BindOpFunctions(nb::module_& m) {
  static auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!type) throw nb::python_error();
  m.attr("OpFunction") = nb::handle(reinterpret_cast<PyObject*>(type));
  m.def(
      "op_function",
      [](std::string_view name) {
        const OpRecord& op = OpNamed(name);
        auto* made = PyObject_New(OpFunction, type);
        if (!made) throw nb::python_error();
        made->call = &Call;
        made->face = MakeFace(op);
        return nb::steal(reinterpret_cast<PyObject*>(made));
      },
      "name"_a);
  // Function names by op name, for all ops that have a function.
  m.def("op_names", [] {
    nb::dict names;
    for (const OpRecord* op : AllOps()) {
      if (HasFunction(*op)) names[FunctionName(*op).c_str()] = op->name;
    }
    return names;
  });
  // The functions of ops that are directly methods of Tensor.
  m.def("op_methods", [] {
    std::vector<std::string> names;
    for (std::string_view op : OpsWithFaces()) {
      if (FaceOf(op).is_method()) names.push_back(FunctionName(OpNamed(op)));
    }
    return names;
  });
}

}  // namespace sluice::py
