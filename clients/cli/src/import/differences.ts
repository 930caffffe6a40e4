import type {
  ChangedValues,
  ComparisonSummary,
  Difference,
  DifferenceSummary,
  RowDifference,
  RowHistoryEntry,
} from '@atrium/client';
import { formatRowError, type ReportedError } from '../failure.js';
import type { OutputStream } from '../io.js';
import { formatCount, type Output } from '../output.js';
import { MAX_ERRORS } from './summary.js';

const MAX_LISTED = 50;
/** The words for changes that a load would make, and for changes that were made. */
const VERBS = {
  future: { create: 'to create', update: 'to update', delete: 'to delete' },
  past: { create: 'created', update: 'updated', delete: 'deleted' },
} as const;
const SIGNS = { create: '+', update: '~', delete: '-', error: '!' } as const;
const COLORS = { create: 'green', update: 'yellow', delete: 'red', error: 'magenta' } as const;

/** Without the unchanged and the invalid rows, if they are unknown. */
type Counts = DifferenceSummary & Partial<ComparisonSummary>;

export const hasDifferences = (counts: DifferenceSummary): boolean => counts.create + counts.update + counts.delete > 0;

/** Prints the first differences and their counts; with `--json`, all differences as lines of JSON. */
export class DifferencePrinter {
  /** The first errors of rows of the file. */
  readonly errors: ReportedError[] = [];
  private listed = 0;

  /** @param stream undefined: nothing is printed */
  constructor(
    private readonly output: Output,
    private readonly stream: OutputStream | undefined,
    private readonly time: keyof typeof VERBS = 'future',
  ) {}

  /** @param read the differences; it passes their counts on at the end */
  async printAll<Summary extends Counts>(
    read: (onSummary: (counts: Summary) => void) => AsyncIterable<Difference>,
  ): Promise<Summary> {
    let summary = { create: 0, update: 0, delete: 0 } as Summary;
    for await (const difference of read((counts) => (summary = counts))) this.print(difference);
    this.printSummary(summary);
    return summary;
  }

  private print(difference: Difference): void {
    if (difference.change === 'error' && this.errors.length < MAX_ERRORS) this.errors.push(difference);
    if (!this.stream) return;
    if (this.output.json) this.output.printLine(difference, this.stream);
    else if (this.listed++ < MAX_LISTED) {
      const line = `${SIGNS[difference.change]} ${formatDifference(difference)}`;
      this.output.line(line, COLORS[difference.change], this.stream);
    }
  }

  private printSummary(summary: Counts): void {
    if (!this.stream) return;
    if (this.output.json) {
      this.output.printLine({ summary }, this.stream);
      return;
    }
    if (this.listed > MAX_LISTED) this.stream.write(`… and ${formatCount(this.listed - MAX_LISTED)} more.\n`);
    const { unchanged, error = 0 } = summary;
    const changes = (['create', 'update', 'delete'] as const).map(
      (name) => `${formatCount(summary[name])} ${VERBS[this.time][name]}`,
    );
    if (unchanged !== undefined) changes.push(`${formatCount(unchanged)} unchanged`);
    if (error > 0) changes.push(`${formatCount(error)} invalid`);
    this.stream.write(`${changes.join(', ')}.\n`);
  }
}

function formatDifference(difference: Difference): string {
  if (difference.change === 'error') return formatRowError(difference);
  const { change, key, columns } = difference;
  return change === 'delete' ? key : `${key}  ${formatValues(change, columns)}`;
}

/** For example `weight: 180.5 → 181, name: Feed pump → Sump pump`. */
export function formatValues(change: (RowDifference | RowHistoryEntry)['change'], columns: ChangedValues): string {
  const values = Object.entries(columns).map(([name, { from, to }]) => {
    if (change.startsWith('create')) return `${name}: ${String(to)}`;
    if (change.startsWith('delete')) return `${name}: ${String(from)}`;
    return `${name}: ${String(from)} → ${String(to)}`;
  });
  return values.join(', ');
}
