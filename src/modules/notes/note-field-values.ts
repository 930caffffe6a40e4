import { Injectable } from '@nestjs/common';
import { getCoercion } from '../../../packages/tabular/src/coercions.js';
import { formatValue, InvalidValue, type StoredValue } from '../../../packages/tabular/src/stored-value.js';
import { callerMay } from '../../platform/security/caller-policies.js';
import { lookUpOnce } from '../../records/lookups.js';
import type { ReferredRow } from '../../records/row-references.js';
import { RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import { UsersService } from '../users/users.service.js';
import type { NoteFieldValue, NoteRowValueDto, NoteUserValueDto } from './dto/note.dto.js';
import { type BindableField, isBindable, isOfType, type NoteField, type NoteRules } from './note-rules.js';
import { NoteRulesService } from './note-rules.service.js';
import type { Note } from './note.entity.js';
import type { NoteFieldError } from './notes.errors.js';

/** The values of the defined fields of a request in their stored form: a text, or null for no value. */
export interface FieldValues {
  /** Those that are columns of notes. */
  columns: Partial<Record<BindableField, string | null>>;
  /** All custom fields; undefined if the request does not replace them. */
  customFields: Record<string, string> | undefined;
  /** Single custom fields that the request sets or clears. */
  changes: Record<string, string | null>;
  /** The values of the defined fields as they were sent, by the keys of the fields. */
  sent: ReadonlyMap<string, unknown>;
  /** Values that cannot be stored. The others have null for them, or nothing. */
  rejected: readonly RejectedValue[];
}

interface RejectedValue {
  /** The key of the field. */
  key: string;
  error: NoteFieldError;
}

/** The parts of a request that contain values of fields. */
export interface FieldInput extends Partial<Record<BindableField, string | null>> {
  customFields?: Record<string, string> | null;
  fields?: Record<string, unknown> | null;
}

/** What is known about the values of notes: the rows and members that they name, by `toKey`. */
interface Titles {
  rows: ReadonlyMap<string, string>;
  users: ReadonlyMap<string, string>;
}

/** Characters of a value that is a column: an index contains it. */
const MAX_COLUMN_VALUE = 255;

/** The number of permitted values that a message lists. */
const MAX_LISTED = 10;

/** The scope of callers who read the rows that fields name, other than their keys. */
export const READS_ROWS = 'read:workspaces';

/** Why a value cannot be stored. */
class Rejection {
  constructor(
    readonly code: NoteFieldError['code'],
    readonly message: string,
  ) {}
}

/** Checks the values of the fields that a workspace has defined, and returns them with their types. */
@Injectable()
export class NoteFieldValues {
  constructor(
    private readonly rows: RowReferencesService,
    private readonly users: UsersService,
    private readonly rules: NoteRulesService,
  ) {}

  /**
   * Converts the values to their stored form. The rows that they name are locked until the transaction ends.
   *
   * @param isAnonymous rejects values that would reveal rows or users, without the permitted values in messages.
   */
  async resolve(
    workspaceId: string,
    { fields: defined }: NoteRules,
    input: FieldInput,
    isAnonymous: boolean,
  ): Promise<FieldValues> {
    const rejected: RejectedValue[] = [];
    const sent = new Map<string, unknown>();
    const values: FieldValues = { columns: {}, customFields: undefined, changes: {}, sent, rejected };
    const convert = async (field: NoteField, path: string, value: unknown) => {
      const { key } = field;
      sent.set(key, value);
      const stored = requireLength(field, await this.convert(workspaceId, field, value, isAnonymous));
      if (!(stored instanceof Rejection)) return stored;
      rejected.push({ key, error: { field: path, code: stored.code, message: `${path}: ${stored.message}` } });
      return null;
    };
    for (const field of defined) {
      const { key } = field;
      if (!isBindable(key) || input[key] === undefined) continue;
      values.columns[key] = await convert(field, key, input[key]);
    }
    if (input.customFields) {
      values.customFields = {};
      for (const [key, text] of Object.entries(input.customFields)) {
        const field = defined.find((each) => each.key === key && !isBindable(key));
        const stored = field ? await convert(field, `customFields["${key}"]`, text) : text;
        if (stored !== null) values.customFields[key] = stored;
      }
    } else if (input.customFields === null) values.customFields = {};
    for (const [key, value] of Object.entries(input.fields ?? {})) {
      const path = `fields.${key.slice(0, 63)}`;
      const field = defined.find((each) => each.key === key);
      if (!field) rejected.push({ key, error: unknownField(path, key, isAnonymous ? undefined : defined) });
      else if (isBindable(key) ? input[key] !== undefined : Object.hasOwn(input.customFields ?? {}, key)) {
        const message = `${path}: the request has the field twice. Send it once.`;
        rejected.push({ key, error: { field: path, code: 'duplicate', message } });
      } else if (isBindable(key)) values.columns[key] = await convert(field, path, value);
      else values.changes[key] = await convert(field, path, value);
    }
    return values;
  }

  /**
   * The values of the defined fields of notes of one workspace, with their types: a row with its name, a user with the
   * display name. A stored text that is not a value of the type, because the field had another one, remains a text.
   */
  async expand(workspaceId: string, notes: readonly StoredFields[]): Promise<Record<string, NoteFieldValue>[]> {
    const { fields: defined } = await this.rules.get(workspaceId);
    const titles = await this.readTitles(workspaceId, defined, notes);
    return notes.map((note) => {
      const own = defined.filter((field) => isOfType(field, note.type));
      return Object.fromEntries(own.map((field) => [field.key, toValue(field, findStored(field, note), titles)]));
    });
  }

  private async convert(
    workspaceId: string,
    field: NoteField,
    value: unknown,
    isAnonymous: boolean,
  ): Promise<string | null | Rejection> {
    const { type } = field;
    if ((type === 'row' || type === 'user') && isAnonymous && value !== null && value !== '')
      return new Rejection('outside_policy', 'Values that name rows or users need credentials.');
    switch (type) {
      case 'row':
        return lookUpOnce(['value', workspaceId, field.tableId, value], () =>
          this.convertRow(workspaceId, field, value),
        );
      case 'user':
        return lookUpOnce(['user', workspaceId, value], () => this.convertUser(workspaceId, value));
      case 'choice': {
        const stored = toText(getCoercion('text', { choices: field.choices })(value));
        if (!isAnonymous || !(stored instanceof Rejection)) return stored;
        return new Rejection(stored.code, `${formatValue(value)} is not one of the choices.`);
      }
      default:
        // In tables, the empty text of a checkbox means false.
        return value === '' ? null : toText(getCoercion(type)(value));
    }
  }

  private async convertRow(
    workspaceId: string,
    { tableId = '' }: NoteField,
    value: unknown,
  ): Promise<string | null | Rejection> {
    const text = toText(getCoercion('reference')(value));
    if (typeof text !== 'string') return text;
    const found = await this.rows.lockByKeyOrName(workspaceId, tableId, text);
    if (found.length === 1) return found[0]!.key;
    const listsRows = callerMay(workspaceId, READS_ROWS);
    if (found.length > 1) {
      const examples = listsRows ? `, such as ${found.map(({ key }) => `"${key}"`).join(', ')}` : '';
      return new Rejection('ambiguous_row', `Several rows have the name "${shorten(text)}"${examples}. Send the key.`);
    }
    const keys = listsRows ? await this.rows.listFirstKeys(workspaceId, tableId, MAX_LISTED + 1) : [];
    const [table] = listsRows ? await this.rows.listTables(workspaceId, [tableId]) : [];
    const listed = keys.slice(0, MAX_LISTED).map((key) => `"${key}"`);
    const examples =
      listed.length === 0 ? '' : ` Its keys: ${listed.join(', ')}${keys.length > MAX_LISTED ? ', …' : ''}.`;
    return new Rejection(
      'not_found',
      `${table ? `The table "${table.name}"` : 'The table of the field'} has no row "${shorten(text)}".${examples}`,
    );
  }

  private async convertUser(workspaceId: string, value: unknown): Promise<string | null | Rejection> {
    const text = toText(getCoercion('reference')(value));
    if (typeof text !== 'string') return text;
    const [member] = await this.users.listMembers(workspaceId, [text]);
    if (member?.isActive) return member.id;
    return new Rejection(
      'not_found',
      `"${shorten(text)}" is not the ID or email address of a member of the workspace.`,
    );
  }

  private async readTitles(
    workspaceId: string,
    defined: readonly NoteField[],
    notes: readonly StoredFields[],
  ): Promise<Titles> {
    const rows: Pick<ReferredRow, 'tableId' | 'key'>[] = [];
    const users = new Set<string>();
    for (const field of defined)
      for (const note of notes) {
        const stored = findStored(field, note);
        if (stored === null) continue;
        if (field.type === 'row') rows.push({ tableId: field.tableId!, key: stored });
        if (field.type === 'user') users.add(stored);
      }
    const found = callerMay(workspaceId, READS_ROWS) ? await this.rows.find(workspaceId, rows) : [];
    const readsUsers = users.size > 0 && callerMay(workspaceId, 'read:users');
    const members = readsUsers ? await this.users.listMembers(workspaceId, [...users]) : [];
    return {
      rows: new Map(found.map(({ tableId, key, name }) => [toKey(tableId, key), name])),
      users: new Map(members.map(({ id, email, displayName }) => [id, displayName ?? email])),
    };
  }
}

/** The columns of a note that have values of fields. */
export type StoredFields = Pick<Note, BindableField | 'type' | 'customFields'>;

/** The stored value of a field. */
export function findStored({ key }: Pick<NoteField, 'key'>, note: StoredFields): string | null {
  return (isBindable(key) ? note[key] : note.customFields[key]) ?? null;
}

/**
 * Retains values that the note has already: a caller may send a note as it was read, although a row is hidden or
 * deleted, even if its key is now the name of another one, or a value is older than its field.
 */
export function acceptStored(values: FieldValues, note: StoredFields): FieldValues {
  const columns = { ...values.columns };
  const changes = { ...values.changes };
  const retained = new Set<string>();
  for (const [key, sent] of values.sent) {
    // Null removes a value, also the text `null`.
    if (sent === null) continue;
    const value = typeof sent === 'string' ? sent : JSON.stringify(sent);
    if (value !== findStored({ key }, note)) continue;
    retained.add(key);
    if (isBindable(key)) columns[key] = value;
    else changes[key] = value;
  }
  // A field that the request has twice remains an error: its other value would be ignored.
  const rejected = values.rejected.filter(({ key, error }) => !retained.has(key) || error.code === 'duplicate');
  return { ...values, columns, changes, rejected };
}

function requireLength({ key }: NoteField, value: string | null | Rejection): string | null | Rejection {
  if (typeof value !== 'string' || !isBindable(key) || value.length <= MAX_COLUMN_VALUE) return value;
  const { length } = [...value];
  if (length <= MAX_COLUMN_VALUE) return value;
  return new Rejection('too_long', `The value has ${length} characters; the limit is ${MAX_COLUMN_VALUE}.`);
}

function toValue({ type, tableId = '' }: NoteField, stored: string | null, { rows, users }: Titles): NoteFieldValue {
  if (stored === null) return null;
  switch (type) {
    case 'row':
      return { key: stored, title: rows.get(toKey(tableId, stored)) ?? null } satisfies NoteRowValueDto;
    case 'user':
      return { id: stored, title: users.get(stored) ?? null } satisfies NoteUserValueDto;
    case 'number':
    case 'checkbox': {
      const value = getCoercion(type)(stored);
      return value instanceof InvalidValue ? stored : value;
    }
    default:
      return stored;
  }
}

function toText(value: StoredValue | InvalidValue): string | null | Rejection {
  if (value instanceof InvalidValue) return new Rejection(value.code, value.message);
  return value === null || value === '' ? null : String(value);
}

/** @param listed the fields that the message lists; undefined: nothing about them. */
function unknownField(path: string, key: string, listed: readonly NoteField[] | undefined): NoteFieldError {
  const keys = listed?.map((each) => each.key).join(', ');
  const known = keys === undefined ? '' : keys === '' ? ' It has defined none.' : ` Its fields: ${keys}.`;
  const message = `${path}: the workspace has no note field "${key.slice(0, 63)}".${known}`;
  return { field: path, code: 'unknown_field', message };
}

function shorten(text: string): string {
  return text.slice(0, 100);
}

function toKey(tableId: string, key: string): string {
  return `${tableId} ${key}`;
}
