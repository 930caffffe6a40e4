import type { LineBlock } from './line-blocks.js';

/** A row of which no item can be made; its neighbours may be good. */
export class UnreadableRow {
  constructor(readonly message: string) {}
}

/** Takes an item, or an `UnreadableRow`, with the line on which it begins. */
export type TakeRow = (item: unknown, line: number) => void;

/** Turns blocks of lines into items. @throws {DomainError} naming the line, where the rest cannot be read either. */
export interface RowParser {
  parse(block: LineBlock, take: TakeRow): void;
  /** The file is over. */
  end(): void;
}
