/** Whoever writes. */
export interface Author {
  userId: string | null;
}

/** A record of the workspace as it is to be. */
export interface Draft<T> {
  workspaceId: string;
  values: Partial<T>;
}

/** A record that was written, and whether it came to be. */
export interface Saved<T> {
  record: T;
  created: boolean;
  /** Did anything change of one that was there? */
  changed: boolean;
}
