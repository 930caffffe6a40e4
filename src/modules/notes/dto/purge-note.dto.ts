import { OptionalFlag } from '../../../records/record-fields.decorator.js';

export class PurgeNoteDto {
  /** `true` deletes the note with its messages and files permanently. Needs the role `owner`. */
  @OptionalFlag()
  purge?: string;
}
