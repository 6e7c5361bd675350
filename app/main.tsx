/** Which page this is: the single file is the embed, the site is the page. */
import "./styles/base.css";
import { startEmbed } from "./embed/start.tsx";
import { prepareLang } from "./i18n/use-text.ts";
import { startPage } from "./pages/start.tsx";

/** No await at the top: with one, the bundler cuts everything that a later chunk shares out of the first. */
async function start(): Promise<void> {
  const root = document.querySelector<HTMLElement>("#root");
  if (root === null) throw new Error("the document has no #root");
  await prepareLang();
  if (import.meta.env.MODE === "single") startEmbed(root);
  else startPage(root);
}

void start();
