import type { ApiCaller } from './api-caller.js';
import { requireNoteValues } from './row-json.js';
import type { ChangedNotes, Note, NoteBulkResult, NoteChanges, NoteField, NoteInput, NoteMessage } from './models.js';

/** A file of a note: a `File`, or bytes with a name. */
export type Upload = Blob | { name: string; type?: string; data: Uint8Array<ArrayBuffer> | Blob };

interface BulkOptions {
  /** `continue` stores the valid notes, and reports the others. */
  onError?: 'abort' | 'continue';
  dryRun?: boolean;
}

/** The notes of the workspace. */
export class NotesClient {
  readonly #client: ApiCaller;

  constructor(client: ApiCaller) {
    this.#client = client;
  }

  private get path(): string {
    return `${this.#client.workspacePath}/notes`;
  }

  /** Creates a note, or updates the one with this `externalId`. @throws {InvalidValueError} */
  async create({ files = [], ...fields }: NoteInput & { files?: Upload[] }): Promise<Note> {
    return this.#client.json('POST', this.path, { body: toBody(fields, files) });
  }

  /** @param expand `fields` adds the values of the fields of the workspace, with their types */
  get(id: string, { expand }: { expand?: 'fields' } = {}): Promise<Note> {
    const query = expand === undefined ? '' : `?expand=${expand}`;
    return this.#client.json('GET', `${this.path}/${encodeURIComponent(id)}${query}`);
  }

  /** @param filter query parameters of the list, for example `{ status: 'open', under: 'AT10' }` */
  list(filter: Record<string, string> = {}): AsyncGenerator<Note, void> {
    return this.#client.pages(`${this.path}?${new URLSearchParams(filter).toString()}`);
  }

  /**
   * Creates up to 1,000 notes, or updates those whose `externalId` exists, in one transaction. All or nothing, unless
   * `onError` is `continue`.
   *
   * @throws {InvalidValueError}
   */
  async bulk(
    items: readonly NoteInput[],
    { onError = 'abort', dryRun = false }: BulkOptions = {},
  ): Promise<NoteBulkResult> {
    for (const [index, item] of items.entries()) requireNoteValues(item, index);
    const query = new URLSearchParams({ onError, dryRun: String(dryRun) });
    return this.#client.json('POST', `${this.path}/bulk?${query.toString()}`, { body: JSON.stringify({ items }) });
  }

  /**
   * Changes all notes that match, up to 1,000, in one transaction. All or nothing, unless `onError` is `continue`.
   *
   * @param filter query parameters of the list; at least one
   * @throws {InvalidValueError}
   */
  async change(
    filter: Record<string, string>,
    changes: NoteChanges,
    { onError = 'abort', dryRun = false }: BulkOptions = {},
  ): Promise<ChangedNotes> {
    requireNoteValues(changes);
    const query = new URLSearchParams({ ...filter, onError, dryRun: String(dryRun) });
    return this.#client.json('PATCH', `${this.path}?${query.toString()}`, { body: JSON.stringify(changes) });
  }

  /** All notes that are not archived, of one snapshot. @param query `filter` as JSON, `sort` and `fields` */
  async export(
    query: Record<string, string> = {},
    { format = 'ndjson', signal }: { format?: 'csv' | 'ndjson'; signal?: AbortSignal } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const accept = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const path = `${this.path}/export?${new URLSearchParams(query).toString()}`;
    const response = await this.#client.request('GET', path, { headers: { accept }, stream: true, signal });
    return response.body as ReadableStream<Uint8Array>;
  }

  /** The fields that the workspace has defined for notes. */
  async fields(): Promise<NoteField[]> {
    const path = `${this.#client.workspacePath}/note-fields`;
    return (await this.#client.json<{ fields: NoteField[] }>('GET', path)).fields;
  }

  /** Replaces the fields. */
  async setFields(fields: readonly NoteField[]): Promise<NoteField[]> {
    const path = `${this.#client.workspacePath}/note-fields`;
    const body = JSON.stringify({ fields });
    return (await this.#client.json<{ fields: NoteField[] }>('PUT', path, { body })).fields;
  }

  async addMessage(id: string, message: { description?: string; files?: Upload[] }): Promise<NoteMessage> {
    const { files = [], ...fields } = message;
    return this.#client.json('POST', `${this.path}/${encodeURIComponent(id)}/messages`, {
      body: toBody(fields, files),
    });
  }
}

/** A form if there are files, because a form does not need base64. */
function toBody(fields: object, files: Upload[]): string | FormData {
  requireNoteValues(fields);
  if (files.length === 0) return JSON.stringify(fields);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields) as [string, string | number | object | null | undefined][]) {
    // Texts of a form have no types: a part of JSON has them.
    if (typeof value === 'object') form.append(name, new Blob([JSON.stringify(value)], { type: 'application/json' }));
    else if (value !== undefined) form.append(name, String(value));
  }
  for (const file of files) {
    if (file instanceof Blob) form.append('files', file);
    else form.append('files', new Blob([file.data], file.type ? { type: file.type } : {}), file.name);
  }
  return form;
}
