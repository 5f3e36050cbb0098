#include "sluice/cluster/array_wire.h"

#include <atomic>

#include "sluice/base/strings.h"
#include "sluice/tensor/list.h"
#include "sluice/tensor/remote_copy.h"

namespace sluice::cluster {

namespace {

std::atomic<int64_t> copied{0};

// ---- Numbers in a head ----

void PutInt(std::string* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>(value | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

void PutSigned(std::string* out, int64_t value) {
  PutInt(out, static_cast<uint64_t>(value) << 1 ^
                  static_cast<uint64_t>(value >> 63));
}

Status Wrong(std::string_view what) {
  return DataLoss(StrCat("array bytes: ", what));
}

Status TakeInt(std::string_view* in, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (in->empty()) return Wrong("cut short");
    auto byte = static_cast<uint8_t>((*in)[0]);
    in->remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return OkStatus();
  }
  return Wrong("a number is too long");
}

Status TakeSigned(std::string_view* in, int64_t* value) {
  uint64_t v = 0;
  SL_RETURN_IF_ERROR(TakeInt(in, &v));
  *value = static_cast<int64_t>((v >> 1) ^ (~(v & 1) + 1));
  return OkStatus();
}

// ---- Writing ----

// The state of a list's slot.
enum Place : uint64_t { kUnwritten = 0, kWritten = 1, kTaken = 2 };

Status WriteList(const ListValue& list, std::string* head, Payload* contents) {
  PutInt(head, static_cast<uint64_t>(list.dtype()));
  PutSigned(head, list.shape().rank());
  for (int64_t dim : list.shape().dims()) PutSigned(head, dim);
  PutInt(head, static_cast<uint64_t>(list.max_size()));
  PutInt(head, static_cast<uint64_t>(list.size()));
  for (int64_t i = 0; i < list.size(); ++i) {
    Array element = list.at(i);
    PutInt(head, element ? kWritten : list.taken(i) ? kTaken : kUnwritten);
    if (element) SL_RETURN_IF_ERROR(WriteArray(element, head, contents));
  }
  return OkStatus();
}

void WriteStrings(const Array& array, std::string* head, Payload* contents) {
  std::string all;
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    const std::string& text = array.data<std::string>()[i];
    PutInt(head, text.size());
    all += text;
  }
  contents->Append(std::move(all));
}

}  // namespace

int64_t CopiedToSend() { return copied.load(std::memory_order_relaxed); }

Status WriteArray(const Array& given, std::string* head, Payload* contents) {
  if (!given) return Internal("an empty array was to be sent");
  if (given.dtype() == DType::kResource) {
    return InvalidArgument(StrCat(
        "a handle (", given.TypeText(),
        ") cannot leave its task; fetch the value it stands for instead"));
  }
  Array array = given;
  if (!array.on_host()) {
    SL_ASSIGN_OR_RETURN(array, RemoteCopy::To(array, nullptr));
    copied.fetch_add(array.bytes(), std::memory_order_relaxed);
  }
  if (!array.contiguous()) {
    SL_ASSIGN_OR_RETURN(array, array.AsContiguous());
    copied.fetch_add(array.bytes(), std::memory_order_relaxed);
  }
  PutInt(head, static_cast<uint64_t>(array.dtype()));
  if (array.dtype() == DType::kList) {
    const ListValue* list = ListOf(array);
    PutInt(head, list ? 1 : 0);  // a null list is the zero of lists
    return list ? WriteList(*list, head, contents) : OkStatus();
  }
  PutInt(head, static_cast<uint64_t>(array.rank()));
  for (int64_t dim : array.shape().dims()) PutSigned(head, dim);
  if (array.dtype() == DType::kString) {
    WriteStrings(array, head, contents);
  } else {
    contents->AppendElements(array);
  }
  return OkStatus();
}

// ---- Reading ----

namespace {

class Reader {
 public:
  Reader(std::string_view* head, PayloadReader* contents)
      : head_(head), contents_(contents) {}

  Result<Array> Read(int depth) {
    SL_ASSIGN_OR_RETURN(DType dtype, Type());
    if (dtype == DType::kList) return List(depth);
    SL_ASSIGN_OR_RETURN(Shape shape, Sizes());
    if (dtype == DType::kString) return Strings(shape);
    auto bytes = static_cast<uint64_t>(shape.num_elements()) *
                 static_cast<uint64_t>(DTypeSize(dtype));
    // Checked before memory is allocated.
    if (contents_ && bytes > contents_->left()) return Short(bytes);
    SL_ASSIGN_OR_RETURN(Array array, Array::Make(dtype, shape));
    if (!contents_) return array;
    if (bytes > 0) contents_->Read(array.mutable_raw(), bytes);
    return array;
  }

 private:
  Status Short(uint64_t wanted) const {
    return Wrong(StrCat("wanted ", wanted, " bytes of contents; ",
                        contents_ ? contents_->left() : size_t{0},
                        " are left"));
  }

  Result<DType> Type() {
    uint64_t word = 0;
    SL_RETURN_IF_ERROR(TakeInt(head_, &word));
    if (word == 0 || word >= kNumDTypes ||
        word == static_cast<uint64_t>(DType::kResource)) {
      return Wrong(StrCat("there is no element type ", word));
    }
    return static_cast<DType>(word);
  }

  Result<Shape> Sizes() {
    uint64_t rank = 0;
    SL_RETURN_IF_ERROR(TakeInt(head_, &rank));
    if (rank > kMaxRank) return Wrong(StrCat("rank ", rank));
    int64_t dims[kMaxRank];
    for (uint64_t i = 0; i < rank; ++i) {
      SL_RETURN_IF_ERROR(TakeSigned(head_, &dims[i]));
    }
    Result<Shape> shape = Shape::Make({dims, rank});
    if (!shape.ok()) return Wrong(shape.status().message());
    return shape;
  }

  Result<Array> Strings(const Shape& shape) {
    // Every string has at least one byte of length.
    if (static_cast<uint64_t>(shape.num_elements()) > head_->size()) {
      return Wrong(
          StrCat(shape.num_elements(), " texts in ", head_->size(), " bytes"));
    }
    if (!contents_) return Wrong("texts cannot be fetched by parts");
    SL_ASSIGN_OR_RETURN(Array array, Array::Make(DType::kString, shape));
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      uint64_t size = 0;
      SL_RETURN_IF_ERROR(TakeInt(head_, &size));
      if (size > contents_->left()) return Short(size);
      contents_->ReadString(&array.mutable_data<std::string>()[i], size);
    }
    return array;
  }

  Result<Array> List(int depth) {
    if (depth >= kMaxListDepth) return Wrong("lists are nested too deep");
    if (!contents_) return Wrong("lists cannot be fetched by parts");
    uint64_t there = 0, type = 0, max_size = 0, size = 0;
    SL_RETURN_IF_ERROR(TakeInt(head_, &there));
    if (there == 0) return Array::Make(DType::kList, Shape());
    SL_RETURN_IF_ERROR(TakeInt(head_, &type));
    if (type >= kNumDTypes) return Wrong(StrCat("element type ", type));
    SL_ASSIGN_OR_RETURN(PartialShape shape, PartialSizes());
    SL_RETURN_IF_ERROR(TakeInt(head_, &max_size));
    SL_RETURN_IF_ERROR(TakeInt(head_, &size));
    if (max_size > kMaxListSize) return Wrong("a list has too many places");
    if (size > max_size || size > head_->size()) {
      return Wrong(StrCat("a list has ", size, " elements in ", head_->size(),
                          " bytes"));
    }
    auto list = MakeRef<ListValue>(static_cast<DType>(type), std::move(shape),
                                   static_cast<int64_t>(max_size));
    SL_RETURN_IF_ERROR(list->Resize(static_cast<int64_t>(size)));
    for (uint64_t i = 0; i < size; ++i) {
      SL_RETURN_IF_ERROR(Element(*list, static_cast<int64_t>(i), depth));
    }
    return ListArray(std::move(list));
  }

  Status Element(ListValue& list, int64_t i, int depth) {
    uint64_t place = 0;
    SL_RETURN_IF_ERROR(TakeInt(head_, &place));
    if (place == kUnwritten) return OkStatus();
    if (place == kTaken) {
      (void)list.Take(i);
      return OkStatus();
    }
    if (place != kWritten) return Wrong("a place of a list is of no kind");
    SL_ASSIGN_OR_RETURN(Array element, Read(depth + 1));
    Status fits = list.CheckElement(element);
    if (!fits.ok()) return Wrong(fits.message());
    list.Set(i, std::move(element));
    return OkStatus();
  }

  Result<PartialShape> PartialSizes() {
    int64_t rank = 0;
    SL_RETURN_IF_ERROR(TakeSigned(head_, &rank));
    if (rank < -1 || rank > kMaxRank) return Wrong(StrCat("rank ", rank));
    if (rank < 0) return PartialShape();
    int64_t dims[kMaxRank];
    for (int64_t i = 0; i < rank; ++i) {
      SL_RETURN_IF_ERROR(TakeSigned(head_, &dims[i]));
    }
    Result<PartialShape> shape =
        PartialShape::Make({dims, static_cast<size_t>(rank)});
    if (!shape.ok()) return Wrong(shape.status().message());
    return shape;
  }

  std::string_view* head_;
  PayloadReader* contents_;  // null: only the type is read
};

}  // namespace

Result<Array> ReadArray(std::string_view* head, PayloadReader* contents) {
  return Reader(head, contents).Read(0);
}

Result<Array> ReadArrayShape(std::string_view* head) {
  return Reader(head, nullptr).Read(0);
}

}  // namespace sluice::cluster
