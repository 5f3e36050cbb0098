// ResourceBase: the object that a `resource` element refers to: a variable, a
// queue, a table. Declares only what arrays need to copy and drop references.
#pragma once

#include <string>

#include "sluice/base/ref_counted.h"

namespace sluice {

class ResourceBase : public RefCounted<ResourceBase> {
 public:
  // For messages and `explain`: "variable f32[784,100]".
  virtual std::string Describe() const = 0;
  // Whether another resource is equal: by identity, except that lists (values,
  // not state) compare their elements.
  virtual bool EqualTo(const ResourceBase& other) const {
    return this == &other;
  }
  // Identifies the class: the address of a tag the class owns, so that a kernel
  // can distinguish a queue from a variable without run-time type information.
  // Null for classes that no kernel asks for.
  virtual const void* tag() const { return nullptr; }

 protected:
  friend class RefCounted<ResourceBase>;
  virtual ~ResourceBase() = default;
};

}  // namespace sluice
