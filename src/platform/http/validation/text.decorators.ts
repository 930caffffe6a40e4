import { Transform } from 'class-transformer';
import { Matches, type ValidationOptions } from 'class-validator';

const STORABLE = /^[^\0\p{Cs}]*$/u;
const NOT_STORABLE = '$property must not contain U+0000 or half a surrogate pair';

/** Text that can be stored unchanged: PostgreSQL rejects U+0000, and UTF-8 has no single surrogates. */
export function StorableText(options?: ValidationOptions): PropertyDecorator {
  return Matches(STORABLE, { message: NOT_STORABLE, ...options });
}

export function isStorable(text: string): boolean {
  return STORABLE.test(text);
}

/** Text without line breaks and other control characters. */
export function OneLine(options?: ValidationOptions): PropertyDecorator {
  return Matches(/^\P{Cc}*$/u, {
    message: '$property must not contain control characters, such as line breaks',
    ...options,
  });
}

/** Text that does not only consist of white space. */
export function NotBlank(options?: ValidationOptions): PropertyDecorator {
  return Matches(/\S/, { message: '$property must not be blank', ...options });
}

/** The stored form of names and row keys: Unicode NFC without surrounding white space. */
export function normalText(text: string): string {
  return text.trim().normalize('NFC');
}

/** The words of a text in `a-z` and `0-9`, without accents, with the separator between them; possibly empty. */
export function toSlug(text: string, separator: '-' | '_'): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(separator);
}

/** Normalizes a name, so that two encodings of it are equal. */
export function Normal(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalText(value) : value));
}

/** Turns an empty text into null, because forms cannot send null. */
export function EmptyIsNull(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (value === '' ? null : value));
}

/** Removes surrounding white space. */
export function Trimmed(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
}
