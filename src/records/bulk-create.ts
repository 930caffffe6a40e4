import { type Type as ClassType } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn } from 'class-validator';
import type { Database } from '../platform/database/database.js';
import { DomainError, type FieldError, MAX_LISTED_ERRORS } from '../platform/http/domain-error.js';
import { Reply } from '../platform/http/envelope.js';
import { validateDto } from '../platform/http/validation/validation.pipe.js';
import type { KeptRecord } from './kept-record.js';
import { Optional } from './record-fields.decorator.js';
import type { Draft, Saved } from './draft.js';
import { retryOnConflict } from './records.js';

/** Records that one call creates at most. */
export const MAX_BULK = 1_000;

const ON_ERROR = ['stop', 'continue'] as const;

export class BulkQueryDto {
  @ApiProperty({
    required: false,
    enum: ON_ERROR,
    default: 'stop',
    description: '`continue` stores what is right and answers 207; else nothing is stored where anything is wrong.',
  })
  @Optional()
  @IsIn(ON_ERROR)
  onError?: (typeof ON_ERROR)[number];
}

export interface BulkBody {
  items: object[];
}

/** The body of a bulk create. Its items are looked at one by one, so that each has its own errors. */
export function BulkOf(item: ClassType): ClassType<BulkBody> {
  class BulkDto implements BulkBody {
    @ApiProperty({ type: [item], minItems: 1, maxItems: MAX_BULK })
    @IsArray()
    @ArrayMinSize(1)
    @ArrayMaxSize(MAX_BULK)
    items: object[];
  }
  Object.defineProperty(BulkDto, 'name', { value: item.name.replace(/^Create|Dto$/g, '').concat('BulkDto') });
  return BulkDto;
}

export class BulkItemErrorDto implements FieldError {
  @ApiProperty({ required: false, example: 'label' })
  field?: string;

  @ApiProperty({ example: 'invalid_field' })
  code: string;

  @ApiProperty({ example: 'label must be a string' })
  message: string;
}

export class BulkItemDto {
  /** Place in `items`, from 0. */
  @ApiProperty({ type: 'integer', example: 0 })
  index: number;

  @ApiProperty({ enum: ['created', 'updated', 'failed'] })
  outcome: 'created' | 'updated' | 'failed';

  @ApiProperty({ oneOf: [{ type: 'string', format: 'uuid' }, { type: 'integer' }], nullable: true })
  id: string | number | null;

  @ApiProperty({ type: String, nullable: true })
  externalId: string | null;

  @ApiProperty({ type: [BulkItemErrorDto] })
  errors: BulkItemErrorDto[];
}

export class BulkCreatedDto {
  @ApiProperty({ type: 'integer', example: 2 })
  received: number;

  @ApiProperty({ type: 'integer', example: 1 })
  created: number;

  /** Were there already, by their external ids; also where nothing of them changed. */
  @ApiProperty({ type: 'integer', example: 1 })
  updated: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;

  @ApiProperty({ type: [BulkItemDto] })
  items: BulkItemDto[];
}

/** Nothing was stored, since something is wrong with these items. */
export class InvalidItemsError extends DomainError {
  constructor(errors: readonly FieldError[]) {
    super('unprocessable', 'invalid_items', 'Nothing was stored: items are at fault.', {
      details: { total: errors.length, errors: errors.slice(0, MAX_LISTED_ERRORS) },
    });
  }
}

interface BulkCreate<Item extends object, T extends KeptRecord> {
  type: ClassType<Item>;
  items: readonly object[];
  onError: BulkQueryDto['onError'];
  /** What is to be stored of an item. @throws {DomainError} where it cannot be. */
  draftOf: (item: Item) => Promise<Draft<T>>;
  store: (drafts: readonly Draft<T>[]) => Promise<(Saved<T> | DomainError)[]>;
}

/**
 * Creates up to 1,000 records in one transaction and tells what became of each.
 *
 * @throws {InvalidItemsError} where an item is at fault, unless the caller lets the others go on.
 */
export async function createInBulk<Item extends object, T extends KeptRecord>(
  database: Database,
  { type, items, onError, draftOf, store }: BulkCreate<Item, T>,
): Promise<Reply<BulkCreatedDto>> {
  const attempt = async () => {
    const drafts = await inOrder(items, async (item, index) => draftOf(validateDto(type, requireObject(item, index))));
    refuseDuplicates(drafts);
    const sound = drafts.filter((draft) => !(draft instanceof DomainError)) as Draft<T>[];
    if (sound.length < drafts.length && onError !== 'continue') throw new InvalidItemsError(faultsOf(drafts));
    const saved = await store(sound);
    const results = drafts.map((draft) => (draft instanceof DomainError ? draft : saved.shift()!));
    if (onError !== 'continue' && results.some((result) => result instanceof DomainError))
      throw new InvalidItemsError(faultsOf(results));
    return results.map(outcomeOf);
  };
  return replyOf(await retryOnConflict(() => database.transaction(attempt)));
}

async function inOrder<T>(
  items: readonly unknown[],
  work: (item: unknown, index: number) => Promise<T>,
): Promise<(T | DomainError)[]> {
  const results: (T | DomainError)[] = [];
  for (const [index, item] of items.entries()) {
    try {
      results.push(await work(item, index));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      results.push(error);
    }
  }
  return results;
}

/** Validation looks into objects alone. */
function requireObject(item: unknown, index: number): object {
  if (typeof item === 'object' && item !== null && !Array.isArray(item)) return item;
  throw new DomainError('malformed', 'invalid_field', `items[${index}] must be an object`);
}

/** Of two items with one external id, it would be chance which one holds. */
function refuseDuplicates<T extends KeptRecord>(drafts: (Draft<T> | DomainError)[]): void {
  const seen = new Map<string, number>();
  drafts.forEach((draft, index) => {
    if (draft instanceof DomainError || !draft.values.externalId) return;
    const name = `${draft.workspaceId} ${draft.values.externalId}`;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else {
      const message = `items[${first}] has the same externalId`;
      const errors = [{ field: 'externalId', code: 'duplicate', message }];
      drafts[index] = new DomainError('unprocessable', 'duplicate', message, { details: { errors } });
    }
  });
}

function faultsOf(results: readonly (object | DomainError)[]): FieldError[] {
  return results.flatMap((result, index) =>
    result instanceof DomainError
      ? ownFaults(result).map(({ field, ...fault }) => ({
          field: [`items[${index}]`, field].filter(Boolean).join('.'),
          ...fault,
        }))
      : [],
  );
}

function ownFaults({ details, code, message }: DomainError): readonly FieldError[] {
  return details?.errors ?? [{ code, message }];
}

function outcomeOf<T extends KeptRecord>(result: Saved<T> | DomainError, index: number): BulkItemDto {
  if (result instanceof DomainError)
    return { index, outcome: 'failed', id: null, externalId: null, errors: [...ownFaults(result)] };
  const { id, externalId } = result.record;
  return { index, outcome: result.created ? 'created' : 'updated', id, externalId, errors: [] };
}

function replyOf(items: BulkItemDto[]): Reply<BulkCreatedDto> {
  const count = (outcome: BulkItemDto['outcome']) => items.filter((item) => item.outcome === outcome).length;
  const report = {
    received: items.length,
    created: count('created'),
    updated: count('updated'),
    failed: count('failed'),
    items,
  };
  return new Reply(report, { status: report.failed > 0 ? 207 : report.created > 0 ? 201 : 200 });
}
