import { expect, it } from "vitest";
import { parseANSI } from "./ansi";

const plain = { color: undefined, isBold: false };

it("reads colours and their end", () => {
  expect(parseANSI("a\u001B[31mred\u001B[0m b\u001B[1;92mc")).toEqual([
    { text: "a", ...plain },
    { text: "red", color: "red", isBold: false },
    { text: " b", ...plain },
    { text: "c", color: "green", isBold: true },
  ]);
});

it("drops sequences that are no colours", () => {
  expect(parseANSI("\u001B[2Ka\u001B[38;5;200mb\u001B]0;title\u0007c")).toEqual([
    { text: "a", ...plain },
    { text: "b", ...plain },
    { text: "c", ...plain },
  ]);
});

it("leaves text without sequences whole", () => {
  expect(parseANSI("[31m <b>no</b>")).toEqual([{ text: "[31m <b>no</b>", ...plain }]);
  expect(parseANSI("")).toEqual([]);
});
