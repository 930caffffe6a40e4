import { InvalidRequestError } from '../../../packages/errors/src/domain-error.js';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** The digits of both alphabets of RFC 4648: 1 for each character code that is one. */
const DIGITS = new Uint8Array(256);
for (const digit of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'))
  DIGITS[digit] = 1;

/**
 * Decodes base64 as it arrives, in time proportional to its length. Accepts both alphabets of RFC 4648, texts without
 * padding, line breaks as mail and command-line tools insert them, and blanks next to those. Other blanks are rejected:
 * a relay may have made them of `+`.
 */
export class Base64Decoder {
  /** Digits that are not decoded yet. */
  private rest: Buffer = Buffer.alloc(0);
  private count = 0;
  private padding = 0;
  /** Is a line break before the next digit? */
  private hasBreak = false;
  /** Is a blank before the next digit? */
  private hasBlank = false;
  private hasSkippedBlanks = false;

  /**
   * @param field contains the text, for the error.
   * @param position of the first character in the field, which may begin with other text.
   */
  constructor(
    private readonly field: string,
    private position = 0,
  ) {}

  /** @returns the bytes that the text completes. @throws {InvalidRequestError} naming the field */
  add(text: string): Buffer {
    const digits = this.collect(text);
    this.position += text.length;
    const available = Buffer.concat([this.rest, digits]);
    const whole = available.length - (available.length % 4);
    this.rest = Buffer.from(available.subarray(whole));
    return Buffer.from(available.toString('latin1', 0, whole), 'base64');
  }

  /** @returns the last bytes. @throws {InvalidRequestError} naming the field */
  end(): Buffer {
    const last = this.rest.toString('latin1');
    const bytes = Buffer.from(last, 'base64');
    // A single digit is not a byte, and the bits after the last byte must be 0.
    const isWhole = bytes.toString('base64url') === last.replaceAll('+', '-').replaceAll('/', '_');
    if (!isWhole || !this.isPadded())
      throw this.invalid(`The end after ${this.position} characters does not complete a byte and its padding`);
    return bytes;
  }

  /** The digits of the next characters. @throws {InvalidRequestError} for another character, or one after padding */
  private collect(text: string): Buffer {
    // One byte per character; a character beyond Latin-1 must not become a digit.
    const other = text.search(/[^\0-\x7f]/);
    if (other >= 0) throw this.createCharacterError(text, other);
    const bytes = Buffer.from(text, 'latin1');
    let length = 0;
    for (const [at, byte] of bytes.entries()) {
      if (DIGITS[byte] === 1) {
        if (this.padding > 0 || !this.endGap()) throw this.createCharacterError(text, at);
        bytes[length++] = byte;
      } else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.hasBreak = true;
      else if (byte === SPACE || byte === TAB) this.hasBlank = true;
      else if (byte !== EQUALS || !this.endGap()) throw this.createCharacterError(text, at);
      else this.padding++;
    }
    this.count += length;
    return bytes.subarray(0, length);
  }

  /** After the last character: is the padding complete, and no blank at the end? */
  private isPadded(): boolean {
    if (!this.endGap() || this.padding > 2) return false;
    // Without padding, a `+` that became a blank at a line break would not be noticed.
    const mustBePadded = this.padding > 0 || this.hasSkippedBlanks;
    return !mustBePadded || (this.count + this.padding) % 4 === 0;
  }

  /** @returns false if blanks without a line break are between two digits */
  private endGap(): boolean {
    const isAllowed = !this.hasBlank || this.hasBreak;
    this.hasSkippedBlanks ||= this.hasBlank;
    this.hasBlank = this.hasBreak = false;
    return isAllowed;
  }

  /** The error for a character that must not be there, or not after the one before it. */
  private createCharacterError(text: string, at: number): InvalidRequestError {
    const [character] = text.slice(at, at + 2);
    return this.invalid(`Found ${JSON.stringify(character)} at character ${this.position + at + 1}`);
  }

  private invalid(problem: string): InvalidRequestError {
    const rule =
      'A-Z, a-z, 0-9, + and /, or - and _, with or without line breaks and padding; a blank within a line may be a lost +';
    return invalidBase64(this.field, `${this.field} must be base64 (RFC 4648): ${rule}. ${problem}.`);
  }
}

export function invalidBase64(field: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ field, code: 'invalid_base64', message }], message);
}
