import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { parseInstant } from '../../packages/tabular/src/instant.js';
import { isUuid } from '../../packages/sql/src/uuid.js';
import * as z from 'zod';
import { isLonger, isOneLine, NOT_BLANK } from '../platform/http/validation/text.decorators.js';
import { isScope, type Scope, SCOPES } from '../platform/security/scopes.js';

const NAME_LENGTH = 255;
const SLUG = /^(?=.{1,63}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_PORT = 65_535;
const YEAR_S = 365 * 24 * 3600;

/** Converted to lower case, because services compare IDs as texts. */
export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
}

/** A user: its email address or its ID. */
export function user(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  if (!isEmail(text)) throw new InvalidArgumentError('It must be an email address or a UUID.');
  return text;
}

/** A workspace: its slug or its ID. */
export function workspace(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  if (!SLUG.test(text)) throw new InvalidArgumentError('It must be the slug of a workspace or a UUID.');
  return text;
}

/** Parses an option that may be repeated, each value once. */
function repeated<Value>(parse: (text: string) => Value) {
  return (text: string, previous: readonly Value[] = []): Value[] => [...new Set([...previous, parse(text)])];
}

export const workspaces = repeated(workspace);

export const scopes = repeated((text): Scope => {
  if (isScope(text)) return text;
  throw new InvalidArgumentError(`It must be one of ${SCOPES.join(', ')}.`);
});

export function email(text: string): string {
  if (!isEmail(text)) throw new InvalidArgumentError('It must be an email address.');
  return text;
}

function isEmail(text: string): boolean {
  return z.email().safeParse(text).success;
}

/** A subject of an issuer. Neither the URL nor, usually, the subject contains a comma. */
export function federated(text: string): { issuer: string; subject: string } {
  const [, issuer, subject] = /^(https?:[^,\s]+),(.{1,255})$/.exec(text) ?? [];
  if (issuer === undefined || subject === undefined)
    throw new InvalidArgumentError('It must be the URL of an issuer and a subject, separated by a comma.');
  return { issuer, subject };
}

export const domains = repeated((text) => {
  if (/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a domain such as example.com.');
});

/** Scopes of another service (RFC 6749, section 3.3). */
export const issuerScopes = repeated((text) => {
  if (/^[\x21\x23-\x5B\x5D-\x7E]{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a scope without spaces, quotation marks and backslashes.');
});

/** A server of a cluster. */
export function node(text: string): { host: string; port: number } {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > MAX_PORT)
    throw new InvalidArgumentError('It must be host:port, such as worker-2:5432.');
  return { host, port: Number(port) };
}

export function name(text: string): string {
  const trimmed = text.trim();
  if (!NOT_BLANK.test(trimmed) || isLonger(trimmed, NAME_LENGTH))
    throw new InvalidArgumentError(`It must have 1 to ${NAME_LENGTH} characters, of which one is visible.`);
  if (!isOneLine(trimmed))
    throw new InvalidArgumentError('It must not contain control characters, such as line breaks.');
  return trimmed;
}

export function slug(text: string): string {
  if (!SLUG.test(text))
    throw new InvalidArgumentError('It must have 1 to 63 characters a-z and 0-9, with single hyphens between them.');
  return text;
}

export function onOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('It must be on or off.');
  return text === 'on';
}

/** Parses a point in time or an age: `2026-11-21`, `2026-11-21T08:00Z`, `90m`, `12h`, `7d`. */
export function since(text: string): Date {
  const date = parseTime(text, -1);
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError(
      'It must be a date, a time such as 2026-11-21T08:00Z, or an age such as 90m, 12h, 7d.',
    );
  }
  return date;
}

/** Parses a future point in time or a duration from now: `2027-11-21`, `2027-11-21T08:00Z`, `90m`, `12h`, `365d`. */
export function expiry(text: string): Date {
  const date = parseTime(text, 1);
  if (!(date.getTime() > Date.now())) {
    throw new InvalidArgumentError(
      'It must be a future date, a future time such as 2027-11-21T08:00Z, or a duration such as 90m, 12h, 365d.',
    );
  }
  return date;
}

/**
 * A duration before or after now; a date, which starts at midnight in UTC; or a date-time with its offset. The
 * computer's time zone never counts.
 */
function parseTime(text: string, sign: 1 | -1): Date {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (unit) return new Date(Date.now() + sign * Number(amount) * UNIT_MS.get(unit)!);
  return parseInstant(text.length === 10 ? `${text}T00:00Z` : text) ?? new Date(Number.NaN);
}

const UNIT_MS: ReadonlyMap<string, number> = new Map(Object.entries({ m: 60_000, h: 3_600_000, d: 86_400_000 }));

export function count(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('It must be from 1 to 999999.');
  return Number(text);
}

export function ip(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It must be an IP address.');
  return text;
}

export function seconds(text: string): number {
  if (!/^\d{1,8}$/.test(text) || Number(text) > YEAR_S) {
    throw new InvalidArgumentError(`It must be whole seconds, from 0 to ${YEAR_S}.`);
  }
  return Number(text);
}
