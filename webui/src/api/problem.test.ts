import i18next from "i18next";
import { afterEach, expect, it } from "vitest";
import { fieldErrors, toApiError, toRefusal, withoutField } from "./problem";

const speak = (lng: string) => i18next.init({ lng, resources: { en: {}, "zh-CN": {} } });
const taken = "Another group has this app name. Choose another one.";
const body = { detail: taken, errors: [{ location: "body.app_name", message: taken, value: 7 }] };

afterEach(() => speak("en"));

it("says a refusal and its fields in the reader's language", async () => {
  await speak("zh-CN");
  const words = "该 AppName 已被其他执行器使用，请更换。";
  expect(await toRefusal(409, body)).toMatchObject({
    status: 409,
    message: words,
    fields: [{ location: "body.app_name", message: words, value: 7 }],
  });
  await speak("en");
  expect((await toRefusal(409, body)).message).toBe(taken);
});

it("leaves what the page has words for, so that the login loads nothing more", async () => {
  await speak("zh-CN");
  const detail = "You are not logged in, or the session has expired. Log in.";
  expect((await toRefusal(401, { detail })).message).toBe(detail);
});

it("finds the field of a problem, however deep it stands", () => {
  const error = toApiError(422, {
    errors: [
      { location: "body.config.url", message: "no address" },
      { location: "body.grants[1].group_id", message: "twice" },
      { location: "path.name", message: "no name" },
    ],
  });
  expect(fieldErrors(error)).toEqual({
    config: "no address",
    "config.url": "no address",
    grants: "twice",
    "grants.1.group_id": "twice",
    name: "no name",
  });
});

it.each([
  ["schedule_type: Choose another one.", "Choose another one."],
  ["tags[2]: It is too long.", "It is too long."],
  ["The run has already ended.", "The run has already ended."],
  ["It says: nothing.", "It says: nothing."],
])("takes the field off %j", (message, text) => {
  expect(withoutField(message)).toBe(text);
});
