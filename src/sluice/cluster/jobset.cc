#include "sluice/cluster/jobset.h"

#include "sluice/base/strings.h"

namespace sluice::cluster {

namespace {

// The limit for host names, which include pod names.
constexpr size_t kMaxHostName = 63;

Status CheckName(const std::string& name, int tasks) {
  bool fits = !name.empty() && name.front() != '-' && name.back() != '-';
  for (char c : name) {
    fits =
        fits && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
  }
  const std::string longest = StrCat(name, "-worker-0-", tasks - 1);
  if (fits && longest.size() <= kMaxHostName) return OkStatus();
  return InvalidArgument(StrCat(
      "the JobSet's name is \"", name,
      "\"; wanted small letters, digits and '-' between them, so few that \"",
      longest, "\" has at most ", kMaxHostName));
}

// Quoted strings have the same syntax in YAML as in C.
std::string Quoted(const std::string& text) {
  return StrCat("\"", EscapeString(text), "\"");
}

std::string Words(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(Quoted(word));
  return StrCat("[", Join(quoted, ", "), "]");
}

class Renderer {
 public:
  explicit Renderer(const JobSetOptions& options) : o_(options) {}

  std::string Render() {
    StrAppend(text_, "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n",
              "metadata:\n  name: ", o_.name, "\nspec:\n",
              "  network:\n    enableDNSHostnames: true\n",
              // The program starts when all servers are reachable.
              "  startupPolicy:\n    startupPolicyOrder: InOrder\n",
              "  successPolicy:\n    operator: All\n",
              "    targetReplicatedJobs: [program]\n",
              "  failurePolicy:\n    maxRestarts: ", o_.restarts, "\n",
              "  replicatedJobs:\n");
    std::vector<std::string> server = {"sluice-server"};
    if (o_.tls_secret.empty()) server.push_back("--insecure-allow-remote");
    Job("worker", o_.tasks, server);
    StrAppend(text_, "              readinessProbe:\n",
              "                tcpSocket:\n                  port: ", o_.port,
              "\n                periodSeconds: 1\n              env:\n");
    FromLabel("JOBSET_NAME", "jobset-name");
    FromLabel("REPLICATED_JOB_NAME", "replicatedjob-name");
    FromLabel("JOB_INDEX", "job-index");
    Given("SLUICE_NUM_TASKS", StrCat(o_.tasks));
    Given("SLUICE_PORT", StrCat(o_.port));
    Tls();
    Job("program", 1, o_.command);
    StrAppend(text_, "              env:\n");
    Given("SLUICE_MASTER",
          StrCat("grpc://", o_.name, "-worker-0-0.", o_.name, ":", o_.port));
    if (o_.tls_secret.empty()) Given("SLUICE_INSECURE_ALLOW_REMOTE", "1");
    Tls();
    return std::move(text_);
  }

 private:
  void Job(const char* name, int pods, const std::vector<std::string>& words) {
    StrAppend(text_, "  - name: ", name, "\n    template:\n      spec:\n",
              "        completionMode: Indexed\n        completions: ", pods,
              "\n        parallelism: ", pods, "\n        backoffLimit: 0\n",
              "        template:\n          spec:\n",
              "            restartPolicy: Never\n");
    if (!o_.tls_secret.empty()) {
      StrAppend(text_, "            volumes:\n            - name: tls\n",
                "              secret:\n                secretName: ",
                Quoted(o_.tls_secret), "\n");
    }
    StrAppend(text_, "            containers:\n            - name: ", name,
              "\n              image: ", Quoted(o_.image),
              "\n              command: ", Words(words), "\n");
    if (!o_.tls_secret.empty()) {
      StrAppend(text_, "              volumeMounts:\n",
                "              - name: tls\n",
                "                mountPath: /etc/sluice/tls\n",
                "                readOnly: true\n");
    }
  }
  void FromLabel(const char* variable, const char* label) {
    StrAppend(text_, "              - name: ", variable,
              "\n                valueFrom:\n                  fieldRef:\n",
              "                    fieldPath: metadata.labels['",
              "jobset.sigs.k8s.io/", label, "']\n");
  }
  void Given(const char* variable, const std::string& value) {
    StrAppend(text_, "              - name: ", variable,
              "\n                value: ", Quoted(value), "\n");
  }
  void Tls() {
    if (o_.tls_secret.empty()) return;
    Given("SLUICE_TLS_CA", "/etc/sluice/tls/ca.crt");
    Given("SLUICE_TLS_CERT", "/etc/sluice/tls/tls.crt");
    Given("SLUICE_TLS_KEY", "/etc/sluice/tls/tls.key");
    Given("SLUICE_TLS_JOB", o_.name);
  }

  const JobSetOptions& o_;
  std::string text_;
};

}  // namespace

Result<std::string> RenderJobSet(const JobSetOptions& options) {
  if (options.tasks < 1) {
    return InvalidArgument(
        StrCat("a JobSet of ", options.tasks, " tasks; wanted 1 or more"));
  }
  SL_RETURN_IF_ERROR(CheckName(options.name, options.tasks));
  if (options.image.empty()) {
    return InvalidArgument(
        "there is no image; wanted one with sluice-server and the program");
  }
  if (options.command.empty()) {
    return InvalidArgument("there is no program to run");
  }
  if (options.tls_secret.empty() && !options.insecure_allow_remote) {
    return InvalidArgument(
        "there is no secret with TLS certificates, and whoever reaches a "
        "server can run any graph on it; wanted a secret, or the word that "
        "the network is safe");
  }
  return Renderer(options).Render();
}

}  // namespace sluice::cluster
