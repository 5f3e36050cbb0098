#include "sluice/op/face.h"

#include <functional>
#include <map>
#include <string>

namespace sluice {

namespace {

using Faces = std::map<std::string, OpFace, std::less<>>;

Faces& All() {
  static auto* faces = new Faces();  // ops are asked until the process ends
  return *faces;
}

}  // namespace

const OpFace& FaceOf(std::string_view op) {
  static const OpFace kNone;
  auto found = All().find(op);
  return found == All().end() ? kNone : found->second;
}

std::vector<std::string_view> OpsWithFaces() {
  std::vector<std::string_view> names;
  for (const auto& [name, face] : All()) names.push_back(name);
  return names;
}

OpFace& face_internal::New(std::string_view op) {
  return All()[std::string(op)];
}

}  // namespace sluice
