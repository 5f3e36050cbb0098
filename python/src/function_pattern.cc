#include "function_pattern.h"

#include "errors.h"
#include "numpy_view.h"
#include "operand.h"
#include "same_value.h"
#include "sluice/base/strings.h"
#include "sluice/front/variable.h"

namespace sluice::py {

namespace {

bool IsNumber(nb::handle o) {
  return PyFloat_CheckExact(o.ptr()) || PyLong_CheckExact(o.ptr());
}

bool FitsNumber(nb::handle o) {
  if (PyFloat_CheckExact(o.ptr())) return true;
  if (!PyLong_CheckExact(o.ptr())) return false;
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(o.ptr(), &overflow);
  return overflow == 0;
}

// Arrays of other libraries count as tensors; their scalars count as Python
// numbers.
bool IsArray(nb::handle o) {
  if (IsTensor(o)) return true;
  PyTypeObject* type = Py_TYPE(o.ptr());
  if (IsNumber(o) || type == &PyBool_Type || type == &PyUnicode_Type) {
    return false;
  }
  if (IsNumpyScalar(o)) return false;
  nb::handle cls = o.type();
  return nb::hasattr(cls, "__dlpack__") || nb::hasattr(cls, "__array__") ||
         nb::hasattr(cls, "__array_interface__") || nb::isinstance<Variable>(o);
}

bool IsOfClass(nb::handle leaf, const nb::object& derived) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(leaf.ptr()));
  if (derived.is_valid()) return type == derived.ptr();
  return type == nb::type<Tensor>().ptr() || !IsTensor(leaf);
}

bool Matches(LeafKind kind, nb::handle leaf, const nb::object& derived) {
  switch (kind) {
    case LeafKind::kTensor:
      return IsArray(leaf) && IsOfClass(leaf, derived);
    case LeafKind::kNumber:
      return FitsNumber(leaf);
    default:
      return !IsArray(leaf);
  }
}

}  // namespace

nb::object DerivedClass(nb::handle leaf) {
  if (!leaf.is_valid() || !IsTensor(leaf)) return {};
  if (leaf.type().is(nb::type<Tensor>())) return {};
  return nb::borrow(leaf.type());
}

nb::object TensorOfClass(const Tensor& tensor, const nb::object& derived) {
  if (!derived.is_valid()) return nb::cast(tensor);
  nb::object made = nb::inst_alloc(derived);
  new (nb::inst_ptr<Tensor>(made)) Tensor(tensor);
  nb::inst_mark_ready(made);
  return made;
}

Pattern Pattern::Of(const Parameters& parameters, const Values& values,
                    std::vector<nb::object>& leaves) {
  Pattern p;
  for (size_t i = 0; i < values.size(); ++i) {
    p.trees.push_back(TreeDef::FlattenWhole(values[i], leaves));
    p.trees.back().Names(parameters.list()[i].name, p.names);
  }
  for (const nb::object& leaf : leaves) {
    p.kinds.push_back(IsArray(leaf) ? LeafKind::kTensor : LeafKind::kFixed);
    p.derived.push_back(DerivedClass(leaf));
  }
  // Children of registered classes have positions, not names.
  p.stays.resize(leaves.size());
  return p;
}

bool Pattern::Collect(const Values& values,
                      std::vector<nb::object>& leaves) const {
  leaves.clear();
  leaves.reserve(kinds.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!trees[i].Collect(values[i], leaves)) return false;
  }
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (!Matches(kinds[k], leaves[k], derived[k])) return false;
  }
  return true;
}

bool Pattern::SameFixed(const std::vector<nb::object>& fixed,
                        const std::vector<nb::object>& leaves) const {
  size_t next = 0;
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] != LeafKind::kFixed) continue;
    if (!SameValue(fixed[next++], leaves[k])) return false;
  }
  return true;
}

bool Hidden::Serves() const {
  nb::object now = place.Read();
  if (!now.is_valid()) return false;
  if (kind == Kind::kFloat) return PyFloat_CheckExact(now.ptr());
  if (kind == Kind::kCount) {
    // Sizes are not negative, and small enough to be plausible.
    constexpr int64_t kMost = int64_t{1} << 40;
    if (!PyLong_CheckExact(now.ptr())) return false;
    int overflow = 0;
    int64_t n = PyLong_AsLongLongAndOverflow(now.ptr(), &overflow);
    return overflow == 0 && n >= 0 && n < kMost;
  }
  if (!IsTensor(now) || !IsOfClass(now, derived)) return false;
  const Tensor& tensor = AsTensor(now);
  return tensor.defined() && !tensor.symbolic();
}

bool Variant::Serves(const Values& values) {
  if (!guards.Hold()) return false;
  if (same_containers.is_valid()) {
    nb::list all;
    for (const nb::object& value : values) all.append(value);
    if (!nb::cast<bool>(same_containers(all))) return false;
  }
  for (const Hidden& one : hidden) {
    if (!one.Serves()) return false;
  }
  return true;
}

void Variant::AddHidden(std::vector<Tensor>& tensors,
                        std::vector<nb::object>& objects) const {
  for (const Hidden& one : hidden) {
    if (!one.Serves()) {
      ThrowTypeError(one.text + " was an input a moment ago, and is none now");
    }
    nb::object now = one.place.Read();
    if (one.kind == Hidden::Kind::kFloat) {
      tensors.push_back(
          TensorOf(Array::Scalar<double>(PyFloat_AS_DOUBLE(now.ptr()))));
    } else if (one.kind == Hidden::Kind::kCount) {
      // No elements: the number is the size of its second axis.
      tensors.push_back(TensorOf(
          Array::Zeros(DType::kBool, {0, PyLong_AsLongLong(now.ptr())})));
    } else {
      tensors.push_back(AsTensor(now));
    }
    objects.push_back(std::move(now));
  }
}

std::shared_ptr<Variant> Pattern::Find(const Values& values,
                                       const std::vector<nb::object>& leaves,
                                       std::shared_ptr<Variant>& broken) {
  for (size_t i = 0; i < variants.size(); ++i) {
    if (!SameFixed(variants[i]->fixed, leaves)) continue;
    std::shared_ptr<Variant> found = variants[i];
    if (!found->Serves(values)) {
      if (!broken) broken = found;
      continue;
    }
    if (i > 0) {
      variants.erase(variants.begin() + static_cast<std::ptrdiff_t>(i));
      variants.insert(variants.begin(), found);
    }
    return found;
  }
  return nullptr;
}

std::vector<nb::object> Pattern::Fixed(
    const std::vector<nb::object>& leaves) const {
  std::vector<nb::object> fixed;
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] == LeafKind::kFixed) fixed.push_back(leaves[k]);
  }
  return fixed;
}

std::vector<Tensor> Pattern::Tensors(
    const std::vector<nb::object>& leaves) const {
  std::vector<Tensor> tensors;
  Tensors(leaves, tensors);
  return tensors;
}

void Pattern::Tensors(const std::vector<nb::object>& leaves,
                      std::vector<Tensor>& tensors) const {
  tensors.reserve(kinds.size());
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] == LeafKind::kFixed) continue;
    if (IsTensor(leaves[k])) {
      tensors.push_back(AsTensor(leaves[k]));
      if (tensors.back().defined()) continue;
      tensors.pop_back();
    }
    if (kinds[k] == LeafKind::kNumber && PyFloat_Check(leaves[k].ptr())) {
      // In full precision, for code that computes in that precision
      // (weak_numbers.h).
      tensors.push_back(
          TensorOf(Array::Scalar<double>(PyFloat_AS_DOUBLE(leaves[k].ptr()))));
      continue;
    }
    tensors.push_back(ToTensor(leaves[k], names[k]));
  }
}

std::vector<std::string> Pattern::TensorNames() const {
  std::vector<std::string> found;
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] != LeafKind::kFixed) found.push_back(names[k]);
  }
  return found;
}

std::string Pattern::FixedText(const std::vector<nb::object>& fixed) const {
  std::vector<std::string> parts;
  size_t next = 0;
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] != LeafKind::kFixed) continue;
    parts.push_back(StrCat(names[k], "=", ShortRepr(fixed[next++])));
  }
  return Join(parts, ", ");
}

std::vector<size_t> Pattern::Moving(
    const std::vector<nb::object>& leaves) const {
  std::vector<size_t> moving;
  size_t next = 0;
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] != LeafKind::kFixed) continue;
    size_t at = next++;
    if (stays[k] || !FitsNumber(leaves[k])) continue;
    std::vector<nb::handle> values;
    bool known = false;
    for (const auto& variant : variants) {
      nb::handle value = variant->fixed[at];
      if (!IsNumber(value)) continue;
      known = known || SameValue(value, leaves[k]);
      bool met = false;
      for (nb::handle v : values) met = met || SameValue(v, value);
      if (!met) values.push_back(value);
    }
    if (!known && values.size() >= 2) moving.push_back(k);
  }
  return moving;
}

Pattern Pattern::WithTensors(const std::vector<size_t>& numbers) const {
  Pattern other = *this;
  other.variants.clear();
  for (size_t k : numbers) other.kinds[k] = LeafKind::kNumber;
  return other;
}

std::vector<std::string> Pattern::FixedNames() const {
  std::vector<std::string> found;
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] == LeafKind::kFixed) found.push_back(names[k]);
  }
  return found;
}

Values Pattern::Together(const std::vector<nb::object>& fixed,
                         std::span<const Tensor> tensors,
                         std::vector<nb::object>* objects) const {
  std::vector<nb::object> leaves;
  size_t next_fixed = 0, next_tensor = 0;
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] == LeafKind::kFixed) {
      leaves.push_back(fixed[next_fixed++]);
      continue;
    }
    leaves.push_back(TensorOfClass(tensors[next_tensor++], derived[k]));
    if (objects) objects->push_back(leaves.back());
  }
  Values values;
  size_t at = 0;
  for (const TreeDef& tree : trees) {
    values.push_back(
        tree.Unflatten(std::span(leaves).subspan(at, tree.num_leaves())));
    at += tree.num_leaves();
  }
  return values;
}

std::string Difference(const Parameters& parameters, const Pattern& before,
                       const Variant& variant, const Pattern& now,
                       const std::vector<nb::object>& leaves) {
  std::vector<std::string> parts;
  auto differs = [&](const std::string& name, const std::string& is,
                     const std::string& was) {
    parts.push_back(
        StrCat("argument ", name, " is ", is, "; the last trace has ", was));
  };
  size_t at_before = 0, at_now = 0, next_fixed = 0;
  for (size_t i = 0; i < now.trees.size(); ++i) {
    const TreeDef &was = before.trees[i], &is = now.trees[i];
    bool same = was == is;
    if (!same) {
      differs(parameters.list()[i].name, is.ToString(), was.ToString());
    }
    for (size_t k = 0; k < was.num_leaves(); ++k) {
      LeafKind old_kind = before.kinds[at_before + k];
      nb::handle old;
      if (old_kind == LeafKind::kFixed) old = variant.fixed[next_fixed++];
      if (!same) continue;
      LeafKind kind = now.kinds[at_now + k];
      const nb::object& leaf = leaves[at_now + k];
      const nb::object& cls = now.derived[at_now + k];
      const nb::object& old_cls = before.derived[at_before + k];
      if (kind == old_kind && cls.is(old_cls) &&
          (!old.is_valid() || SameValue(old, leaf))) {
        continue;
      }
      auto text = [](LeafKind which, nb::handle value, nb::handle derived) {
        if (which == LeafKind::kFixed) return ShortRepr(value);
        if (which == LeafKind::kNumber)
          return std::string("a number as a tensor");
        if (!derived.is_valid()) return std::string("a tensor");
        return "a " + nb::cast<std::string>(derived.attr("__name__"));
      };
      differs(now.names[at_now + k], text(kind, leaf, cls),
              text(old_kind, old, old_cls));
    }
    at_before += was.num_leaves();
    at_now += is.num_leaves();
  }
  return parts.empty() ? "what was recorded is no longer kept"
                       : Join(parts, ", ");
}

}  // namespace sluice::py
