// Commands to the program: several lines in one request, with the token.
// Invariant: the token is kept in this tab's sessionStorage, and goes out in a header, never in an address.

const KEY = "entente-token";

/** The page needs another token. */
export class Locked extends Error {}

export const token = {
  get: () => sessionStorage.getItem(KEY),
  set: (text) => sessionStorage.setItem(KEY, text),
  forget: () => sessionStorage.removeItem(KEY),
};

/** The answers to these command lines. */
export async function ask(...lines) {
  const response = await fetch("orders", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token.get()}` },
    body: JSON.stringify(lines),
    cache: "no-store",
    credentials: "omit",
    signal: AbortSignal.timeout(10000),
  });
  if (response.ok) return response.json();
  const why = await response.text();
  if (response.status === 401) throw new Locked(why);
  throw new Error(why || `the answer was ${response.status}`);
}
