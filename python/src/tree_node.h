// The nodes of a TreeDef, for the files that walk them. Under the GIL.
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
  std::vector<size_t> order;      // of dicts: the keys as they were put in
  nb::object aux;                 // of registered types
  DType dtype = DType::kInvalid;  // of a List's elements, and their shape
  PartialShape shape;
  // Attributes that are no fields: the last of the keys and of the children;
  // and how many entries the object's dict has, where those are asked for.
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
// Children and the rest, as the class has told to take its objects apart.
nb::tuple CustomParts(nb::handle o);
bool IsNamedTuple(nb::handle o);
bool IsDataclass(nb::handle o);
// The dict that an object keeps its attributes in; holds nothing without one.
nb::object DictOf(nb::handle o);
// A sluice::List, made in full.
bool IsList(nb::handle o);

}  // namespace sluice::py
