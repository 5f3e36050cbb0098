#include "sluice/data/example.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/formats/protobuf_reader.h"
#include "sluice/formats/protobuf_writer.h"

namespace sluice::data {

namespace {

using Type = WireReader::Type;

// One encoded feature. Kinds are the field numbers of Feature: bytes, floats,
// integers.
struct Values {
  uint32_t kind = 0;
  std::vector<std::string_view> texts;
  std::vector<float> floats;
  std::vector<int64_t> ints;
};

constexpr uint32_t kTexts = 1, kFloats = 2, kInts = 3;

Status WrongAt(size_t position, std::string_view what) {
  return DataLoss(StrCat("protobuf data at byte ", position, ": ", what));
}

// A BytesList, FloatList or Int64List: field 1, repeated or packed.
Status ReadList(const WireReader::Field& list, uint32_t kind, Values* values) {
  values->kind = kind;
  WireReader in(list.bytes, list.position);
  while (!in.done()) {
    size_t at = in.position();
    SL_ASSIGN_OR_RETURN(WireReader::Field field, in.Next());
    if (field.number != 1) continue;
    if (kind == kTexts && field.type == Type::kBytes) {
      values->texts.push_back(field.bytes);
    } else if (kind == kFloats && field.type == Type::k32) {
      values->floats.push_back(
          std::bit_cast<float>(static_cast<uint32_t>(field.value)));
    } else if (kind == kInts && field.type == Type::kVarint) {
      values->ints.push_back(static_cast<int64_t>(field.value));
    } else if (kind != kTexts && field.type == Type::kBytes) {
      WireReader packed(field.bytes, field.position);
      while (!packed.done()) {
        if (kind == kFloats) {
          SL_ASSIGN_OR_RETURN(uint32_t bits, packed.Fixed32());
          values->floats.push_back(std::bit_cast<float>(bits));
        } else {
          SL_ASSIGN_OR_RETURN(uint64_t value, packed.Varint());
          values->ints.push_back(static_cast<int64_t>(value));
        }
      }
    } else {
      return WrongAt(at, "a value of another type than its list");
    }
  }
  return OkStatus();
}

Status ReadFeature(const WireReader::Field& feature, Values* values) {
  WireReader in(feature.bytes, feature.position);
  while (!in.done()) {
    SL_ASSIGN_OR_RETURN(WireReader::Field field, in.Next());
    if (field.number < kTexts || field.number > kInts) continue;
    if (field.type != Type::kBytes) {
      return WrongAt(field.position, "a list that is no message");
    }
    *values = Values();  // the last one wins
    SL_RETURN_IF_ERROR(ReadList(field, field.number, values));
  }
  return OkStatus();
}

// One entry of the map: a name and a Feature.
Status ReadEntry(const WireReader::Field& entry,
                 const std::vector<Feature>& wanted,
                 std::vector<std::optional<Values>>* found) {
  WireReader in(entry.bytes, entry.position);
  std::string_view name;
  WireReader::Field value;
  while (!in.done()) {
    SL_ASSIGN_OR_RETURN(WireReader::Field field, in.Next());
    if (field.type != Type::kBytes) continue;
    if (field.number == 1) name = field.bytes;
    if (field.number == 2) value = field;
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].name != name) continue;
    SL_RETURN_IF_ERROR(ReadFeature(value, &(*found)[i].emplace()));
  }
  return OkStatus();
}

Result<std::vector<std::optional<Values>>> ReadExample(
    std::string_view bytes, const std::vector<Feature>& wanted) {
  std::vector<std::optional<Values>> found(wanted.size());
  WireReader in(bytes);
  while (!in.done()) {
    SL_ASSIGN_OR_RETURN(WireReader::Field features, in.Next());
    if (features.number != 1 || features.type != Type::kBytes) continue;
    WireReader entries(features.bytes, features.position);
    while (!entries.done()) {
      SL_ASSIGN_OR_RETURN(WireReader::Field entry, entries.Next());
      if (entry.number != 1 || entry.type != Type::kBytes) continue;
      SL_RETURN_IF_ERROR(ReadEntry(entry, wanted, &found));
    }
  }
  return found;
}

std::string WantedText(const Feature& feature) {
  return TypeText(feature.dtype, *PartialShape::Make(feature.shape));
}

// The shape for `count` values.
Result<Shape> ShapeFor(const Feature& feature, int64_t count) {
  std::vector<int64_t> dims = feature.shape;
  int64_t known = 1, *open = nullptr;
  for (int64_t& dim : dims) {
    if (dim >= 0) {
      known *= dim;  // CheckFeature excludes overflow
    } else {
      open = &dim;
    }
  }
  if (open) *open = known == 0 ? 0 : count / known;
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  if (shape.num_elements() == count) return shape;
  return InvalidArgument(StrCat("feature \"", EscapeString(feature.name),
                                "\" has ", count, " values; wanted ",
                                WantedText(feature)));
}

uint32_t KindOf(DType dtype) {
  return dtype == DType::kString ? kTexts
         : dtype == DType::kF32  ? kFloats
         : dtype == DType::kI64  ? kInts
                                 : 0;
}

Result<Array> Missing(const Feature& feature) {
  std::vector<int64_t> dims;
  for (int64_t dim : feature.shape) dims.push_back(std::max<int64_t>(dim, 0));
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  SL_ASSIGN_OR_RETURN(Array out, Array::Make(feature.dtype, shape));
  if (feature.dtype == DType::kF32) {
    std::fill_n(out.mutable_data<float>(), out.num_elements(),
                static_cast<float>(*feature.missing));
  } else if (feature.dtype == DType::kI64) {
    std::fill_n(out.mutable_data<int64_t>(), out.num_elements(),
                static_cast<int64_t>(*feature.missing));
  }
  return out;
}

Result<Array> ToArray(const Feature& feature,
                      const std::optional<Values>& values) {
  if (!values || values->kind == 0) {
    if (feature.missing) return Missing(feature);
    return InvalidArgument(StrCat("feature \"", EscapeString(feature.name),
                                  "\" is not in the Example"));
  }
  if (values->kind != KindOf(feature.dtype)) {
    constexpr std::string_view kNames[] = {"", "string", "f32", "i64"};
    return InvalidArgument(StrCat("feature \"", EscapeString(feature.name),
                                  "\" holds ", kNames[values->kind],
                                  "; wanted ", DTypeName(feature.dtype)));
  }
  auto count = static_cast<int64_t>(
      values->texts.size() + values->floats.size() + values->ints.size());
  if (count == 0 && feature.missing) return Missing(feature);
  SL_ASSIGN_OR_RETURN(Shape shape, ShapeFor(feature, count));
  SL_ASSIGN_OR_RETURN(Array out, Array::Make(feature.dtype, shape));
  if (values->kind == kTexts) {
    std::copy(values->texts.begin(), values->texts.end(),
              out.mutable_data<std::string>());
  } else if (values->kind == kFloats) {
    std::copy(values->floats.begin(), values->floats.end(),
              out.mutable_data<float>());
  } else {
    std::copy(values->ints.begin(), values->ints.end(),
              out.mutable_data<int64_t>());
  }
  return out;
}

void CheckFeature(const Feature& feature) {
  std::string who =
      StrCat("[example] feature \"", EscapeString(feature.name), "\"");
  Want(KindOf(feature.dtype) != 0, StrCat(who, " is ", DTypeName(feature.dtype),
                                          "; wanted f32, i64 or string"));
  Result<PartialShape> shape = PartialShape::Make(feature.shape);
  Want(shape.ok(), StrCat(who, ": ", shape.status().message()));
  auto open = std::count_if(feature.shape.begin(), feature.shape.end(),
                            [](int64_t dim) { return dim < 0; });
  Want(open <= 1,
       StrCat(who, " has shape ", *shape, "; wanted one size unknown at most"));
  if (feature.missing && feature.dtype == DType::kI64) {
    double value = *feature.missing;
    Want(value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value),
         StrCat(who, " is ", value, " where it is missing; wanted an i64"));
  }
}

}  // namespace

std::vector<Tensor> parse_example(std::string_view bytes,
                                  const std::vector<Feature>& features) {
  for (const Feature& feature : features) CheckFeature(feature);
  auto found = ValueOrThrow(ReadExample(bytes, features));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < features.size(); ++i) {
    tensors.push_back(TensorOf(ValueOrThrow(ToArray(features[i], found[i]))));
  }
  return tensors;
}

std::string make_example(
    const std::vector<std::pair<std::string, Tensor>>& features) {
  ProtoWriter entries;
  for (const auto& [name, tensor] : features) {
    Array here = ValueOrThrow(OnHost(tensor.array()));
    Array array = ValueOrThrow(here.AsContiguous());
    uint32_t kind = KindOf(array.dtype());
    Want(kind != 0, StrCat("[example] feature \"", EscapeString(name), "\" is ",
                           array.TypeText(), "; wanted f32, i64 or string"));
    ProtoWriter list, feature, entry;
    if (kind == kTexts) {
      for (int64_t i = 0; i < array.num_elements(); ++i) {
        list.Bytes(1, array.data<std::string>()[i]);
      }
    } else if (auto n = static_cast<size_t>(array.num_elements());
               kind == kInts) {
      list.PackedInts(1, {array.data<int64_t>(), n});
    } else {
      list.PackedFloats(1, {array.data<float>(), n});
    }
    feature.Message(static_cast<int>(kind), list);
    entry.Bytes(1, name).Message(2, feature);
    entries.Message(1, entry);
  }
  return ProtoWriter().Message(1, entries).bytes();
}

void data_internal::WantFeatures(size_t features, size_t components) {
  Want(features == components, StrCat("[example] ", features, " features for ",
                                      components, " components"));
}

}  // namespace sluice::data
