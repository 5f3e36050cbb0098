// RenderJobSet: a manifest for Kubernetes that runs a program with a cluster of
// servers: one pod for each task, with a name that the others know, and one for
// the program. The servers find their places by the variables the manifest
// gives them (resolve.h).
//
// A pure function.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/status.h"

namespace sluice::cluster {

struct JobSetOptions {
  std::string name;   // of the JobSet; names of pods begin with it
  std::string image;  // has sluice-server and the program
  int tasks = 2;
  int port = 7070;
  int restarts = 3;  // of all pods, when one fails
  // A secret with ca.crt, tls.crt and tls.key, as cert-manager makes them.
  std::string tls_secret;
  // Without one: the network of the cluster is trusted.
  bool insecure_allow_remote = false;
  std::vector<std::string> command;  // the program and its words
};

// Errors: what is not allowed or missing, and what was wanted.
Result<std::string> RenderJobSet(const JobSetOptions& options);

}  // namespace sluice::cluster
