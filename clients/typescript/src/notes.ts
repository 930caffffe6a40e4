import type { ApiCaller } from './api-caller.js';
import type { Note, NoteInput, NoteMessage } from './models.js';

/** A file of a note: a `File`, or bytes with a name. */
export type Upload = Blob | { name: string; type?: string; data: Uint8Array<ArrayBuffer> | Blob };

/** The notes of the workspace. */
export class NotesClient {
  readonly #client: ApiCaller;

  constructor(client: ApiCaller) {
    this.#client = client;
  }

  private get path(): string {
    return `${this.#client.workspacePath}/notes`;
  }

  /** Creates a note, or updates the one with this `externalId`. */
  create({ files = [], ...fields }: NoteInput & { files?: Upload[] }): Promise<Note> {
    return this.#client.json('POST', this.path, { body: toBody(fields, files) });
  }

  get(id: string): Promise<Note> {
    return this.#client.json('GET', `${this.path}/${encodeURIComponent(id)}`);
  }

  /** @param filter query parameters of the list, for example `{ status: 'open', under: 'AT10' }` */
  list(filter: Record<string, string> = {}): AsyncGenerator<Note, void> {
    return this.#client.pages(`${this.path}?${new URLSearchParams(filter).toString()}`);
  }

  addMessage(id: string, message: { description?: string; files?: Upload[] }): Promise<NoteMessage> {
    const { files = [], ...fields } = message;
    return this.#client.json('POST', `${this.path}/${encodeURIComponent(id)}/messages`, {
      body: toBody(fields, files),
    });
  }
}

/** A form if there are files, because a form does not need base64. */
function toBody(fields: object, files: Upload[]): string | FormData {
  if (files.length === 0) return JSON.stringify(fields);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields) as [string, string | number | object | null | undefined][]) {
    if (value === undefined) continue;
    if (typeof value === 'object' && value !== null)
      for (const [key, entry] of Object.entries(value)) form.append(`${name}[${key}]`, String(entry));
    else form.append(name, value === null ? '' : String(value));
  }
  for (const file of files) {
    if (file instanceof Blob) form.append('files', file);
    else form.append('files', new Blob([file.data], file.type ? { type: file.type } : {}), file.name);
  }
  return form;
}
