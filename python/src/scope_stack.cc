#include "scope_stack.h"

#include <algorithm>

namespace sluice::py {

namespace {

struct Entry {
  PyObject* token;  // owned, so that its address stays unique
  nb::object owned;
  std::shared_ptr<void> scope;
  bool closed = false;
};

// On the heap: if a thread ends inside a scope, the scope remains, because
// Python objects cannot be released then.
std::vector<Entry>& Open() {
  thread_local auto* open = new std::vector<Entry>;
  return *open;
}

void PopTop() {
  Entry top = std::move(Open().back());
  Open().pop_back();
  top.scope.reset();
  Py_DECREF(top.token);
}

}  // namespace

void PushScope(nb::handle token, nb::object owned,
               const std::function<std::shared_ptr<void>()>& open) {
  std::shared_ptr<void> scope = open();
  Open().push_back({token.inc_ref().ptr(), std::move(owned), std::move(scope)});
}

void PopScope(nb::handle token) {
  std::vector<Entry>& open = Open();
  auto it = std::find_if(open.rbegin(), open.rend(), [&](const Entry& e) {
    return e.token == token.ptr() && !e.closed;
  });
  if (it == open.rend()) {
    throw std::runtime_error("this scope is not open on this thread");
  }
  it->closed = true;
  bool innermost = it == open.rbegin();
  while (!open.empty() && open.back().closed) PopTop();
  if (!innermost) {
    throw std::runtime_error(
        "this scope was closed while scopes opened inside it are open; wanted "
        "them to close in the reverse order");
  }
}

}  // namespace sluice::py
