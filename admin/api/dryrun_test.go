package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// notTried are the writes that cannot be tried: their answer is a secret that has to
// work, a message, a run or an upload, or they have a trial of their own (dry_run of
// bulkJobs, planImport of applyImport).
var notTried = []string{
	"applyImport", "bulkJobs", "changePassword", "checkCode", "createGroupToken", "createToken", "deleteDraft", "endSession",
	"killRun", "login", "logout", "planImport", "previewSchedule", "saveDraft", "testAlarmChannel", "testRun", "uploadArtifact",
}

// TestDryRun_OfEveryWriteStoresNothing takes every operation that can be tried from the
// document: it answers as if it were done, and leaves nothing in any table.
func TestDryRun_OfEveryWriteStoresNothing(t *testing.T) {
	t.Parallel()
	b := setupKeeping(t)
	module := b.module(b.group("modules"))
	group := b.group("mine")
	admin := &caller{name: "admin", session: b.admin, admin: true, password: adminPassword, groupID: group.ID}
	tables := &conformance{t: t, b: b}
	rows, left := operations(), slices.Clone(notTried)
	for path, methods := range readSpecification(t).Paths {
		for method, op := range methods {
			if method == "get" {
				continue
			}
			if i := slices.Index(left, op.OperationID); i >= 0 {
				left = slices.Delete(left, i, i+1)
				continue
			}
			row, o := rows[op.OperationID], b.objects(group, module)
			if row.prepare != nil {
				row.prepare(b, admin, &o)
			}
			before := tables.contents()
			asked := len(b.fired)
			r := b.admin.do(strings.ToUpper(method), o.fillFor(admin, path, "tried")+"?dry_run=true", o.fillFor(admin, row.body, "tried"))
			require.Less(t, r.status, http.StatusMultipleChoices, "%s: %s", op.OperationID, r.text)
			require.Equal(t, before, tables.contents(), op.OperationID)
			require.Len(t, b.fired, asked, op.OperationID)
		}
	}
	require.Empty(t, left, "these are gone")
}
