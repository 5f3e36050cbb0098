#include "guards.h"

#include <cstring>

#include "operand.h"
#include "recorder.h"
#include "same_value.h"
#include "sluice/base/strings.h"

namespace sluice::py {

bool Guards::One::Holds() const {
  nb::object now = place.Read();
  return seen.Still(now.ptr());
}

Guards::Contents Guards::Contents::Of(nb::handle owner, nb::handle seen,
                                      std::string text) {
  Contents made{nb::borrow(owner), {}, {}, {}, std::move(text)};
  if (PyList_Check(seen.ptr())) {
    for (nb::handle item : nb::iter(seen)) made.values.emplace_back(item);
  } else if (PyDict_Check(seen.ptr())) {
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(seen.ptr(), &at, &key, &value)) {
      made.keys.push_back(nb::borrow(key));
      made.values.emplace_back(value);
    }
  } else {  // a set, or bytes
    made.frozen = nb::borrow(seen);
  }
  return made;
}

// For equal sets: {2} equals {2.0}, but code that computes with it differs.
static bool SameNumbers(nb::handle now, nb::handle before) {
  auto is_number = [](PyObject* o) {
    return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
           PyComplex_CheckExact(o);
  };
  nb::dict known;
  for (nb::handle item : nb::iter(before)) {
    if (is_number(item.ptr())) known[item] = item;
  }
  if (nb::len(known) == 0) return true;
  for (nb::handle item : nb::iter(now)) {
    PyObject* was = PyDict_GetItemWithError(known.ptr(), item.ptr());
    if (!was && PyErr_Occurred()) throw nb::python_error();
    if (was && !SameValue(item, was)) return false;
  }
  return true;
}

bool Guards::Contents::Holds() const {
  PyObject* o = owner.ptr();
  if (PyList_Check(o)) {
    if (static_cast<size_t>(PyList_GET_SIZE(o)) != values.size()) return false;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].Still(PyList_GET_ITEM(o, static_cast<Py_ssize_t>(i)))) {
        return false;
      }
    }
    return true;
  }
  if (PyDict_Check(o)) {
    if (static_cast<size_t>(PyDict_GET_SIZE(o)) != values.size()) return false;
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    for (size_t i = 0; PyDict_Next(o, &at, &key, &value); ++i) {
      if (keys[i].ptr() != key && !SameValue(keys[i], key)) return false;
      if (!values[i].Still(value)) return false;
    }
    return true;
  }
  if (PyAnySet_Check(o)) {
    int equal = PyObject_RichCompareBool(o, frozen.ptr(), Py_EQ);
    if (equal < 0) throw nb::python_error();
    return equal == 1 && SameNumbers(owner, frozen);
  }
  if (frozen.is_valid()) {  // an array
    Py_buffer view;
    char* bytes = PyBytes_AS_STRING(frozen.ptr());
    auto size = static_cast<size_t>(PyBytes_GET_SIZE(frozen.ptr()));
    if (PyObject_GetBuffer(o, &view, PyBUF_C_CONTIGUOUS) == 0) {
      bool same = static_cast<size_t>(view.len) == size &&
                  std::memcmp(view.buf, bytes, size) == 0;
      PyBuffer_Release(&view);
      return same;
    }
    PyErr_Clear();
    nb::object now = nb::steal(PyObject_Bytes(o));
    if (!now.is_valid()) PyErr_Clear();
    return now.is_valid() && SameValue(now, frozen);
  }
  size_t i = 0;
  for (nb::handle item : nb::iter(owner)) {
    if (i == values.size() || !values[i++].Still(item.ptr())) return false;
  }
  return i == values.size();
}

std::string Guards::Contents::Name(nb::handle key) const {
  if (!text.empty() && text.back() == '.') {
    return text + nb::cast<std::string>(nb::str(key));
  }
  return StrCat(text, "[", ShortRepr(key), "]");
}

std::string Guards::Contents::Broken() const {
  auto differs = [&](nb::handle key, const Seen& seen, PyObject* now) {
    if (seen.tensor() && now && IsTensor(now)) {
      return Name(key) + " is another tensor than in the last trace";
    }
    return StrCat(Name(key), " is ", now ? ShortRepr(now) : "gone",
                  "; the last trace has ", seen.Text());
  };
  PyObject* o = owner.ptr();
  size_t size = values.size();
  if (PyList_Check(o) && static_cast<size_t>(PyList_GET_SIZE(o)) == size) {
    for (size_t i = 0; i < size; ++i) {
      PyObject* now = PyList_GET_ITEM(o, static_cast<Py_ssize_t>(i));
      if (values[i].Still(now)) continue;
      return differs(nb::cast(i), values[i], now);
    }
  }
  if (PyDict_Check(o)) {
    for (size_t i = 0; i < size; ++i) {
      PyObject* now = ItemOf(o, keys[i].ptr());
      if (values[i].Still(now)) continue;
      return differs(keys[i], values[i], now);
    }
  }
  if (frozen.is_valid()) return StrCat(text, " has changed");
  Py_ssize_t now = PyObject_Size(o);
  if (now < 0) PyErr_Clear();
  return StrCat(text, " has ", now, " elements; the last trace has ", size);
}

void Guards::Add(nb::handle list) {
  bool first = size() == 0 && contents_.empty() && contents_by_epoch_.empty();
  for (nb::handle item : nb::iter(list)) {
    bool changes = nb::cast<bool>(item[0]);
    int kind = nb::cast<int>(item[1]);
    nb::object owner = item[2], key = item[3], value = item[4];
    auto text = nb::cast<std::string>(item[5]);
    if (kind < 0) {
      bool known = false;
      for (const auto* all : {&contents_, &contents_by_epoch_}) {
        if (first) break;
        for (const Contents& c : *all) known = known || c.owner.is(owner);
      }
      if (known) continue;
      (changes ? contents_by_epoch_ : contents_)
          .push_back(Contents::Of(owner, value, text));
      continue;
    }
    Place place(static_cast<Place::Kind>(kind), owner, key);
    bool known = false;
    for (const auto* all : {&always_, &by_epoch_}) {
      if (first) break;
      for (const One& one : *all) known = known || one.place == place;
    }
    if (known) continue;
    Seen seen = value.is(nb::ellipsis()) ? Seen() : Seen(value);
    (changes ? by_epoch_ : always_)
        .push_back({std::move(place), std::move(seen), std::move(text)});
  }
  harmless_ = nullptr;
  epoch_ = Epoch();
}

void Guards::AddCaptured(const std::vector<EagerRef>& captured) {
  for (const EagerRef& value : captured) {
    flags_.push_back({value, value->requires_grad});
  }
}

bool Guards::HoldAlways() const {
  for (const Flag& flag : flags_) {
    if (flag.value->requires_grad != flag.requires_grad) return false;
  }
  for (const One& one : always_) {
    if (!one.Holds()) return false;
  }
  for (const Contents& c : contents_) {
    if (!c.Holds()) return false;
  }
  return true;
}

bool Guards::Hold() {
  if (!HoldAlways()) return false;
  uint64_t now = Epoch();
  if (now == epoch_) return true;
  for (const One& one : by_epoch_) {
    if (!one.Holds()) return false;
  }
  for (const Contents& c : contents_by_epoch_) {
    if (!c.Holds()) return false;
  }
  if (now == wrote_) harmless_ = writer_;
  epoch_ = now;
  return true;
}

void Guards::Wrote(const void* trace, uint64_t before, uint64_t after) {
  if (harmless_ == trace && epoch_ == before) {
    epoch_ = after;
    return;
  }
  writer_ = trace;
  wrote_ = after;
}

std::string Guards::Broken() const {
  for (const Flag& flag : flags_) {
    if (flag.value->requires_grad == flag.requires_grad) continue;
    return StrCat(flag.value->Describe(), flag.requires_grad
                                              ? " no longer requires gradients"
                                              : " requires gradients by now");
  }
  for (const auto* all : {&always_, &by_epoch_}) {
    for (const One& one : *all) {
      nb::object now = one.place.Read();
      if (one.seen.Still(now.ptr())) continue;
      if (one.seen.tensor() && now.is_valid() && IsTensor(now)) {
        return StrCat(one.text, " is another tensor than in the last trace");
      }
      return StrCat(one.text, " is ", now.is_valid() ? ShortRepr(now) : "gone",
                    "; the last trace has ", one.seen.Text());
    }
  }
  for (const auto* all : {&contents_, &contents_by_epoch_}) {
    for (const Contents& c : *all) {
      if (!c.Holds()) return c.Broken();
    }
  }
  return "";
}

std::vector<std::pair<Place, std::string>> Guards::OtherTensors() const {
  std::vector<std::pair<Place, std::string>> others;
  // Leaves with gradients of their own are not replaced: gradients are stored
  // by the leaf's identity.
  auto another = [](const Seen& seen, PyObject* now) {
    if (!seen.tensor() || !now || seen.Still(now)) return false;
    const EagerRef* eager = EagerOf(now);
    return eager && !((*eager)->requires_grad && !(*eager)->producer);
  };
  for (const auto* all : {&always_, &by_epoch_}) {
    for (const One& one : *all) {
      nb::object now = one.place.Read();
      if (!another(one.seen, now.ptr())) continue;
      others.emplace_back(one.place, one.text);
    }
  }
  for (const auto* all : {&contents_, &contents_by_epoch_}) {
    for (const Contents& c : *all) {
      for (size_t i = 0; i < c.values.size(); ++i) {
        bool dict = PyDict_Check(c.owner.ptr());
        if (!dict && !PyList_Check(c.owner.ptr())) break;
        nb::object key = dict ? c.keys[i] : nb::cast(i);
        Place place(dict ? Place::Kind::kItem : Place::Kind::kElement, c.owner,
                    key);
        nb::object now = place.Read();
        if (!another(c.values[i], now.ptr())) continue;
        others.emplace_back(std::move(place), c.Name(key));
      }
    }
  }
  return others;
}

std::vector<std::pair<Place, std::string>> Guards::OtherNumbers() const {
  std::vector<std::pair<Place, std::string>> others;
  for (const One& one : always_) {
    nb::object now = one.place.Read();
    if (!now.is_valid() || !one.seen.IsNumberLike(now.ptr()) ||
        one.seen.Still(now.ptr())) {
      continue;
    }
    others.emplace_back(one.place, one.text);
  }
  return others;
}

int Guards::Visit(visitproc visit, void* arg) const {
  for (const auto* all : {&always_, &by_epoch_}) {
    for (const One& one : *all) {
      if (int result = one.place.Visit(visit, arg)) return result;
      if (int result = one.seen.Visit(visit, arg)) return result;
    }
  }
  for (const auto* all : {&contents_, &contents_by_epoch_}) {
    for (const Contents& c : *all) {
      Py_VISIT(c.owner.ptr());
      for (const nb::object& key : c.keys) Py_VISIT(key.ptr());
      for (const Seen& seen : c.values) {
        if (int result = seen.Visit(visit, arg)) return result;
      }
      Py_VISIT(c.frozen.ptr());
    }
  }
  return 0;
}

void Guards::Clear() {
  always_.clear();
  by_epoch_.clear();
  contents_.clear();
  contents_by_epoch_.clear();
  flags_.clear();
}

}  // namespace sluice::py
