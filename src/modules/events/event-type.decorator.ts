import type { Type } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { includesRole, type Role } from '../../platform/security/roles.js';
import { grantsAny, type Scope } from '../../platform/security/scopes.js';
import { InsufficientRoleError, InsufficientScopeError } from '../../platform/security/security.errors.js';

/** A type of events, as a module declares it with `@EventType()`. */
export interface DeclaredEventType {
  /** The record and what happened to it, such as `note.created`. */
  name: string;
  /** For the OpenAPI document. */
  summary: string;
  /** The scope that reads the record of `data` on its own routes, and therefore also these events. */
  scope: Scope;
  /** The role that reads the record. */
  role: Role;
  /** The class of `data`. */
  dto: Type;
  /** Fields of `data` that are typical of the type, as JSON. A sample has examples of the schema in the others. */
  sample?: object;
}

/** For a time in samples, in which all times are that of the event. */
export const EXAMPLE_TIME = '2026-01-01T00:00:00Z';

type EventTypeOptions = Partial<Pick<DeclaredEventType, 'role' | 'sample'>>;

const byName = new Map<string, DeclaredEventType>();
const byClass = new Map<Type, DeclaredEventType>();

/**
 * Declares the class as the `data` of a type of events. Record one with
 * `EventsService.record(workspaceId, Class, data)`.
 *
 * @param name two segments of lower-case letters and underscores, such as `note.created`.
 */
export function EventType(
  name: string,
  summary: string,
  scope: Scope,
  { role = 'reader', sample }: EventTypeOptions = {},
): (dto: Type) => void {
  return (dto) => {
    if (!/^[a-z_]+\.[a-z_]+$/.test(name) || byName.has(name)) throw new Error(`Invalid type of events: ${name}`);
    const declared = { name, summary, scope, role, dto, sample };
    byName.set(name, declared);
    byClass.set(dto, declared);
  };
}

/** The declared types, ordered by name. */
export function listEventTypes(): DeclaredEventType[] {
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The name of the type whose `data` the class describes. */
export function getEventTypeName(dto: Type): string {
  const declared = byClass.get(dto);
  if (!declared) throw new Error(`${dto.name} needs @EventType().`);
  return declared.name;
}

/** The names of the types that a pattern matches: `note.created`, `note.*` or `*`. */
function findEventTypes(pattern: string): string[] {
  if (byName.has(pattern)) return [pattern];
  const prefix = pattern === '*' ? '' : pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined;
  return prefix === undefined ? [] : [...byName.keys()].filter((name) => name.startsWith(prefix));
}

/** What a caller may read. */
export interface EventReader {
  scopes: readonly Scope[];
  role: Role;
}

/**
 * The types that a caller reads, of those that patterns match.
 *
 * @param patterns undefined for all types.
 * @returns undefined if the caller reads all types.
 * @throws {InsufficientScopeError | InsufficientRoleError} if the caller reads none of the types of a pattern.
 */
export function selectReadableTypes({ scopes, role }: EventReader, patterns?: readonly string[]): string[] | undefined {
  const isGranted = (name: string): boolean => grantsEventType(scopes, name);
  const isReadable = (name: string): boolean => isGranted(name) && includesRole(role, byName.get(name)!.role);
  if (patterns === undefined && [...byName.keys()].every(isReadable)) return undefined;
  const names = (patterns ?? ['*']).flatMap((pattern) => {
    const matching = findEventTypes(pattern);
    const readable = matching.filter(isReadable);
    if (readable.length > 0) return readable;
    const granted = matching.find(isGranted);
    if (granted === undefined) throw new InsufficientScopeError([byName.get(matching[0]!)!.scope]);
    throw new InsufficientRoleError(byName.get(granted)!.role);
  });
  return [...new Set(names)];
}

/** Do the scopes grant the events of a type? */
export function grantsEventType(scopes: readonly Scope[], name: string): boolean {
  return grantsAny(scopes, byName.get(name)!.scope);
}

/** @throws {InsufficientScopeError} if the scopes do not grant all types that the patterns match. */
export function requireReadableTypes(scopes: readonly Scope[], patterns: readonly string[]): void {
  for (const name of patterns.flatMap(findEventTypes)) {
    if (!grantsEventType(scopes, name)) throw new InsufficientScopeError([byName.get(name)!.scope]);
  }
}

/** Types of events, or patterns such as `note.*`. */
export function EventPatterns(): PropertyDecorator {
  const defaultMessage = () =>
    '$property must contain types of events such as note.created, or patterns such as note.* or *';
  const validate = (pattern: unknown) => typeof pattern === 'string' && findEventTypes(pattern).length > 0;
  return ValidateBy({ name: 'eventPatterns', validator: { validate, defaultMessage } }, { each: true });
}
