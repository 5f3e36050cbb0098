// Attributes: the compile-time arguments of an op. A value is one of a small
// set of kinds; Attrs is a short list of named values in the record's order.
// Plain values; share read-only from any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/base/pooled.h"
#include "sluice/base/status.h"
#include "sluice/tensor/array.h"
#include "sluice/tensor/dtype.h"
#include "sluice/tensor/shape.h"

namespace sluice {

enum class AttrKind : uint8_t {
  kNone = 0,
  kBool,
  kInt,
  kFloat,
  kString,
  kDType,
  kShape,
  kArray,
  kInts,
  kFloats,
  kStrings,
  kDTypes,
  kShapes,
};

std::string_view AttrKindName(AttrKind kind);  // "int", "list(int)", ...

class AttrValue {
 public:
  // The order of the alternatives is the order of AttrKind.
  using Variant =
      std::variant<std::monostate, bool, int64_t, double, std::string, DType,
                   PartialShape, Array, std::vector<int64_t>,
                   std::vector<double>, std::vector<std::string>,
                   std::vector<DType>, std::vector<PartialShape>>;

  // Members are defined in the .cc file: every file that calls an op reads
  // this header, and would compile the variant's code anew.
  AttrValue() noexcept;
  AttrValue(const AttrValue& o);
  AttrValue(AttrValue&& o) noexcept;
  AttrValue& operator=(const AttrValue& o);
  AttrValue& operator=(AttrValue&& o) noexcept;
  ~AttrValue();

  AttrValue(bool v);
  AttrValue(int v);
  AttrValue(int64_t v);
  AttrValue(float v);
  AttrValue(double v);
  AttrValue(const char* v);
  AttrValue(std::string v);
  AttrValue(DType v);
  AttrValue(const Shape& v);
  AttrValue(PartialShape v);
  AttrValue(Array v);
  AttrValue(std::vector<int64_t> v);
  AttrValue(std::vector<double> v);
  AttrValue(std::vector<std::string> v);
  AttrValue(std::vector<DType> v);
  AttrValue(std::vector<PartialShape> v);

  AttrKind kind() const { return static_cast<AttrKind>(v_.index()); }
  // REQUIRES: the value is of that kind.
  template <class T>
  const T& get() const {
    const T* p = std::get_if<T>(&v_);
    SL_CHECK(p != nullptr);
    return *p;
  }
  const Variant& variant() const { return v_; }
  bool operator==(const AttrValue& o) const;
  // In the syntax of the graph's text form: 3, 0.5, "a", f32, [2,?], ...
  std::string ToString() const;

 private:
  Variant v_;
};

class Attrs {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  Attrs() noexcept;
  Attrs(std::initializer_list<Entry> entries);
  Attrs(const Attrs& o);
  Attrs(Attrs&& o) noexcept;
  Attrs& operator=(const Attrs& o);
  Attrs& operator=(Attrs&& o) noexcept;
  ~Attrs();

  const AttrValue* find(std::string_view name) const;
  // REQUIRES: the attribute exists and has that kind, which holds for every
  // attribute named in the op's record, once the record has checked them.
  template <class T>
  const T& get(std::string_view name) const {
    const AttrValue* v = find(name);
    SL_CHECK(v != nullptr);
    return v->get<T>();
  }
  void set(std::string_view name, AttrValue value);
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool operator==(const Attrs& o) const;

 private:
  // Every call creates and destroys one of these.
  std::vector<Entry, PoolAllocator<Entry>> entries_;
};

}  // namespace sluice
