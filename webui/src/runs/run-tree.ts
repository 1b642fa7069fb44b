import type { Run } from "../api/types";
import { groupBy } from "../ui/group-by";

export interface TreeNode {
  run: Run;
  depth: number;
}

/** Runs in the order of a tree: each after the one that caused it, in the order of their ids. */
export function runTree(runs: Run[]): TreeNode[] {
  const byID = new Map(runs.map((run) => [run.id, run]));
  const children = groupBy(
    [...byID.values()].toSorted((a, b) => a.id - b.id),
    (run) => (run.parent_id != null && byID.has(run.parent_id) ? run.parent_id : 0),
  );
  const nodes: TreeNode[] = [];
  const walk = (parent: number, depth: number) => {
    for (const run of children.get(parent) ?? []) {
      nodes.push({ run, depth });
      walk(run.id, depth + 1);
    }
  };
  walk(0, 0);
  return nodes;
}
