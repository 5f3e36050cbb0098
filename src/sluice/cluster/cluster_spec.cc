#include "sluice/cluster/cluster_spec.h"

#include <charconv>

#include "sluice/base/strings.h"
#include "sluice/formats/json.h"

namespace sluice::cluster {

namespace {

constexpr int kMaxTasks = 1 << 20;

Status Wrong(std::string_view what) {
  return InvalidArgument(
      StrCat("cluster: ", what,
             "; wanted such as {\"worker\": [\"host:port\", ...]}"));
}

Status AddJob(const std::string& job, const Json& tasks,
              std::vector<std::string>* addresses) {
  auto add = [&](size_t index, const Json& address) -> Status {
    if (!address.is_string()) {
      return Wrong(StrCat("task ", index, " of job \"", job,
                          "\" has no text for an address"));
    }
    SL_RETURN_IF_ERROR(CheckAddress(address.as_string()));
    if (addresses->size() <= index) addresses->resize(index + 1);
    (*addresses)[index] = address.as_string();
    return OkStatus();
  };
  if (tasks.is_array()) {
    for (size_t i = 0; i < tasks.size(); ++i) {
      SL_RETURN_IF_ERROR(add(i, tasks.at(i)));
    }
    return OkStatus();
  }
  if (!tasks.is_object()) {
    return Wrong(StrCat("job \"", job, "\" is no list of addresses"));
  }
  for (const auto& [number, address] : tasks.members()) {
    int index = -1;
    const char* end = number.data() + number.size();
    auto [at, error] = std::from_chars(number.data(), end, index);
    if (error != std::errc() || at != end || index < 0 || index >= kMaxTasks) {
      return Wrong(StrCat("job \"", job, "\" has a task \"", number, "\""));
    }
    SL_RETURN_IF_ERROR(add(static_cast<size_t>(index), address));
  }
  return OkStatus();
}

}  // namespace

Result<ClusterSpec> ClusterSpec::Parse(std::string_view text) {
  Result<Json> json = Json::Parse(text);
  if (!json.ok()) return Wrong(json.status().message());
  if (!json->is_object()) return Wrong("no object of jobs");
  ClusterSpec spec;
  for (const auto& [job, tasks] : json->members()) {
    if (job.empty() || job.find('/') != std::string::npos) {
      return Wrong(StrCat("a job is called \"", job, "\""));
    }
    SL_RETURN_IF_ERROR(AddJob(job, tasks, &spec.jobs[job]));
  }
  if (spec.size() == 0) return Wrong("it has no task");
  return spec;
}

std::string ClusterSpec::ToJson() const {
  Json all = Json::object();
  for (const auto& [job, addresses] : jobs) {
    bool dense = true;
    for (const std::string& a : addresses) dense = dense && !a.empty();
    Json tasks = dense ? Json::array() : Json::object();
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (dense) {
        tasks.push_back(addresses[i]);
      } else if (!addresses[i].empty()) {
        tasks[std::to_string(i)] = addresses[i];
      }
    }
    all[job] = std::move(tasks);
  }
  return all.dump();
}

std::vector<std::pair<std::string, std::string>> ClusterSpec::Tasks() const {
  std::vector<std::pair<std::string, std::string>> tasks;
  for (const auto& [job, addresses] : jobs) {
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (addresses[i].empty()) continue;
      tasks.emplace_back(TaskName(job, static_cast<int>(i)), addresses[i]);
    }
  }
  return tasks;
}

std::string ClusterSpec::AddressOf(const std::string& task) const {
  for (const auto& [name, address] : Tasks()) {
    if (name == task) return address;
  }
  return "";
}

int ClusterSpec::size() const { return static_cast<int>(Tasks().size()); }

std::string TaskName(const std::string& job, int task) {
  return StrCat("/job:", job, "/task:", task);
}

Status CheckAddress(std::string_view address) {
  size_t colon = address.rfind(':');
  int port = -1;
  if (colon != std::string_view::npos && colon > 0) {
    std::string_view digits = address.substr(colon + 1);
    auto [at, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || at != digits.data() + digits.size()) port = -1;
  }
  if (port >= 0 && port <= 65535 &&
      address.find('/') == std::string_view::npos) {
    return OkStatus();
  }
  return InvalidArgument(
      StrCat("\"", address, "\" is no address; wanted \"host:port\""));
}

bool IsLoopback(std::string_view address) {
  std::string_view host = address.substr(0, address.rfind(':'));
  return host == "localhost" || host.substr(0, 4) == "127." ||
         host == "[::1]" || host == "::1";
}

}  // namespace sluice::cluster
