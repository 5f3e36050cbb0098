#include "sluice/report/metrics_log.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/formats/utf8.h"
#include "sluice/report/folders.h"
#include "sluice/report/metrics_text.h"

namespace sluice::report {

namespace {

// Another file with these bytes takes the place of this one, at once: whoever
// reads it sees the old or the new.
Status Replace(const std::string& path, std::string_view bytes) {
  std::string beside = path + ".new";
  Status written = WriteFileBytes(beside, bytes, /*append=*/false);
  std::error_code error, ignored;
  if (written.ok()) std::filesystem::rename(beside, path, error);
  if (written.ok() && !error) return OkStatus();
  std::filesystem::remove(beside, ignored);
  if (!written.ok()) return written;
  return FailedPrecondition(
      StrCat("cannot replace \"", EscapeString(path), "\": ", error.message()));
}

// Keeps a file of an earlier run as PATH.1 or the next free number.
Status PutAside(const std::string& path) {
  std::error_code error;
  auto status = std::filesystem::symlink_status(path, error);
  if (status.type() != std::filesystem::file_type::regular ||
      std::filesystem::file_size(path, error) == 0) {
    return OkStatus();
  }
  int number = 1;
  while (FileExists(StrCat(path, ".", number))) ++number;
  std::filesystem::rename(path, StrCat(path, ".", number), error);
  if (!error) return OkStatus();
  return FailedPrecondition(
      StrCat("cannot rename \"", EscapeString(path), "\": ", error.message()));
}

Status NotOurs(const std::string& path, const char* wanted) {
  return DataLoss(StrCat("cannot resume \"", EscapeString(path),
                         "\": it is no file of metrics; wanted ", wanted));
}

}  // namespace

struct MetricsLog::Impl {
  std::string path;
  MetricsLogOptions options;
  bool csv = false;

  Mutex mu;
  std::unique_ptr<OutputFile> file SL_GUARDED_BY(mu);
  std::vector<std::string> columns SL_GUARDED_BY(mu);  // of CSV
  int64_t size SL_GUARDED_BY(mu) = 0;  // of the file, whole lines
  bool reported SL_GUARDED_BY(mu) = false;

  Status Start() SL_REQUIRES(mu) {
    SL_RETURN_IF_ERROR(MakeFoldersFor(path));
    bool resumes = options.resume_step >= 0 && FileExists(path);
    if (resumes) {
      SL_ASSIGN_OR_RETURN(std::string text, ReadFileBytes(path));
      SL_ASSIGN_OR_RETURN(std::string kept,
                          csv ? KeptCsv(text) : KeptJson(text));
      if (kept != text) SL_RETURN_IF_ERROR(Replace(path, kept));
      size = static_cast<int64_t>(kept.size());
    } else {
      SL_RETURN_IF_ERROR(PutAside(path));
    }
    SL_ASSIGN_OR_RETURN(file, OutputFile::Open(path, /*append=*/resumes));
    return OkStatus();
  }

  // Whole lines of steps up to the one that is resumed.
  Result<std::string> KeptJson(const std::string& text) const {
    std::string kept;
    for (size_t start = 0, end; (end = text.find('\n', start)) != text.npos;
         start = end + 1) {
      std::string_view line =
          std::string_view(text).substr(start, end + 1 - start);
      std::optional<int64_t> step = StepOfJsonLine(line);
      if (!step) return NotOurs(path, "lines like {\"step\": 1, ...}");
      if (*step <= options.resume_step) kept += line;
    }
    return kept;
  }

  Result<std::string> KeptCsv(const std::string& text) SL_REQUIRES(mu) {
    std::vector<std::string_view> records = CsvRecords(text);
    if (records.empty()) return std::string();
    std::vector<std::string> header = CsvFields(records[0]);
    if (header[0] != "step") return NotOurs(path, "a header step,...");
    columns.assign(header.begin() + 1, header.end());
    std::string kept(records[0]);
    for (size_t i = 1; i < records.size(); ++i) {
      std::optional<int64_t> step = StepOfCsvLine(records[i]);
      if (!step) return NotOurs(path, "lines that begin with a step");
      if (*step <= options.resume_step) kept += records[i];
    }
    return kept;
  }

  Status Write(int64_t step, const MetricValues& values) SL_REQUIRES(mu) {
    std::string line;
    if (csv) {
      SL_RETURN_IF_ERROR(AddColumns(values));
      line = CsvLine(step, columns, values);
    } else {
      line = JsonLine(step, values);
    }
    line += '\n';
    SL_RETURN_IF_ERROR(file->Write(line));
    Status status = file->Flush();
    if (status.ok()) {
      size += static_cast<int64_t>(line.size());
    } else {
      // Half a line, if there is one, must not become part of the next.
      std::error_code ignored;
      std::filesystem::resize_file(path, static_cast<uintmax_t>(size), ignored);
    }
    return status;
  }

  // Makes columns of names that are none yet, in the file first.
  Status AddColumns(const MetricValues& values) SL_REQUIRES(mu) {
    std::vector<std::string> wanted = columns;
    for (const auto& [name, value] : values) {
      if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
        wanted.push_back(name);
      }
    }
    size_t more = wanted.size() - columns.size();
    if (more == 0 && size > 0) return OkStatus();
    SL_ASSIGN_OR_RETURN(std::string text, ReadFileBytes(path));
    std::vector<std::string_view> records = CsvRecords(text);
    std::string wider = CsvHeader(wanted) + '\n';
    for (size_t i = 1; i < records.size(); ++i) {
      std::string_view line = records[i];
      wider += line.substr(0, line.find_last_not_of("\r\n") + 1);
      wider.append(more, ',');
      wider += '\n';
    }
    SL_RETURN_IF_ERROR(Replace(path, wider));
    SL_ASSIGN_OR_RETURN(file, OutputFile::Open(path, /*append=*/true));
    columns = std::move(wanted);
    size = static_cast<int64_t>(wider.size());
    return OkStatus();
  }
};

MetricsLog::MetricsLog(const std::string& path, MetricsLogOptions options)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->csv = path.ends_with(".csv");
  impl_->options = std::move(options);
  MutexLock lock(impl_->mu);
  ThrowIfError(impl_->Start());
}

MetricsLog::~MetricsLog() = default;

void MetricsLog::write(int64_t step, const Metrics& metrics) {
  MetricValues values;
  for (const auto& [given, value] : metrics) {
    std::string name = ValidUtf8(given);
    if (name.empty() || name == "step") {
      throw Error(InvalidArgument(StrCat("[MetricsLog] a metric is named \"",
                                         name, "\"; wanted another name")));
    }
    auto same = std::find_if(values.begin(), values.end(),
                             [&](const auto& v) { return v.first == name; });
    if (same == values.end()) {
      values.emplace_back(name, value);
    } else {
      same->second = value;
    }
  }
  std::string message;
  {
    MutexLock lock(impl_->mu);
    Status status = impl_->Write(step, values);
    if (status.ok() || impl_->reported) return;
    impl_->reported = true;
    message = StrCat("metrics are not written: ", status.message());
  }
  if (impl_->options.on_error) {
    impl_->options.on_error(message);
  } else {
    std::fprintf(stderr, "sluice: %s\n", message.c_str());
  }
}

const std::string& MetricsLog::path() const { return impl_->path; }

}  // namespace sluice::report
