#include "sluice/state/hash_table.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

Status HashTable::Spec::Check() const {
  constexpr DTypeSet kKeys{DType::kI32, DType::kI64, DType::kString};
  if (!kKeys.contains(key_dtype)) {
    return InvalidArgument(StrCat("key_dtype is ", DTypeName(key_dtype),
                                  "; wanted one of ", kKeys));
  }
  if (!kAnyData.contains(value_dtype)) {
    return InvalidArgument(StrCat("value_dtype is ", DTypeName(value_dtype),
                                  "; wanted one of ", kAnyData));
  }
  if (!value_shape.fully_known() || value_shape.rank() >= kMaxRank) {
    return InvalidArgument(StrCat("value_shape is ", value_shape,
                                  "; wanted known sizes and at most ",
                                  kMaxRank - 1, " axes"));
  }
  return OkStatus();
}

std::string HashTable::Spec::ToString() const {
  return StrCat("hash table ", DTypeName(key_dtype), " -> ",
                TypeText(value_dtype, value_shape));
}

// Values of one element type T are stored consecutively in a vector; the map
// contains their positions. The position of an erased key is reused for the
// next new key.
class HashTable::Store {
 public:
  virtual ~Store() = default;
  virtual int64_t size() const = 0;
  virtual void Insert(const Array& keys, const Array& values) = 0;
  virtual void Find(const Array& keys, const Array& fallback,
                    const Array& out) const = 0;
  virtual void Erase(const Array& keys) = 0;
  virtual void Export(const Array& keys, const Array& values) const = 0;
};

namespace {

// Plain bytes represent every plain type: values are moved, never interpreted.
template <class Key, class T>
class StoreOf final : public HashTable::Store {
 public:
  explicit StoreOf(int64_t width) : width_(static_cast<size_t>(width)) {}

  int64_t size() const override { return static_cast<int64_t>(map_.size()); }

  void Insert(const Array& keys, const Array& values) override {
    const Key* k = keys.data<Key>();
    const T* v = static_cast<const T*>(values.raw());
    for (int64_t i = 0; i < keys.num_elements(); ++i, v += width_) {
      auto [it, fresh] = map_.try_emplace(k[i], 0);
      if (fresh) it->second = NewPlace();
      std::copy_n(v, width_, values_.begin() + At(it->second));
    }
  }

  void Find(const Array& keys, const Array& fallback,
            const Array& out) const override {
    const Key* k = keys.data<Key>();
    const T* missing = static_cast<const T*>(fallback.raw());
    T* o = static_cast<T*>(out.mutable_raw());
    for (int64_t i = 0; i < keys.num_elements(); ++i, o += width_) {
      auto it = map_.find(k[i]);
      if (it == map_.end()) {
        std::copy_n(missing, width_, o);
      } else {
        std::copy_n(values_.begin() + At(it->second), width_, o);
      }
    }
  }

  void Erase(const Array& keys) override {
    const Key* k = keys.data<Key>();
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      auto it = map_.find(k[i]);
      if (it == map_.end()) continue;
      std::fill_n(values_.begin() + At(it->second), width_, T());
      free_.push_back(it->second);
      map_.erase(it);
    }
  }

  void Export(const Array& keys, const Array& values) const override {
    std::vector<std::pair<const Key*, size_t>> sorted;
    for (const auto& [key, place] : map_) sorted.emplace_back(&key, place);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return *a.first < *b.first; });
    Key* k = keys.mutable_data<Key>();
    T* v = static_cast<T*>(values.mutable_raw());
    for (const auto& [key, place] : sorted) {
      *k++ = *key;
      std::copy_n(values_.begin() + At(place), width_, v);
      v += width_;
    }
  }

 private:
  std::ptrdiff_t At(size_t place) const {
    return static_cast<std::ptrdiff_t>(place * width_);
  }
  size_t NewPlace() {
    if (!free_.empty()) {
      size_t place = free_.back();
      free_.pop_back();
      return place;
    }
    values_.resize(values_.size() + width_);
    return places_++;
  }

  const size_t width_;  // elements of T per value
  std::unordered_map<Key, size_t> map_;
  std::vector<T> values_;
  std::vector<size_t> free_;
  size_t places_ = 0;
};

template <class Key>
std::unique_ptr<HashTable::Store> MakeStoreFor(const HashTable::Spec& spec) {
  int64_t elements = spec.value_shape.ToShape().num_elements();
  if (spec.value_dtype == DType::kString) {
    return std::make_unique<StoreOf<Key, std::string>>(elements);
  }
  return std::make_unique<StoreOf<Key, unsigned char>>(
      elements * DTypeSize(spec.value_dtype));
}

std::unique_ptr<HashTable::Store> MakeStore(const HashTable::Spec& spec) {
  switch (spec.key_dtype) {
    case DType::kI32:
      return MakeStoreFor<int32_t>(spec);
    case DType::kString:
      return MakeStoreFor<std::string>(spec);
    default:
      return MakeStoreFor<int64_t>(spec);
  }
}

// K + V, or an error if the result is too large.
Result<Shape> Concat(const Shape& k, const Shape& v) {
  std::vector<int64_t> dims(k.dims().begin(), k.dims().end());
  dims.insert(dims.end(), v.dims().begin(), v.dims().end());
  return Shape::Make(dims);
}

}  // namespace

Result<Ref<HashTable>> HashTable::Make(std::string name, const Spec& spec) {
  SL_RETURN_IF_ERROR(spec.Check());
  return MakeRef<HashTable>(std::move(name), spec);
}

HashTable::HashTable(std::string name, const Spec& spec)
    : NamedResource(std::move(name), spec.ToString()),
      spec_(spec),
      value_shape_(spec.value_shape.ToShape()),
      store_(MakeStore(spec)) {}

HashTable::~HashTable() = default;

Status HashTable::CheckKeys(const Array& keys) const {
  if (keys.dtype() == spec_.key_dtype) return OkStatus();
  return InvalidArgument(StrCat("keys is ", keys.TypeText(), "; wanted ",
                                DTypeName(spec_.key_dtype), " as table \"",
                                name(), "\""));
}

Status HashTable::Insert(const Array& keys, const Array& values) {
  SL_RETURN_IF_ERROR(CheckKeys(keys));
  SL_ASSIGN_OR_RETURN(Shape wanted, Concat(keys.shape(), value_shape_));
  if (values.dtype() != spec_.value_dtype || !(values.shape() == wanted)) {
    return InvalidArgument(StrCat("values is ", values.TypeText(), "; wanted ",
                                  TypeText(spec_.value_dtype, wanted),
                                  " for keys ", keys.shape(), " of table \"",
                                  name(), "\""));
  }
  SL_ASSIGN_OR_RETURN(Array k, keys.AsContiguous());
  SL_ASSIGN_OR_RETURN(Array v, values.AsContiguous());
  MutexLock lock(mu_);
  store_->Insert(k, v);
  return OkStatus();
}

Status HashTable::Find(const Array& keys, const Array& fallback,
                       const Array& out) const {
  SL_RETURN_IF_ERROR(CheckKeys(keys));
  if (fallback.dtype() != spec_.value_dtype ||
      !(fallback.shape() == value_shape_)) {
    return InvalidArgument(StrCat("default is ", fallback.TypeText(),
                                  "; wanted ",
                                  TypeText(spec_.value_dtype, value_shape_),
                                  " as table \"", name(), "\""));
  }
  SL_ASSIGN_OR_RETURN(Shape wanted, Concat(keys.shape(), value_shape_));
  SL_CHECK(out.dtype() == spec_.value_dtype && out.shape() == wanted);
  SL_ASSIGN_OR_RETURN(Array k, keys.AsContiguous());
  SL_ASSIGN_OR_RETURN(Array f, fallback.AsContiguous());
  MutexLock lock(mu_);
  store_->Find(k, f, out);
  return OkStatus();
}

Status HashTable::Erase(const Array& keys) {
  SL_RETURN_IF_ERROR(CheckKeys(keys));
  SL_ASSIGN_OR_RETURN(Array k, keys.AsContiguous());
  MutexLock lock(mu_);
  store_->Erase(k);
  return OkStatus();
}

int64_t HashTable::size() const {
  MutexLock lock(mu_);
  return store_->size();
}

Result<std::pair<Array, Array>> HashTable::Export() const {
  MutexLock lock(mu_);
  Shape n{store_->size()};
  SL_ASSIGN_OR_RETURN(Shape shape, Concat(n, value_shape_));
  SL_ASSIGN_OR_RETURN(Array keys, Array::Make(spec_.key_dtype, n));
  SL_ASSIGN_OR_RETURN(Array values, Array::Make(spec_.value_dtype, shape));
  store_->Export(keys, values);
  return std::pair(keys, values);
}

}  // namespace sluice
