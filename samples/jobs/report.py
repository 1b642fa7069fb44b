#!/usr/bin/env python3
# Arguments, as in XXL-JOB: parameter, shard index, shard total.
import sys
print("python", sys.version.split()[0], "with parameter", repr(sys.argv[1]))
