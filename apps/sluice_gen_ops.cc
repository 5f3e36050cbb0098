// sluice-gen-ops HEADER SOURCE: writes the C++ functions of all ops linked in:
// their declarations to HEADER, their definitions to SOURCE. Part of the build.
// A file that would not change is left alone, so nothing that includes it is
// compiled again.
#include <fstream>
#include <iostream>
#include <sstream>

#include "apps/op_pages/ops_header.h"
#include "sluice/op/registry.h"

namespace {

bool WriteIfChanged(const char* path, const std::string& text) {
  std::ostringstream old;
  if (std::ifstream in(path); in) old << in.rdbuf();
  if (old.str() == text) return true;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) std::cerr << "sluice-gen-ops: cannot write " << path << "\n";
  return static_cast<bool>(out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: sluice-gen-ops HEADER SOURCE\n";
    return 2;
  }
  bool ok = WriteIfChanged(argv[1], sluice::OpsHeader(sluice::AllOps())) &&
            WriteIfChanged(argv[2], sluice::OpsSource(sluice::AllOps()));
  return ok ? 0 : 1;
}
