#include "sluice/nn/sequential.h"

#include "sluice/base/strings.h"

namespace sluice::nn {

ModuleList::ModuleList(std::initializer_list<std::shared_ptr<Module>> modules) {
  for (const auto& m : modules) push_back(m);
}

void ModuleList::push_back(std::shared_ptr<Module> module) {
  add(std::to_string(size()), std::move(module));
}

Module& ModuleList::operator[](size_t i) const {
  std::vector<Module*> all = children();
  if (i >= all.size()) {
    throw Error(
        OutOfRange(StrCat(type_name(), ": module ", i, " of ", all.size())));
  }
  return *all[i];
}

void ModuleList::ThrowOtherClass(size_t i) const {
  throw Error(InvalidArgument(StrCat(type_name(), ": module ", i, " is ",
                                     (*this)[i].describe(),
                                     "; wanted one of another class")));
}

Tensor Sequential::forward(Tensor x) {
  for (Module* m : children()) x = (*m)(std::move(x), line());
  return x;
}

}  // namespace sluice::nn
