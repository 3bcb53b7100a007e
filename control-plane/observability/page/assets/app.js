// Starts the page that the document names.
import { html, render } from "./preact.js";
import { showAccount } from "./account.js";
import { KeysPage } from "./keys.js";
import { LivePage } from "./live.js";
import { PlaygroundPage } from "./playground.js";
import { SessionPage } from "./session.js";
import { SessionsPage } from "./sessions.js";
import { StoryPage } from "./story.js";

const PAGES = {
  ...{ live: LivePage, story: StoryPage, playground: PlaygroundPage, keys: KeysPage },
  ...{ sessions: SessionsPage, session: SessionPage },
};

const main = document.querySelector("main");
const Page = PAGES[document.body.dataset.view];
main.textContent = "";
render(html`<${Page} />`, main);
void showAccount();
