import { AtriumError } from '@atrium/client';
import type { ComponentChildren } from 'preact';
import { SignInError } from './session.js';

/** An error as the service describes it, with the ID by which its log has the request. */
export function ErrorMessage({ error }: { error: unknown }) {
  if (error === undefined) return null;
  const message = error instanceof Error ? error.message : 'The browser reports an unknown error. Reload the page.';
  // The message names the field of the JSON that people see as a list.
  const readable = message.replaceAll('details.errors', 'the list below');
  const isAnswer = error instanceof AtriumError || error instanceof SignInError;
  const errors = error instanceof AtriumError ? (error.details.errors ?? []) : [];
  const total = error instanceof AtriumError ? (error.details.total ?? errors.length) : 0;
  const others = errors.filter((each) => each.message !== message);
  return (
    <div class="message" role="alert">
      <p>{readable}</p>
      {others.length > 0 && (
        <ul>
          {others.map((each, index) => (
            <li key={index}>
              {each.line === undefined ? '' : `Line ${each.line}: `}
              {each.message} <ErrorLink code={each.code} />
            </li>
          ))}
          {total > errors.length && <li>{total - errors.length} more errors</li>}
        </ul>
      )}
      {isAnswer && (
        <p class="muted">
          {`Status ${error.status}`}
          {error instanceof AtriumError && (
            <>
              , <ErrorLink code={error.code} />
            </>
          )}
          {error.requestId !== undefined && (
            <>
              , request <code>{error.requestId}</code>
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** The code of an error, which leads to its entry in the catalogue. */
function ErrorLink({ code }: { code: string }) {
  return <a href={`guide/errors#${code}`}>{code}</a>;
}

/** A text that screen readers announce when it changes. */
export function Status({ children }: { children: ComponentChildren }) {
  return (
    <p class="status" role="status">
      {children}
    </p>
  );
}

/** A region that scrolls by itself, also with the keyboard. */
export function ScrollRegion({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** A time in the zone of the browser, and its exact value as title. */
export function Time({ value }: { value: string }) {
  const text = new Date(value).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <time dateTime={value} title={value}>
      {text}
    </time>
  );
}
