/** The command line can't be followed: the program ends with 2, and this message. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
