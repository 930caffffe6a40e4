import type { PipeTransform } from '@nestjs/common';
import { InvalidRequestError } from '../../../../packages/errors/src/domain-error.js';

/** The values of a row. The body reader has rejected everything but objects; only a missing body remains. */
export class RowBodyPipe implements PipeTransform<unknown, Record<string, unknown>> {
  transform(body: unknown): Record<string, unknown> {
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
    throw new InvalidRequestError([], 'The body is missing. Send the values of the row as a JSON object.');
  }
}
