// RenderJobSet: a Kubernetes manifest that runs a program with a cluster of
// servers: one pod per task, with a name known to the others, and one for the
// program. The servers find their roles from the environment variables in the
// manifest (resolve.h).
//
// A pure function.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/status.h"

namespace sluice::cluster {

struct JobSetOptions {
  std::string name;   // of the JobSet; prefix of pod names
  std::string image;  // has sluice-server and the program
  int tasks = 2;
  int port = 7070;
  int restarts = 3;  // of all pods, when one fails
  // A secret with ca.crt, tls.crt and tls.key, in cert-manager's format.
  std::string tls_secret;
  // Needed without a secret: the cluster's network is trusted.
  bool insecure_allow_remote = false;
  std::vector<std::string> command;  // the program and its arguments
};

// Errors: what is missing or not allowed, and what is expected.
Result<std::string> RenderJobSet(const JobSetOptions& options);

}  // namespace sluice::cluster
