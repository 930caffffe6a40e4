import { parseStoredJson } from './stored-json.js';

/**
 * JSON that already exists as text, such as rows that PostgreSQL has serialized. In the `data` of an envelope it is
 * sent as it is, instead of being parsed and serialized again.
 */
export class JsonText {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return parseStoredJson(this.text);
  }
}

/** Is any field of the value a `JsonText`? */
export function containsJsonText(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.values(value).some((field) => field instanceof JsonText);
}

/** As `JSON.stringify`, with the text of each `JsonText` in the object and in the objects in it. */
export function stringifyJson(value: object): string {
  const fields = Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    const text =
      field instanceof JsonText ? field.text : containsJsonText(field) ? stringifyJson(field) : toText(field);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${fields.join(',')}}`;
}

/** Undefined for a value without a JSON form, contrary to the declared type of JSON.stringify. */
function toText(value: unknown): string | undefined {
  return JSON.stringify(value);
}
