#include "sluice/state/kernel_glue.h"

#include <memory>
#include <utility>

#include "sluice/base/caught.h"
#include "sluice/base/strings.h"
#include "sluice/op/async_launch.h"
#include "sluice/op/record.h"
#include "sluice/op/resource.h"

namespace sluice {

namespace {

// "a queue", "an accumulator".
std::string WithArticle(std::string_view noun) {
  bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) !=
                                    std::string_view::npos;
  return StrCat(vowel ? "an " : "a ", noun);
}

}  // namespace

Status AsOpError(const KernelContext& ctx, const Status& status) {
  if (status.ok()) return status;
  return ctx.Error(status.code(), status.message());
}

Status MakeHandle(KernelContext& ctx, const std::string& signature,
                  const MakeResource& make) {
  const auto& shared = ctx.attr<std::string>("shared_name");
  std::string name = shared.empty() ? std::string(ctx.node().name) : shared;
  if (name.empty()) {
    return ctx.Error(
        "has no name; wanted the attribute shared_name or a node's name");
  }
  ResourceManager* resources = ctx.step().resources;
  if (!resources) {
    return ctx.Error(Code::kFailedPrecondition,
                     StrCat("no resources are kept here for \"", name,
                            "\"; wanted to run in a session"));
  }
  Result<Ref<ResourceBase>> found = resources->FindOrCreate(
      ctx.attr<std::string>("container"), name, [&] { return make(name); },
      [&](const ResourceBase& other) -> Status {
        if (other.Describe() == signature) return OkStatus();
        return InvalidArgument(StrCat("\"", name, "\" is there already as ",
                                      WithArticle(other.Describe()),
                                      "; wanted ", WithArticle(signature)));
      });
  if (!found.ok()) return AsOpError(ctx, found.status());
  ctx.set_out(0, Array::Handle(std::move(*found)));
  return OkStatus();
}

Status WrongHandle(const KernelContext& ctx, std::string_view wanted) {
  const Array& in = ctx.in(0);
  std::string got;
  if (in.dtype() != DType::kResource || in.num_elements() != 1) {
    got = in.TypeText();
  } else {
    got = in.handle() ? WithArticle(in.handle()->Describe()) : "empty";
  }
  return ctx.Error(StrCat(ctx.op().InputName(0), " is ", got, "; wanted ",
                          WithArticle(wanted)));
}

namespace {

// The caller to be answered. If it is dropped without an answer (no memory for
// the waiter), it answers so itself: a kernel never waits forever.
struct Asked {
  explicit Asked(AsyncContext& c) : ctx(&c) { AsyncLaunch::Keep(); }
  ~Asked() {
    if (ctx) ctx->Done(NoMemory());
  }
  void Answer(Status status) {
    std::exchange(ctx, nullptr)->Done(std::move(status));
  }
  AsyncContext* ctx;
};

}  // namespace

Reply ReplyTo(AsyncContext& ctx) {
  auto asked = std::make_shared<Asked>(ctx);
  return [asked](Status status, std::vector<Array> outputs) {
    if (!status.ok()) {
      return asked->Answer(
          Guarded([&] { return AsOpError(*asked->ctx, status); }));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      asked->ctx->set_out(static_cast<int>(i), std::move(outputs[i]));
    }
    asked->Answer(OkStatus());
  };
}

namespace {

bool IsScalarInt(const Array& a) {
  return a.rank() == 0 &&
         (a.dtype() == DType::kI32 || a.dtype() == DType::kI64);
}

int64_t IntValue(const Array& a) {
  return a.dtype() == DType::kI32 ? a.data<int32_t>()[0] : a.data<int64_t>()[0];
}

}  // namespace

Result<int64_t> ScalarInt(const KernelContext& ctx, int i) {
  const Array& in = ctx.in(i);
  if (IsScalarInt(in)) return IntValue(in);
  return ctx.Error(StrCat(ctx.op().InputName(i), " is ", in.TypeText(),
                          "; wanted an i32 or i64 scalar"));
}

Result<int64_t> ScalarCount(const ShapeContext& c, int i) {
  SL_RETURN_IF_ERROR(c.WantRank(i, 0));
  const Array* value = c.value(i);
  if (!value || !IsScalarInt(*value)) return kUnknownDim;
  int64_t n = IntValue(*value);
  if (n < 0) {
    return c.Error(
        StrCat(c.op().InputName(i), " is ", n, "; wanted 0 or more"));
  }
  return n;
}

Status CheckClaim(const KernelContext& ctx, DType dtype,
                  const PartialShape& shape, DType actual_dtype,
                  const PartialShape& actual_shape, const std::string& who) {
  if (dtype == actual_dtype && Subsumes(shape, actual_shape)) return OkStatus();
  return ctx.Error(StrCat("the attributes say ", TypeText(dtype, shape),
                          "; wanted ", TypeText(actual_dtype, actual_shape),
                          " as ", who));
}

Status CheckClaims(const KernelContext& ctx, const TupleSpec& actual,
                   std::span<const DType> dtypes,
                   std::span<const PartialShape> shapes,
                   const std::string& who) {
  if (!shapes.empty() && shapes.size() != dtypes.size()) {
    return ctx.Error(StrCat("shapes has ", shapes.size(),
                            " entries; wanted none or ", dtypes.size(),
                            ", as dtypes"));
  }
  bool same = dtypes.size() == actual.dtypes.size();
  for (size_t i = 0; same && i < dtypes.size(); ++i) {
    same = dtypes[i] == actual.dtypes[i] &&
           (shapes.empty() ||
            Subsumes(shapes[i], actual.shape(static_cast<int>(i))));
  }
  if (same) return OkStatus();
  TupleSpec claimed{
      {dtypes.begin(), dtypes.end()}, {shapes.begin(), shapes.end()}, {}};
  return ctx.Error(StrCat("the attributes say ", claimed.ToString(),
                          "; wanted ", actual.ToString(), " as ", who));
}

Status ClaimedShapes(ShapeContext& c, int first, bool batch, int64_t n) {
  const auto& dtypes = c.attr<std::vector<DType>>("dtypes");
  const auto& shapes = c.attr<std::vector<PartialShape>>("shapes");
  if (!shapes.empty() && shapes.size() != dtypes.size()) {
    return c.Error(StrCat("shapes has ", shapes.size(),
                          " entries; wanted none or ", dtypes.size(),
                          ", as dtypes"));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    c.set_out(first + static_cast<int>(i),
              batch ? BatchShape(shapes[i], n) : shapes[i]);
  }
  return OkStatus();
}

}  // namespace sluice
