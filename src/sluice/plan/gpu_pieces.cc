#include "sluice/plan/gpu_pieces.h"

#if defined(SLUICE_CUDA)
#include "sluice/gpu/gpu_loop.h"
#include "sluice/gpu/gpu_piece.h"
#endif

namespace sluice {

#if defined(SLUICE_CUDA)
Result<std::unique_ptr<CompiledPiece>> BuildGpuPiece(
    Device& device, const std::vector<Node*>& nodes,
    const std::vector<Value>& outputs, bool fuse) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<GpuPiece> piece,
                      GpuPiece::Build(device, nodes, outputs, fuse));
  return std::unique_ptr<CompiledPiece>(std::move(piece));
}

std::string WhyNotGpuLoop(const Node& loop, const ValueOnHost& on_host,
                          std::string* device) {
  return WhyNotGpuWhile(loop, on_host, device);
}

Result<std::unique_ptr<CompiledPiece>> BuildGpuLoop(
    Device& device, const Node& loop, const ValueOnHost& on_host,
    std::vector<bool> host_outputs, bool fuse) {
  SL_ASSIGN_OR_RETURN(
      std::unique_ptr<GpuWhile> piece,
      GpuWhile::Build(device, loop, on_host, std::move(host_outputs), fuse));
  return std::unique_ptr<CompiledPiece>(std::move(piece));
}
#else
Result<std::unique_ptr<CompiledPiece>> BuildGpuPiece(Device&,
                                                     const std::vector<Node*>&,
                                                     const std::vector<Value>&,
                                                     bool) {
  return Unimplemented("this Sluice was built without CUDA");
}
std::string WhyNotGpuLoop(const Node&, const ValueOnHost&, std::string*) {
  return "this Sluice was built without CUDA";
}
Result<std::unique_ptr<CompiledPiece>> BuildGpuLoop(Device&, const Node&,
                                                    const ValueOnHost&,
                                                    std::vector<bool>, bool) {
  return Unimplemented("this Sluice was built without CUDA");
}
#endif

}  // namespace sluice
