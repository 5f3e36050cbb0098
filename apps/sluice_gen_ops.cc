// sluice-gen-ops FILE: writes the C++ functions of all ops linked in to FILE.
// Part of the build. A file that would not change is left alone, so nothing
// that includes it is compiled again.
#include <fstream>
#include <iostream>
#include <sstream>

#include "sluice/front/ops_header.h"
#include "sluice/op/registry.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: sluice-gen-ops FILE\n";
    return 2;
  }
  std::string text = sluice::OpsHeader(sluice::AllOps());
  std::ostringstream old;
  if (std::ifstream in(argv[1]); in) old << in.rdbuf();
  if (old.str() == text) return 0;
  std::ofstream out(argv[1], std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) {
    std::cerr << "sluice-gen-ops: cannot write " << argv[1] << "\n";
    return 1;
  }
  return 0;
}
