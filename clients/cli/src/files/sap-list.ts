import { FileError } from '../exit-codes.js';
import { requireHeader } from './header.js';
import type { SourceRow } from './source-row.js';
import type { TextLine } from './text-blocks.js';

const FRAME = '|';
/** A line of dashes, within a frame or without one. */
const DASHES = /^\s*\|?-[-|+]*\|?\s*$/;
/** The first cell of totals and subtotals; also the key of a row in tables of customizing, which means all keys. */
const STARS = /^\*+$/;
/** A number of SAP, whose sign may be at its end. */
const NUMBER = /^-?[\d.,' ]*\d-?$/;

/** Lines before the first row that show whether a file is a saved list. */
const MIN_EVIDENCE = 2;

/**
 * Is a text the beginning of a saved list: lines within frames of `|`, or lines that begin with a tab below a title?
 */
export function isSapList(lines: readonly string[]): boolean {
  const framed = lines.filter((line) => isFramed(line) && !DASHES.test(line));
  const hasDashes = lines.some((line) => DASHES.test(line));
  const tabbed = lines.filter((line) => line.startsWith('\t') && line.trim() !== '');
  const title = lines.find((line) => line.trim() !== '') ?? '';
  return (framed.length >= 1 && hasDashes) || (tabbed.length >= MIN_EVIDENCE && !title.startsWith('\t'));
}

const isFramed = (line: string): boolean => line.startsWith(FRAME) && line.trimEnd().endsWith(FRAME);

/** Splits the lines of one kind of list. */
interface ListForm {
  isRow: (line: string) => boolean;
  /** A total that is not a row; totals within frames are rows. */
  isTotal: (line: string) => boolean;
  /** @throws {UsageError} */
  split: (line: TextLine) => string[];
}

/**
 * The rows of a list that SAP has saved: "unconverted", with frames of `|`, or "spreadsheet", with tabs. Titles, page
 * headings, repeated headers, lines of dashes and totals are not rows.
 *
 * @param dropped counts what is not read as a row
 * @throws {UsageError} for a line within the list that has another structure than the header
 */
export async function* readSapList(
  lines: AsyncIterable<TextLine>,
  takeHeader: (header: readonly string[], line: number) => void,
  dropped: DroppedLines,
): AsyncGenerator<SourceRow[], void> {
  dropped.clear();
  let form: ListForm | undefined;
  const totals = new TotalFinder();
  let headerText = '';
  let names: readonly string[] = [];
  for await (const line of lines) {
    const text = line.text.trimEnd();
    if (DASHES.test(text)) totals.addDashes();
    if (text === '' || DASHES.test(text)) continue;
    if (!form) {
      form = detectForm(line.text);
      if (!form) continue;
      headerText = text;
      names = requireHeader(form.split(line), line.line);
      takeHeader(names, line.line);
      continue;
    }
    // A page begins with the title and the header again.
    if (text === headerText) totals.addHeader();
    if (text === headerText) continue;
    if (!form.isRow(line.text)) {
      dropped.add(form.isTotal(line.text) ? 'total' : 'heading', line.line);
      continue;
    }
    const cells = form.split(line);
    if (totals.isTotal(cells)) {
      dropped.add('total', line.line);
      continue;
    }
    const unnamed = cells.findIndex((cell, position) => cell !== '' && !names[position]);
    if (unnamed >= 0)
      throw new FileError(
        `Line ${line.line}: cell ${unnamed + 1} has a value, but the header has no name for it. A row of a list must have one line.`,
      );
    yield [{ line: line.line, names, cells: cells.map((cell) => (cell === '' ? null : cell)) }];
  }
  if (!form) throw new FileError('The file has no line within frames of "|" and no line that begins with a tab.');
}

/** What a line of a list is that is not read as a row, for one and for several. */
const DROPPED = { total: ['total', 'totals'], heading: ['line outside of rows', 'lines outside of rows'] } as const;

/** Counts the lines after the header that are not read as rows. Repeated headers and lines of dashes do not count. */
export class DroppedLines {
  private readonly kinds = new Map<keyof typeof DROPPED, { count: number; first: number }>();

  clear(): void {
    this.kinds.clear();
  }

  add(kind: keyof typeof DROPPED, line: number): void {
    const { count, first } = this.kinds.get(kind) ?? { count: 0, first: line };
    this.kinds.set(kind, { count: count + 1, first });
  }

  /** For example `Not read as rows: 2 totals, the first in line 7.`; undefined without such lines. */
  describe(): string | undefined {
    const kinds = [...this.kinds].map(([kind, { count, first }]) => {
      const [one, several] = DROPPED[kind];
      return count === 1 ? `1 ${one} in line ${first}` : `${count} ${several}, the first in line ${first}`;
    });
    return kinds.length === 0 ? undefined : `Not read as rows: ${kinds.join('; ')}.`;
  }
}

/**
 * Recognizes totals within frames: below a line of dashes that follows rows, with stars in the first cell, numbers, and
 * no texts except those of the row above, such as its unit. Below another total no line of dashes is necessary.
 */
class TotalFinder {
  private former: readonly string[] | undefined;
  private mayFollow = false;

  addHeader(): void {
    this.former = undefined;
    this.mayFollow = false;
  }

  addDashes(): void {
    this.mayFollow = this.former !== undefined;
  }

  isTotal(cells: readonly string[]): boolean {
    const { former = [], mayFollow } = this;
    const isTotal =
      mayFollow &&
      STARS.test(cells[0]!) &&
      cells.slice(1).every((cell, at) => cell === '' || NUMBER.test(cell) || cell === former[at + 1]);
    if (isTotal) return true;
    this.former = cells;
    this.mayFollow = false;
    return false;
  }
}

function detectForm(header: string): ListForm | undefined {
  if (isFramed(header)) return createFramedForm(header.trimEnd());
  return header.startsWith('\t') ? createTabbedForm(header) : undefined;
}

/** Cells are between the positions of the frames in the header, since texts may contain the character. */
function createFramedForm(header: string): ListForm {
  const bars = [...header.matchAll(/\|/g)].map(({ index }) => index);
  return {
    isRow: (line) => line.startsWith(FRAME),
    isTotal: () => false,
    split: ({ text, line }) => {
      const row = text.trimEnd();
      if (!isFramed(row)) throw new FileError(`Line ${line}: the row has no frame at its end: it was cut.`);
      if (row.length !== bars.at(-1)! + 1 || bars.some((bar) => row[bar] !== FRAME))
        return splitShifted(row, bars, line);
      return bars.slice(1).map((end, position) => row.slice(bars[position]! + 1, end).trim());
    },
  };
}

/** A header may be narrower than its rows by blanks: the number of frames then decides. */
function splitShifted(row: string, bars: number[], line: number): string[] {
  const cells = row.slice(1, -1).split(FRAME);
  if (cells.length === bars.length - 1) return cells.map((cell) => cell.trim());
  throw new FileError(`Line ${line}: the frames are not below those of the header, so its cells are not certain.`);
}

/** Cells are between tabs. The first one is empty, except for totals. */
function createTabbedForm(header: string): ListForm {
  const columns = header.split('\t').length;
  return {
    isRow: (line) => line.startsWith('\t'),
    isTotal: (line) => STARS.test(line.split('\t', 1)[0]!.trim()),
    split: ({ text, line }) => {
      const cells = text.split('\t').map((cell) => cell.trim());
      while (cells.length > columns && cells.at(-1) === '') cells.pop();
      if (cells.length !== columns)
        throw new FileError(`Line ${line}: the header has ${columns} cells; this row has ${cells.length}.`);
      return cells.slice(1);
    },
  };
}
