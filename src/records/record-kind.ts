import type { KeptRecord } from './kept-record.js';
import type { ListedKind } from './record-pages.js';

/** What the records of one kind are, and are called. */
export interface RecordKind<T extends KeptRecord> extends ListedKind<T> {
  /** In the directory. */
  kind: string;
  /** As a sentence begins with it: "The tour". */
  what: string;
  /** What a record is created with for good. */
  fixed?: readonly (keyof T & string)[];
  /** Refuses where what the record belongs to is put away: then it is neither changed nor brought back. */
  requirePlace?: (record: T, field?: string) => Promise<unknown>;
  /** Refuses what does not fit together, once it is known what the record has and what changes. */
  requireSound?: (record: T, changed: Partial<T>) => void;
  /** Ids for so many new records; UUID v7 where nothing is said. */
  newIds?: (count: number) => Promise<number[]>;
}
