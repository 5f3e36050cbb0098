#!/usr/bin/env bash
# Runs a command with address randomisation off where the system allows that.
# ThreadSanitizer's fixed shadow map collides with the wide randomisation of
# newer kernels ("unexpected memory mapping").
if setarch -R true 2>/dev/null; then exec setarch -R "$@"; fi
exec "$@"
