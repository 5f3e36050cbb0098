#include "benchmarks/torch_child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "sluice/base/strings.h"

namespace sluice::bench {

namespace {

namespace fs = std::filesystem;

// A file of the repository, from its root or from a folder below.
std::string Find(const std::string& path) {
  std::string up;
  for (int i = 0; i < 4; ++i, up += "../") {
    if (fs::exists(up + path)) return up + path;
  }
  return "";
}

std::string Interpreter() {
  if (const char* named = std::getenv("SLUICE_PEER_PYTHON")) return named;
  return Find("build/peers/bin/python");
}

}  // namespace

Result<std::unique_ptr<TorchChild>> TorchChild::Start(int threads) {
  std::string python = Interpreter(), script = Find("benchmarks/torch_ops.py");
  if (script.empty()) {
    return NotFound("benchmarks/torch_ops.py not found: run in the repository");
  }
  if (python.empty()) {
    return NotFound(
        "no PyTorch: `make peers` installs it, or SLUICE_PEER_PYTHON names an "
        "interpreter that has it");
  }
  signal(SIGPIPE, SIG_IGN);  // a child that is gone is told by an error
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) return Internal("no pipes left");
  std::unique_ptr<TorchChild> child(new TorchChild);
  child->pid_ = fork();
  if (child->pid_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (int fd : {in[0], in[1], out[0], out[1]}) close(fd);
    std::string count = StrCat(threads);
    // Each thread on a core of its own, as ours are. After a rest the system
    // may wake two on one, and takes longer than a turn to part them.
    setenv("OMP_PROC_BIND", "true", 0);
    execlp(python.c_str(), python.c_str(), script.c_str(), count.c_str(),
           nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  child->to_ = fdopen(in[1], "w");
  child->from_ = fdopen(out[0], "r");
  char folder[] = "/tmp/sluice-bench-XXXXXX";
  if (!mkdtemp(folder)) return Internal("cannot make a folder in /tmp");
  child->folder_ = folder;
  Result<std::string> hello = child->Ask("");
  if (!hello.ok()) {
    return NotFound(StrCat(python, " has no PyTorch: `make peers`"));
  }
  child->version_ = *hello;
  return child;
}

TorchChild::~TorchChild() {
  if (to_) std::fclose(to_);  // the end of its input ends the child
  if (from_) std::fclose(from_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<std::string> TorchChild::Ask(const std::string& line) {
  if (!line.empty()) {
    std::fputs((line + "\n").c_str(), to_);
    std::fflush(to_);
  }
  std::string text;
  for (int c; (c = std::fgetc(from_)) != '\n';) {
    if (c == EOF) return Internal("the PyTorch process is gone");
    text += static_cast<char>(c);
  }
  if (text.rfind("error ", 0) == 0) return Internal(text.substr(6));
  return text;
}

Status TorchChild::SetCase(const std::string& name,
                           const std::vector<Array>& inputs) {
  std::string line = "case " + name;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Array& x = inputs[i];
    std::string path = StrCat(folder_, "/", i);
    FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) return Internal("cannot write " + path);
    auto bytes = static_cast<size_t>(x.bytes());
    bool written = std::fwrite(x.raw(), 1, bytes, file) == bytes;
    if (std::fclose(file) != 0 || !written) {
      return Internal("cannot write " + path);
    }
    StrAppend(line, " ", path, ":", DTypeName(x.dtype()), ":",
              Join(x.shape().dims(), ","));
  }
  return Ask(line).status();
}

Result<Array> TorchChild::FirstResult() {
  std::string path = folder_ + "/result";
  fs::remove(path);
  SL_ASSIGN_OR_RETURN(std::string sizes, Ask("check " + path));
  std::vector<int64_t> dims;
  for (const char* at = sizes.c_str(); *at != 0;) {
    char* end = nullptr;
    dims.push_back(std::strtoll(at, &end, 10));
    if (end == at) return Internal("PyTorch answered " + sizes);
    at = *end == ',' ? end + 1 : end;
  }
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  Array values = Array::Zeros(DType::kF64, shape);
  auto bytes = static_cast<size_t>(values.bytes());
  FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return Internal("cannot read " + path);
  size_t got = std::fread(values.mutable_raw(), 1, bytes, file);
  std::fclose(file);
  if (got != bytes) return Internal("cannot read " + path);
  return values;
}

Status TorchChild::Forget() { return Ask("forget").status(); }

Result<double> TorchChild::PeakBytes() {
  SL_ASSIGN_OR_RETURN(std::string text, Ask("peak"));
  return std::strtod(text.c_str(), nullptr);
}

double TorchChild::Time(int64_t calls, int64_t batches) {
  Result<std::string> text = Ask(StrCat("time ", calls, " ", batches));
  return text.ok() ? std::atof(text->c_str()) : -1;
}

}  // namespace sluice::bench
