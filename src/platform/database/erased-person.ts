export type EntityClass = new () => object;

/** The person whose data is erased. */
export interface ErasedPerson {
  userId: string;
  /** Replaces the names. */
  pseudonym: string;
  /** In a workspace, the email address and the display name; in the service, the email address and subjects. */
  names: readonly string[];
}

/** Runs a step in a transaction of its own. A dry run rolls it back. */
export type ErasureStep = <T>(work: () => Promise<T>) => Promise<T>;

/** What is changed in the rows `t` of a table. */
export interface RowErasure {
  /** SQL: which rows. It no longer matches changed rows. */
  condition: string;
  /** SQL: the new values; undefined deletes the rows. */
  assignments?: readonly string[];
}

/** @param bind adds a parameter. @returns undefined if there is nothing to erase. */
export type ToRowErasure = (person: ErasedPerson, bind: (value: unknown) => string) => RowErasure | undefined;
