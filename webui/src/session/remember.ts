const key = "gw.logged-in";

/**
 * Whether somebody was logged in with this browser. Only then the page asks the server
 * who it is: the cookie itself cannot be seen from here.
 */
export function wasLoggedIn(): boolean {
  return localStorage.getItem(key) !== null;
}

export function rememberLogin(isLoggedIn: boolean): void {
  if (isLoggedIn) localStorage.setItem(key, "1");
  else localStorage.removeItem(key);
}
