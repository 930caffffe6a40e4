import { rejectUndefined } from './import-options.js';
import type { DifferenceSummary } from './models.js';
import { type Filter, formatMoment, type Moment, nameNumbers } from './query.js';

export interface DifferenceOptions {
  from: Moment;
  /** Now by default. */
  to?: Moment | undefined;
  /** Receives the counts after the last difference. */
  onSummary?: (summary: DifferenceSummary) => void;
  signal?: AbortSignal | undefined;
}

/** Which rows to set back, either by their keys or by a filter. */
export type RestoreOptions<Row = Record<string, unknown>> = {
  asOf: Moment;
  /** Does everything and stores nothing. */
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
} & (
  | { keys: string[]; filter?: undefined }
  /** Rows that match now, or that matched at the moment. */
  | { filter: Filter<Row>; keys?: undefined }
);

export function toDifferenceParams({ from, to }: DifferenceOptions): URLSearchParams {
  const parameters = new URLSearchParams({ from: formatMoment(from) });
  if (to !== undefined) parameters.set('to', formatMoment(to));
  return parameters;
}

/** The body of a restoration. @throws {TypeError} if a condition is undefined, without which more rows would match */
export function toRestoreJson<Row>({ asOf, keys, filter }: RestoreOptions<Row>): string {
  if (filter) rejectUndefined(filter, 'filter');
  return JSON.stringify({ asOf: formatMoment(asOf), keys, filter }, nameNumbers);
}
