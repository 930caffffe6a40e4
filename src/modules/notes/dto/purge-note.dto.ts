import { OptionalFlag } from '../../../records/record-fields.decorator.js';

export class PurgeNoteDto {
  /** `true` deletes the note permanently. Needs the role `owner`. */
  @OptionalFlag()
  purge?: string;
}
