#include "apps/sluice/read_graph.h"

#include <fstream>
#include <iostream>
#include <sstream>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/verifier.h"

namespace sluice::app {

namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(NotFound(StrCat("cannot open ", path)));
  text << in.rdbuf();
  if (in.bad()) throw Error(DataLoss(StrCat("cannot read ", path)));
  return text.str();
}

}  // namespace

std::unique_ptr<Graph> ReadGraph(const std::string& path) {
  std::unique_ptr<Graph> graph = ValueOrThrow(ParseGraph(ReadFile(path)));
  ThrowIfError(Verify(*graph));
  return graph;
}

}  // namespace sluice::app
