import { describe, expect, it } from "vitest";
import { holds } from "./rights";

describe("holds", () => {
  const ann = {
    rights: ["job.view", "job.operate", "job.edit"],
    grants: [
      { group_id: 1, role: "viewer" as const },
      { group_id: 2, role: "editor" as const },
    ],
  };

  it("looks at the role in the group", () => {
    expect(holds(ann, "job.operate")).toBe(true);
    expect(holds(ann, "job.operate", 1)).toBe(false);
    expect(holds(ann, "job.operate", 2)).toBe(true);
    expect(holds(ann, "job.edit", 2)).toBe(true);
    expect(holds(ann, "glue.publish", 2)).toBe(false);
    expect(holds(ann, "job.operate", 3)).toBe(false);
  });

  it("counts the role in every group, and takes away what nobody granted", () => {
    const all = { ...ann, role_everywhere: "group_admin" as const };
    expect(holds(all, "job.edit", 3)).toBe(true);
    expect(holds({ ...all, rights: [] }, "job.edit", 3)).toBe(false);
  });
});
