// The nodes of a TreeDef, for the files that traverse them. Under the GIL.
#pragma once

#include <optional>

#include "sluice/tensor/shape.h"
#include "tree.h"

namespace sluice::py {

struct TreeDef::Node {
  enum class Kind {
    kLeaf,
    kNone,
    kTuple,
    kList,
    kDict,
    kFields,
    kCustom,
    kTensorList,  // sluice::List
  };
  Kind kind = Kind::kLeaf;
  nb::object type;  // of dataclasses, registered; of tuples if not tuple
  std::vector<nb::object> keys;   // of dicts; names of fields
  std::vector<size_t> order;      // of dicts: the keys in insertion order
  nb::object aux;                 // of registered types
  DType dtype = DType::kInvalid;  // of a List's elements, and their shape
  PartialShape shape;
  // The number of attributes that are not fields, which are the last of keys
  // and children; and the size of the object's dict, where requested.
  size_t beside = 0;
  std::optional<size_t> held;
  std::vector<Node> children;

  bool operator==(const Node& o) const {
    return kind == o.kind && dtype == o.dtype && type.is(o.type) &&
           keys.size() == o.keys.size() &&
           std::equal(keys.begin(), keys.end(), o.keys.begin(),
                      [](const nb::object& a, const nb::object& b) {
                        return a.equal(b);
                      }) &&
           (!aux.is_valid() || aux.equal(o.aux)) && children == o.children;
  }
};

// Classes whose objects are nodes, each with (flatten, unflatten).
nb::dict& RegisteredTypes();
bool IsCustom(nb::handle o);
// The children and the auxiliary value, from the class's flatten function.
nb::tuple CustomParts(nb::handle o);
bool IsNamedTuple(nb::handle o);
bool IsDataclass(nb::handle o);
// The attribute dict of an object; empty without one.
nb::object DictOf(nb::handle o);
// Whether it is a fully constructed sluice::List.
bool IsList(nb::handle o);

}  // namespace sluice::py
