import { listValues, percentile, type Results, type Slice } from './measure.js';

const NONE = '—';
const HEADER = ['measurement', 'unit', 'service', 'CPU µs', 'compared with', 'figure', 'CPU µs', 'ratio', 'aim', 'met'];

/** A Markdown table with one line per floor of each measurement, which is also readable on a terminal. */
export function formatTable(results: Results): string {
  const lines = [HEADER, HEADER.map(() => '-'), ...formatResults(results)];
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const pad = (cell: string, column: number) => cell.padEnd(widths[column]!, cell === '-' ? '-' : ' ');
  return lines.map((line) => `| ${line.map(pad).join(' | ')} |`).join('\n');
}

function formatResults(results: Results): string[][] {
  return [...results].flatMap(([{ name, unit, floors }, [service, ...others]]) =>
    floors.map(({ name: floor, aim }, position) => {
      const slices = others[position]!;
      const isRate = unit.endsWith('/s');
      // A ratio belongs to one run: a change of the machine between runs affects both figures.
      const ratios = service!.map(({ figure }, run) => figure / slices[run]!.figure);
      // Rounded away from the aim: 1.498 has not reached at least 1.50, and 1.302 exceeds at most 1.30.
      const round = isRate ? (value: number) => Math.floor(value + 1e-9) : (value: number) => Math.ceil(value - 1e-9);
      const formatRatio = (ratio: number) => (round(ratio * 100) / 100).toFixed(2);
      const cells = [name, unit, ...formatSlices(service!), floor, ...formatSlices(slices)];
      cells.push(formatSpread(ratios, formatRatio));
      if (aim === undefined) return [...cells, NONE, NONE];
      const isMet = isRate ? percentile(ratios) >= aim : percentile(ratios) <= aim;
      return [...cells, `${isRate ? '≥' : '≤'} ${formatRatio(aim)}`, isMet ? 'yes' : 'no'];
    }),
  );
}

/** Figures, and the CPU time of Node and of PostgreSQL per request or row. */
function formatSlices(slices: readonly Slice[]): [figures: string, cpu: string] {
  const [node, database] = [listValues(slices, 'nodeCpu'), listValues(slices, 'databaseCpu')].map((times) =>
    formatFigure(percentile(times)),
  );
  return [formatSpread(listValues(slices, 'figure'), formatFigure), database === NONE ? NONE : `${node} + ${database}`];
}

/** Median, lowest and highest: `61,200 (58,900–63,100)`. */
function formatSpread(values: readonly number[], format: (value: number) => string): string {
  return `${format(percentile(values))} (${format(Math.min(...values))}–${format(Math.max(...values))})`;
}

function formatFigure(value: number): string {
  if (Number.isNaN(value)) return NONE;
  return value < 100 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}
