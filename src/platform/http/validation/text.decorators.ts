import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, IsUrl, Matches, ValidateBy, type ValidationOptions } from 'class-validator';
import { isStorable, normalText } from '../../../../packages/tabular/src/normalization.js';

const NOT_STORABLE = '$property must not contain U+0000 or half a surrogate pair';

/** Text that can be stored unchanged. */
export function StorableText(options?: ValidationOptions): PropertyDecorator {
  const validate = (text: unknown) => typeof text === 'string' && isStorable(text);
  return ValidateBy({ name: 'storableText', validator: { validate, defaultMessage: () => NOT_STORABLE } }, options);
}

/**
 * Text of a number of characters. `Length()` collects the surrogate pairs of the whole text in a list, which takes a
 * second for 10 MB of them, and does not count variation selectors.
 */
export function TextLength(min: number, max: number, options?: ValidationOptions): PropertyDecorator {
  const limit = `shorter than or equal to ${max} characters`;
  const expected = min > 0 ? `longer than or equal to ${min} and ${limit}` : limit;
  const validate = (text: unknown) => typeof text === 'string' && text.length >= min && !isLonger(text, max);
  const defaultMessage = () => `${options?.each ? 'each value in ' : ''}$property must be ${expected}`;
  return ValidateBy({ name: 'isLength', validator: { validate, defaultMessage } }, options);
}

/** Text of a number of characters that can be stored unchanged. */
export function BoundedText(min: number, max: number, options?: ValidationOptions): PropertyDecorator {
  return applyDecorators(IsString(options), TextLength(min, max, options), StorableText(options));
}

export function isLonger(text: string, max: number): boolean {
  if (text.length <= max) return false;
  // A character has at most two UTF-16 units.
  return text.length > 2 * max || [...text].length > max;
}

/** Text without line breaks, also those of Unicode (U+2028, U+2029), and other control characters. */
export function OneLine(): PropertyDecorator {
  const message = '$property must not contain control characters, such as line breaks';
  const validate = (text: unknown) => typeof text === 'string' && isOneLine(text);
  return ValidateBy({ name: 'oneLine', validator: { validate, defaultMessage: () => message } });
}

/** Without repetition: that of a regular expression exhausts its stack for a text of 50 million characters. */
export function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

/**
 * Characters that are not visible, or change the direction of the text after them: names with them look like other
 * names, for example in an audit log.
 */
const INVISIBLE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** Text that looks as it is stored: without control, zero-width and bidirectional characters. */
export function VisibleText(): PropertyDecorator {
  const message = '$property must not contain control characters, zero-width characters or marks of the text direction';
  const validate = (text: unknown) => typeof text === 'string' && !INVISIBLE.test(text);
  return ValidateBy({ name: 'visibleText', validator: { validate, defaultMessage: () => message } });
}

export const NOT_BLANK = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** Text that does not only consist of white space and of characters that are not displayed, such as U+200B. */
export function NotBlank(): PropertyDecorator {
  return Matches(NOT_BLANK, { message: '$property must not be blank' });
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

/**
 * An HTTP or HTTPS URL that `new URL()` parses. The rules of `IsUrl` and of the WHATWG parser differ: only the first
 * accepts `https://[fe80::1%25eth0]/`, only the second `https://a b/`.
 */
export function HttpUrl(): PropertyDecorator {
  const defaultMessage = () => '$property must be a URL address';
  const validate = (value: unknown) => typeof value === 'string' && URL.canParse(value);
  return applyDecorators(
    IsUrl({ protocols: ['https', 'http'], require_protocol: true, require_tld: false }),
    ValidateBy({ name: 'parsableUrl', validator: { validate, defaultMessage } }),
  );
}
