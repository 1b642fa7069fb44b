#!/usr/bin/env bash
# Arguments, as in XXL-JOB: parameter, shard index, shard total.
set -eu
echo "parameter: ${1:-none}"
df -h / | tail -n 1
