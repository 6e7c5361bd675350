/** One kind of external cases. */
export interface Suite {
  /** Whether a file found in a folder is a case; a file that is named is always one. */
  isCase(path: string): boolean;
  /** Null, or what went wrong, for people. Throws only for a bug of the suite. */
  run(path: string, text: string): Promise<string | null>;
}
