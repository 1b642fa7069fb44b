const lua = `-- A first job. Publish it (Ctrl-S), then run it (Ctrl-Enter).
gw.log("hello from Lua, the parameter is '" .. gw.param() .. "'")

-- What the run page shows as the result:
gw.result("done")
`;

const javascript = `// A first job. Publish it (Ctrl-S), then run it (Ctrl-Enter).
gw.log("hello from JavaScript, the parameter is '" + gw.param() + "'");

// What the run page shows as the result:
gw.result("done");
`;

const shell = `#!/usr/bin/env bash
# A first job. Publish it (Ctrl-S), then run it (Ctrl-Enter).
# Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
set -eu
echo "hello from the shell, the parameter is '\${1:-}'"
`;

const python = `#!/usr/bin/env python3
# A first job. Publish it (Ctrl-S), then run it (Ctrl-Enter).
# Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
import sys

print("hello from Python, the parameter is", sys.argv[1:2])
`;

const python2 = `# Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
import sys

print("hello from Python, the parameter is %s" % sys.argv[1:2])
`;

const node = `// A first job. Publish it (Ctrl-S), then run it (Ctrl-Enter).
// Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
const [param, shard, total] = process.argv.slice(2);
console.log(\`hello from Node, the parameter is '\${param}', shard \${shard} of \${total}\`);
`;

const php = `<?php
// A first job. Publish it (Ctrl-S), then run it (Ctrl-Enter).
// Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
echo "hello from PHP, the parameter is '" . ($argv[1] ?? "") . "'\\n";
`;

const powershell = `# A first job. Publish it (Ctrl-S), then run it (Ctrl-Enter).
# Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
Write-Output "hello from PowerShell, the parameter is '$($args[0])'"
`;

const groovy = `import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.handler.IJobHandler;

// Runs on Java executors.
public class HelloJob extends IJobHandler {
    @Override
    public void execute() throws Exception {
        XxlJobHelper.log("hello from Java, the parameter is {}", XxlJobHelper.getJobParam());
    }
}
`;

const templates: Record<string, string> = {
  GLUE_LUA: lua,
  GLUE_JS: javascript,
  GLUE_TS: javascript,
  GLUE_SHELL: shell,
  GLUE_PYTHON: python,
  GLUE_PYTHON2: python2,
  GLUE_NODEJS: node,
  GLUE_PHP: php,
  GLUE_POWERSHELL: powershell,
  GLUE_GROOVY: groovy,
};

/** Code to begin with, for a job that has none yet. */
export function templateFor(glueType: string): string {
  return templates[glueType] ?? "";
}
