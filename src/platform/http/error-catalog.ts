/** What docs/reference/errors.md states about a code. The statuses are read from the code. */
export interface ErrorEntry {
  /** What the code means, as one sentence. */
  meaning: string;
  /** What usually causes it. */
  cause: string;
  /** What the caller does next. */
  remedy: string;
}

/**
 * The error codes of a module, for docs/reference/errors.md (`npm run errors`). Each module has one in `*.error-catalog.ts`; a code without
 * an entry fails the tests.
 */
export interface ErrorCatalog {
  /** Heading of the section. */
  title: string;
  /** Position of the section. */
  order: number;
  /** Name of the guide in `docs` that describes the module, without extension. */
  guide: string;
  codes: Record<string, ErrorEntry>;
}
