import "./styles/base.css";
import { startPage } from "./pages/start.tsx";

const root = document.querySelector<HTMLElement>("#root");
if (root === null) throw new Error("the document has no #root");
startPage(root);
