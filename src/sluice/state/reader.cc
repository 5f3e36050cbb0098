#include "sluice/state/reader.h"

#include <charconv>
#include <utility>

#include "sluice/base/strings.h"

namespace sluice {

std::string Reader::Spec::ToString() const {
  std::string out = StrCat("reader of ", format.ToString(), " from [");
  for (size_t i = 0; i < files.size(); ++i) {
    StrAppend(out, i ? ", " : "", "\"", EscapeString(files[i]), "\"");
  }
  return out + "]";
}

Result<Ref<Reader>> Reader::Make(std::string name, const Spec& spec) {
  SL_RETURN_IF_ERROR(spec.Check());
  return MakeRef<Reader>(std::move(name), spec);
}

Reader::Reader(std::string name, const Spec& spec)
    : NamedResource(std::move(name), spec.ToString()),
      format_(spec.format),
      patterns_(spec.files) {}

Status Reader::Expand() {
  if (expanded_) return OkStatus();
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns_) {
    // A file name may look like a pattern.
    if (pattern.find_first_of("*?[") == std::string::npos ||
        FileExists(pattern)) {
      paths.push_back(pattern);
      continue;
    }
    SL_ASSIGN_OR_RETURN(std::vector<std::string> found, MatchingFiles(pattern));
    if (found.empty()) {
      return NotFound(
          StrCat("no file matches \"", EscapeString(pattern), "\""));
    }
    paths.insert(paths.end(), found.begin(), found.end());
  }
  paths_ = std::move(paths);
  expanded_ = true;
  return OkStatus();
}

Status Reader::OpenAt(size_t file, int64_t offset, int64_t line) {
  SL_ASSIGN_OR_RETURN(file_, InputFile::Open(paths_[file]));
  next_file_ = file + 1;
  line_ = line;
  if (offset > 0) return file_->Seek(offset);
  line_ = format_.kind == RecordFormat::Kind::kLines ? format_.skip_lines : 0;
  return format_.Start(*file_);
}

Result<bool> Reader::Next(Record* record) {
  if (!pending_.ok()) return std::exchange(pending_, OkStatus());
  SL_RETURN_IF_ERROR(Expand());
  for (;;) {
    if (!file_) {
      if (next_file_ >= paths_.size()) return false;
      size_t file = next_file_;
      Status status = OpenAt(file, 0, 0);
      if (!status.ok()) {
        file_.reset();
        next_file_ = file + 1;
        return status;
      }
    }
    bool lines = format_.kind == RecordFormat::Kind::kLines;
    int64_t at = lines ? line_ + 1 : file_->offset();
    Result<bool> any = format_.Next(*file_, &record->value);
    if (any.ok() && *any) {
      record->key = format_.kind == RecordFormat::Kind::kWhole
                        ? file_->path()
                        : StrCat(file_->path(), ":", at);
      ++line_;
      ++records_;
      return true;
    }
    file_.reset();
    if (!any.ok()) return any.status();
  }
}

Status Reader::AtEnd() const {
  return OutOfRange(StrCat(who(), " is at the end of its ", paths_.size(),
                           paths_.size() == 1 ? " file" : " files"));
}

Result<Reader::Record> Reader::Read() {
  MutexLock lock(mu_);
  Record record;
  SL_ASSIGN_OR_RETURN(bool any, Next(&record));
  if (!any) return AtEnd();
  return record;
}

Result<std::vector<Reader::Record>> Reader::ReadUpTo(int64_t n) {
  MutexLock lock(mu_);
  std::vector<Record> records;
  while (static_cast<int64_t>(records.size()) < n) {
    Record record;
    Result<bool> any = Next(&record);
    if (!any.ok() && records.empty()) return any.status();
    // Records that were read are returned first; the next call returns the
    // error.
    if (!any.ok()) pending_ = any.status();
    if (!any.ok() || !*any) break;
    records.push_back(std::move(record));
  }
  if (records.empty()) return AtEnd();
  return records;
}

void Reader::RewindLocked() {
  file_.reset();
  pending_ = OkStatus();
  next_file_ = 0;
  line_ = 0;
  records_ = 0;
}

void Reader::Restart() {
  MutexLock lock(mu_);
  RewindLocked();
}

void Reader::SetFiles(std::vector<std::string> files) {
  MutexLock lock(mu_);
  RewindLocked();
  patterns_ = std::move(files);
  paths_.clear();
  expanded_ = false;
}

int64_t Reader::records_read() const {
  MutexLock lock(mu_);
  return records_;
}

// "reader 1 <file> <offset> <line> <records>": if no file is open, the next one
// to open and offset -1.
std::string Reader::State() const {
  MutexLock lock(mu_);
  size_t file = file_ ? next_file_ - 1 : next_file_;
  int64_t offset = file_ ? file_->offset() : -1;
  return StrCat("reader 1 ", file, " ", offset, " ", line_, " ", records_);
}

Status Reader::Restore(const std::string& state) {
  constexpr std::string_view kStart = "reader 1 ";
  int64_t numbers[4] = {};
  bool good = state.compare(0, kStart.size(), kStart) == 0;
  const char* p = state.data() + (good ? kStart.size() : 0);
  const char* end = state.data() + state.size();
  for (int i = 0; good && i < 4; ++i) {
    if (i > 0) good = p < end && *p++ == ' ';
    auto [next, error] = std::from_chars(p, end, numbers[i]);
    good = good && error == std::errc();
    p = next;
  }
  auto [file, offset, line, records] = numbers;
  good = good && p == end && file >= 0 && offset >= -1 && line >= 0 &&
         records >= 0;
  MutexLock lock(mu_);
  SL_RETURN_IF_ERROR(Expand());
  good = good && static_cast<size_t>(file) <= paths_.size() &&
         (offset < 0 || static_cast<size_t>(file) < paths_.size());
  if (!good) {
    return InvalidArgument(
        StrCat("state is \"", EscapeString(state.substr(0, 80)),
               "\"; wanted what ReaderState gave for ", who()));
  }
  RewindLocked();
  next_file_ = static_cast<size_t>(file);
  if (offset >= 0) {
    Status status = OpenAt(next_file_, offset, line);
    if (!status.ok()) {
      RewindLocked();
      return status;
    }
    line_ = line;
  }
  records_ = records;
  return OkStatus();
}

}  // namespace sluice
