#include "sluice/trace/argument_look.h"

#include <algorithm>
#include <cstring>

#include "sluice/eager/view_write.h"

namespace sluice::front_internal {

namespace {

bool SameElements(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && !a.memory() &&
         !b.memory() && a.contiguous() && b.contiguous() &&
         std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

bool SameSteps(const std::vector<ViewStep>& a, const std::vector<ViewStep>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ViewStep& x, const ViewStep& y) {
                      return x.op == y.op && x.attrs == y.attrs &&
                             std::equal(
                                 x.others.begin(), x.others.end(),
                                 y.others.begin(), y.others.end(),
                                 [](const EagerRef& p, const EagerRef& q) {
                                   return SameElements(p->array, q->array);
                                 });
                    });
}

bool LooksInto(const EagerValue& view, const EagerValue& other) {
  for (const EagerValue* at = &view; at->view_of;) {
    at = at->view_of->base.get();
    if (at == &other) return true;
  }
  return false;
}

// A tensor that requires or has gradients of its own is not merely a view.
bool MayBeLook(EagerValue& value) {
  ForgetMovedBase(value);
  return value.view_of && !value.requires_grad && !value.grad;
}

}  // namespace

ArgumentLook::ArgumentLook(const std::vector<Tensor>& args, size_t i)
    : argument_(i) {
  EagerRef at = args[i].eager();
  do {
    links_.push_back({at->view_of->steps, at->view_of->records});
    at = at->view_of->base;
    for (size_t k = 0; k < args.size() && into_ < 0; ++k) {
      if (args[k].eager() == at) into_ = static_cast<int64_t>(k);
    }
  } while (into_ < 0 && MayBeLook(*at));
  if (into_ < 0) around_ = at;
}

bool ArgumentLook::Fits(const std::vector<Tensor>& args) const {
  EagerRef at = args[argument_].eager();
  if (!MayBeLook(*at)) return false;
  for (const Link& link : links_) {
    if (!at->view_of || at->view_of->records != link.records ||
        !SameSteps(at->view_of->steps, link.steps)) {
      return false;
    }
    at = at->view_of->base;
  }
  return at == (into_ < 0 ? around_ : args[static_cast<size_t>(into_)].eager());
}

bool AddLooks(const std::vector<Tensor>& args,
              const std::vector<EagerRef>& shared,
              std::vector<const EagerValue*>& looks) {
  bool more = false;
  auto add = [&](const EagerRef& value) {
    bool argument =
        std::any_of(args.begin(), args.end(),
                    [&](const Tensor& arg) { return arg.eager() == value; });
    if (!argument || !MayBeLook(*value) ||
        std::find(looks.begin(), looks.end(), value.get()) != looks.end()) {
      return;
    }
    looks.push_back(value.get());
    more = true;
  };
  for (size_t i = 0; i + 1 < shared.size(); i += 2) {
    const EagerRef &a = shared[i], &b = shared[i + 1];
    if (!LooksInto(*b, *a)) add(a);
    if (!LooksInto(*a, *b)) add(b);
  }
  return more;
}

}  // namespace sluice::front_internal
