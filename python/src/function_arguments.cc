#include "function_arguments.h"

#include <algorithm>

#include "errors.h"
#include "self_call.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

using Kind = Parameter::Kind;

}  // namespace

Parameters::Parameters(nb::object signature, size_t skip) {
  nb::object inspect = nb::module_::import_("inspect");
  nb::object empty = inspect.attr("Parameter").attr("empty");
  nb::list kept;
  for (nb::handle p : nb::iter(signature.attr("parameters").attr("values")())) {
    if (skip > 0) {
      --skip;
      continue;
    }
    kept.append(p);
    Parameter made;
    made.name = nb::cast<std::string>(p.attr("name"));
    made.interned = nb::steal(PyUnicode_InternFromString(made.name.c_str()));
    made.kind = static_cast<Kind>(nb::cast<int>(p.attr("kind")));
    nb::object given = p.attr("default");
    if (!given.is(empty)) made.default_value = given;
    if (made.kind == Kind::kPlace || made.kind == Kind::kPlaceOrName) ++places_;
    plain_ =
        plain_ && made.kind != Kind::kRest && made.kind != Kind::kNamedRest;
    list_.push_back(std::move(made));
  }
  signature_ = signature.attr("replace")("parameters"_a = kept);
}

bool Parameters::HasNamesOf(const Parameters& others) const {
  return std::equal(list_.begin(), list_.end(), others.list_.begin(),
                    others.list_.end(),
                    [](const Parameter& a, const Parameter& b) {
                      return a.name == b.name && a.kind == b.kind;
                    });
}

Values Parameters::Bind(PyObject* const* args, size_t count,
                        PyObject* keywords) const {
  size_t named = keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0;
  Values values;
  values.resize(list_.size());
  nb::object rest, named_rest;
  size_t by_place = std::min(count, places_);
  for (size_t i = 0; i < by_place; ++i) values[i] = nb::borrow(args[i]);
  if (count > places_ && plain_) Refuse(args, count, keywords);
  for (size_t k = 0; k < named; ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(k));
    size_t place = 0;
    for (; place < list_.size(); ++place) {
      const Parameter& p = list_[place];
      if (p.kind != Kind::kPlaceOrName && p.kind != Kind::kName) continue;
      if (p.interned.ptr() == keyword ||
          PyUnicode_Compare(p.interned.ptr(), keyword) == 0) {
        break;
      }
    }
    if (place < list_.size()) {
      if (values[place].is_valid()) Refuse(args, count, keywords);
      values[place] = nb::borrow(args[count + k]);
      continue;
    }
    if (plain_) Refuse(args, count, keywords);
    if (!named_rest.is_valid()) named_rest = nb::dict();
    if (PyDict_SetItem(named_rest.ptr(), keyword, args[count + k]) != 0) {
      throw nb::python_error();
    }
  }
  for (size_t i = 0; i < list_.size(); ++i) {
    const Parameter& p = list_[i];
    if (p.kind == Kind::kRest) {
      nb::list more;
      for (size_t k = places_; k < count; ++k) more.append(nb::handle(args[k]));
      values[i] = nb::tuple(more);
      rest = values[i];
    } else if (p.kind == Kind::kNamedRest) {
      values[i] = named_rest.is_valid() ? named_rest : nb::dict();
      named_rest = nb::none();
    } else if (!values[i].is_valid()) {
      if (!p.default_value.is_valid()) Refuse(args, count, keywords);
      values[i] = p.default_value;
    }
  }
  if (!plain_ && ((count > places_ && !rest.is_valid()) ||
                  (named_rest.is_valid() && !named_rest.is_none()))) {
    Refuse(args, count, keywords);
  }
  return values;
}

// The wording is Python's.
void Parameters::Refuse(PyObject* const* args, size_t count,
                        PyObject* keywords) const {
  nb::list by_place;
  for (size_t i = 0; i < count; ++i) by_place.append(nb::handle(args[i]));
  nb::dict by_name;
  for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
    by_name[nb::handle(PyTuple_GET_ITEM(keywords, k))] =
        nb::handle(args[count + static_cast<size_t>(k)]);
  }
  signature_.attr("bind")(*by_place, **by_name);
  ThrowTypeError("the arguments do not fit the function's parameters");
}

nb::object Parameters::Call(nb::handle callable, nb::handle first,
                            const Values& values) const {
  if (values.size() != list_.size()) {
    ThrowValueError("the function's code was replaced while it was called");
  }
  nb::list args;
  nb::dict named;
  if (first.is_valid()) args.append(first);
  for (size_t i = 0; i < list_.size(); ++i) {
    switch (list_[i].kind) {
      case Kind::kRest:
        for (nb::handle value : nb::iter(values[i])) args.append(value);
        break;
      case Kind::kName:
        named[list_[i].interned] = values[i];
        break;
      case Kind::kNamedRest:
        for (auto [name, value] : nb::borrow<nb::dict>(values[i])) {
          named[name] = value;
        }
        break;
      default:
        args.append(values[i]);
    }
  }
  PyObject* result =
      PyObject_Call(callable.ptr(), nb::tuple(args).ptr(), named.ptr());
  if (!result) ThrowPythonError();
  return nb::steal(result);
}

int Parameters::Visit(visitproc visit, void* arg) const {
  Py_VISIT(signature_.ptr());
  for (const Parameter& p : list_) Py_VISIT(p.default_value.ptr());
  return 0;
}

void Parameters::Clear() {
  signature_.reset();
  for (Parameter& p : list_) p.default_value.reset();
}

}  // namespace sluice::py
