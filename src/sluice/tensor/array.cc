#include "sluice/tensor/array.h"

#include <cmath>
#include <cstring>
#include <new>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/tensor/counted_allocator.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/live_blocks.h"
#include "sluice/tensor/remote_copy.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {
// Arrays up to this many bytes keep their elements behind the rep: one
// allocation instead of three.
constexpr int64_t kInlineBytes = 256;
constexpr int64_t kRepBytes = (sizeof(ArrayRep) + 63) / 64 * 64;

CountedAllocator& BooksOf(Memory& memory) {
  return static_cast<CountedAllocator&>(memory.allocator());
}
}  // namespace

Strides ContiguousStrides(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = step;
    step *= std::max<int64_t>(shape.dim(i), 1);
  }
  return strides;
}

ArrayRep* Array::NewRep(int64_t inline_bytes) {
  Block block = HostAllocator().Allocate(kRepBytes + inline_bytes);
  if (!block.data) [[unlikely]]
    throw std::bad_alloc();
  auto* rep = new (block.data) ArrayRep;
  rep->block_bytes = block.bytes;
  return rep;
}

void Array::Destroy(ArrayRep* rep) {
  if (!rep->buffer && !rep->borrowed && !rep->base && IsReference(rep->dtype)) {
    static_cast<Ref<ResourceBase>*>(rep->data)->~Ref<ResourceBase>();
  }
  if (rep->base) {
    Drop(rep->base);
  } else if (rep->memory && !rep->buffer && !rep->borrowed) [[unlikely]] {
    BooksOf(*rep->memory)
        .Uncount(rep->shape.num_elements() * DTypeSize(rep->dtype));
  }
  Block block{rep, rep->block_bytes};
  rep->~ArrayRep();
  HostAllocator().Free(block);
}

Result<Array> Array::Make(DType dtype, const Shape& shape,
                          Allocator& allocator) {
  int64_t bytes = shape.num_elements() * DTypeSize(dtype);
  Memory* memory = allocator.memory();
  bool inline_data = bytes <= kInlineBytes && IsPlainData(dtype) &&
                     (!memory || memory->on_host());
  ArrayRep* rep;
  try {
    rep = NewRep(inline_data ? bytes : 0);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory");
  }
  Array array(rep);
  rep->dtype = dtype;
  rep->shape = shape;
  rep->strides = ContiguousStrides(shape);
  if (inline_data) {
    rep->data = reinterpret_cast<char*>(rep) + kRepBytes;
    if (memory) [[unlikely]] {
      if (!BooksOf(*memory).Count(bytes)) {
        return ResourceExhausted(OutOfMemoryText(memory->allocator(), bytes));
      }
      rep->memory = memory;
    }
  } else {
    SL_ASSIGN_OR_RETURN(rep->buffer,
                        Buffer::Make(dtype, shape.num_elements(), allocator));
    rep->data = rep->buffer->data();
    if (memory) [[unlikely]] {
      rep->memory = memory;
      rep->remote = !memory->on_host();
    }
  }
  return array;
}

void* Array::RemoteData() const {
  return HostView::Of(*rep_->memory, rep_->data, TypeText());
}

Array Array::Borrowed() const {
  Array array = Borrow(rep_->data, dtype(), shape(), strides());
  array.rep_->memory = rep_->memory;
  array.rep_->remote = rep_->remote;
  return array;
}

Array Array::View(const Array& base, int64_t offset, const Shape& shape,
                  const Strides& strides) {
  char* data =
      static_cast<char*>(base.rep_->data) + offset * DTypeSize(base.dtype());
  Array array = Borrow(data, base.dtype(), shape, strides);
  array.rep_->borrowed = base.rep_->borrowed;
  array.rep_->memory = base.rep_->memory;
  array.rep_->remote = base.rep_->remote;
  array.rep_->buffer = base.rep_->buffer;
  if (!base.rep_->buffer && !base.rep_->borrowed) {
    array.rep_->base = Array(base).Leak();
  }
  return array;
}

Array Array::Over(Ref<Buffer> buffer, DType dtype, const Shape& shape) {
  Array array = Borrow(buffer->data(), dtype, shape);
  array.rep_->borrowed = false;
  array.rep_->buffer = std::move(buffer);
  return array;
}

Array Array::Borrow(void* data, DType dtype, const Shape& shape) {
  return Borrow(data, dtype, shape, ContiguousStrides(shape));
}

Array Array::Borrow(void* data, DType dtype, const Shape& shape,
                    const Strides& strides) {
  ArrayRep* rep = NewRep(0);
  rep->dtype = dtype;
  rep->data = data;
  rep->shape = shape;
  rep->strides = strides;
  rep->borrowed = true;
  rep->contiguous = IsContiguous(shape, strides);
  return Array(rep);
}

Array Array::Reinterpret(const Array& base, DType dtype) {
  SL_CHECK(base.contiguous() && DTypeSize(dtype) == DTypeSize(base.dtype()));
  Array array = View(base, 0, base.shape(), base.strides());
  array.rep_->dtype = dtype;
  return array;
}

Array Array::MakeOrThrow(DType dtype, const Shape& shape, size_t values) {
  if (static_cast<int64_t>(values) != shape.num_elements()) {
    throw Error(
        InvalidArgument(StrCat("got ", values, " values for shape ", shape,
                               "; wanted ", shape.num_elements())));
  }
  return ValueOrThrow(Make(dtype, shape));
}

Array Array::Zeros(DType dtype, const Shape& shape) {
  Array a = ValueOrThrow(Make(dtype, shape));
  if (IsPlainData(dtype)) {
    std::memset(a.mutable_raw(), 0, static_cast<size_t>(a.bytes()));
  }
  return a;
}

Array Array::Handle(Ref<ResourceBase> resource, DType dtype) {
  ArrayRep* rep = NewRep(sizeof(Ref<ResourceBase>));
  rep->dtype = dtype;
  rep->data = reinterpret_cast<char*>(rep) + kRepBytes;
  new (rep->data) Ref<ResourceBase>(std::move(resource));
  return Array(rep);
}

Result<Array> Array::AsContiguous() const {
  if (contiguous()) return *this;
  return Clone();
}

Result<Array> Array::Clone() const {
  SL_ASSIGN_OR_RETURN(Array copy,
                      Make(dtype(), shape(), AllocatorOf(memory())));
  copy.CopyFrom(*this);
  return copy;
}

Array Array::WithShape(const Shape& shape) const {
  SL_CHECK(contiguous() && shape.num_elements() == num_elements());
  return View(*this, 0, shape, ContiguousStrides(shape));
}

void Array::CopyFrom(const Array& source) const { CopyStrided(source, *this); }

std::string TypeText(DType dtype, const PartialShape& shape) {
  return StrCat(DTypeName(dtype), shape);
}

std::string Array::TypeText() const {
  return rep_ ? sluice::TypeText(dtype(), shape()) : "nothing";
}

namespace {

template <class T>
std::string ElementText(const T& v) {
  if constexpr (std::is_same_v<T, std::string>) {
    return StrCat("\"", EscapeString(v), "\"");
  } else if constexpr (std::is_same_v<T, complex64>) {
    return StrCat("(", v.real(), ",", v.imag(), ")");
  } else if constexpr (std::is_same_v<T, bool>) {
    return v ? "true" : "false";
  } else if constexpr (std::is_same_v<T, float>) {
    // Six digits if they are exact, otherwise as many as a float needs.
    char text[32];
    for (int digits = 6; digits <= 9; ++digits) {
      std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(v));
      if (std::isnan(v) || std::strtof(text, nullptr) == v) break;
    }
    return text;
  } else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    return ElementText(static_cast<float>(v));
  } else if constexpr (std::is_floating_point_v<T>) {
    return StrCat(v);
  } else {
    return std::to_string(v);
  }
}

template <class T>
void Print(const Array& a, int axis, const T* p, int64_t& left,
           std::string& out) {
  if (axis == a.rank()) {
    out += ElementText(*p);
    --left;
    return;
  }
  out += '[';
  if (a.dim(axis) == 0) --left;  // an empty array may have very many rows
  for (int64_t i = 0; i < a.dim(axis); ++i) {
    if (i) out += axis + 1 == a.rank() ? " " : ",\n ";
    if (left <= 0) {
      out += "...";
      break;
    }
    Print(a, axis + 1, p + i * a.strides()[static_cast<size_t>(axis)], left,
          out);
  }
  out += ']';
}

}  // namespace

namespace {

bool OutOfReach(const Array& a) { return RemoteCopy::Needed(a, a); }

// An array the host can read: itself, or a copy if it is in device memory.
Array ToHost(const Array& a) {
  return OutOfReach(a) ? ValueOrThrow(RemoteCopy::To(a, nullptr)) : a;
}

// The elements of a contiguous array of resources or lists.
std::span<const Ref<ResourceBase>> References(const Array& a) {
  return {static_cast<const Ref<ResourceBase>*>(a.raw()),
          static_cast<size_t>(a.num_elements())};
}

}  // namespace

std::string Array::ToString(int64_t max_elements) const {
  if (!rep_) return "(nothing)";
  if (OutOfReach(*this)) return ToHost(*this).ToString(max_elements);
  if (IsReference(dtype())) {
    Array flat = *AsContiguous();
    std::string out;
    for (const Ref<ResourceBase>& held : References(flat)) {
      if (!out.empty()) out += ", ";
      if (max_elements-- <= 0) {
        out += "...";
        break;
      }
      out += held ? held->Describe() : "(no resource)";
    }
    return rank() == 0 ? out : StrCat("[", out, "]");
  }
  std::string out;
  int64_t left = max_elements;
  DispatchAll(dtype(),
              [&]<class T>() { Print(*this, 0, data<T>(), left, out); });
  return out;
}

bool Array::BitEquals(const Array& o) const {
  if (dtype() != o.dtype() || !(shape() == o.shape())) return false;
  Array a = *ToHost(*this).AsContiguous(), b = *ToHost(o).AsContiguous();
  if (IsReference(dtype())) {
    auto x = References(a), y = References(b);
    return std::equal(x.begin(), x.end(), y.begin(), [](auto& u, auto& v) {
      return u == v || (u && v && u->EqualTo(*v));
    });
  }
  bool equal = true;
  DispatchAll(dtype(), [&]<class T>() {
    const T *x = a.data<T>(), *y = b.data<T>();
    for (int64_t i = 0, n = num_elements(); i < n && equal; ++i) {
      if constexpr (std::is_same_v<T, std::string>) {
        equal = x[i] == y[i];
      } else {
        equal = std::memcmp(x + i, y + i, sizeof(T)) == 0;
        if constexpr (std::is_convertible_v<T, float>) {
          auto fx = static_cast<float>(x[i]), fy = static_cast<float>(y[i]);
          equal = equal || (std::isnan(fx) && std::isnan(fy));
        }
      }
    }
  });
  return equal;
}

}  // namespace sluice
