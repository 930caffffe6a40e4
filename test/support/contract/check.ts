import { findMismatch } from './document.js';
import type { PlannedRequest } from './requests.js';
import type { Answer, World } from './world.js';

/** What no response may contain: stack traces, SQL, names of drivers and values that were not turned into text. */
const INTERNALS = /\bat \S+ \(|node_modules|\.js:\d|SELECT .* FROM|INSERT INTO|QueryFailed|TypeError|\[object \w+\]/;

/** Longest message of an error, which quotes at most parts of what the caller sent. */
const MAX_MESSAGE = 2_000;

/** What a response violates; empty if it conforms to the document. */
export function findViolations(request: PlannedRequest, answer: Answer, { canary }: World): string[] {
  const { operation, caller, hasOtherPath } = request;
  const { status, headers, text } = answer;
  const violations: string[] = [];
  if (status === 500) violations.push('status 500');
  if (caller !== 'foreign' && text.includes(canary)) violations.push('contains data of another workspace');
  const declared = operation.responses[String(status)];
  if (hasOtherPath) return violations;
  if (!declared) return [...violations, `status ${status} is not declared`];
  const type = headers['content-type']?.split(';')[0] ?? 'none';
  const content = declared.content?.[type] ?? declared.content?.['*/*'];
  if (text === '' && (type !== 'application/json' || !declared.content)) return violations;
  if (!content) return [...violations, `status ${status} has the undeclared media type ${type}`];
  if (type !== 'application/json') return violations;
  const body = JSON.parse(text) as {
    message?: unknown;
    requestId?: unknown;
    details?: { errors?: { message: string }[] };
  };
  const mismatch = content.schema && findMismatch(content.schema, body);
  if (mismatch) violations.push(`status ${status}: ${mismatch}`);
  if (status < 400) return violations;
  const messages = [body.message, ...(body.details?.errors ?? []).map(({ message }) => message)].map(String);
  const internal = messages.find(
    (message) => INTERNALS.test(message) && !INTERNALS.test(request.body?.toString() ?? ''),
  );
  if (internal) violations.push(`message with internals: ${internal.slice(0, 200)}`);
  const long = messages.find(({ length }) => length > MAX_MESSAGE);
  if (long) violations.push(`message of ${long.length} characters: ${long.slice(0, 100)}`);
  return violations;
}
