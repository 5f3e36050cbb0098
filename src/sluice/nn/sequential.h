// Sequential: modules one after the other. ModuleList: modules by number, to be
// called by whoever holds them.
//
//   sl::nn::Sequential net{sl::nn::make<sl::nn::Linear>(784, 100),
//                          sl::nn::make<sl::nn::ReLU>(),
//                          sl::nn::make<sl::nn::Linear>(100, 10)};
//   for (int i = 0; i < 6; ++i) blocks.emplace_back<Block>(512);
#pragma once

#include <initializer_list>
#include <memory>

#include "sluice/nn/module.h"

namespace sluice::nn {

template <class M, class... Args>
std::shared_ptr<M> make(Args&&... args) {
  return std::make_shared<M>(std::forward<Args>(args)...);
}

class ModuleList : public Module {
 public:
  ModuleList() = default;
  ModuleList(std::initializer_list<std::shared_ptr<Module>> modules);

  void push_back(std::shared_ptr<Module> module);
  template <class M, class... Args>
  M& emplace_back(Args&&... args) {
    auto made = std::make_shared<M>(std::forward<Args>(args)...);
    push_back(made);
    return *made;
  }
  size_t size() const { return children().size(); }
  // Throws when there is none of that number, or it is of another class.
  Module& operator[](size_t i) const;
  template <class M>
  M& at(size_t i) const {
    if (M* module = dynamic_cast<M*>(&(*this)[i])) return *module;
    ThrowOtherClass(i);
  }

 private:
  [[noreturn]] void ThrowOtherClass(size_t i) const;
};

class Sequential : public ModuleList {
 public:
  using ModuleList::ModuleList;
  Tensor forward(Tensor x) override;
};

// A function as a module: what Sequential lacks a class for.
class Lambda : public Module {
 public:
  explicit Lambda(std::function<Tensor(Tensor)> f) : f_(std::move(f)) {}
  Tensor forward(Tensor x) override { return f_(std::move(x)); }

 private:
  std::function<Tensor(Tensor)> f_;
};

class Identity : public Module {
 public:
  Tensor forward(Tensor x) override { return x; }
};

}  // namespace sluice::nn
