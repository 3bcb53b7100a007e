// Who has signed in, in the header: the links that the roles allow, the name, and the way out.
import { load, send } from "./api.js";

/** The links, by what they need. */
const LINKS = { "/": "seeLive", "/playground": "usePlayground" };

export async function showAccount() {
  const me = await load("/api/me").catch(() => undefined);
  if (me === undefined) return;
  for (const [href, needed] of Object.entries(LINKS))
    if (!me.can[needed]) document.querySelector(`nav a[href="${href}"]`)?.remove();
  if (me.kind === undefined) return;
  const button = document.createElement("button");
  button.textContent = "Sign out";
  button.addEventListener("click", async () => {
    const { location: next } = await send("POST", "/sign-out");
    location.assign(next);
  });
  const name = document.createElement("span");
  name.textContent = me.name;
  name.title = me.roles.join(", ");
  document.querySelector("#account").replaceChildren(name, button);
}
