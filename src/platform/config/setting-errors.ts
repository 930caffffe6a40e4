import { SECRET_SETTINGS } from './secret-files.js';

const MAX_CHARACTERS = 100;

/** A line about an invalid setting: its name, what is allowed, and what was sent, unless it is a secret. */
export function describeSetting(name: string, allowed: string, sent: string | undefined): string {
  const isSecret = (SECRET_SETTINGS as readonly string[]).includes(name);
  return `${name}: ${allowed}${sent === undefined || isSecret ? '' : `; it is ${JSON.stringify(shorten(mask(sent)))}`}`;
}

/** Without the credentials and the query of URLs. */
function mask(sent: string): string {
  return sent.replace(/\/\/.*@/s, '//…@').replace(/([?#]).*/s, '$1…');
}

function shorten(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
