// sluice graph: reads a graph in text form, checks it, and prints it.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "apps/sluice/command.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/passes/pipeline.h"

namespace sluice::app {

const char kGraphUsage[] =
    "usage: sluice graph FILE [--optimize] [--plain] [--quiet]\n"
    "  Parses and verifies the graph in FILE (- for standard input) and prints "
    "it.\n"
    "  --optimize  run the passes first\n"
    "  --plain     leave out types and source lines\n"
    "  --quiet     print nothing: the exit code says whether it is sound\n";

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

int RunGraph(Arguments arguments) {
  if (arguments.flag("--help") || arguments.flag("-h")) {
    std::fputs(kGraphUsage, stdout);
    return kDone;
  }
  bool optimize = arguments.flag("--optimize");
  bool plain = arguments.flag("--plain");
  bool quiet = arguments.flag("--quiet");
  std::optional<std::string> file = arguments.word();
  arguments.finish();
  if (!file) throw UsageError("no file given");

  std::unique_ptr<Graph> graph = ValueOrThrow(ParseGraph(ReadFile(*file)));
  ThrowIfError(Verify(*graph));
  if (optimize) {
    PassReport report = ValueOrThrow(RunPipeline(*graph));
    ThrowIfError(Verify(*graph));
    if (!quiet) std::fputs(report.ToString().c_str(), stderr);
  }
  if (quiet) return kDone;
  PrintOptions options;
  options.types = options.lines = !plain;
  std::fputs(PrintGraph(*graph, options).c_str(), stdout);
  return kDone;
}

}  // namespace sluice::app
