/** Which page this is: the single file is the embed, the site is the page. The build keeps only one of the two. */
import "./styles/base.css";
import { startEmbed } from "./embed/start.tsx";
import { startPage } from "./pages/start.tsx";

const root = document.querySelector<HTMLElement>("#root");
if (root === null) throw new Error("the document has no #root");
if (import.meta.env.MODE === "single") startEmbed(root);
else startPage(root);
