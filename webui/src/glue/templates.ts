import type { CodeLanguage } from "./code-language";

const lua = `-- A first job. Try it (Ctrl-Enter), then publish it (Ctrl-S).
gw.log("hello from Lua, the parameter is '" .. gw.param() .. "'")

-- What the run page shows as the result:
gw.result("done")
`;

const javascript = `// A first job. Try it (Ctrl-Enter), then publish it (Ctrl-S).
gw.log("hello from JavaScript, the parameter is '" + gw.param() + "'");

// What the run page shows as the result:
gw.result("done");
`;

const shell = `#!/usr/bin/env bash
# A first job. Try it (Ctrl-Enter), then publish it (Ctrl-S).
# Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
set -eu
echo "hello from the shell, the parameter is '\${1:-}'"
`;

const python = `#!/usr/bin/env python3
# A first job. Try it (Ctrl-Enter), then publish it (Ctrl-S).
# Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
import sys

print("hello from Python, the parameter is", sys.argv[1:2])
`;

const python2 = `# Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
import sys

print("hello from Python, the parameter is %s" % sys.argv[1:2])
`;

const node = `// A first job. Try it (Ctrl-Enter), then publish it (Ctrl-S).
// Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
const [param, shard, total] = process.argv.slice(2);
console.log(\`hello from Node, the parameter is '\${param}', shard \${shard} of \${total}\`);
`;

const php = `<?php
// A first job. Try it (Ctrl-Enter), then publish it (Ctrl-S).
// Arguments: parameter, shard index, shard total. An exit code other than 0 is a failure.
echo "hello from PHP, the parameter is '" . ($argv[1] ?? "") . "'\\n";
`;

const powershell = `# A first job. Try it (Ctrl-Enter), then publish it (Ctrl-S).
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


const luaHTTP = `-- Calls a host. Name it in the manifest first.
local answer = gw.http.get("https://api.example.com/status", {headers = {accept = "application/json"}})
gw.log("status %d", answer.status)
if answer.status ~= 200 then
  error("the service answered " .. answer.status)
end
gw.result(gw.json.encode(gw.json.decode(answer.body)))
`;

const luaShards = `-- Works on its part of a broadcast: of 1,000 customers each shard takes its share.
local index, total = gw.shard()
for customer = index + 1, 1000, total do
  if gw.cancelled() then return end
  gw.progress(customer / 10)
end
gw.result("shard " .. index .. " of " .. total .. " is done")
`;

const luaCounter = `-- Remembers something from run to run. Allow the store in the manifest first.
local runs = tonumber(gw.kv.get("runs") or "0") + 1
gw.kv.set("runs", tostring(runs))
gw.log("this is run %d", runs)
`;

const jsHTTP = `// Calls a host. Name it in the manifest first.
const answer = await gw.http.get("https://api.example.com/status", {
  headers: { accept: "application/json" },
});
gw.log("status", answer.status);
if (answer.status !== 200) throw new Error(\`the service answered \${answer.status}\`);
gw.result(answer.body);
`;

const jsShards = `// Works on its part of a broadcast: of 1,000 customers each shard takes its share.
const [index, total] = gw.shard();
for (let customer = index; customer < 1000; customer += total) {
  if (gw.cancelled()) break;
  gw.progress(customer / 10);
}
gw.result(\`shard \${index} of \${total} is done\`);
`;

const shellShards = `#!/usr/bin/env bash
# Works on its part of a broadcast: of 1,000 customers each shard takes its share.
set -eu
index=$2
total=$3
for ((customer = index; customer < 1000; customer += total)); do
  : # what is to be done with $customer
done
echo "shard $index of $total is done"
`;

const pythonShards = `#!/usr/bin/env python3
# Works on its part of a broadcast: of 1,000 customers each shard takes its share.
import sys

index, total = int(sys.argv[2]), int(sys.argv[3])
for customer in range(index, 1000, total):
    pass  # what is to be done with this customer
print(f"shard {index} of {total} is done")
`;

const python2Shards = `# Works on its part of a broadcast: of 1,000 customers each shard takes its share.
import sys

index, total = int(sys.argv[2]), int(sys.argv[3])
for customer in range(index, 1000, total):
    pass  # what is to be done with this customer
print("shard %d of %d is done" % (index, total))
`;

const nodeShards = `// Works on its part of a broadcast: of 1,000 customers each shard takes its share.
const [, index, total] = process.argv.slice(2).map(Number);
for (let customer = index; customer < 1000; customer += total) {
  // what is to be done with this customer
}
console.log(\`shard \${index} of \${total} is done\`);
`;

const phpShards = `<?php
// Works on its part of a broadcast: of 1,000 customers each shard takes its share.
$index = (int) $argv[2];
$total = (int) $argv[3];
for ($customer = $index; $customer < 1000; $customer += $total) {
    // what is to be done with this customer
}
echo "shard $index of $total is done\\n";
`;

const powershellShards = `# Works on its part of a broadcast: of 1,000 customers each shard takes its share.
$index = [int]$args[1]
$total = [int]$args[2]
for ($customer = $index; $customer -lt 1000; $customer += $total) {
    # what is to be done with this customer
}
Write-Output "shard $index of $total is done"
`;

const groovyShards = `import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.handler.IJobHandler;

// Works on its part of a broadcast: of 1,000 customers each shard takes its share.
public class ShardJob extends IJobHandler {
    @Override
    public void execute() throws Exception {
        int index = XxlJobHelper.getShardIndex();
        int total = XxlJobHelper.getShardTotal();
        for (int customer = index; customer < 1000; customer += total) {
            // what is to be done with this customer
        }
        XxlJobHelper.log("shard {} of {} is done", index, total);
    }
}
`;

const jsCounter = `// Remembers something from run to run. Allow the store in the manifest first.
const runs = Number((await gw.kv.get("runs")) ?? 0) + 1;
await gw.kv.set("runs", String(runs));
gw.log("this is run", runs);
`;

const typescript = `// A first job. Try it (Ctrl-Enter), then publish it (Ctrl-S).
interface Order {
  id: number;
  total: number;
}

const orders: Order[] = [
  { id: 1, total: 12.5 },
  { id: 2, total: 7.25 },
];
gw.log("hello from TypeScript, the parameter is '" + gw.param() + "'");

// What the run page shows as the result:
gw.result(String(orders.reduce((sum, order) => sum + order.total, 0)));
`;

const assemblyScript = `// A first job. It is compiled here, in the browser. Try it (Ctrl-Enter), then publish it (Ctrl-S).
@external("gluewheel", "log")
declare function log(level: i32, address: usize, length: i32): void;

@external("gluewheel", "result")
declare function result(address: usize, length: i32): void;

export function gw_run(): i32 {
  const line = String.UTF8.encode("hello from AssemblyScript");
  log(0, changetype<usize>(line), line.byteLength);
  result(changetype<usize>(line), line.byteLength);
  return 0; // anything else is a failure
}
`;

const wat = `;; A first job. It is compiled here, in the browser. Try it (Ctrl-Enter), then publish it (Ctrl-S).
(module
  (import "gluewheel" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "hello from WebAssembly text")
  (func (export "gw_run") (result i32)
    (call $log (i32.const 0) (i32.const 16) (i32.const 27))
    (i32.const 0)))
`;

/** What a template shows; its words stand in the language tables under "template". */
export type TemplateKind = "hello" | "http" | "shards" | "counter" | "assemblyScript" | "wat";

export interface Template {
  kind: TemplateKind;
  source: string;
}

const templates: Record<CodeLanguage, Partial<Record<TemplateKind, string>>> = {
  GLUE_LUA: { hello: lua, http: luaHTTP, shards: luaShards, counter: luaCounter },
  GLUE_JS: { hello: javascript, http: jsHTTP, shards: jsShards, counter: jsCounter },
  GLUE_TS: { hello: typescript, http: jsHTTP, shards: jsShards, counter: jsCounter },
  GLUE_SHELL: { hello: shell, shards: shellShards },
  GLUE_PYTHON: { hello: python, shards: pythonShards },
  GLUE_PYTHON2: { hello: python2, shards: python2Shards },
  GLUE_NODEJS: { hello: node, shards: nodeShards },
  GLUE_PHP: { hello: php, shards: phpShards },
  GLUE_POWERSHELL: { hello: powershell, shards: powershellShards },
  GLUE_GROOVY: { hello: groovy, shards: groovyShards },
  // The text decides which of the two it is, so each offers the other.
  ASSEMBLYSCRIPT: { assemblyScript, wat },
  WAT: { wat, assemblyScript },
};

/** Code to begin with. */
export function templateFor(language: CodeLanguage): string {
  return templatesOf(language)[0]?.source ?? "";
}

/** Every template of a language, the simplest first. */
export function templatesOf(language: CodeLanguage): Template[] {
  return Object.entries(templates[language]).map(([kind, source]) => ({
    kind: kind as TemplateKind,
    source,
  }));
}
