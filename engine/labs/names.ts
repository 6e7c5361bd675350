/** What a client of a lab is called: c1 is A, c27 is AA. */
export function clientName(id: string): string {
  let n = Number(id.slice(1));
  if (!Number.isSafeInteger(n) || n < 1) return id;
  let letters = "";
  for (; n > 0; n = Math.floor((n - 1) / 26)) letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters;
  return letters;
}
