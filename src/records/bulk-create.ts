import { type Type as ClassType } from '@nestjs/common';
import type { Database } from '../platform/database/database.js';
import { DomainError, type FieldError, toErrorDetails } from '../../packages/errors/src/domain-error.js';
import { catchDryRun, DryRun } from '../../packages/sql/src/dry-run.js';
import { WorkSlices } from '../../packages/json/src/work-slices.js';
import { validateDto } from '../platform/http/validation/validation.pipe.js';
import type { ArchivableRecord } from './archivable-record.js';
import type { BulkCreatedDto, BulkItemDto, BulkCreateQueryDto } from './bulk-create.dto.js';
import type { RecordInput } from './record-values.js';
import { RECORD_ERRORS } from './records.errors.js';
import { retryOnUniqueViolation } from './records.js';
import { HTTP_ERRORS } from '../../packages/errors/src/http.errors.js';

interface BulkCreate<Item extends object, T extends ArchivableRecord, Input extends RecordInput<T>> {
  type: ClassType<Item>;
  items: readonly object[];
  query: BulkCreateQueryDto;
  /** @throws {DomainError} if the item cannot be stored. */
  toInput: (item: Item) => Promise<Input>;
  store: (inputs: readonly Input[]) => Promise<(StoredItem<T> | DomainError)[]>;
}

/** What the report states of a stored item. */
interface StoredItem<T extends ArchivableRecord> {
  record: Pick<T, 'id' | 'externalId'>;
  created: boolean;
  /** Has a value of an existing record changed? */
  changed: boolean;
}

/**
 * Creates or updates records in one transaction and reports the result of each.
 *
 * @throws {DomainError} `invalid_items` if an item is invalid and `onError` is not `continue`; nothing is stored then.
 */
export async function createInBulk<
  Item extends object,
  T extends ArchivableRecord,
  Input extends RecordInput<T> = RecordInput<T>,
>(database: Database, { type, items, query, toInput, store }: BulkCreate<Item, T, Input>): Promise<BulkCreatedDto> {
  const { onError } = query;
  const isDryRun = query.dryRun === 'true';
  const attempt = async () => {
    const inputs = await collectInputs(items, async (item, index) =>
      toInput(await validateDto(type, requireObject(item, index))),
    );
    rejectDuplicates<T>(inputs);
    // Also if an item is invalid already, so that the errors of all are known.
    const stored = await store(inputs.filter((input) => !(input instanceof DomainError)) as Input[]);
    const results = inputs.map((input) => (input instanceof DomainError ? input : stored.shift()!));
    const errors = listErrors(results);
    if (errors.length > 0 && onError !== 'continue')
      throw new DomainError(RECORD_ERRORS.invalid_items, undefined, { details: toErrorDetails(errors) });
    const report = toReport(results.map(toItemDto), isDryRun);
    if (!isDryRun) return report;
    const withoutIds = report.items.map((item) => (item.outcome === 'created' ? { ...item, id: null } : item));
    throw new DryRun({ ...report, items: withoutIds });
  };
  return catchDryRun(() => retryOnUniqueViolation(() => database.transaction(attempt)));
}

/**
 * One after another, because the statements of a transaction share one connection. Other requests are served between
 * them.
 */
async function collectInputs<T>(
  items: readonly unknown[],
  toInput: (item: unknown, index: number) => Promise<T>,
): Promise<(T | DomainError)[]> {
  const inputs: (T | DomainError)[] = [];
  const slices = new WorkSlices();
  for (const [index, item] of items.entries()) {
    await slices.pauseIfDue();
    try {
      inputs.push(await toInput(item, index));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      inputs.push(error);
    }
  }
  return inputs;
}

/** class-validator validates only objects. */
function requireObject(item: unknown, index: number): object {
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) return item;
  throw new DomainError(HTTP_ERRORS.invalid_field, `items[${index}] must be an object`);
}

/** Replaces all items with one external ID by errors: which of them is right is not known. */
function rejectDuplicates<T extends ArchivableRecord>(inputs: (RecordInput<T> | DomainError)[]): void {
  const sent = new Map<string, { externalId: string; indexes: number[] }>();
  inputs.forEach((input, index) => {
    if (input instanceof DomainError || !input.values.externalId) return;
    const { externalId } = input.values;
    const key = `${input.workspaceId} ${externalId}`;
    sent.set(key, { externalId, indexes: [...(sent.get(key)?.indexes ?? []), index] });
  });
  for (const { externalId, indexes } of sent.values()) {
    const [first, ...others] = indexes;
    const replace = (index: number, other: number) => {
      const message = `items[${other}] has the same externalId "${externalId}". Send each externalId once.`;
      const errors = [{ field: 'externalId', code: 'duplicate', message }];
      inputs[index] = new DomainError(HTTP_ERRORS.duplicate, message, { details: { errors } });
    };
    if (others.length > 0) replace(first!, others[0]!);
    for (const index of others) replace(index, first!);
  }
}

/** The errors of all items, with the index of the item in the field path. */
function listErrors(results: readonly (object | DomainError)[]): FieldError[] {
  return results.flatMap((result, index) =>
    result instanceof DomainError ? listErrorsAt(`items[${index}]`, result) : [],
  );
}

/** The errors of an item. @param path of the item, which begins the field paths */
export function listErrorsAt(path: string, error: DomainError): FieldError[] {
  return listItemErrors(error).map(({ field, ...others }) => ({
    field: [path, field].filter(Boolean).join('.'),
    ...others,
  }));
}

function listItemErrors({ details, code, message }: DomainError): readonly FieldError[] {
  return details?.errors ?? [{ code, message }];
}

function toItemDto<T extends ArchivableRecord>(result: StoredItem<T> | DomainError, index: number): BulkItemDto {
  if (result instanceof DomainError)
    return { index, outcome: 'failed', id: null, externalId: null, errors: [...listItemErrors(result)] };
  const { record, created, changed } = result;
  const outcome = created ? 'created' : changed ? 'updated' : 'unchanged';
  return { index, outcome, id: record.id, externalId: record.externalId, errors: [] };
}

function toReport(items: BulkItemDto[], dryRun: boolean): BulkCreatedDto {
  const count = (outcome: BulkItemDto['outcome']) => items.filter((item) => item.outcome === outcome).length;
  return {
    received: items.length,
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    failed: count('failed'),
    dryRun,
    items,
  };
}
