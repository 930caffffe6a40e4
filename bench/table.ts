import { spreadOf } from './measure.js';

/** A Markdown table that is also readable on a terminal: text is aligned to the left, figures to the right. */
export function markdownTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const isFigure = headers.map((_, column) => rows.every((row) => /^([-\d—]|$)/.test(row[column] ?? '')));
  const widths = headers.map((header, column) =>
    Math.max(3, header.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (isFigure[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join(' | ')} |`;
  const rule = widths.map((width, column) => (isFigure[column] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(headers), line(rule), ...rows.map(line)].join('\n');
}

/** The cell of an absent figure. */
export const NONE = '—';

export function integer(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Median and extremes: `61,200 (58,900–63,100)`. For one run, only its figure. */
export function spread(values: readonly number[], format: (value: number) => string = integer): string {
  const { median, min, max } = spreadOf(values);
  if (values.length === 1) return format(median);
  return `${format(median)} (${format(min)}–${format(max)})`;
}

/** Truncated, not rounded: 1.498 has not reached 1.50. */
export function ratio(value: number): string {
  return (Math.floor(value * 100 + 1e-9) / 100).toFixed(2);
}

export function milliseconds(value: number): string {
  return value.toFixed(1);
}

export function cpuMicroseconds(value: number): string {
  return Number.isNaN(value) ? 'not measured' : integer(value);
}

/** Rounded up, because smaller is better: 15.01 % is above 15 %. */
export function share(value: number): string {
  return Number.isNaN(value) ? 'not measured' : `${(Math.ceil(value * 1000 - 1e-9) / 10).toFixed(1)} %`;
}

export function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? 'not measured' : `${integer(bytes / 1e6)} MB`;
}

/** The aim, and whether the median reaches it. */
export function verdict(values: readonly number[], atLeast: number | undefined): [aim: string, met: string] {
  if (atLeast === undefined) return [NONE, NONE];
  return [`≥ ${ratio(atLeast)}`, spreadOf(values).median >= atLeast ? 'yes' : 'no'];
}

/** The maximum of a figure, and whether the median is at most as high. */
export function verdictAtMost(
  values: readonly number[],
  atMost: number | undefined,
  format: (value: number) => string,
): [aim: string, met: string] {
  if (atMost === undefined) return [NONE, NONE];
  return [`≤ ${format(atMost)}`, spreadOf(values).median <= atMost ? 'yes' : 'no'];
}
