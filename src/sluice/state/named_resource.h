// NamedResource: the base of all resources here: a name for messages, and a
// signature. Two resources may share one name if their signatures are equal, so
// the signature contains everything requested at creation.
//
// Name and signature never change; any thread may read them.
#pragma once

#include <string>
#include <utility>

#include "sluice/tensor/resource_base.h"

namespace sluice {

class NamedResource : public ResourceBase {
 public:
  NamedResource(std::string name, std::string signature)
      : name_(std::move(name)), signature_(std::move(signature)) {}

  const std::string& name() const { return name_; }
  std::string Describe() const override { return signature_; }

 private:
  const std::string name_;
  const std::string signature_;
};

// A resource class declares the following so that As<R>() can find it:
//   static constexpr char kKind[] = "queue";      for messages
//   const void* tag() const override { return kKind; }
// The address of kKind is the tag; it is unique in the whole program.
template <class R>
R* As(ResourceBase* resource) {
  return resource && resource->tag() == R::kKind ? static_cast<R*>(resource)
                                                 : nullptr;
}

}  // namespace sluice
