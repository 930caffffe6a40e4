import { Reply } from '../../../platform/http/envelope.js';
import { recordEtag } from '../../../platform/http/conditional-requests.js';
import type { ItemDto, WrittenItemDto } from './dto/row.dto.js';

/**
 * A row. Its tag is the revision that last changed it, which `If-Match` goes by, and a digest of what it shows: columns come
 * and go without a change of the row.
 */
export function tagOfRow<T extends ItemDto>(row: T): Reply<T> {
  const shown = { version: row.revision, item: row.item };
  return new Reply(row, { headers: { ETag: recordEtag(shown) } });
}

/** 201 where the row is new. */
export function writtenReply({ row, created }: { row: WrittenItemDto; created: boolean }): Reply<WrittenItemDto> {
  const { data, options } = tagOfRow(row);
  return new Reply(data, { ...options, status: created ? 201 : 200 });
}
