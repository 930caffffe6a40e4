import { MAX_LISTED_ERRORS } from '../../../platform/http/domain-error.js';

/** Why a row cannot be stored. */
export interface RowError {
  /** Position among the items as they were sent. */
  index: number;
  key?: string;
  column?: string;
  /** The other row's position, where two rows have one key. */
  otherIndex?: number;
  code:
    | 'required_key'
    | 'required'
    | 'type_mismatch'
    | 'too_long'
    | 'unknown_column'
    | 'ambiguous_column'
    | 'duplicate_in_batch'
    | 'hierarchy_cycle'
    | 'row_too_large'
    | 'cell_count';
  message: string;
}

/** The errors of a batch. All are counted and only the first are kept, in the order of the rows: a body may hold millions. */
export class RowErrors {
  /** All errors, also those that are not kept. */
  total = 0;
  /** The rows at fault by their position, each with its key where it has one. */
  readonly rows = new Map<number, string | null>();
  private kept: RowError[] = [];

  static from(others: RowErrors): RowErrors {
    const errors = new RowErrors();
    errors.total = others.total;
    errors.kept = [...others.kept];
    for (const [index, key] of others.rows) errors.rows.set(index, key);
    return errors;
  }

  add(fault: RowError): void {
    this.total++;
    this.rows.set(fault.index, this.rows.get(fault.index) ?? fault.key ?? null);
    this.kept.push(fault);
    if (this.kept.length === 4 * MAX_LISTED_ERRORS) this.kept = this.first;
  }

  /** The key of a row whose errors, if any, were the last to be added. */
  nameRow(index: number, key: string): void {
    if (!this.rows.has(index)) return;
    this.rows.set(index, key);
    for (let last = this.kept.length - 1; this.kept[last]?.index === index; last--) this.kept[last]!.key ??= key;
  }

  /** The first 1,000, in the order of the rows. */
  get first(): RowError[] {
    return this.kept.toSorted((a, b) => a.index - b.index).slice(0, MAX_LISTED_ERRORS);
  }
}
