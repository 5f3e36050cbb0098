#include "bindings.h"
#include "errors.h"
#include "fit_array.h"
#include "graph.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/front/queue.h"
#include "sluice/front/stack.h"

namespace sluice::py {

namespace {

std::string Text(const std::optional<std::string>& text) {
  return text.value_or("");
}

std::vector<DType> DTypesFrom(nb::handle dtypes) {
  std::vector<DType> list;
  // A single component needs no list.
  if (DType one = FindDType(dtypes); one != DType::kInvalid) return {one};
  if (!PySequence_Check(dtypes.ptr())) {
    ThrowTypeError(StrCat("dtypes is a ", Py_TYPE(dtypes.ptr())->tp_name,
                          "; wanted one dtype per component"));
  }
  for (nb::handle dtype : nb::iter(dtypes)) {
    list.push_back(DTypeFromPython(dtype));
  }
  return list;
}

std::vector<PartialSizes> ShapesFrom(nb::handle shapes, size_t components) {
  std::vector<PartialSizes> list;
  if (shapes.is_none()) return list;
  nb::object given = nb::steal(PySequence_Tuple(shapes.ptr()));
  if (!given.is_valid()) throw nb::python_error();
  auto count = static_cast<size_t>(PyTuple_GET_SIZE(given.ptr()));
  auto entry = [&](size_t i) {
    return nb::handle(
        PyTuple_GET_ITEM(given.ptr(), static_cast<Py_ssize_t>(i)));
  };
  // A single component's shape needs no outer list: shapes=[28, 28], or [].
  bool bare = components == 1;
  for (size_t i = 0; i < count && bare; ++i) {
    bare = entry(i).is_none() || PyIndex_Check(entry(i).ptr());
  }
  if (bare && !(count == 1 && entry(0).is_none())) {
    list.emplace_back(ShapeFromPython(given, "shapes"));
    return list;
  }
  for (size_t i = 0; i < count; ++i) {
    list.emplace_back(ShapeFromPython(entry(i), StrCat("shapes[", i, "]")));
  }
  return list;
}

void MakeQueue(nb::pointer_and_handle<Queue> self, std::string_view kind,
               int64_t capacity, nb::handle dtypes, nb::handle shapes,
               int64_t min_after_dequeue, int64_t seed,
               std::optional<std::string> container,
               std::optional<std::string> shared_name,
               std::optional<std::string> name) {
  OpenGraph("a queue");
  std::vector<DType> types = DTypesFrom(dtypes);
  std::vector<PartialSizes> sizes = ShapesFrom(shapes, types.size());
  ResourceOptions options{Text(name), ContainerOr(container),
                          Text(shared_name)};
  Queue made;
  if (kind == "shuffle") {
    made = shuffle_queue(capacity, types, sizes,
                         {min_after_dequeue, seed, options});
  } else if (kind == "padding") {
    made = padding_queue(capacity, types, sizes, options);
  } else if (kind == "priority") {
    made = priority_queue(capacity, types, sizes, options);
  } else {
    made = fifo_queue(capacity, types, sizes, options);
  }
  new (self.p) Queue(std::move(made));
  KeepGraph(self.h, self.p->handle().graph());
}

// One operand per component, of the component's type.
OperandList Components(const Queue& queue, nb::handle values,
                       std::string_view what) {
  std::vector<Operand> operands;
  for (nb::handle value : nb::iter(values)) {
    size_t i = operands.size();
    if (i >= queue.dtypes().size()) {
      ThrowValueError(StrCat(what, ": more values than the ",
                             queue.dtypes().size(), " components"));
    }
    DType wanted = queue.dtypes()[i];
    Tensor fitting = FitTensor(value, StrCat(what, ": component ", i), wanted);
    if (fitting.dtype() != wanted) {
      ThrowValueError(StrCat(what, ": component ", i, " is ",
                             TypeText(fitting.dtype(), fitting.shape()),
                             "; wanted ", DTypeName(wanted)));
    }
    operands.push_back(Operand(std::move(fitting)));
  }
  return OperandList(std::move(operands));
}

Operand Count(nb::handle n, std::string_view what) {
  return FitTensor(n, what, DType::kI64);
}

void BindQueue(nb::module_& m) {
  nb::class_<Queue>(m, "Queue", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("__init__", &MakeQueue, "kind"_a, "capacity"_a, "dtypes"_a,
           "shapes"_a.none(), "min_after_dequeue"_a, "seed"_a,
           "container"_a.none(), "shared_name"_a.none(), "name"_a.none())
      .def("_enqueue",
           [](const Queue& q, nb::handle values) {
             return q.enqueue(Components(q, values, "enqueue"));
           })
      .def("_enqueue_many",
           [](const Queue& q, nb::handle values) {
             return q.enqueue_many(Components(q, values, "enqueue_many"));
           })
      .def("_dequeue", [](const Queue& q) { return q.dequeue(); })
      .def("_dequeue_many",
           [](const Queue& q, nb::handle n) {
             return q.dequeue_many(Count(n, "dequeue_many: n"));
           })
      .def("_dequeue_up_to",
           [](const Queue& q, nb::handle n) {
             return q.dequeue_up_to(Count(n, "dequeue_up_to: n"));
           })
      .def(
          "close", [](const Queue& q, bool cancel) { return q.close(cancel); },
          "cancel_pending_enqueues"_a = false,
          "The operation that closes it: later enqueues fail, dequeues get "
          "what is left.")
      .def(
          "size", [](const Queue& q) { return q.size(); },
          "How many elements it holds, as a tensor.")
      .def(
          "is_closed", [](const Queue& q) { return q.is_closed(); },
          "Whether it is closed, as a tensor.")
      .def_prop_ro("dtypes",
                   [](const Queue& q) {
                     nb::list list;
                     for (DType t : q.dtypes()) list.append(PythonDType(t));
                     return list;
                   })
      .def_prop_ro("handle", [](const Queue& q) { return q.handle(); })
      .def_prop_ro("name", [](const Queue& q) { return q.handle().name(); })
      .def_prop_ro("graph", [](const Queue& q) {
        return GraphObject(q.handle().graph());
      });
}

void MakeStack(nb::pointer_and_handle<Stack> self, nb::handle dtype,
               std::optional<int64_t> max_size, nb::handle shape,
               std::optional<std::string> name) {
  StackOptions options;
  options.max_size = max_size.value_or(-1);
  options.shape = PartialSizes(ShapeFromPython(shape, "Stack()"));
  options.label = Text(name);
  new (self.p) Stack(DTypeFromPython(dtype), options);
  if (self.p->handle().symbolic()) {
    KeepGraph(self.h, self.p->handle().graph());
  }
}

void BindStack(nb::module_& m) {
  nb::class_<Stack>(m, "Stack",
                    "Values of one step: the last one pushed is popped first. "
                    "Every run begins with an empty one; imperatively it "
                    "lives as long as it is held.")
      .def("__init__", &MakeStack, "dtype"_a = DType::kF32,
           "max_size"_a = nb::none(), "shape"_a = nb::none(),
           "name"_a = nb::none())
      .def(
          "push",
          [](const Stack& s, nb::handle x) {
            return s.push(FitTensor(x, "push: x", s.dtype()));
          },
          "x"_a, "x itself, once it has been pushed.")
      .def(
          "pop", [](const Stack& s) { return s.pop(); },
          "The value pushed last.")
      .def(
          "close",
          [](const Stack& s) -> nb::object {
            Operation done = s.close();
            return done ? nb::cast(done) : nb::none();
          },
          "Drops what it holds; later pushes and pops fail.")
      .def_prop_ro("dtype",
                   [](const Stack& s) { return PythonDType(s.dtype()); })
      .def_prop_ro("handle", [](const Stack& s) { return s.handle(); });
}

}  // namespace

void BindResources(nb::module_& m) {
  BindQueue(m);
  BindStack(m);
}

}  // namespace sluice::py
