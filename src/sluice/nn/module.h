// Module: parameters and other modules under names, and what they compute.
//
//   struct Net : sl::nn::Module {
//     sl::nn::Linear fc1{784, 100}, fc2{100, 10};
//     Net() { add("fc1", fc1); add("fc2", fc2); }
//     sl::Tensor forward(sl::Tensor x) override {
//       return fc2(sl::relu(fc1(x)));
//     }
//   };
//   Net net;
//   sl::Tensor y = net(x);        // imperatively, or inside sl::function
//   std::cout << net.ToString();  // the tree of modules
//
// Names of parameters and their layout are PyTorch's: "fc1.weight". Parameters
// and buffers are imperative tensors; they are written in place and never
// replaced, so that optimizers and recorded functions keep theirs.
//
// Neither copied nor moved: the program and other modules refer to it. Children
// are members of the module that adds them, or shared. Not thread safe while
// it is changed; calls in eval() may run on several threads.
#pragma once

#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/front/state_dict.h"
#include "sluice/io/load_into.h"
#include "sluice/nn/call_frame.h"

namespace sluice::nn {

class Module {
 public:
  using Where = std::source_location;
  using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
  using NamedModules = std::vector<std::pair<std::string, Module*>>;

  Module() = default;
  virtual ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // What the module computes. Modules of other arguments have a forward and an
  // operator() of their own, which goes through noted().
  virtual Tensor forward(Tensor x);
  // forward, after which hooks are called; errors name the module's path.
  Tensor operator()(Tensor x, Where where = Where::current());

  // ---- What it is made of ----
  // Names have no dots and are used once. A child must not be added below
  // itself. What is added by reference must live as long as it is used.
  void add(std::string_view name, Module& child);
  template <class M>
  std::shared_ptr<M> add(std::string_view name, std::shared_ptr<M> child) {
    AddOwned(name, child);
    return child;
  }
  // A parameter requires gradients; a leaf made imperatively. One of that name
  // is replaced. Returns the tensor.
  Tensor add_parameter(std::string_view name, Tensor tensor);
  // State that is no parameter, as running means; part of state_dict() when it
  // is persistent.
  Tensor add_buffer(std::string_view name, Tensor tensor,
                    bool persistent = true);

  // Of this module and all below it; shared ones once.
  std::vector<Tensor> parameters() const;
  NamedTensors named_parameters() const;
  std::vector<Tensor> buffers() const;
  NamedTensors named_buffers() const;
  std::vector<Module*> modules();
  NamedModules named_modules();  // the module itself has the name ""
  std::vector<Module*> children() const;
  // The module of a path: "layers.0.fc1". Throws when there is none.
  Module& submodule(std::string_view path);
  int64_t num_parameters() const;  // elements

  // ---- Modes ----
  Module& train(bool training = true);
  Module& eval() { return train(false); }
  // A recorded function that asks is recorded again for the other mode.
  bool training() const;
  // Of all parameters.
  Module& requires_grad_(bool wanted = true);
  void zero_grad();
  // f for the modules below, then for this one.
  Module& apply(const std::function<void(Module&)>& f);

  // ---- State ----
  // Handles of parameters and persistent buffers.
  StateDict state_dict() const;
  // Copies into what is there. When names, shapes or types differ: throws the
  // report as a table and changes nothing; not strict: copies what fits and
  // returns the report.
  io::KeyReport load_state_dict(const StateDict& state,
                                const io::LoadOptions& options = {});

  // ---- Hooks ----
  // Called with each result; what it returns, if anything, takes its place.
  // Returns a number for remove_forward_hook.
  using ForwardHook = std::function<Tensor(Module&, const Tensor& result)>;
  int register_forward_hook(ForwardHook hook);
  void remove_forward_hook(int id);

  // ---- Text ----
  virtual std::string type_name() const;  // "Linear"; the class's name
  // What stands between the parentheses: "784, 100".
  virtual std::string extra_repr() const { return {}; }
  std::string describe() const;  // "Linear(784, 100)"
  std::string ToString() const;  // with the modules below, one per line
  // From the outermost module: "encoder.layers.0"; "" for that itself.
  std::string path() const;

  // Runs what the module computes, with its path in errors and its result (a
  // Tensor, or a tuple-like of which the first is) seen by hooks.
  template <class Body>
  auto noted(Where where, Body&& body) {
    CallFrame frame(*this, where);
    try {
      auto result = body();
      if constexpr (std::is_same_v<decltype(result), Tensor>) {
        AfterForward(result);
      } else if constexpr (requires { std::get<0>(result); }) {
        AfterForward(std::get<0>(result));
      }
      return result;
    } catch (const ModuleError&) {
      throw;
    } catch (const Error& error) {
      frame.Rethrow(error);
    }
  }

 protected:
  // Where the user called this module.
  Where line() const { return CallFrame::LineOf(*this); }
  [[noreturn]] void Fail(const std::string& message) const;

 private:
  friend class ModuleWalk;
  struct Entry {
    std::string name;
    Tensor tensor;
    bool persistent = true;
  };
  struct Child {
    std::string name;
    Module* module;
    std::shared_ptr<Module> owned;
  };
  void AddOwned(std::string_view name, std::shared_ptr<Module> child);
  void AddChild(std::string_view name, Module* child,
                std::shared_ptr<Module> owned);
  void CheckName(std::string_view name, std::string_view kind) const;
  void AfterForward(Tensor& result);

  std::vector<Entry> parameters_, buffers_;
  std::vector<Child> children_;
  std::vector<Module*> parents_;  // the first gives the path
  std::shared_ptr<int> training_ = std::make_shared<int>(1);
  int next_hook_ = 0;
  std::vector<std::pair<int, ForwardHook>> hooks_;
};

std::ostream& operator<<(std::ostream& out, const Module& module);

}  // namespace sluice::nn
