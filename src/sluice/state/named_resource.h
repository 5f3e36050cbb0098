// NamedResource: the base of every resource here: a name for messages and a
// signature. Two resources may be shared under one name when their signatures
// are equal, so a signature says everything that was asked for at creation.
//
// Name and signature never change; read them from any thread.
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

// What a resource class states so that As<R>() can find it:
//   static constexpr char kKind[] = "queue";      for messages
//   const void* tag() const override { return kKind; }
// The address of kKind is the tag; it is one object in the whole program.
template <class R>
R* As(ResourceBase* resource) {
  return resource && resource->tag() == R::kKind ? static_cast<R*>(resource)
                                                 : nullptr;
}

}  // namespace sluice
