import { expect, it } from "vitest";
import { chunkOf, marksBefore } from "./log-place";

const chunks = [
  { fromLine: 1, lines: 2, text: "one\ntwo\n" },
  { fromLine: 3, lines: 3, text: "\u001B[31mtwo\u001B[0m Two\nnone\ntwo\n" },
];

it("finds the chunk of a line", () => {
  expect(chunkOf(chunks, 2)).toBe(chunks[0]);
  expect(chunkOf(chunks, 3)).toBe(chunks[1]);
  expect(chunkOf(chunks, 6)).toBeUndefined();
});

it("counts the marks before a line, without the colours", () => {
  expect(marksBefore(chunks[1]!, 3, "TWO")).toBe(0);
  expect(marksBefore(chunks[1]!, 5, "TWO")).toBe(2);
});
