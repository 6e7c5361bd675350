/** A bug of ours, found: stops the run, and the trace shows where. Never used for an answer or a simulated fault. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Closes a union: a case that was forgotten does not compile, and one that slips in at run time is named. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}

/** For a value that must be there by an invariant which the type cannot say. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`missing: ${what}`);
  return value;
}
