import { Option } from 'commander';

/** The begin of a day in UTC. The service validates any other time, and revisions. */
export const toTime = (value: string): string => (/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value);

/** A flag for a moment: a revision of the table, or a time. */
export const momentOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(toTime);

export const asOfOption = (): Option =>
  momentOption('--as-of <moment>', 'as it was: a revision, or a time such as 2026-12-01T08:00:00Z');
