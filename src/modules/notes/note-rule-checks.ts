import type { FieldError } from '../../../packages/errors/src/domain-error.js';
import { normalizeName } from '../../../packages/tabular/src/normalization.js';
import { BINDABLE_FIELDS, isBindable, isOfType, type NoteField, type NoteRules, type NoteType } from './note-rules.js';

/** Fields that every note has, and of which a type can require a value. */
const REQUIRABLE = ['title', 'description', 'scheduledDate', 'dueDate', 'location', 'asset', 'projectId', 'tagId'];

/**
 * Names that mean something else in a note or a filter, in lower case: the headers of imported files do not distinguish
 * it.
 */
const RESERVED: ReadonlySet<string> = new Set(
  [
    ...[...REQUIRABLE, ...BINDABLE_FIELDS],
    ...['id', 'number', 'externalId', 'status', 'type', 'locationKey', 'assetKey', 'tourId', 'closedAt', 'createdAt'],
    ...['updatedAt', 'createdBy', 'updatedBy', 'source', 'version', 'archivedAt', 'messageCount', 'lastMessageAt'],
    ...['files', 'fields', 'customFields', 'externalReferences', 'watchers', 'workspaceId', 'constructor', 'prototype'],
    ...Object.getOwnPropertyNames(Object.prototype),
  ].map((name) => name.toLowerCase()),
);

type RuleErrorCode =
  | 'ambiguous_table'
  | 'duplicate'
  | 'invalid_field'
  | 'required'
  | 'reserved'
  | 'unknown_field'
  | 'unknown_status'
  | 'unknown_table'
  | 'unknown_type';

/** An error of the request that would set a rule. @param path of the field. */
export function toRuleError(path: string, code: RuleErrorCode, text: string): FieldError {
  return { field: path, code, message: `${path}: ${text}` };
}

/** What is wrong with the rules, as errors of the request that would set them. */
export function findRuleErrors(rules: NoteRules): FieldError[] {
  return [
    ...findDuplicates('statuses', 'key', rules.statuses),
    ...findDuplicates('fields', 'key', rules.fields),
    ...findDuplicates('fields', 'name', rules.fields),
    ...findDuplicates('types', 'key', rules.types),
    ...rules.fields.flatMap((field, at) => findFieldErrors(rules, field, `fields[${at}]`)),
    ...rules.types.flatMap((type, at) => findTypeErrors(rules, type, `types[${at}]`)),
  ];
}

/** People would confuse two texts that differ in letter case only. */
function findDuplicates<Name extends string>(
  list: string,
  name: Name,
  items: readonly Record<Name, string>[],
): FieldError[] {
  const seen = new Set<string>();
  return items.flatMap(({ [name]: text }, at) => {
    const normalized = normalizeName(text);
    const isDuplicate = seen.has(normalized);
    seen.add(normalized);
    return isDuplicate
      ? [toRuleError(`${list}[${at}].${name}`, 'duplicate', `duplicate ${name} "${text}". Use each ${name} once.`)]
      : [];
  });
}

function findFieldErrors({ types }: NoteRules, field: NoteField, path: string): FieldError[] {
  const { key, type, tableId, choices } = field;
  const errors: FieldError[] = [];
  const add = (name: string, code: RuleErrorCode, text: string) =>
    errors.push(toRuleError(`${path}.${name}`, code, text));
  if (!isBindable(key) && RESERVED.has(key.toLowerCase()))
    add('key', 'reserved', `"${key}" is a field of every note. Use another key.`);
  const requireOnlyOf = (owner: string, name: string, isSet: boolean, what: string) => {
    const only = `only a field of type ${owner} has ${what}; "${key}" has the type ${type}.`;
    if ((type === owner) !== isSet)
      add(name, 'invalid_field', isSet ? only : `a field of type ${owner} needs ${what}.`);
  };
  requireOnlyOf('row', 'table', tableId !== undefined, 'a table');
  requireOnlyOf('choice', 'choices', choices !== undefined, 'choices');
  if (choices?.length === 0) add('choices', 'required', 'send at least one choice.');
  for (const [at, choice] of (choices ?? []).entries())
    if (choice === '' || choice !== choice.trim())
      add(`choices[${at}]`, 'invalid_field', `"${choice}" is empty, or begins or ends with white space.`);
  for (const each of field.types ?? [])
    if (!types.some((known) => known.key === each))
      add('types', 'unknown_type', `the workspace has no note type "${each}". Its types: ${listKeys(types)}.`);
  return errors;
}

function findTypeErrors({ statuses, fields }: NoteRules, type: NoteType, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const add = (name: string, code: RuleErrorCode, text: string) =>
    errors.push(toRuleError(`${path}.${name}`, code, text));
  for (const name of type.required ?? []) {
    const field = fields.find(({ key }) => key === name);
    if (!REQUIRABLE.includes(name) && !isBindable(name) && !field)
      add('required', 'unknown_field', `"${name}" is not a field that a note can require. Define it in note-fields.`);
    if (field && !isOfType(field, type.key))
      add('required', 'invalid_field', `notes of the type "${type.key}" do not have "${name}", by its "types".`);
  }
  const all = statuses.map(({ key }) => key);
  const permitted = type.statuses ?? all;
  const requireStatus = (name: string, status: string, known: readonly string[]) => {
    if (!known.includes(status)) add(name, 'unknown_status', `"${status}" is not one of ${known.join(', ')}.`);
  };
  for (const status of type.statuses ?? []) requireStatus('statuses', status, all);
  if (type.statuses?.length === 0) add('statuses', 'required', 'send at least one status, or omit it.');
  if (type.defaultStatus !== undefined) requireStatus('defaultStatus', type.defaultStatus, permitted);
  const transitions = new Set<string>();
  for (const [at, { from, to }] of (type.transitions ?? []).entries()) {
    const transition = `from "${from}" to "${to}"`;
    if (transitions.has(transition))
      add(`transitions[${at}]`, 'duplicate', `duplicate transition ${transition}. Use each transition once.`);
    transitions.add(transition);
    requireStatus(`transitions[${at}].from`, from, all);
    requireStatus(`transitions[${at}].to`, to, permitted);
  }
  return errors;
}

function listKeys(items: readonly { key: string }[]): string {
  return items.map(({ key }) => key).join(', ');
}
