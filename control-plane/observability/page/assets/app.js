// Starts the page that the document names.
import { html, render } from "./preact.js";
import { showAccount } from "./account.js";
import { KeysPage } from "./keys.js";
import { LivePage } from "./live.js";
import { PlaygroundPage } from "./playground.js";
import { StoryPage } from "./story.js";

const PAGES = { live: LivePage, story: StoryPage, playground: PlaygroundPage, keys: KeysPage };

const main = document.querySelector("main");
const Page = PAGES[document.body.dataset.view];
main.textContent = "";
render(html`<${Page} />`, main);
void showAccount();
