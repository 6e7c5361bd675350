/** Puts other words into an element whose only child is a text: the text stays, so that nothing around it is laid out. */
export function writeText(element: Element, words: string): void {
  const { firstChild } = element;
  if (firstChild instanceof Text) firstChild.data = words;
  else element.textContent = words;
}
