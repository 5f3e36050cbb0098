#include "sluice/base/file.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const std::string* path = ctx.in(0).data<std::string>();
  bool* y = ctx.out(0).mutable_data<bool>();
  for (int64_t i = 0; i < ctx.in(0).num_elements(); ++i) {
    y[i] = FileExists(path[i]);
  }
  return OkStatus();
}

// Paths of the sample that spell a number do not exist.
std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y{in[0].shape, {}};
  for (double v : in[0].v) y.v.push_back(v == 0);
  return {y};
}

}  // namespace

SL_OP(FileExists)
    .doc("Whether there are files or folders of these names.")
    .input("path: string")
    .output("y: bool")
    .shape(shapes::same_as_first)
    .cpu(Launch)
    .global_effect("files")
    .reference(Reference)
    .samples({{.in = {Array::Scalar<std::string>("/dev/null")}},
              {.in = {Array::Vector<std::string>({"1/no/such", "/dev"})}},
              {.in = {{0}}}});

}  // namespace sluice
