package doctor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// gone is when an executor's silence means that it is not there.
const gone = 90 * time.Second

// executors compares those that are alive with each other.
func (r *Report) executors(all []job.Executor) {
	versions, foreign := map[string][]string{}, map[string][]string{}
	for _, e := range all {
		if e.Silent > gone {
			continue
		}
		if e.Dialect != job.DialectGluewheel {
			foreign[e.AppName] = append(foreign[e.AppName], e.Dialect)
			continue
		}
		var x protocol.RegistryX
		if json.Unmarshal(e.Info, &x) == nil && x.Version != "" && !slices.Contains(versions[e.AppName], x.Version) {
			versions[e.AppName] = append(versions[e.AppName], x.Version)
		}
	}
	for _, app := range sortedKeys(versions) {
		if list := versions[app]; len(list) > 1 {
			slices.Sort(list)
			r.find(Warning, "executor_versions", fmt.Sprintf("Executors of %s run different versions: %s.", app, strings.Join(list, ", ")),
				"Finish the update: what one version can run another may not.")
		}
	}
	for _, app := range sortedKeys(foreign) {
		if versions[app] != nil {
			r.find(Warning, "mixed_dialects", fmt.Sprintf("Group %s has executors of gluewheel and of XXL-JOB.", app),
				"Give them an app name each: only gluewheel's run Lua, JavaScript and WebAssembly, and are asked again without doubling a run.")
		}
	}
}

func sortedKeys(m map[string][]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
