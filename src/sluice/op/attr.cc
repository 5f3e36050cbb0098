#include "sluice/op/attr.h"

#include <bit>
#include <cstring>

#include "sluice/base/strings.h"

namespace sluice {

std::string_view AttrKindName(AttrKind kind) {
  static constexpr std::string_view kNames[] = {
      "none",         "bool",        "int",        "float",     "string",
      "dtype",        "shape",       "array",      "list(int)", "list(float)",
      "list(string)", "list(dtype)", "list(shape)"};
  return kNames[static_cast<size_t>(kind)];
}

AttrValue::AttrValue() noexcept = default;
AttrValue::AttrValue(const AttrValue& o) = default;
AttrValue::AttrValue(AttrValue&& o) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue& o) = default;
AttrValue& AttrValue::operator=(AttrValue&& o) noexcept = default;
AttrValue::~AttrValue() = default;

AttrValue::AttrValue(bool v) : v_(v) {}
AttrValue::AttrValue(int v) : v_(int64_t{v}) {}
AttrValue::AttrValue(int64_t v) : v_(v) {}
AttrValue::AttrValue(float v) : v_(static_cast<double>(v)) {}
AttrValue::AttrValue(double v) : v_(v) {}
AttrValue::AttrValue(const char* v) : v_(std::string(v)) {}
AttrValue::AttrValue(std::string v) : v_(std::move(v)) {}
AttrValue::AttrValue(DType v) : v_(v) {}
AttrValue::AttrValue(const Shape& v) : v_(PartialShape(v)) {}
AttrValue::AttrValue(PartialShape v) : v_(v) {}
AttrValue::AttrValue(Array v) : v_(std::move(v)) {}
AttrValue::AttrValue(std::vector<int64_t> v) : v_(std::move(v)) {}
AttrValue::AttrValue(std::vector<double> v) : v_(std::move(v)) {}
AttrValue::AttrValue(std::vector<std::string> v) : v_(std::move(v)) {}
AttrValue::AttrValue(std::vector<DType> v) : v_(std::move(v)) {}
AttrValue::AttrValue(std::vector<PartialShape> v) : v_(std::move(v)) {}

bool AttrValue::operator==(const AttrValue& o) const {
  if (kind() != o.kind()) return false;
  if (kind() == AttrKind::kArray) return get<Array>().BitEquals(o.get<Array>());
  if (kind() == AttrKind::kFloat) {
    // Compared as bits: a NaN attribute is equal to itself.
    return std::bit_cast<int64_t>(get<double>()) ==
           std::bit_cast<int64_t>(o.get<double>());
  }
  if (kind() == AttrKind::kFloats) {
    const auto& a = get<std::vector<double>>();
    const auto& b = o.get<std::vector<double>>();
    return a.size() == b.size() &&
           (a.empty() ||
            std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
  }
  return std::visit(
      [&](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<T, Array> ||
                      std::is_same_v<T, std::monostate>) {
          return true;
        } else {
          return a == std::get<T>(o.v_);
        }
      },
      v_);
}

namespace {

std::string FloatText(double v) {
  std::string text = StrCat(v);
  // Floats always look like floats, so that the text is parsed as one.
  if (text.find_first_of(".einf") == text.npos) text += ".0";
  return text;
}

std::string Element(int64_t v) { return StrCat(v); }
std::string Element(double v) { return FloatText(v); }
std::string Element(DType v) { return std::string(DTypeName(v)); }
std::string Element(const PartialShape& v) { return v.ToString(); }
std::string Element(const std::string& v) {
  return StrCat("\"", EscapeString(v), "\"");
}

template <class T>
std::string List(const std::vector<T>& items) {
  std::string out = "{";
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) out += ", ";
    out += Element(items[i]);
  }
  return out + "}";
}

// The elements of an array in one flat row, exact.
std::string ArrayText(const Array& array) {
  Array flat = *array.AsContiguous();
  flat = flat.WithShape({flat.num_elements()});
  std::string values = flat.ToString(flat.num_elements());
  if (array.rank() == 0 && values.size() > 2) {
    return StrCat(values.substr(1, values.size() - 2), " : ", array.TypeText());
  }
  return StrCat(values, " : ", array.TypeText());
}

}  // namespace

std::string AttrValue::ToString() const {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "none";
        } else if constexpr (std::is_same_v<T, bool>) {
          return v ? "true" : "false";
        } else if constexpr (std::is_same_v<T, Array>) {
          return ArrayText(v);
        } else if constexpr (requires { Element(v); }) {
          return Element(v);
        } else {
          return List(v);
        }
      },
      v_);
}

Attrs::Attrs() noexcept = default;
Attrs::Attrs(std::initializer_list<Entry> entries) : entries_(entries) {}
Attrs::Attrs(const Attrs& o) = default;
Attrs::Attrs(Attrs&& o) noexcept = default;
Attrs& Attrs::operator=(const Attrs& o) = default;
Attrs& Attrs::operator=(Attrs&& o) noexcept = default;
Attrs::~Attrs() = default;

bool Attrs::operator==(const Attrs& o) const { return entries_ == o.entries_; }

const AttrValue* Attrs::find(std::string_view name) const {
  for (const Entry& e : entries_) {
    if (e.first == name) return &e.second;
  }
  return nullptr;
}

void Attrs::set(std::string_view name, AttrValue value) {
  for (Entry& e : entries_) {
    if (e.first == name) {
      e.second = std::move(value);
      return;
    }
  }
  entries_.emplace_back(std::string(name), std::move(value));
}

}  // namespace sluice
