import { Transform } from 'class-transformer';
import { OptionalString } from '../../../../records/record-fields.decorator.js';

/** The longest instant with its time zone, with room for a clear error of `ReadMoments`. */
export const MAX_MOMENT_LENGTH = 40;

/** A revision may be sent as a number, as responses contain it. */
export const RevisionAsText = () =>
  Transform(({ value }: { value: unknown }) => (Number.isSafeInteger(value) ? String(value) : value));

/** A read of the present or of a former moment. */
export class AsOfQueryDto {
  /**
   * Reads the rows of a revision of the table, or of a time with its zone such as `2026-03-01T08:00:00Z`, with the
   * columns of now.
   */
  @RevisionAsText()
  @OptionalString(MAX_MOMENT_LENGTH)
  asOf?: string;
}
