import { Reply } from '../../../platform/http/envelope.js';
import { etagOf } from '../../../platform/http/preconditions.js';
import type { ItemDto, WrittenItemDto } from './dto/item.dto.js';

/** A row, whose tag is the revision that last changed it. */
export function tagOfRow<T extends ItemDto>(row: T): Reply<T> {
  return new Reply(row, { headers: { ETag: etagOf({ version: row.revision }) } });
}

/** 201 where the row is new. */
export function writtenReply({ row, created }: { row: WrittenItemDto; created: boolean }): Reply<WrittenItemDto> {
  const { data, options } = tagOfRow(row);
  return new Reply(data, { ...options, status: created ? 201 : 200 });
}
