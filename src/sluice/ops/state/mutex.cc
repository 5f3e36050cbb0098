#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/mutex_resource.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  return MakeHandle(ctx, MutexResource::kKind,
                    [](const std::string& name) -> Result<Ref<ResourceBase>> {
                      return Ref<ResourceBase>(MakeRef<MutexResource>(name));
                    });
}

SL_OP(Mutex)
    .doc("The handle of a mutex: a lock that one step holds at a time.")
    .output("handle: resource")
    .attr("container", "", "container the mutex lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(shapes::scalar)
    .cpu(Launch)
    .handle();

}  // namespace
}  // namespace sluice
