#include "sluice/graph/text_values.h"

#include <charconv>
#include <limits>

#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

// Parses all of `text` as a T; false if it is not one or does not fit.
template <class T>
bool ReadNumber(std::string_view text, T* out) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  auto [p, error] = std::from_chars(text.data(), end, *out);
  return error == std::errc() && p == end && !text.empty();
}

bool IsNumberWord(const TextWord& word) {
  return word.kind == TextToken::kNumber ||
         (word.kind == TextToken::kIdent &&
          (word.text == "inf" || word.text == "nan"));
}

// True if the number can only be a float: it has a point or an exponent, or is
// inf or nan.
bool LooksFloating(const TextWord& word) {
  return word.text.find_first_of(".eEin") != std::string::npos;
}

Result<int64_t> ReadInt(TextCursor& text, std::string_view wanted) {
  if (!text.is(TextToken::kNumber)) return text.Unexpected(wanted);
  int64_t value = 0;
  if (!ReadNumber(text.word().text, &value)) return text.Unexpected(wanted);
  text.Take();
  return value;
}

Result<double> ReadDouble(TextCursor& text) {
  double value = 0;
  if (!IsNumberWord(text.word()) || !ReadNumber(text.word().text, &value)) {
    return text.Unexpected("a number");
  }
  text.Take();
  return value;
}

Result<std::string> ReadString(TextCursor& text) {
  SL_ASSIGN_OR_RETURN(TextWord word,
                      text.Expect(TextToken::kString, "a string in quotes"));
  return std::move(word.text);
}

Result<bool> ReadBool(TextCursor& text) {
  if (text.AcceptIdent("true")) return true;
  if (text.AcceptIdent("false")) return false;
  return text.Unexpected("true or false");
}

Result<DType> ReadDType(TextCursor& text) {
  if (!text.is(TextToken::kIdent)) return text.Unexpected("an element type");
  DType dtype = DTypeFromName(text.word().text);
  if (dtype == DType::kInvalid) return text.Unexpected("an element type");
  text.Take();
  return dtype;
}

Result<int64_t> ReadDim(TextCursor& text) {
  constexpr std::string_view kWanted = "a size, '?' or a symbol like s0";
  if (text.AcceptMark("?")) return kUnknownDim;
  if (text.is(TextToken::kIdent)) {
    int32_t id = 0;  // small: symbols are encoded as negative sizes
    const std::string& word = text.word().text;
    if (word[0] != 's' || !ReadNumber(std::string_view(word).substr(1), &id) ||
        id < 0) {
      return text.Unexpected(kWanted);
    }
    text.Take();
    return SymbolDim(id);
  }
  size_t begin = text.word().begin;
  SL_ASSIGN_OR_RETURN(int64_t size, ReadInt(text, kWanted));
  if (size < 0) {
    return text.Error(begin, StrCat("a size is ", size, "; wanted >= 0"));
  }
  return size;
}

Result<PartialShape> ReadShape(TextCursor& text) {
  size_t begin = text.word().begin;
  SL_RETURN_IF_ERROR(text.ExpectMark("["));
  std::vector<int64_t> dims;
  if (text.AcceptMark("...")) {
    SL_RETURN_IF_ERROR(text.ExpectMark("]"));
    return PartialShape::Unknown();
  }
  while (!text.AcceptMark("]")) {
    if (!dims.empty()) SL_RETURN_IF_ERROR(text.ExpectMark(","));
    SL_ASSIGN_OR_RETURN(int64_t dim, ReadDim(text));
    dims.push_back(dim);
  }
  Result<PartialShape> shape = PartialShape::Make(dims);
  if (!shape.ok()) return text.At(begin, shape.status());
  return shape;
}

// One element of an array in the text; (re,im) is two words.
struct Element {
  TextWord word, imaginary;
};

template <class T>
bool ReadElement(const Element& element, T* out) {
  const TextWord& word = element.word;
  if constexpr (std::is_same_v<T, std::string>) {
    if (word.kind != TextToken::kString) return false;
    *out = word.text;
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    *out = word.text == "true";
    return word.kind == TextToken::kIdent && (*out || word.text == "false");
  } else if constexpr (std::is_same_v<T, complex64>) {
    float real = 0, imaginary = 0;
    if (!IsNumberWord(word) || !ReadNumber(word.text, &real)) return false;
    if (element.imaginary.kind != TextToken::kEnd &&
        (!IsNumberWord(element.imaginary) ||
         !ReadNumber(element.imaginary.text, &imaginary))) {
      return false;
    }
    *out = {real, imaginary};
    return true;
  } else if (element.imaginary.kind != TextToken::kEnd || !IsNumberWord(word)) {
    return false;
  } else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    float value = 0;
    if (!ReadNumber(word.text, &value)) return false;
    *out = T(value);
    return true;
  } else {
    return ReadNumber(word.text, out);
  }
}

Result<Array> MakeArray(const TextCursor& text, size_t begin, DType dtype,
                        const Shape& shape,
                        const std::vector<Element>& elements) {
  if (shape.num_elements() != static_cast<int64_t>(elements.size())) {
    return text.Error(begin, StrCat("got ", elements.size(), " elements for ",
                                    TypeText(dtype, shape), "; wanted ",
                                    shape.num_elements()));
  }
  Result<Array> array = Array::Make(dtype, shape);
  if (!array.ok()) return text.At(begin, array.status());
  const Element* bad = nullptr;
  bool known = DispatchAll(dtype, [&]<class T>() {
    T* data = array->mutable_data<T>();
    for (size_t i = 0; i < elements.size() && !bad; ++i) {
      if (!ReadElement<T>(elements[i], data + i)) bad = &elements[i];
    }
  });
  if (!known) {
    return text.Error(begin, StrCat("an array of ", DTypeName(dtype),
                                    " cannot be written as text"));
  }
  if (bad) {
    return text.Error(bad->word.begin, StrCat(DescribeWord(bad->word),
                                              " is no ", DTypeName(dtype)));
  }
  return array;
}

Result<Element> ReadElementWords(TextCursor& text) {
  Element element;
  size_t begin = text.word().begin;
  if (text.AcceptMark("(")) {
    if (!AtLiteral(text)) return text.Unexpected("the real part of a complex");
    element.word = text.Take();
    SL_RETURN_IF_ERROR(text.ExpectMark(","));
    if (!AtLiteral(text)) return text.Unexpected("the imaginary part");
    element.imaginary = text.Take();
    element.word.begin = begin;
    SL_RETURN_IF_ERROR(text.ExpectMark(")"));
    return element;
  }
  if (!AtLiteral(text)) return text.Unexpected("an element of an array");
  element.word = text.Take();
  return element;
}

// The elements come before the type that determines their meaning, so the words
// are stored until it is known.
Result<Array> ReadArray(TextCursor& text) {
  size_t begin = text.word().begin;
  std::vector<Element> elements;
  bool scalar = !text.AcceptMark("[");
  if (scalar) {
    SL_ASSIGN_OR_RETURN(Element element, ReadElementWords(text));
    elements.push_back(std::move(element));
  } else {
    while (!text.AcceptMark("]")) {
      SL_ASSIGN_OR_RETURN(Element element, ReadElementWords(text));
      elements.push_back(std::move(element));
      text.AcceptMark(",");
    }
  }
  if (text.AcceptMark(":")) {
    size_t type_begin = text.word().begin;
    SL_ASSIGN_OR_RETURN(ValueType type, ReadType(text));
    if (!type.shape.fully_known()) {
      return text.Error(type_begin, StrCat("the array has type ", type,
                                           "; wanted all sizes known"));
    }
    return MakeArray(text, begin, type.dtype, type.shape.ToShape(), elements);
  }
  if (elements.empty()) return text.Unexpected("':' and the type of the array");
  DType dtype = elements[0].imaginary.kind != TextToken::kEnd
                    ? DType::kC64
                    : NaturalDType(elements[0].word);
  for (const Element& e : elements) {
    if (dtype == DType::kI32 && LooksFloating(e.word)) dtype = DType::kF32;
  }
  Shape shape;
  if (!scalar) shape = Shape({static_cast<int64_t>(elements.size())});
  return MakeArray(text, begin, dtype, shape, elements);
}

template <class T, class Read>
Result<AttrValue> ReadList(TextCursor& text, Read read) {
  std::vector<T> items;
  SL_RETURN_IF_ERROR(text.ExpectMark("{"));
  while (!text.AcceptMark("}")) {
    if (!items.empty()) SL_RETURN_IF_ERROR(text.ExpectMark(","));
    SL_ASSIGN_OR_RETURN(T item, read(text));
    items.push_back(std::move(item));
  }
  return AttrValue(std::move(items));
}

template <class T>
Result<AttrValue> AsAttr(Result<T> value) {
  if (!value.ok()) return value.status();
  return AttrValue(std::move(*value));
}

Result<int64_t> ReadAttrInt(TextCursor& text) {
  return ReadInt(text, "an integer");
}

}  // namespace

Result<ValueType> ReadType(TextCursor& text) {
  ValueType type;
  SL_ASSIGN_OR_RETURN(type.dtype, ReadDType(text));
  SL_ASSIGN_OR_RETURN(type.shape, ReadShape(text));
  return type;
}

bool AtLiteral(const TextCursor& text) {
  return IsNumberWord(text.word()) || text.is(TextToken::kString) ||
         text.at_ident("true") || text.at_ident("false");
}

Result<Array> ScalarOf(const TextCursor& text, const TextWord& word,
                       DType dtype) {
  return MakeArray(text, word.begin, dtype, Shape(), {{word, {}}});
}

DType NaturalDType(const TextWord& word) {
  if (word.kind == TextToken::kString) return DType::kString;
  if (word.text == "true" || word.text == "false") return DType::kBool;
  return LooksFloating(word) ? DType::kF32 : DType::kI32;
}

Result<AttrValue> ReadAttrValue(TextCursor& text, AttrKind kind) {
  switch (kind) {
    case AttrKind::kBool:
      return AsAttr(ReadBool(text));
    case AttrKind::kInt:
      return AsAttr(ReadAttrInt(text));
    case AttrKind::kFloat:
      return AsAttr(ReadDouble(text));
    case AttrKind::kString:
      return AsAttr(ReadString(text));
    case AttrKind::kDType:
      return AsAttr(ReadDType(text));
    case AttrKind::kShape:
      return AsAttr(ReadShape(text));
    case AttrKind::kArray:
      return AsAttr(ReadArray(text));
    case AttrKind::kInts:
      return ReadList<int64_t>(text, ReadAttrInt);
    case AttrKind::kFloats:
      return ReadList<double>(text, ReadDouble);
    case AttrKind::kStrings:
      return ReadList<std::string>(text, ReadString);
    case AttrKind::kDTypes:
      return ReadList<DType>(text, ReadDType);
    case AttrKind::kShapes:
      return ReadList<PartialShape>(text, ReadShape);
    case AttrKind::kNone:
      break;
  }
  return text.Unexpected("an attribute's value");
}

}  // namespace sluice
