import { includesRole, type Role, ROLES } from '../../platform/security/roles.js';
import type { NoteAuthor } from './note-author.js';
import { listStatuses, type NoteRules, type NoteType } from './note-rules.js';
import { getInitialStatus } from './note-status.js';
import type { Note } from './note.entity.js';
import { InvalidTransitionError } from './notes.errors.js';

/** The role by which an author may make transitions; undefined: only those that need none. */
function findRole({ roles, source }: NoteAuthor, workspaceId: string): Role | undefined {
  return source === 'public' ? undefined : roles?.get(workspaceId);
}

/** The error of a change of the status within a type, if it is not permitted. */
export function findTransitionError(
  { key, transitions }: NoteType,
  { status, workspaceId }: Note,
  to: string,
  author: NoteAuthor,
): InvalidTransitionError | undefined {
  if (!transitions) return undefined;
  const role = findRole(author, workspaceId);
  const from = transitions.filter((each) => each.from === status);
  const mayMake = (needed: Role | undefined) =>
    needed === undefined || (role !== undefined && includesRole(role, needed));
  if (from.some((each) => each.to === to && mayMake(each.role))) return undefined;
  const permitted = from.filter((each) => mayMake(each.role)).map((each) => each.to);
  const needed = from.find((each) => each.to === to)?.role;
  const message = `A note of the type "${key}" cannot change from "${status}" to "${to}"${toReason(needed)}.`;
  return new InvalidTransitionError(`${message} Permitted: ${toList(permitted)}.`);
}

/** A change of the type of a note: `to` is the status that the note then has. */
interface TypeChange {
  /** The type that the note has; undefined if it was removed. */
  former: NoteType | undefined;
  type: NoteType;
  to: string;
}

/**
 * The error of a note that may not have the status in its new type. Without it, a change to another type and back would
 * bypass the transitions of the type.
 */
export function findEntryError(
  rules: NoteRules,
  { former, type, to }: TypeChange,
  note: Note,
  author: NoteAuthor,
): InvalidTransitionError | undefined {
  const needed = rankEntry(rules, type, to);
  if (to === note.status && rankEntry(rules, former, to) >= needed) return undefined;
  const rank = rankRole(findRole(author, note.workspaceId));
  if (rank >= needed) return undefined;
  const permitted = listStatuses(rules, type).filter(({ key }) => rankEntry(rules, type, key) <= rank);
  const message = `A note with the status "${to}" cannot get the type "${type.key}"${toReason(ROLES[needed - 1])}.`;
  return new InvalidTransitionError(`${message} Permitted: ${toList(permitted.map(({ key }) => key))}.`);
}

/** The position of the role, from 1; 0 without a role. */
function rankRole(role: Role | undefined): number {
  return role === undefined ? 0 : ROLES.indexOf(role) + 1;
}

/**
 * The rank that permits each transition into the status; infinite without one. The default status is open to each note.
 */
function rankEntry(rules: NoteRules, type: NoteType | undefined, status: string): number {
  if (!type?.transitions) return 0;
  const initial = type.defaultStatus ?? getInitialStatus(listStatuses(rules, type)).key;
  if (status === initial) return 0;
  const into = type.transitions.filter(({ to }) => to === status);
  return into.length === 0 ? Infinity : Math.max(...into.map(({ role }) => rankRole(role)));
}

function toReason(role: Role | undefined): string {
  return role === undefined ? '' : ` without the role "${role}"`;
}

function toList(statuses: readonly string[]): string {
  return statuses.length > 0 ? statuses.join(', ') : 'none';
}
