#include "sluice/device/device_name.h"

#include <charconv>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

std::optional<DeviceKind> KindOf(std::string_view text) {
  for (int k = 0; k < kNumDeviceKinds; ++k) {
    auto kind = static_cast<DeviceKind>(k);
    if (text == DeviceKindName(kind)) return kind;
  }
  if (text == "cuda") return DeviceKind::kCuda;
  return std::nullopt;
}

std::optional<int> NumberOf(std::string_view text) {
  int number = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

bool IsJobName(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!letter) return false;
  }
  return true;
}

Status Bad(std::string_view text, std::string_view why) {
  return InvalidArgument(
      StrCat("\"", EscapeString(text), "\" is no device: ", why,
             "; wanted a name like \"gpu:0\" or "
             "\"/job:worker/task:0/device:gpu:0\", parts of which may be left "
             "out"));
}

// "gpu:1" or "gpu", of any device with "*" for either.
Status ParseKind(std::string_view whole, std::string_view text,
                 DeviceName* name) {
  if (name->kind || name->index) return Bad(whole, "it names two devices");
  size_t colon = text.find(':');
  std::string_view kind = text.substr(0, colon);
  if (kind != "*") {
    name->kind = KindOf(kind);
    if (!name->kind) {
      return Bad(whole, StrCat("there is no kind \"", EscapeString(kind),
                               "\" (there are cpu, gpu and sim)"));
    }
  }
  if (colon == std::string_view::npos) return OkStatus();
  std::string_view index = text.substr(colon + 1);
  if (index == "*") return OkStatus();
  name->index = NumberOf(index);
  if (!name->index) {
    return Bad(whole, StrCat("\"", EscapeString(index), "\" is no number"));
  }
  return OkStatus();
}

Status ParsePart(std::string_view whole, std::string_view part,
                 DeviceName* name) {
  size_t colon = part.find(':');
  std::string_view key = part.substr(0, colon);
  std::string_view rest =
      colon == std::string_view::npos ? "" : part.substr(colon + 1);
  if (key == "job") {
    if (!IsJobName(rest)) return Bad(whole, "its job has no name");
    if (!name->job.empty()) return Bad(whole, "it names two jobs");
    name->job = rest;
    return OkStatus();
  }
  if (key == "task") {
    if (name->task) return Bad(whole, "it names two tasks");
    name->task = NumberOf(rest);
    return name->task ? OkStatus() : Bad(whole, "its task is no number");
  }
  // One process is one task here: the part that others write is accepted.
  if (key == "replica") {
    return rest == "0" ? OkStatus() : Bad(whole, "there are no replicas");
  }
  return ParseKind(whole, key == "device" ? rest : part, name);
}

}  // namespace

Result<DeviceName> DeviceName::Parse(std::string_view text) {
  DeviceName name;
  std::string_view rest = text;
  if (rest.starts_with('/')) rest.remove_prefix(1);
  while (!rest.empty()) {
    size_t slash = rest.find('/');
    std::string_view part = rest.substr(0, slash);
    if (part.empty()) return Bad(text, "a part of it is empty");
    SL_RETURN_IF_ERROR(ParsePart(text, part, &name));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
    if (rest.empty()) return Bad(text, "it ends in a slash");
  }
  return name;
}

DeviceName DeviceName::Local(DeviceKind kind, int index) {
  DeviceName name;
  name.kind = kind;
  name.index = index;
  return name;
}

std::string DeviceName::ToString() const {
  std::string text;
  if (!job.empty()) StrAppend(text, "/job:", job);
  if (task) StrAppend(text, "/task:", *task);
  if (kind || index) {
    StrAppend(text, "/device:", kind ? DeviceKindName(*kind) : "*");
    if (index) StrAppend(text, ":", *index);
  }
  return text;
}

bool DeviceName::Covers(const DeviceName& device) const {
  return (job.empty() || job == device.job) && (!task || task == device.task) &&
         (!kind || kind == device.kind) && (!index || index == device.index);
}

Result<DeviceName> DeviceName::Both(const DeviceName& a, const DeviceName& b) {
  DeviceName both = a;
  bool agree = true;
  auto take = [&](auto& mine, const auto& other, bool said, bool other_said) {
    if (!other_said) return;
    agree = agree && (!said || mine == other);
    mine = other;
  };
  take(both.job, b.job, !a.job.empty(), !b.job.empty());
  take(both.task, b.task, a.task.has_value(), b.task.has_value());
  take(both.kind, b.kind, a.kind.has_value(), b.kind.has_value());
  take(both.index, b.index, a.index.has_value(), b.index.has_value());
  if (agree) return both;
  return InvalidArgument(StrCat("no device is both \"", a.ToString(),
                                "\" and \"", b.ToString(), "\""));
}

}  // namespace sluice
