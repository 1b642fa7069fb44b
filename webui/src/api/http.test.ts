import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { established, expired, reachable } from "../session/state";
import { guardedFetch } from "./http";
import { UnreachableError } from "./problem";

const get = () => new Request("http://admin/api/v1/jobs");
const problem = (status: number) =>
  new Response("{}", { status, headers: { "Content-Type": "application/problem+json" } });

describe("guardedFetch", () => {
  const fetched = vi.fn<typeof fetch>();

  beforeEach(() => {
    vi.stubGlobal("fetch", fetched);
    established.set(true);
    expired.set(false);
    reachable.set(true);
  });
  afterEach(() => {
    fetched.mockReset();
    vi.unstubAllGlobals();
  });

  it("waits for the new login and sends the request again, body included", async () => {
    const bodies: string[] = [];
    fetched.mockImplementation(async (request) => {
      bodies.push(await (request as Request).text());
      return bodies.length < 3 ? problem(401) : new Response("{}");
    });
    const answer = guardedFetch(
      new Request("http://admin/api/v1/jobs", { method: "POST", body: "typed for an hour" }),
    );
    await vi.waitFor(() => expect(expired.get()).toBe(true));
    expect(bodies).toHaveLength(2);
    expired.set(false); // somebody has logged in
    expect((await answer).status).toBe(200);
    expect(new Set(bodies)).toEqual(new Set(["typed for an hour"]));
  });

  it("does not ask for a login when the session has another cookie by now", async () => {
    fetched.mockResolvedValueOnce(problem(401)).mockResolvedValueOnce(new Response("{}"));
    expect((await guardedFetch(get())).status).toBe(200);
    expect(expired.get()).toBe(false);
  });

  it("hands on a 401 of the login itself, and of a visitor", async () => {
    fetched.mockImplementation(async () => problem(401));
    const login = new Request("http://admin/api/v1/login", { method: "POST" });
    expect((await guardedFetch(login)).status).toBe(401);
    established.set(false);
    expect((await guardedFetch(get())).status).toBe(401);
    expect(expired.get()).toBe(false);
  });

  it("notices that the admin is gone and that it is back", async () => {
    fetched.mockRejectedValueOnce(new TypeError("Failed to fetch"));
    await expect(guardedFetch(get())).rejects.toThrow(UnreachableError);
    expect(reachable.get()).toBe(false);
    fetched.mockResolvedValueOnce(new Response("{}"));
    await guardedFetch(get());
    expect(reachable.get()).toBe(true);
  });

  it("tells a proxy without an admin from an admin that refuses", async () => {
    fetched.mockResolvedValueOnce(problem(502));
    expect((await guardedFetch(get())).status).toBe(502);
    expect(reachable.get()).toBe(true);
    fetched.mockResolvedValueOnce(new Response("<h1>Bad Gateway</h1>", { status: 502 }));
    await expect(guardedFetch(get())).rejects.toThrow(UnreachableError);
    expect(reachable.get()).toBe(false);
  });

  it("stays quiet about a request that the page has given up", async () => {
    const abort = new AbortController();
    abort.abort();
    fetched.mockRejectedValueOnce(abort.signal.reason);
    const request = new Request("http://admin/api/v1/jobs", { signal: abort.signal });
    await expect(guardedFetch(request)).rejects.toThrow("aborted");
    expect(reachable.get()).toBe(true);
  });
});
