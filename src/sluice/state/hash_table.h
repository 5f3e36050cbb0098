// HashTable: a map from keys (i32, i64 or string) to values of one dtype and
// shape. Keys are arrays of any shape K, values are arrays of shape K +
// value_shape. If a key occurs twice in one call, the last value wins.
//
// Thread safe: one lock is held for a whole call, so each call is atomic, and
// an error changes nothing. No call waits.
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
    // Errors: other key types, values without elements, unknown sizes.
    Status Check() const;
    // "hash table i64 -> f32[2]".
    std::string ToString() const;
  };

  static Result<Ref<HashTable>> Make(std::string name, const Spec& spec);
  // REQUIRES: spec.Check() is OK.
  HashTable(std::string name, const Spec& spec);

  const Spec& spec() const { return spec_; }

  Status Insert(const Array& keys, const Array& values);
  // Missing keys get `fallback`, of shape value_shape. `out` is written
  // completely. REQUIRES: out is contiguous, of the value dtype and of shape
  // keys.shape() + value_shape.
  Status Find(const Array& keys, const Array& fallback, const Array& out) const;
  // Missing keys are ignored.
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
