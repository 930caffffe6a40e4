import type { Random } from './random-steps.js';

/** The rules for notes of a workspace, and what a write of a note does: docs/how-to/organizing-work.md. */

export interface FieldModel {
  key: string;
  name: string;
  type: 'text' | 'number' | 'checkbox' | 'choice' | 'row';
  table?: string;
  choices?: string[];
  required?: boolean;
  types?: string[];
}

export interface TypeModel {
  key: string;
  name: string;
  required?: string[];
  defaultStatus?: string;
  statuses?: string[];
  transitions?: { from: string; to: string }[];
}

export interface RulesModel {
  fields: readonly FieldModel[];
  types: readonly TypeModel[];
}

export interface NoteModel {
  title: string | null;
  type: string;
  status: string;
  priority: string | null;
  customFields: Record<string, string>;
}

export type FieldValue = string | number | boolean | null;

/** What a request sends. */
export interface NoteChange {
  title?: string | null;
  type?: string;
  status?: string;
  priority?: string | null;
  fields?: Record<string, FieldValue>;
  customFields?: Record<string, string>;
}

/** The written note, or the errors of a rejected one: `field code`, sorted. */
export type Outcome = { note: NoteModel } | { errors: string[] };

export const STATUSES = ['open', 'in_progress', 'on_hold', 'in_review', 'resolved', 'closed', 'cancelled'];
export const NO_RULES: RulesModel = { fields: [], types: [{ key: 'note', name: 'Note' }] };

const REQUIRABLE = ['title', 'priority'];
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Stored values of fields. */
interface Values {
  priority?: string | null;
  /** All custom fields; absent if the request does not replace them. */
  custom?: Record<string, string>;
  changes: Record<string, string | null>;
  /** The values of defined fields as they were sent, by the keys of the fields. */
  sent: Map<string, FieldValue>;
  rejected: { key: string; error: string }[];
}

/**
 * What does not depend on the note.
 *
 * @param priorities the rows of the table of priorities: name by key.
 */
export function resolveValues(
  { fields }: Pick<RulesModel, 'fields'>,
  priorities: ReadonlyMap<string, string>,
  sent: NoteChange,
): Values {
  const convert = (field: FieldModel, path: string, value: FieldValue): string | null => {
    values.sent.set(field.key, value);
    const result = convertValue(field, priorities, value);
    if (result === null || 'text' in result) return result?.text ?? null;
    values.rejected.push({ key: field.key, error: `${path} ${result.code}` });
    return null;
  };
  const bound = fields.find(({ key }) => key === 'priority');
  const values: Values = { changes: {}, sent: new Map(), rejected: [] };
  if (sent.priority !== undefined) values.priority = bound ? convert(bound, 'priority', sent.priority) : sent.priority;
  if (sent.customFields) {
    values.custom = {};
    for (const [key, value] of Object.entries(sent.customFields)) {
      const field = fields.find((each) => each.key === key);
      const text = field ? convert(field, `customFields["${key}"]`, value) : value;
      if (text !== null) values.custom[key] = text;
    }
  }
  for (const [key, value] of Object.entries(sent.fields ?? {})) {
    const field = fields.find((each) => each.key === key);
    const isTwice = key === 'priority' ? sent.priority !== undefined : sent.customFields?.[key] !== undefined;
    if (!field) values.rejected.push({ key, error: `fields.${key} unknown_field` });
    else if (isTwice) values.rejected.push({ key, error: `fields.${key} duplicate` });
    else if (key === 'priority') values.priority = convert(field, `fields.${key}`, value);
    else values.changes[key] = convert(field, `fields.${key}`, value);
  }
  return values;
}

/** A caller may send a note as it was read, also with values that are not valid any more, or now name another row. */
function acceptStored(values: Values, stored: NoteModel | undefined): Values {
  const accepted = { ...values, changes: { ...values.changes } };
  for (const [key, sent] of values.sent) {
    const own = key === 'priority' ? stored?.priority : stored?.customFields[key];
    if (sent === null || String(sent) !== own) continue;
    if (key === 'priority') accepted.priority = own;
    else accepted.changes[key] = own;
    accepted.rejected = accepted.rejected.filter((each) => each.key !== key || each.error.endsWith(' duplicate'));
  }
  return accepted;
}

/** Whether callers with all roles may give a note of the type the status, without a transition from another status. */
function isReachable(type: TypeModel | undefined, status: string): boolean {
  if (!type?.transitions || status === (type.defaultStatus ?? firstStatus(type.statuses ?? STATUSES))) return true;
  return type.transitions.some(({ to }) => to === status);
}

export function writeNote(
  { fields, types }: RulesModel,
  priorities: ReadonlyMap<string, string>,
  stored: NoteModel | undefined,
  sent: NoteChange,
): Outcome {
  const values = acceptStored(resolveValues({ fields }, priorities, sent), stored);
  const errors = values.rejected.map(({ error }) => error);
  const former = stored && types.find(({ key }) => key === stored.type);
  let type = stored ? former : types[0];
  // A type or status that the note has remains valid, although it was removed.
  if (sent.type !== undefined && sent.type !== stored?.type) {
    type = types.find(({ key }) => key === sent.type);
    if (!type) errors.push('type unknown_type');
  }
  const isOtherType = !stored || (type !== undefined && type.key !== stored.type);
  const permitted = type?.statuses ?? STATUSES;
  const status = sent.status ?? (stored ? stored.status : (type?.defaultStatus ?? firstStatus(permitted)));
  const isPermitted = permitted.includes(status) || (status === stored?.status && !isOtherType);
  if (!isPermitted) errors.push('status unknown_status');

  const note: NoteModel = {
    title: sent.title === undefined ? (stored?.title ?? null) : sent.title,
    type: type?.key ?? stored?.type ?? '',
    status,
    priority: values.priority === undefined ? (stored?.priority ?? null) : values.priority,
    customFields: merge(values.custom ?? stored?.customFields ?? {}, values.changes),
  };
  if (type) errors.push(...findMissing(fields, type, note, { sent, values, stored }, isOtherType));
  const next = isPermitted || !stored ? status : stored.status;
  const isTransition =
    !stored ||
    next === stored.status ||
    !former?.transitions ||
    former.transitions.some(({ from, to }) => from === stored.status && to === next);
  const isEntry =
    !stored || !isOtherType || isReachable(type, next) || (next === stored.status && !isReachable(former, next));
  if (!isTransition || !isEntry) errors.push('status invalid_transition');
  return errors.length > 0 ? reject(errors) : { note };
}

/** Required fields that the note lacks, and fields of other types that the request sets. */
function findMissing(
  fields: readonly FieldModel[],
  type: TypeModel,
  note: NoteModel,
  {
    sent,
    values: { priority, custom, changes, rejected },
    stored,
  }: { sent: NoteChange; values: Values; stored: NoteModel | undefined },
  checksAll: boolean,
): string[] {
  const isOfType = ({ types }: FieldModel) => types === undefined || types.includes(type.key);
  const set: Record<string, unknown> = { priority, ...custom, ...changes };
  const isStored = (key: string) =>
    stored !== undefined && set[key] === (key === 'priority' ? stored.priority : stored.customFields[key]);
  const foreign = fields.filter(
    (field) => !isOfType(field) && (set[field.key] ?? null) !== null && !isStored(field.key),
  );
  const required = new Set([
    ...fields.filter((field) => field.required && isOfType(field)).map(({ key }) => key),
    ...(type.required ?? []),
  ]);
  for (const { key } of rejected) required.delete(key);
  const missing = [...required].filter((key) => {
    const value = key === 'title' || key === 'priority' ? note[key] : (note.customFields[key] ?? null);
    if (value !== null) return false;
    if (checksAll) return true;
    if (key === 'title') return sent.title !== undefined;
    if (key === 'priority') return priority !== undefined;
    return custom !== undefined || Object.hasOwn(changes, key);
  });
  return [...foreign.map(({ key }) => `${key} not_of_type`), ...missing.map((key) => `${key} required`)];
}

function convertValue(
  { type, choices }: FieldModel,
  priorities: ReadonlyMap<string, string>,
  value: FieldValue,
): { text: string } | { code: string } | null {
  if (value === null) return null;
  const text = String(value);
  switch (type) {
    case 'number':
      return NUMBER.test(text) ? { text } : { code: 'type_mismatch' };
    case 'checkbox':
      return text === 'true' || text === 'false' ? { text } : { code: 'type_mismatch' };
    case 'choice':
      return choices!.includes(text) ? { text } : { code: 'type_mismatch' };
    case 'row': {
      if (priorities.has(text)) return { text };
      const named = [...priorities].filter(([, name]) => name === text);
      if (named.length === 1) return { text: named[0]![0] };
      return { code: named.length === 0 ? 'not_found' : 'ambiguous_row' };
    }
    default:
      return { text };
  }
}

/** Do the rules fit together? */
export function areValid({ fields, types }: RulesModel): boolean {
  const keys = new Set(types.map(({ key }) => key));
  const known = new Set([...REQUIRABLE, ...fields.map(({ key }) => key)]);
  const isOfType = (name: string, type: TypeModel) =>
    fields.every((field) => field.key !== name || (field.types ?? [type.key]).includes(type.key));
  return (
    fields.every((field) => (field.types ?? []).every((key) => keys.has(key))) &&
    types.every((type) => (type.required ?? []).every((key) => known.has(key) && isOfType(key, type)))
  );
}

function merge(custom: Record<string, string>, changes: Record<string, string | null>): Record<string, string> {
  const merged: Record<string, string | null> = { ...custom, ...changes };
  return Object.fromEntries(Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null));
}

function firstStatus(permitted: readonly string[]): string {
  return permitted.includes('open') ? 'open' : permitted[0]!;
}

function reject(errors: string[]): Outcome {
  return { errors: errors.toSorted() };
}

/** Fields that contradict each other often. */
export function createFields(random: Random): FieldModel[] {
  const options: FieldModel[][] = [
    [{ key: 'priority', name: 'Priority', type: 'row', table: 'Priorities' }],
    [
      { key: 'shift', name: 'Shift', type: 'choice', choices: ['day', 'night'] },
      { key: 'shift', name: 'Shift', type: 'choice', choices: ['day', 'late'] },
      { key: 'shift', name: 'Shift', type: 'text' },
    ],
    [{ key: 'downtime', name: 'Downtime', type: 'number' }],
    [{ key: 'stopped', name: 'Stopped', type: 'checkbox' }],
    [{ key: 'backup', name: 'Backup', type: 'row', table: 'Priorities' }],
  ];
  return options
    .filter(() => random.chance(70))
    .map((choices) => {
      const field = { ...random.of(choices) };
      if (random.chance(20)) field.required = true;
      if (random.chance(20)) field.types = [random.of(['note', 'defect'])];
      return field;
    });
}

export function createTypes(random: Random): TypeModel[] {
  const note: TypeModel = { key: 'note', name: 'Note' };
  const defect: TypeModel = { key: 'defect', name: 'Defect' };
  if (random.chance(50)) defect.required = random.some(['title', 'priority', 'shift', 'downtime'], 2);
  if (random.chance(50)) defect.statuses = ['open', 'in_progress', 'closed'];
  if (random.chance(30)) defect.defaultStatus = 'in_progress';
  if (random.chance(60))
    defect.transitions = [
      { from: 'open', to: 'in_progress' },
      { from: 'in_progress', to: random.of(['open', 'closed']) },
    ];
  return random.of([[note], [note, defect], [note, defect], [defect, note], [defect]]);
}

/** A change of a note, of which some part is often invalid. */
export function createChange(random: Random): NoteChange {
  const change: NoteChange = {};
  if (random.chance(60)) change.title = random.of(['Leak', 'Noise', 'Noise', null]);
  if (random.chance(30)) change.type = random.of(['note', 'defect']);
  if (random.chance(50)) change.status = random.of(['open', 'in_progress', 'closed', 'on_hold', 'lost']);
  if (random.chance(40)) change.priority = random.of(['1', '2', '3', 'High', 'Medium', '9', null]);
  const values: Record<string, FieldValue> = {
    shift: random.of(['day', 'night', 'late', null]),
    downtime: random.of([3, 0.5, 'long', null]),
    stopped: random.of([true, false, 'perhaps', null]),
    backup: random.of(['1', '2', 'High', null]),
    priority: random.of(['1', 'High']),
  };
  const sent = Object.entries(values).filter(() => random.chance(20));
  if (sent.length > 0) change.fields = Object.fromEntries(sent);
  if (random.chance(20)) {
    const texts = Object.entries({ shift: random.of(['day', 'late']), downtime: random.of(['4', 'x']), other: 'text' });
    change.customFields = Object.fromEntries(texts.filter(() => random.chance(50)));
  }
  if (Object.keys(change).length === 0) change.title = 'Leak';
  return change;
}
