import { expect, it } from "vitest";
import type { Run } from "../api/types";
import { runTree } from "./run-tree";

const run = (id: number, parent_id: number | null) => ({ id, parent_id }) as Run;

it("puts each run under the one that caused it", () => {
  const tree = runTree([run(3, 1), run(1, null), run(4, 3), run(2, 1), run(3, 1)]);
  expect(tree.map(({ run: { id }, depth }) => [id, depth])).toEqual([
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 2],
  ]);
});

it("begins with runs whose cause is not in the list", () => {
  expect(runTree([run(7, 5)])).toMatchObject([{ depth: 0 }]);
});
