// HashTable: a map from keys (i32, i64 or string) to values of one dtype and
// shape. Keys come as arrays of any shape K and values as arrays of shape
// K + value_shape; a key given twice in one call has the last value.
//
// Thread safe: one lock, held for a whole call, so a call sees and makes all of
// its changes or, on an error, none. Nothing here waits.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/state/named_resource.h"
#include "sluice/tensor/array.h"

namespace sluice {

class HashTable : public NamedResource {
 public:
  static constexpr char kKind[] = "hash table";
  const void* tag() const override { return kKind; }

  struct Spec {
    DType key_dtype = DType::kI64;
    DType value_dtype = DType::kF32;
    PartialShape value_shape = PartialShape::Scalar();
    // Errors: other key types, values without elements, sizes not known.
    Status Check() const;
    // "hash table i64 -> f32[2]".
    std::string ToString() const;
  };

  static Result<Ref<HashTable>> Make(std::string name, const Spec& spec);
  // REQUIRES: spec.Check() is OK.
  HashTable(std::string name, const Spec& spec);

  const Spec& spec() const { return spec_; }

  Status Insert(const Array& keys, const Array& values);
  // `fallback`, of value_shape, stands for keys that are not there. `out` is
  // written whole. REQUIRES: out is contiguous, of the value dtype and of shape
  // keys.shape() + value_shape.
  Status Find(const Array& keys, const Array& fallback, const Array& out) const;
  // Keys that are not there are passed over.
  Status Erase(const Array& keys);
  int64_t size() const;
  // All keys in ascending order and their values.
  Result<std::pair<Array, Array>> Export() const;

  class Store;  // the map itself, by key type

 protected:
  ~HashTable() override;

 private:
  Status CheckKeys(const Array& keys) const;

  const Spec spec_;
  const Shape value_shape_;
  mutable Mutex mu_;
  std::unique_ptr<Store> store_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
