#!/usr/bin/env bash
# Fails at its first attempt; the retry, seconds later, succeeds.
if [ "${GW_ATTEMPT:-0}" = "0" ]; then
  echo "attempt 0: the remote side is busy" >&2
  exit 1
fi
echo "attempt ${GW_ATTEMPT}: done"
