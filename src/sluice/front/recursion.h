// Recursive: a function that may call itself, as a value.
//
//   sl::Recursive<sl::Tensor(sl::Tensor)> fib(
//       [](const auto& self, sl::Tensor n) {
//         return sl::cond(n < 2, [&] { return n; },
//                         [&] { return self(n - 1) + self(n - 2); });
//       });
//   auto y = fib(10);
//
// In a graph, and in a function being captured, the code becomes one function
// node and every call a call of it, so the graph is as large as the code, not
// as the recursion is deep. What it returns is found from the paths that do not
// call it. Else the code runs at once. Arguments and results may be of any
// structure (front/structure.h).
//
// Copies share nothing but the code. Thread safe if the code is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <vector>

#include "sluice/front/structure.h"
#include "sluice/trace/record_region.h"

namespace sluice {

namespace front_internal {

// The part that knows no structures.
class RecursionCore {
 public:
  RecursionCore(Code body, std::string name);
  ~RecursionCore();
  RecursionCore(const RecursionCore&) = delete;
  RecursionCore& operator=(const RecursionCore&) = delete;
  std::vector<Tensor> Call(const std::vector<Tensor>& args,
                           std::source_location where);

 private:
  struct Definition;
  Operation Define(const std::vector<Tensor>& args, Definition& definition,
                   std::source_location where);
  std::vector<Tensor> AddCall(const Definition& definition,
                              const std::vector<Tensor>& args,
                              std::source_location where);

  const Code body_;
  const std::string name_;
  std::vector<Definition*> open_;  // being recorded, innermost last
};

}  // namespace front_internal

template <class Signature>
class Recursive;

template <class R, class... Args>
class Recursive<R(Args...)> {
 public:
  using Where = std::source_location;
  using Body = std::function<R(const Recursive&, Args...)>;

  explicit Recursive(Body body, std::string name = "recursive")
      : body_(std::move(body)), name_(std::move(name)) {}

  // Throws sluice::Error: calls without end, results of different structure.
  R operator()(Args... args, Where where = Where::current()) const {
    std::tuple<Args...> given(std::move(args)...);
    // Inside the body this knows which call it belongs to.
    if (state_) return state_->Call(given, where);
    return State(*this, given).Call(given, where);
  }

 private:
  struct State {
    State(const Recursive& outer, const std::tuple<Args...>& args)
        : self(std::make_unique<Recursive>(outer.body_, outer.name_)),
          core(
              [this, args](const std::vector<Tensor>& flat) -> CodeResult {
                like.emplace(std::apply(
                    [&](auto&&... a) { return self->body_(*self, a...); },
                    Rebuild(args, flat)));
                return {Flatten(*like), Structure<R>::Text(*like)};
              },
              outer.name_) {
      self->state_ = this;
    }
    R Call(const std::tuple<Args...>& args, Where where) {
      std::vector<Tensor> results = core.Call(Flatten(args), where);
      return Rebuild(*like, results);
    }
    using CodeResult = front_internal::CodeResult;
    std::unique_ptr<Recursive> self;
    std::optional<R> like;
    front_internal::RecursionCore core;
  };

  Body body_;
  std::string name_;
  State* state_ = nullptr;
};

}  // namespace sluice
