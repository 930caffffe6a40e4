/**
 * Limits that are the same in every deployment, and that `Config` passes on so that tests can inject others. A limit
 * that needs no injection is a constant next to the code that uses it. docs/reference/limits.md lists the
 * limits of the `*.limit-catalog.ts`.
 */

/** Bytes of a row of a workspace table, as JSON. */
export const ROW_MAX_BYTES = 1024 * 1024;

/** How long the change feed of a table contains a deleted row, in days. */
export const TOMBSTONE_DAYS = 30;

/** An entry of docs/reference/limits.md. */
export interface Limit {
  /** What is limited, such as `Rows of a bulk request`. */
  name: string;
  /** The number with its unit (`formatCount`, `formatBytes`), or the setting whose default is listed. */
  value: string | { setting: string };
  /** The code of the error beyond the limit. */
  code?: string;
}

/**
 * The limits of a module, for docs/reference/limits.md (`npm run limits`). A module has them in `*.limit-catalog.ts`.
 */
export interface LimitCatalog {
  /** Heading of the section. */
  title: string;
  /** Position of the section. */
  order: number;
  limits: readonly Limit[];
}

/** A number with its unit, such as `50,000 rows`. */
export function formatCount(count: number, unit: string): string {
  return `${count.toLocaleString('en-US')} ${unit}`;
}

/** A number of bytes, such as `20 MiB`. */
export function formatBytes(bytes: number): string {
  const KIB = 1024;
  const [divisor, unit] = bytes >= KIB ** 3 ? [KIB ** 3, 'GiB'] : bytes >= KIB ** 2 ? [KIB ** 2, 'MiB'] : [KIB, 'KiB'];
  return formatCount(bytes / divisor, unit);
}
