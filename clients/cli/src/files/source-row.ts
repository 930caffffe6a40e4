import { InvalidCell, PaddedNumber } from '../../../../packages/tabular/src/workbook/cells.js';
import type { ReportedError } from '../failure.js';

/** The columns of rejected rows before those of the file. An import ignores them. */
export const ERROR_COLUMNS = ['line', 'code', 'column', 'message'];

/** The line of a rejected row in the file of the first load; undefined if a person has removed it. */
export function toOrigin(cell: Cell): number | undefined {
  const line = Number(cell ?? undefined);
  return Number.isSafeInteger(line) && line > 0 ? line : undefined;
}

/** A text, or a value of JSON. */
export type Cell = unknown;

/** A row as it was read. */
export interface SourceRow {
  /** The line of the file on which the row begins, from 1. */
  line: number;
  /** Of a rejected row: its line in the file of the first load. Results name it, since people correct that file. */
  origin?: number | undefined;
  /** The names of the cells. The rows of a file with a header share one array. */
  names: readonly string[];
  cells: readonly Cell[];
  /** Why the cells cannot be assigned to the names: the service rejects the row. */
  problem?: ReportedError;
}

/** A cell as text; null if it is empty. Objects of NDJSON become JSON. */
export function toText(cell: Cell): string | null {
  if (cell === null || cell === undefined) return null;
  if (typeof cell === 'string') return cell;
  if (cell instanceof PaddedNumber) return toText(cell.text);
  return cell instanceof InvalidCell ? cell.problem : JSON.stringify(cell);
}

/** Reads cells by name. */
export class CellReader {
  private names: readonly string[] = [];
  private readonly positions = new Map<string, number>();

  /** @returns undefined if the row does not have the cell */
  read({ names, cells }: SourceRow, name: string): Cell {
    if (names !== this.names) {
      this.names = names;
      this.positions.clear();
      names.forEach((each, position) => this.positions.set(each, position));
    }
    const position = this.positions.get(name);
    return position === undefined ? undefined : cells[position];
  }
}
