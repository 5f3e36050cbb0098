#include "sluice/kernels/cuda/emulated_compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/device/cuda/emulated/module.h"
#include "sluice/kernels/cuda/joined_source.h"

extern char** environ;

namespace sluice {

namespace {

// Sources include no host headers, and their processor-specific parts concern
// vectors: here they compute one number at a time.
constexpr const char* kOptions[] = {
    "-x", "c++", "-std=c++20", "-O1", "-fPIC", "-shared", "-w",
    // The floating-point options of the CPU kernels.
    "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
    // Kernels read elements as packs of them.
    "-fno-strict-aliasing", "-fno-exceptions", "-fno-rtti",
    "-fno-threadsafe-statics", "-fno-asynchronous-unwind-tables",
    "-fvisibility=hidden", "-nostdinc", "-nostdinc++", "-U__aarch64__",
    "-U__x86_64__",
    // Few libraries are needed, and finding them takes a quarter of the time.
    "-nostdlib"};

// A temporary folder, removed with the files named in it.
class WorkFolder {
 public:
  WorkFolder() {
    const char* folder = std::getenv("TMPDIR");
    path_ =
        StrCat(folder && *folder ? folder : "/tmp", "/sluice-compile-XXXXXX");
    if (!mkdtemp(path_.data())) path_.clear();
  }
  ~WorkFolder() {
    for (const std::string& file : files_) unlink(file.c_str());
    if (!path_.empty()) rmdir(path_.c_str());
  }
  bool made() const { return !path_.empty(); }
  std::string File(std::string_view name) {
    files_.push_back(StrCat(path_, "/", name));
    return files_.back();
  }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

// Runs a program to completion, with its output in a file. False: it failed, or
// does not exist.
bool RunProgram(const std::vector<std::string>& words,
                const std::string& output) {
  std::vector<char*> args;
  for (const std::string& word : words) {
    args.push_back(const_cast<char*>(word.c_str()));
  }
  args.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  int failed =
      posix_spawnp(&child, args[0], &files, nullptr, args.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The text of a file that may not exist.
std::string TextIn(const std::string& path) {
  Result<std::string> text = ReadFileBytes(path);
  return text.ok() ? *text : "";
}

struct Compiler {
  std::string program, version;
};

Result<Compiler> FindCompiler() {
  const char* chosen = std::getenv("CXX");
  std::string tried;
  for (const char* program :
       {chosen ? chosen : "", "clang++-19", "clang++", "g++"}) {
    if (!*program) continue;
    WorkFolder folder;
    std::string output = folder.File("version");
    if (RunProgram({program, "--version"}, output)) {
      return Compiler{program, TextIn(output)};
    }
    StrAppend(tried, tried.empty() ? "" : ", ", program);
  }
  return Status(Code::kUnavailable,
                StrCat("kernels of the emulated GPU are compiled by a C++ "
                       "compiler of the host, and there is none; tried ",
                       tried));
}

Result<Compiler> TheCompiler() {
  static const auto& found = *new Result<Compiler>(FindCompiler());
  return found;
}

// `extern __shared__ T name[];` as a pointer to the block's bytes.
std::string WithDynamicShared(std::string text) {
  constexpr std::string_view kBegin = "extern __shared__ ";
  for (size_t at; (at = text.find(kBegin)) != text.npos;) {
    size_t end = text.find(';', at), bracket = text.rfind('[', end);
    if (end == text.npos || bracket == text.npos || bracket < at) break;
    std::string_view declared(text.data() + at + kBegin.size(),
                              bracket - at - kBegin.size());
    size_t space = declared.find_last_of(" \n");
    if (space == declared.npos) break;
    // An alignment refers to the array, which is aligned already.
    std::string type(declared.substr(0, space));
    for (std::string_view word : {"__align__(", "alignas("}) {
      size_t begin = type.find(word);
      if (begin == type.npos) continue;
      type.erase(begin, type.find(')', begin) - begin + 1);
    }
    std::string pointer =
        StrCat("static ", type, "* const ", declared.substr(space + 1),
               " = reinterpret_cast<", type, "*>(sl_dynamic_shared)");
    text.replace(at, end - at, pointer);
  }
  return text;
}

}  // namespace

std::string EmulatedSource(std::string_view source,
                           std::span<const EmbeddedText> headers) {
  return WithDynamicShared(
      JoinSource(source, "sluice/cuda/emulation.cuh", headers));
}

Result<std::string> CompileEmulated(std::string_view source,
                                    std::span<const EmbeddedText> headers) {
  SL_ASSIGN_OR_RETURN(Compiler compiler, TheCompiler());
  WorkFolder folder;
  if (!folder.made()) {
    return Internal("there is no folder for temporary files (TMPDIR)");
  }
  std::string input = folder.File("kernel.cc");
  std::string output = folder.File("kernel.so"), log = folder.File("log");
  SL_RETURN_IF_ERROR(
      WriteFileBytes(input, EmulatedSource(source, headers), /*append=*/false));
  std::vector<std::string> words = {compiler.program};
  words.insert(words.end(), std::begin(kOptions), std::end(kOptions));
  words.insert(words.end(),
               {input, "-o", output, "-Wl,-z,defs", "-lm", "-lc", "-lgcc"});
  if (!RunProgram(words, log)) {
    return Internal(StrCat("compiling for the emulated GPU with ",
                           compiler.program, ":\n", TextIn(log)));
  }
  SL_ASSIGN_OR_RETURN(std::string object, ReadFileBytes(output));
  return emulated::MakeImage(object);
}

Result<std::string> EmulatedCompilerVersion() {
  SL_ASSIGN_OR_RETURN(Compiler compiler, TheCompiler());
  std::string options;
  for (const char* option : kOptions) StrAppend(options, " ", option);
  return StrCat("emulated by ", compiler.program, options, " ",
                compiler.version);
}

}  // namespace sluice
