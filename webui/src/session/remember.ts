const key = "gw.logged-in";
const userKey = "gw.user";

/**
 * Whether somebody was logged in with this browser. Only then the page asks the server
 * who it is: the cookie itself cannot be seen from here.
 */
export function wasLoggedIn(): boolean {
  return localStorage.getItem(key) !== null;
}

/** Id of who is logged in with this browser, as far as any of its tabs knows. */
export function rememberedUser(): number | undefined {
  const [id] = (localStorage.getItem(userKey) ?? "").split(" ");
  return id ? Number(id) : undefined;
}

/** Keeps for this and the other tabs who is logged in; false when nobody is any more. */
export function rememberLogin(userID: number | false): void {
  if (userID === false) {
    localStorage.removeItem(key);
    localStorage.removeItem(userKey);
    return;
  }
  localStorage.setItem(key, "1");
  // With the time: the other tabs hear of the same person's next login, too.
  localStorage.setItem(userKey, `${userID} ${Date.now()}`);
}

/** Calls back when another tab has logged somebody in or out. */
export function onLoginElsewhere(react: () => void): () => void {
  const listen = (event: StorageEvent) => {
    if (event.key === userKey || event.key === null) react();
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}
