/** One place in the sources that is changed. */
export interface Change {
  readonly name: string;
  /** Below engine/. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}
