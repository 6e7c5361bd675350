/** Where what floats belongs, so that it lies within a landmark of the page. */
export function landmark(): HTMLElement {
  return document.querySelector("main") ?? document.body;
}
