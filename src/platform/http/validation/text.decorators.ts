import { Transform } from 'class-transformer';
import { Matches, type ValidationOptions } from 'class-validator';

const STORABLE = /^[^\0\p{Cs}]*$/u;
const NOT_STORABLE = '$property must hold neither U+0000 nor half a surrogate pair';

/** Text that comes back as it was sent: PostgreSQL refuses U+0000, and UTF-8 has no halves of surrogate pairs. */
export function StorableText(options?: ValidationOptions): PropertyDecorator {
  return Matches(STORABLE, { message: NOT_STORABLE, ...options });
}

export function isStorable(text: string): boolean {
  return STORABLE.test(text);
}

/** What people read on one line. */
export function OneLine(options?: ValidationOptions): PropertyDecorator {
  return Matches(/^\P{Cc}*$/u, {
    message: '$property must hold no control characters, such as line breaks',
    ...options,
  });
}

/** Text with something to see in it. */
export function NotBlank(options?: ValidationOptions): PropertyDecorator {
  return Matches(/\S/, { message: '$property must not be blank', ...options });
}

/** As names of things are kept, and keys of rows: Unicode's NFC, without outer white space. */
export function normalText(text: string): string {
  return text.trim().normalize('NFC');
}

/** Text that names something, so that two spellings of it are one name. */
export function Normal(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalText(value) : value));
}

/** An empty text is none: forms cannot say null. */
export function EmptyIsNull(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (value === '' ? null : value));
}

/** Text whose outer white space means nothing, and is not kept. */
export function Trimmed(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
}
